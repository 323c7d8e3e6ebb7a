"""Declares the apps provider, and chooses its back end for the display of this desktop session."""

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from sayso.core.errors import SetupError
from sayso.core.lazy import LazySequence, load
from sayso.core.ports import BackendContext
from sayso.core.provider import Availabilities, Availability, Provider, Requirement
from sayso.core.settings import memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

APPS = Provider(
    store="apps",
    operations=LazySequence(OPERATIONS["apps"]),
    steps=LazySequence(STEPS["apps"]),
    facts=LazySequence(FACTS["apps"]),
    outside=(),
    backends=MappingProxyType(
        {
            "x11": "sayso.providers.apps.x11:build",
            "sway": "sayso.providers.apps.sway:build",
            "kwin": "sayso.providers.apps.kwin:build",
            "wayland": "sayso.providers.apps:build",
            "macos": "sayso.providers.apps.macos.backend:build",
            "memory": "sayso.providers.apps.memory:build",
        }
    ),
    requires=MappingProxyType(
        {
            "x11": Requirement(
                ("xcffib",),
                "windows of an X session need the extra “desktop” ({error}); {install}",
                "screen.extra",
                "desktop",
            )
        }
    ),
    only_on=MappingProxyType(dict.fromkeys(("x11", "sway", "kwin", "wayland"), "linux") | {"macos": "darwin"}),
    finds="sayso.providers.apps:kind",
    fits="sayso.providers.apps:fits",
    context=MappingProxyType(
        {
            "app.list": "sayso.providers.apps.context:running",
            "app.open": "sayso.providers.apps.context:installed_names",
            "app.activate": "sayso.providers.apps.context:windows",
            "app.place": "sayso.providers.apps.context:monitors",
            "layout.activate": "sayso.providers.apps.context:presets",
        }
    ),
    serves="applications and windows",
    settings=(memory_world("apps"),),
)


_DESKTOPS = {
    "GNOME": ("GNOME on Wayland", "log out and choose “GNOME on Xorg” at the login screen, or log in to sway"),
}
_OTHERWISE = "log in to an X11 session, to KDE or to sway"
_IN_PART = '[apps] kind = "x11" shows the windows of X11 programs alone'


class UnsupportedDisplay:
    """The display of a desktop that hides its windows from other programs; `open` always raises an error."""

    name = "wayland"
    why = "WAYLAND_DISPLAY leads to a desktop that is neither sway nor KDE"

    def __init__(self, names: list[str]) -> None:
        known = next((name for name in names if name in _DESKTOPS), None)
        self._desktop, way_out = _DESKTOPS[known] if known else (f"{names[0] or 'this desktop'} on Wayland", _OTHERWISE)
        self.fix = f"{way_out}; {_IN_PART}"

    def open(self) -> NoReturn:
        """Raise `SetupError` with the name of the desktop, the reason and the remedy."""
        raise SetupError(
            f"applications and windows are unsupported in {self._desktop}, because it lets no other program see or "
            f"move them; {self.fix}",
            "screen.unsupported",
        )


def build(context: BackendContext):
    """Return a back end that raises an error with the reason and the remedy for every read of windows."""
    display = UnsupportedDisplay(context.environ.get("XDG_CURRENT_DESKTOP", "").split(":"))
    # This module is imported whenever a home is opened. The back end is imported only when it is used.
    return load("sayso.providers.apps.linux.backend:linux_backend")(context, display)


_START = "start sayso from within your desktop"


def kind(environ: Mapping[str, str]) -> str | None:
    """Return the kind of back end for this session; None if there is no display.

    Under Wayland an X server shows only the windows of X11 programs, so it is not chosen.
    """
    if sys.platform == "darwin":
        return "macos"
    if sys.platform != "linux":
        return None
    if environ.get("SWAYSOCK"):
        return "sway"
    if _wayland(environ):
        return "kwin" if _kde(environ) else "wayland"
    return "x11" if environ.get("DISPLAY") else None


def fits(environ: Mapping[str, str]) -> Availabilities:
    """Return for each kind of back end whether it fits this session, and which variable shows this."""
    if sys.platform == "darwin":
        return Availabilities({"macos": Availability(here=True, says="this is a Mac")}, "", "")
    if sys.platform != "linux":
        return Availabilities({}, "applications and windows are supported only on Linux and macOS so far", "")
    return Availabilities(
        {"x11": _x11(environ), "sway": _sway(environ), "kwin": _kwin(environ), "wayland": _other(environ)},
        "this session has no screen (none of DISPLAY, WAYLAND_DISPLAY and SWAYSOCK is set)",
        _START,
    )


def _x11(environ: Mapping[str, str]) -> Availability:
    display = environ.get("DISPLAY")
    if not display:
        return Availability(here=False, says="DISPLAY is not set: this is no X11 session")
    if environ.get("SWAYSOCK") or _wayland(environ):
        says = "under Wayland it shows the windows of X11 programs alone"
        return Availability(here=False, says=says, fix="sayso config set apps.kind x11")
    return Availability(here=True, says=f"DISPLAY names an X11 session ({display})")


def _sway(environ: Mapping[str, str]) -> Availability:
    if environ.get("SWAYSOCK"):
        return Availability(here=True, says="SWAYSOCK names a sway session")
    return Availability(here=False, says="SWAYSOCK is not set: this is no sway session")


def _kwin(environ: Mapping[str, str]) -> Availability:
    if environ.get("SWAYSOCK"):
        return Availability(here=False, says="this is a sway session")
    if _wayland(environ) and _kde(environ):
        return Availability(here=True, says="XDG_CURRENT_DESKTOP names KDE, and this is a Wayland session")
    if _wayland(environ):
        return Availability(here=False, says="XDG_CURRENT_DESKTOP does not name KDE")
    return Availability(here=False, says="WAYLAND_DISPLAY is not set: this is no session of KDE on Wayland")


def _other(environ: Mapping[str, str]) -> Availability:
    if environ.get("SWAYSOCK") or not _wayland(environ) or _kde(environ):
        return Availability(
            here=False, says="it is for desktops on Wayland that show their windows to no other program"
        )
    return Availability(here=True, says="this is a desktop on Wayland that is neither sway nor KDE")


def _wayland(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("WAYLAND_DISPLAY")) or environ.get("XDG_SESSION_TYPE") == "wayland"


def _kde(environ: Mapping[str, str]) -> bool:
    return "KDE" in environ.get("XDG_CURRENT_DESKTOP", "").split(":")
