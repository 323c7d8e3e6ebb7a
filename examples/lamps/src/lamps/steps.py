"""The closed union of what a lamps backend can do: one step."""

from typing import ClassVar

from sayso.core.plan import NOTHING, Reach, Step


class SetLamp(Step, frozen=True):
    """Let the lamp of this name shine at `brightness` percent; 0 turns it off."""

    step: ClassVar[str] = "lamp.set"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "lamps"
    name: str
    brightness: int


Steps = SetLamp
STEPS: tuple[type[Step], ...] = (SetLamp,)
