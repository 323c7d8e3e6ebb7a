"""The desktop provider: what assembly needs to know of it."""

from types import MappingProxyType

from sayso.core.ports import Provider
from sayso.providers.desktop import operations
from sayso.providers.desktop.facts import FACTS
from sayso.providers.desktop.steps import STEPS

DESKTOP = Provider(
    store="desktop",
    operations=(
        operations.read_clipboard,
        operations.write_clipboard,
        operations.notify,
        operations.say,
        operations.set_volume,
        operations.set_dnd,
        operations.run_shortcut,
    ),
    steps=STEPS,
    facts=FACTS,
    backends=MappingProxyType({"memory": "sayso.providers.desktop.memory:build"}),
)
