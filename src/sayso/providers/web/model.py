"""What operations can read from the web store, its step, and its fact."""

from typing import ClassVar, Protocol

from sayso.core.plan import Fact, Step
from sayso.core.reach import Reach, named


class Web(Protocol):
    """What operations can read from the web store; nothing here sends a request."""

    def may_reach(self, host: str) -> bool:
        """Say whether requests to this host are allowed; a private address must be listed in the settings (T-90).

        When the request is made, the host's name is resolved again, and the resulting address is checked.
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
