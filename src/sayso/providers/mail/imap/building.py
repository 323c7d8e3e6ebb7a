"""Build the mail backend over a server, or say with which command the packages come that it is made with."""

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import Backend, BackendContext


def build(ground: BackendContext) -> Backend:
    """Return the backend over an account on a server. Raises `SetupError`."""
    try:
        return load("sayso.providers.mail.imap.backend:build")(ground)
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"mail on a server is read with {missing.name}, which is not installed; pip install 'sayso[mail]'",
            "mail.extra",
        ) from missing
