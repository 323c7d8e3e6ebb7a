"""The time zone of a calendar: the one that the settings name, or the computer's own."""

from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sayso.core.errors import SetupError
from sayso.core.when import LocalZone


def zone_named(name: str) -> tzinfo:
    """Return the zone with this IANA name, or the computer's own. Raises `SetupError` for an unknown one."""
    if not name:
        return LocalZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise SetupError(f"[calendar] timezone: there is no time zone “{name}” here", "settings.invalid") from unknown
