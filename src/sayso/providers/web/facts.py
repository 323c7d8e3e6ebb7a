"""What a web request leaves, about its id."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Fetched(Fact):
    """What came back: status, headers written `Name: value`, and the body as text."""

    fact: ClassVar[str] = "web_fetched"
    status: int
    headers: tuple[str, ...] = ()
    body: str = ""


FACTS: tuple[type[Fact], ...] = (Fetched,)
