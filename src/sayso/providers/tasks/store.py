"""What an operation may read of tasks and habits, and how they are put into facts."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.providers.tasks.model import HabitDone, HabitWas, TaskActive, TaskCompleted, TaskIs, TaskStood, TaskWas


class Task(Struct, frozen=True):
    """One task (T-71). Siblings stand in the order of `position`; times are ISO 8601 in UTC."""

    id: str
    text: str
    parent_id: str | None = None
    position: float = 1
    completed_at: str | None = None
    created_at: str = ""


class Habit(Struct, frozen=True):
    """One habit (T-71), due every `interval_hours`; times are ISO 8601 in UTC."""

    id: str
    text: str
    interval_hours: float
    last_done_at: str | None = None
    created_at: str = ""


class Done(Struct, frozen=True):
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


def state_of(task: Task) -> Fact:
    """Return that the task is active, or completed as it is."""
    return TaskActive(task.id) if task.completed_at is None else TaskCompleted(task.id, task.completed_at)


def exactly(task: Task) -> Fact:
    """Return that the task is as it is now, in everything a person can see."""
    return TaskIs(task.id, task.text, task.parent_id, task.position, task.completed_at)


def changed_error(what: str) -> ProviderError:
    """Return the refusal of a step whose target is not what was seen."""
    return ProviderError(f"{what} has changed since; nothing was done", "world.changed")


def gone_error(what: str) -> ProviderError:
    """Return the refusal of a step whose target is not there."""
    return ProviderError(f"the {what} is no longer on the list; nothing was done", "world.changed")


def was(expects: Facts, item_id: str) -> str:
    """Return the text a task had before. Raises `ProviderError` when no fact says it."""
    for fact in expects:
        if isinstance(fact, TaskWas) and fact.about == item_id:
            return fact.text
    raise ProviderError("the text it had before is not known; nothing was done", "world.changed")


def former_place(expects: Facts, item_id: str) -> TaskStood:
    """Return where a task stood before. Raises `ProviderError` when no fact says it."""
    for fact in expects:
        if isinstance(fact, TaskStood) and fact.about == item_id:
            return fact
    raise ProviderError("the place it had before is not known; nothing was done", "world.changed")


def habit_was(expects: Facts, item_id: str) -> HabitWas:
    """Return what a habit was before. Raises `ProviderError` when no fact says it."""
    for fact in expects:
        if isinstance(fact, HabitWas) and fact.about == item_id:
            return fact
    raise ProviderError("what it was before is not known; nothing was done", "world.changed")


def before_that(expects: Facts, item_id: str) -> str | None:
    """Return when a habit was done before the last time."""
    return next((fact.before for fact in expects if isinstance(fact, HabitDone) and fact.about == item_id), None)
