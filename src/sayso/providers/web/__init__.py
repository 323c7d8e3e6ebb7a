"""Web requests, as the rest of the house sees them."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

WEB = Provider(
    store="web",
    operations=LazySequence({"sayso.providers.web.operations:OPERATIONS": "net.fetch"}),
    steps=LazySequence({"sayso.providers.web.model:STEPS": "net.fetch"}),
    facts=LazySequence({"sayso.providers.web.model:FACTS": "web_fetched"}),
    backends={"memory": "sayso.providers.web.memory:build"},
)
