"""Times as the journal keeps them: microseconds since 1970, or the text itself where that would lose something."""

from datetime import UTC, datetime, timedelta

from sayso.core.errors import ProposalError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Return a moment as microseconds since 1970."""
    return (moment - EPOCH) // _MICROSECOND


def iso(moment: int) -> str:
    """Return microseconds since 1970 as ISO 8601 with milliseconds, or microseconds where there are any."""
    fine = moment % 1000 != 0
    written = (EPOCH + moment * _MICROSECOND).isoformat(timespec="microseconds" if fine else "milliseconds")
    return written.removesuffix("+00:00") + "Z"


def kept(text: str | None) -> int | str | None:
    """Return how a time is stored; `written` gives back exactly this text."""
    if text is None:
        return None
    moment = read(text)
    return text if moment is None or iso(moment) != text else moment


def written(stored: float | str | None) -> str | None:
    """Return the text of a stored time."""
    return iso(stored) if isinstance(stored, int) else None if stored is None else str(stored)


def read(text: str) -> int | None:
    """Return the moment that an ISO 8601 text names; without a zone it is UTC. None when it names none."""
    try:
        moment = datetime.fromisoformat(text)
        return micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def asked(text: str) -> int:
    """Return the moment that somebody asked for. Raises `ProposalError` when it is none."""
    moment = read(text)
    if moment is None:
        raise ProposalError(f"“{text}” is no time; write it like 2025-01-06 or 2025-01-06T10:30:00Z", "time.malformed")
    return moment
