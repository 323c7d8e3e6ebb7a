"""Determine from the environment variables which kind of desktop sayso runs in."""

import sys
from collections.abc import Mapping

from sayso.core.provider import Availabilities, Availability

LEADS_TO_A_SESSION = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")


def kind(environ: Mapping[str, str]) -> str | None:
    """Return the kind of backend for this session; None where there is no session."""
    if sys.platform == "darwin":
        return "macos"
    return "linux" if sys.platform == "linux" and _leads(environ) else None


def fits(environ: Mapping[str, str]) -> Availabilities:
    """Return whether the backend can be used in this session, and the reason."""
    if sys.platform == "darwin":
        return Availabilities({"macos": Availability(here=True, says="this is a Mac")}, "", "")
    if sys.platform != "linux":
        return Availabilities({}, "clipboard, sound and messages are supported only on Linux and macOS so far", "")
    if found := _leads(environ):
        leads = "leads" if len(found) == 1 else "lead"
        return Availabilities(
            {"linux": Availability(here=True, says=f"{' and '.join(found)} {leads} to a session")}, "", ""
        )
    none = f"there is no desktop session (none of {', '.join(LEADS_TO_A_SESSION)} is set)"
    return Availabilities({"linux": Availability(here=False, says=none)}, none, "start sayso from within your desktop")


def _leads(environ: Mapping[str, str]) -> list[str]:
    return [name for name in LEADS_TO_A_SESSION if environ.get(name)]
