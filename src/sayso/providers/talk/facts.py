"""What talking leaves, each fact about one id."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Said(Fact):
    """The chat message or log line with this id is written."""

    fact: ClassVar[str] = "talk_said"


@dataclass(frozen=True, slots=True)
class Answered(Fact):
    """What the model replied to the call with this id."""

    fact: ClassVar[str] = "talk_answered"
    text: str


@dataclass(frozen=True, slots=True)
class Ran(Fact):
    """The instance with this id ran."""

    fact: ClassVar[str] = "talk_ran"


FACTS: tuple[type[Fact], ...] = (Said, Answered, Ran)
