"""The web provider: requests to web addresses."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.core.settings import memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

WEB = Provider(
    store="web",
    operations=LazySequence(OPERATIONS["web"]),
    steps=LazySequence(STEPS["web"]),
    facts=LazySequence(FACTS["web"]),
    backends={"memory": "sayso.providers.web.memory:build"},
    serves="requests to the web",
    settings=(memory_world("web"),),
)
