"""What may be expected of tasks and habits, each fact about one id."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class TaskActive(Fact):
    """The task is there and not completed; it may have been renamed since (T-64)."""

    fact: ClassVar[str] = "task_active"


@dataclass(frozen=True, slots=True)
class TaskCompleted(Fact):
    """The task is there and completed, since the same time."""

    fact: ClassVar[str] = "task_completed"
    at: str


@dataclass(frozen=True, slots=True)
class TaskIs(Fact):
    """The task is exactly as a step left it; the way back needs this (T-63)."""

    fact: ClassVar[str] = "task"
    text: str
    parent_id: str | None
    position: float
    completed_at: str | None


@dataclass(frozen=True, slots=True)
class TaskWas(Fact):
    """The text a task had before a step changed it; what the way back gives it again."""

    fact: ClassVar[str] = "task_was"
    text: str


@dataclass(frozen=True, slots=True)
class TaskStood(Fact):
    """Where a task stood before a step moved it; what the way back gives it again."""

    fact: ClassVar[str] = "task_stood"
    parent_id: str | None
    position: float


@dataclass(frozen=True, slots=True)
class TaskGone(Fact):
    """The task is off the list and kept in the history."""

    fact: ClassVar[str] = "task_gone"


@dataclass(frozen=True, slots=True)
class HabitThere(Fact):
    """The habit is there, whatever it is called and whenever it was done."""

    fact: ClassVar[str] = "habit_there"


@dataclass(frozen=True, slots=True)
class HabitIs(Fact):
    """The habit has the text and interval that a step left."""

    fact: ClassVar[str] = "habit"
    text: str
    interval_hours: float


@dataclass(frozen=True, slots=True)
class HabitWas(Fact):
    """The text and interval a habit had before a step changed it."""

    fact: ClassVar[str] = "habit_was"
    text: str
    interval_hours: float


@dataclass(frozen=True, slots=True)
class HabitDone(Fact):
    """The last time a habit was done is this entry; `before` is the time before it."""

    fact: ClassVar[str] = "habit_done"
    entry: str | None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class HabitGone(Fact):
    """The habit is off the list and kept in the history."""

    fact: ClassVar[str] = "habit_gone"


FACTS: tuple[type[Fact], ...] = (
    TaskActive, TaskCompleted, TaskIs, TaskWas, TaskStood, TaskGone, HabitThere, HabitIs, HabitWas, HabitDone,
    HabitGone,
)  # fmt: skip
