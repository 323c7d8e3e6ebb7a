"""The desktop provider: its operations, steps, facts, backends and settings."""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
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
    finds="sayso.providers.desktop.session:kind",
    fits="sayso.providers.desktop.session:fits",
    serves="clipboard, sound and messages",
    settings=(
        Setting("desktop", "speech", one_of("auto", "espeak-ng", "speech-dispatcher"), "What speaks.", "auto"),
        Setting("desktop", "dnd_on", LINE, "Your shortcut that turns do-not-disturb on, where sayso knows no switch."),
        Setting("desktop", "dnd_off", LINE, "Your shortcut that turns it off again."),
        memory_world("desktop"),
    ),
)
