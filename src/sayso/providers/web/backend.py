"""The backend that sends requests to web addresses."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import cast

from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts
from sayso.core.ports import BackendContext, Ids
from sayso.providers.web.addresses import WebAddress, why_refused
from sayso.providers.web.client import WebClient
from sayso.providers.web.model import Fetch, Fetched, Web

_LOCAL = ip_address("127.0.0.1")


def build(context: BackendContext) -> "WebBackend":
    """Return a backend that reaches public addresses and the hosts in the setting `allow_hosts`."""
    listed = cast("Sequence[str]", context.settings.get("allow_hosts") or ())
    return WebBackend(WebClient(tuple(listed)), context.ids)


@dataclass(frozen=True)
class WebReads(Web):
    """What operations can read: only which hosts are refused by their names."""

    listed: tuple[str, ...]
    ids: Ids

    def why_refused(self, there: WebAddress) -> str:
        if f".{there.host}".endswith(".localhost"):
            return why_refused(_LOCAL, there, self.listed)
        try:
            address = ip_address(there.host)
        except ValueError:
            return ""
        return why_refused(address, there, self.listed)

    def new_id(self) -> str:
        return self.ids.token()


class WebBackend:
    """Sends each request at most once; what was sent cannot be seen afterwards."""

    name = "http"
    imagines = True
    note = ""

    def __init__(self, client: WebClient, ids: Ids) -> None:
        self._client = client
        self.reads = WebReads(client.listed, ids)

    async def apply(self, step: Fetch, expects: Facts) -> Applied:
        """Send the request and return its reply.

        Raises `Refused` or `ProviderError` if nothing was sent or a request that only asks got no reply, and
        `Uncertain` if it is not known whether the server did what it was asked.
        """
        return Applied((await self._client.send(step),))

    async def settle(self, step: Fetch, expects: Facts) -> CannotTell:
        """Return that nobody can tell: servers keep no list of requests, and a GET may start something too."""
        return CannotTell("a request leaves nothing here by which one could see whether it was sent")

    def imagine(self, seen: WebReads, step: Fetch, ref: ChangeRef) -> WebReads:
        """Return the same object; no request changes what can be read."""
        return seen

    def tells(self, step: Fetch, left: Applied) -> str:
        """Return the status of the reply, and what is missing of it."""
        (reply,) = (fact for fact in left.facts if isinstance(fact, Fetched))
        return f"the reply has the status {reply.status}" + (f"; {reply.note}" if reply.note else "")
