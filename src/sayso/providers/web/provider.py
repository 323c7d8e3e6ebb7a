"""Web requests, as the rest of the house sees them."""

from sayso.core.ports import Provider
from sayso.providers.web.facts import FACTS
from sayso.providers.web.operations import OPERATIONS
from sayso.providers.web.steps import STEPS

WEB = Provider(
    store="web",
    operations=OPERATIONS,
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "sayso.providers.web.memory:build"},
)
