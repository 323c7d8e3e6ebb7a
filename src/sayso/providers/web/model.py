"""The step and the fact of a web request, and what an operation may read before it."""

from typing import ClassVar, Protocol

from sayso.core.plan import Fact, Step


class Web(Protocol):
    """The reads; they send nothing."""

    def may_reach(self, host: str) -> bool:
        """Say whether the settings allow requests to this host; private addresses are not, unless listed (T-90).

        Names are resolved again when the request is made, and the address reached is judged then.
        """
        ...

    def new_id(self) -> str:
        """Return an id that no request has yet."""
        ...


class Fetch(Step, frozen=True):
    """Send one request, follow no redirect to what may not be reached, and leave the reply.

    `headers` are written `Name: value`, as they go out beside those every request has.
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
    """What came back: status, headers written `Name: value`, and the body as text."""

    fact: ClassVar[str] = "web_fetched"
    status: int
    headers: tuple[str, ...] = ()
    body: str = ""
