"""The web provider: requests to web addresses."""

from typing import cast

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.lazy import LazySequence, load
from sayso.core.provider import Provider, Requirement
from sayso.core.settings import TEXTS, NotOfKind, Setting, ValueKind, memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS


def _hosts(value: Json) -> Json:
    entries = cast("tuple[str, ...]", TEXTS.read(value))
    try:
        return tuple(load("sayso.providers.web.addresses:read_listed")(entry) for entry in entries)
    except ProposalError:
        raise NotOfKind from None


HOSTS = ValueKind('a list of hosts such as ["printer.local", "localhost:8000"]', _hosts, TEXTS.write)
_LISTED = (
    "Hosts of this computer or a private network that requests may reach all the same, each as “host” or “host:port”; "
    "nothing else is meant by an entry, no subdomain and no other port."
)

WEB = Provider(
    store="web",
    operations=LazySequence(OPERATIONS["web"]),
    steps=LazySequence(STEPS["web"]),
    facts=LazySequence(FACTS["web"]),
    outside=("web",),
    backends={"http": "sayso.providers.web.backend:build", "memory": "sayso.providers.web.memory:build"},
    requires={
        "http": Requirement(
            ("httpx2",), "web requests are sent with {module}, which is not installed; {install}", "web.extra", "web"
        )
    },
    default="http",
    kinds={"http": "requests to public addresses, each shown before it is sent"},
    serves="requests to the web",
    settings=(Setting("web", "allow_hosts", HOSTS, _LISTED, ()), memory_world("web")),
)
