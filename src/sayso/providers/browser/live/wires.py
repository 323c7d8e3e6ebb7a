"""The connection to a browser, whose library is loaded only once one is needed."""

from collections.abc import Callable
from typing import cast

from sayso.core.errors import SetupError
from sayso.core.loading import load
from sayso.providers.browser.live.calling import Carries

WIRE = "sayso.providers.browser.live.wire"


def wire(host: str, port: int, path: str) -> Carries:
    """Return a connection. Raises `Lost`, and `SetupError` where the library is not installed."""
    return cast("Callable[[str, int, str], Carries]", _loaded("Wire"))(host, port, path)


def fetched(host: str, port: int, path: str) -> bytes:
    """Return what a browser's own list says. Raises `Lost`."""
    return cast("Callable[[str, int, str], bytes]", _loaded("fetched"))(host, port, path)


def touched(host: str, port: int) -> None:
    """Connect, hear one word, and go."""
    cast("Callable[[str, int], None]", _loaded("touched"))(host, port)


def must_be_there() -> None:
    """Raise `SetupError` where the library is not installed; a browser that is started could not be spoken to."""
    _loaded("Wire")


def _loaded(what: str) -> object:
    try:
        return load(f"{WIRE}:{what}")
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"a browser is spoken to with {missing.name}, which is not installed; pip install 'sayso[browser]'",
            "browser.extra",
        ) from missing
