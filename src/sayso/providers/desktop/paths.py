"""What must be true of a path right before it is opened."""

import os

from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted


def require_path(path: str) -> None:
    """Raise `ProviderError` unless something is at the path, and no part of the path is a link."""
    if not os.path.lexists(path):
        raise ProviderError(f"{quoted(path)} is no longer there", "world.changed")
    if os.path.realpath(path) != path:
        raise ProviderError(f"{quoted(path)} leads somewhere else by now; it was not opened", "world.changed")
