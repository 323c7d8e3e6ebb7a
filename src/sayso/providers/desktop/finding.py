"""Say which kind of desktop sayso runs in, by what the environment leads to."""

import sys
from collections.abc import Mapping

LEADS_TO_A_SESSION = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")


def kind(environ: Mapping[str, str]) -> str | None:
    """Return the kind of backend for this session; None where there is no session."""
    if sys.platform == "linux" and any(environ.get(name) for name in LEADS_TO_A_SESSION):
        return "linux"
    return None
