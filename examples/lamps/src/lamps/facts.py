"""What may be expected of lamps, each fact about one lamp."""

from typing import ClassVar

from sayso.core.plan import Fact


class Shines(Fact, frozen=True):
    """The lamp of this name shines at `brightness` percent; 0 is off."""

    fact: ClassVar[str] = "lamp_shines"
    owner: ClassVar[str] = "lamps"
    brightness: int


FACTS: tuple[type[Fact], ...] = (Shines,)
