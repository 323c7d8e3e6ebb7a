"""What an operation may look at among the person's tasks and habits: the reads of the tasks store."""

from datetime import datetime
from typing import Protocol

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """One task (T-71). Siblings stand in the order of `position`; times are ISO 8601 in UTC."""

    id: str
    text: str
    parent_id: str | None = None
    position: float = 1
    completed_at: str | None = None
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Habit:
    """One habit (T-71), due every `interval_hours`; times are ISO 8601 in UTC."""

    id: str
    text: str
    interval_hours: float
    last_done_at: str | None = None
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """One time a habit was done."""

    id: str
    habit_id: str
    at: str


MOST_FOUND = 21
"""How many matches are returned at most: who means one thing is not helped by more."""


class Tasks(Protocol):
    """The reads. In a batch they show the lists as the earlier plans would leave them.

    Finding follows the four steps of T-58 (`matching.py` is the reference; an index may answer it) and returns
    the matches of the deciding step in list order, parents before their children; where more than `MOST_FOUND`
    match, that many of them.
    """

    async def task(self, item_id: str) -> Task | None:
        """Return the task with this id, completed or not."""
        ...

    async def find_active(self, text: str) -> tuple[Task, ...]:
        """Return the tasks that are not completed and match."""
        ...

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        """Return the completed tasks that match."""
        ...

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        """Return up to three texts of active (or of completed) tasks that are written alike, the closest first."""
        ...

    async def all_tasks(self) -> tuple[Task, ...]:
        """Return every task, completed ones too, in list order."""
        ...

    async def subtree(self, item_id: str) -> tuple[Task, ...]:
        """Return the task and everything below it, completed ones too, parents first."""
        ...

    async def children(self, item_id: str | None) -> tuple[Task, ...]:
        """Return the tasks directly below this one, or at the top (None), completed ones too, in list order."""
        ...

    def task_fact(self, task: Task) -> Fact:
        """Return the fact that this task is there, and active or completed as it is now; its text may change."""
        ...

    async def habit(self, item_id: str) -> Habit | None:
        """Return the habit with this id."""
        ...

    async def find_habits(self, text: str) -> tuple[Habit, ...]:
        """Return the habits that match."""
        ...

    async def near_habits(self, text: str) -> tuple[str, ...]:
        """Return up to three texts of habits that are written alike."""
        ...

    async def all_habits(self) -> tuple[Habit, ...]:
        """Return every habit, oldest first."""
        ...

    async def habit_history(self, item_id: str) -> tuple[Done, ...]:
        """Return the times this habit was done, oldest first."""
        ...

    def habit_fact(self, habit: Habit) -> Fact:
        """Return the fact that this habit is there; its text and interval may change."""
        ...

    def new_id(self) -> str:
        """Return an id that no task, habit or entry has yet."""
        ...

    def now(self) -> datetime:
        """Return the time in UTC."""
        ...
