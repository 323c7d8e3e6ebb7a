"""The desktop provider: what assembly needs to know of it."""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

DESKTOP = Provider(
    store="desktop",
    operations=LazySequence(
        {
            "sayso.providers.desktop.operations:OPERATIONS": (
                "clipboard.read clipboard.write notify.show speech.say sound.set_volume focus.set_dnd shortcut.run"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.desktop.model:STEPS": (
                "clipboard.set clipboard.restore notify.show speech.say speech.stop sound.set_volume focus.set "
                "shortcut.run desktop.open_file desktop.reveal_file"
            ),
        }
    ),
    facts=LazySequence({"sayso.providers.desktop.model:FACTS": "clipboard volume do_not_disturb speaking shown"}),
    backends=MappingProxyType(
        {
            "linux": "sayso.providers.desktop.linux.backend:build",
            "memory": "sayso.providers.desktop.memory:build",
        }
    ),
    finds="sayso.providers.desktop.session:kind",
    fits="sayso.providers.desktop.session:fits",
    elsewhere=MappingProxyType({"macos": "darwin"}),
)
