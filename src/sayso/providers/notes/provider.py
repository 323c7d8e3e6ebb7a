"""Notes, as the rest of the house sees them."""

from sayso.core.ports import Provider
from sayso.providers.notes.facts import FACTS
from sayso.providers.notes.operations import OPERATIONS
from sayso.providers.notes.steps import STEPS

NOTES = Provider(
    store="notes",
    operations=OPERATIONS,
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "sayso.providers.notes.memory:build"},
)
