"""The closed union of what a web backend can do: one request."""

from typing import ClassVar

from sayso.core.plan import Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Fetch(Step):
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
STEPS: tuple[type[Fetch], ...] = (Fetch,)
