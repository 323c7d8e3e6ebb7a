"""Say which of sayso's errors must come, by its kind, its code and its sentence."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from sayso.core.errors import SaysoError


@contextmanager
def fails(kind: type[SaysoError], code: str, match: str | None = None) -> Generator[None]:
    """Expect that what is done within ends with this error."""
    with pytest.raises(kind, match=match) as raised:
        yield
    assert raised.value.code == code
