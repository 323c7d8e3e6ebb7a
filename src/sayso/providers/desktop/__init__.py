"""The desktop provider: what assembly needs to know of it."""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.providers.index import FACTS, OPERATIONS, STEPS

DESKTOP = Provider(
    store="desktop",
    operations=LazySequence(OPERATIONS["desktop"]),
    steps=LazySequence(
        {
            **STEPS["desktop"],
            # Files have such steps in their plans too, so that both know them from below.
            "desktop.open_file": "sayso.core.plan:OpenFile",
            "desktop.reveal_file": "sayso.core.plan:RevealFile",
        }
    ),
    facts=LazySequence(FACTS["desktop"]),
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
