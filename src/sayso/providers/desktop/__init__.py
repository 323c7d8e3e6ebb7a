"""The desktop provider: its operations, steps, facts, backends and settings."""

import sys
from collections.abc import Mapping
from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Availabilities, Availability, Provider
from sayso.core.settings import LINE, Setting, memory_world, one_of
from sayso.providers.index import FACTS, OPERATIONS, STEPS

DESKTOP = Provider(
    store="desktop",
    operations=LazySequence(OPERATIONS["desktop"]),
    steps=LazySequence(
        {
            **STEPS["desktop"],
            # Plans of the files store contain these two steps too, so they are defined in `sayso.core`, which both
            # import.
            "desktop.open_file": "sayso.core.plan:OpenFile",
            "desktop.reveal_file": "sayso.core.plan:RevealFile",
        }
    ),
    facts=LazySequence(FACTS["desktop"]),
    outside=("desktop",),
    backends=MappingProxyType(
        {
            "linux": "sayso.providers.desktop.linux.backend:build",
            "macos": "sayso.providers.desktop.macos.backend:build",
            "memory": "sayso.providers.desktop.memory:build",
        }
    ),
    only_on=MappingProxyType({"linux": "linux", "macos": "darwin"}),
    finds="sayso.providers.desktop:kind",
    fits="sayso.providers.desktop:fits",
    serves="clipboard, sound and messages",
    settings=(
        Setting("desktop", "speech", one_of("auto", "espeak-ng", "speech-dispatcher"), "What speaks.", "auto"),
        Setting("desktop", "dnd_on", LINE, "Your shortcut that turns do-not-disturb on, where sayso knows no switch."),
        Setting("desktop", "dnd_off", LINE, "Your shortcut that turns it off again."),
        memory_world("desktop"),
    ),
)

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
