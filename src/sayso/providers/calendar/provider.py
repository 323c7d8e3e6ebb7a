"""Calendar and reminders, as the rest of the house sees them."""

from sayso.core.ports import Provider
from sayso.providers.calendar.facts import FACTS
from sayso.providers.calendar.operations import OPERATIONS
from sayso.providers.calendar.steps import STEPS

CALENDAR = Provider(
    store="calendar",
    operations=OPERATIONS,
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "sayso.providers.calendar.memory:build"},
)
