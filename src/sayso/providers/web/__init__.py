"""Web requests, as the rest of the house sees them."""

from sayso.core.lazy import Later
from sayso.core.provider import Provider

WEB = Provider(
    store="web",
    operations=Later({"sayso.providers.web.operations:OPERATIONS": "net.fetch"}),
    steps=Later({"sayso.providers.web.model:STEPS": "net.fetch"}),
    facts=Later({"sayso.providers.web.model:FACTS": "web_fetched"}),
    backends={"memory": "sayso.providers.web.memory:build"},
)
