"""What operations can read from the web store, its step, and its fact."""

from typing import ClassVar, Protocol

from msgspec import UNSET, UnsetType

from sayso.core.encoding import Json
from sayso.core.plan import Answer, Fact, Reach, Step, named
from sayso.core.sanitize import fence_data
from sayso.providers.web.addresses import WebAddress


class Web(Protocol):
    """What operations can read from the web store; nothing here sends a request."""

    def why_refused(self, there: WebAddress) -> str:
        """Return what the host is if requests must not reach it, as far as its name shows; empty if they may (T-90).

        No name is resolved here: a look-up would tell others the name before the person said yes. When the request is
        made, the name is resolved once, and the addresses found are judged.
        """
        ...

    def new_id(self) -> str:
        """Return an unused id for a request."""
        ...


class Fetch(Step, frozen=True):
    """Send one request; the reply is in the fact `Fetched`. Redirects to a forbidden host are not followed.

    `headers` have the form `Name: value`; they are sent in addition to the headers that every request has.
    """

    step: ClassVar[str] = "net.fetch"
    reach: ClassVar[Reach] = named("a request", "url")
    store: ClassVar[str] = "web"
    id: str
    method: str
    url: str
    headers: tuple[str, ...] = ()
    body: str | None = None


Steps = Fetch


class Fetched(Fact, frozen=True):
    """The reply to a request: status, headers of the form `Name: value`, and the body as text."""

    fact: ClassVar[str] = "web_fetched"
    owner: ClassVar[str] = "web"
    status: int
    headers: tuple[str, ...] = ()
    body: str = ""
    url: str | UnsetType = UNSET
    """The address that answered, after redirects."""
    note: str | UnsetType = UNSET
    """What is missing, in a few words: a body that is not text or was cut, or a redirect that was not followed."""

    @property
    def answer(self) -> Answer:
        """Return the reply for whoever asked for it; all of it was written by strangers."""
        told: dict[str, Json] = {"status": self.status, "headers": list(self.headers), "body": self.body}
        told |= {name: value for name, value in (("url", self.url), ("note", self.note)) if value is not UNSET}
        note = f" ({self.note})" if self.note else ""
        return Answer("", told, f"The reply has the status {self.status}{note}.\n{fence_data('reply', self.body)}")
