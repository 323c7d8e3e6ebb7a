"""Say which screen this session has, by what the environment leads to."""

import sys
from collections.abc import Mapping


def kind(environ: Mapping[str, str]) -> str | None:
    """Return the kind of backend for this session; None where there is no screen.

    Under Wayland an X server shows only those windows whose programs do not know better, so it is not taken.
    """
    if sys.platform != "linux":
        return None
    if environ.get("SWAYSOCK"):
        return "sway"
    if environ.get("WAYLAND_DISPLAY") or environ.get("XDG_SESSION_TYPE") == "wayland":
        return "kwin" if "KDE" in environ.get("XDG_CURRENT_DESKTOP", "").split(":") else "wayland"
    return "x11" if environ.get("DISPLAY") else None
