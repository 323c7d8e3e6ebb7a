"""Build a calendar's backend, or say with which command the packages come that it is made with."""

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import Backend, BackendContext


def vdir(ground: BackendContext) -> Backend:
    """Return the backend over a folder of .ics files."""
    return _made("sayso.providers.calendar.vdir:build", ground)


def caldav(ground: BackendContext) -> Backend:
    """Return the backend over a CalDAV server."""
    return _made("sayso.providers.calendar.caldav.backend:build", ground)


def _made(place: str, ground: BackendContext) -> Backend:
    try:
        return load(place)(ground)
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"the calendar is read with {missing.name}, which is not installed; pip install 'sayso[calendar]'",
            "calendar.extra",
        ) from missing
