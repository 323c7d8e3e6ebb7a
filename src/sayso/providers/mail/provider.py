"""Mail, as the rest of the house sees it."""

from sayso.core.ports import Provider
from sayso.providers.mail.facts import FACTS
from sayso.providers.mail.operations import OPERATIONS
from sayso.providers.mail.steps import STEPS

MAIL = Provider(
    store="mail",
    operations=OPERATIONS,
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "sayso.providers.mail.memory:build"},
)
