"""Tasks and habits, as the rest of the house sees them."""

from sayso.core.ports import Provider
from sayso.providers.tasks.facts import FACTS
from sayso.providers.tasks.operations import OPERATIONS
from sayso.providers.tasks.steps import STEPS

TASKS = Provider(
    store="tasks",
    operations=OPERATIONS,
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "sayso.providers.tasks.memory:build"},
)
