"""The reads, the step and the fact of the web store."""

from typing import ClassVar, Protocol

from sayso.core.plan import Fact, Step


class Web(Protocol):
    """The reads of the web store; they send nothing."""

    def may_reach(self, host: str) -> bool:
        """Say whether requests to this host are allowed; private addresses must be listed in the settings (T-90).

        When a request is made, the host's name is resolved again, and the actual address is judged.
        """
        ...

    def new_id(self) -> str:
        """Return an unused id for a request."""
        ...


class Fetch(Step, frozen=True):
    """Send one request, follow no redirect to a forbidden host, and leave the reply.

    `headers` have the form `Name: value`, and are sent in addition to those that every request has.
    """

    step: ClassVar[str] = "net.fetch"
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
    status: int
    headers: tuple[str, ...] = ()
    body: str = ""
