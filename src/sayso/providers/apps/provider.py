"""The apps provider: what assembly needs to know of it."""

from types import MappingProxyType

from sayso.core.ports import Provider
from sayso.providers.apps import operations
from sayso.providers.apps.facts import FACTS
from sayso.providers.apps.steps import STEPS

APPS = Provider(
    store="apps",
    operations=(
        operations.list_apps,
        operations.open_app,
        operations.activate,
        operations.quit_app,
        operations.place,
        operations.activate_layout,
    ),
    steps=STEPS,
    facts=FACTS,
    backends=MappingProxyType({"memory": "sayso.providers.apps.memory:build"}),
)
