"""Chat, model, log, templates and questions, as the rest of the house sees them."""

from sayso.core.ports import Provider
from sayso.providers.talk.facts import FACTS
from sayso.providers.talk.operations import OPERATIONS
from sayso.providers.talk.steps import STEPS

TALK = Provider(
    store="talk",
    operations=OPERATIONS,
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "sayso.providers.talk.memory:build"},
)
