"""Tasks and habits as values, and `Lists`, the interface that every backend implements to keep them."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted


class Task(Struct, frozen=True):
    """One task (T-71). Siblings are ordered by `position`; times are in ISO 8601, in UTC."""

    id: str
    text: str
    parent_id: str | None = None
    position: float = 1
    completed_at: str | None = None
    created_at: str = ""


class Habit(Struct, frozen=True):
    """One habit (T-71), due again `interval_hours` after it was last done; times are in ISO 8601, in UTC."""

    id: str
    text: str
    interval_hours: float
    last_done_at: str | None = None
    created_at: str = ""


class HabitEntry(Struct, frozen=True):
    """One time at which a habit was done."""

    id: str
    habit_id: str
    at: str


class Lists(ABC):
    """The tasks and habits of a person, and the history: the deleted ones, which can be restored.

    A backend implements the methods that read and write; the steps in `model.py` call them.
    """

    @abstractmethod
    def task(self, item_id: str) -> Task | None:
        """Return the task with this id, completed or not."""

    @abstractmethod
    def deleted_task(self, item_id: str) -> Task | None:
        """Return the deleted task with this id from the history."""

    @abstractmethod
    def all_tasks(self) -> Iterable[Task]:
        """Return all tasks on the list, in any order."""

    @abstractmethod
    def children(self, parent: str | None) -> Sequence[Task]:
        """Return the tasks directly below a task, or at the top level for None, in list order."""

    @abstractmethod
    def subtree(self, root: str) -> Sequence[Task]:
        """Return a task and everything below it, in any order; empty if the task does not exist."""

    @abstractmethod
    def last_position(self, parent: str | None) -> float:
        """Return the highest position directly below a task, or at the top level for None; 0 if there is none.

        The positions of deleted tasks count too.
        """

    @abstractmethod
    def put_task(self, task: Task) -> None:
        """Add a task, or replace the task with the same id; a task that is in the history is removed from there."""

    @abstractmethod
    def drop_tasks(self, ids: Sequence[str]) -> None:
        """Remove tasks from the list; they are not kept in the history."""

    @abstractmethod
    def delete_tasks(self, ids: Sequence[str], now: str) -> None:
        """Move tasks from the list into the history."""

    @abstractmethod
    def find_tasks(self, text: str, *, completed: bool) -> Sequence[Task]:
        """Return the active or the completed tasks that match, in any order; a backend may stop after `MOST_FOUND`."""

    @abstractmethod
    def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        """Return up to three texts of active or completed tasks whose spelling is close to this text."""

    @abstractmethod
    def habit(self, item_id: str) -> Habit | None:
        """Return the habit with this id."""

    @abstractmethod
    def deleted_habit(self, item_id: str) -> Habit | None:
        """Return the deleted habit with this id from the history."""

    @abstractmethod
    def all_habits(self) -> Sequence[Habit]:
        """Return all habits, oldest first."""

    @abstractmethod
    def habit_history(self, item_id: str) -> Sequence[HabitEntry]:
        """Return the times at which a habit was done, oldest first."""

    @abstractmethod
    def last_entry(self, item_id: str) -> str | None:
        """Return the id of the latest entry of a habit; None if it was never done."""

    @abstractmethod
    def put_habit(self, habit: Habit) -> None:
        """Add a habit, or replace the one with the same id."""

    @abstractmethod
    def drop_habit(self, item_id: str) -> None:
        """Remove a habit from the list; it is not kept in the history."""

    @abstractmethod
    def delete_habit(self, item_id: str, now: str) -> None:
        """Move a habit from the list into the history; its entries are kept."""

    @abstractmethod
    def restore_habit(self, item_id: str) -> None:
        """Move a habit from the history back to the list, in its former order."""

    @abstractmethod
    def put_entry(self, entry: HabitEntry) -> None:
        """Record that a habit was done."""

    @abstractmethod
    def drop_entry(self, entry_id: str) -> None:
        """Remove the record that a habit was done."""

    @abstractmethod
    def find_habits(self, text: str) -> Sequence[Habit]:
        """Return the habits that match, in any order; an index may return only `MOST_FOUND` of them."""

    @abstractmethod
    def near_habits(self, text: str) -> tuple[str, ...]:
        """Return up to three texts of habits whose spelling is close to this text."""

    def require_task(self, item_id: str) -> Task:
        """Return the task with this id. Raises `ProviderError` if it is not on the list."""
        task = self.task(item_id)
        if task is None:
            raise gone_error("task")
        return task

    def require_habit(self, item_id: str) -> Habit:
        """Return the habit with this id. Raises `ProviderError` if it is not on the list."""
        habit = self.habit(item_id)
        if habit is None:
            raise gone_error("habit")
        return habit

    def add_task(self, task: Task) -> Task:
        """Add a new task as the last one below its parent, and return it with its position.

        Raises `ProviderError` if the parent is missing or the id is already used.
        """
        if task.parent_id is not None:
            self.require_task(task.parent_id)
        if self.task(task.id) or self.deleted_task(task.id):
            raise ProviderError("a task with this id is there already; nothing was done", "world.changed")
        task = replace(task, position=self.next_position(task.parent_id))
        self.put_task(task)
        return task

    def next_position(self, parent: str | None) -> float:
        """Return the position after all siblings.

        Deleted siblings count too, so that each can return to its position.
        """
        return int(self.last_position(parent) // 1) + 1

    def place_task(self, task: Task) -> Task:
        """Put a task below its parent at its position, or close to it if a sibling now has that position."""
        siblings = {each.position for each in self.children(task.parent_id) if each.id != task.id}
        task = replace(task, position=free_position(task.position, siblings))
        self.put_task(task)
        return task

    def name_of(self, item_id: str) -> str | None:
        """Return the text of a task or habit in quotes, also if it is deleted; None if the id is unknown."""
        item = self.task(item_id) or self.habit(item_id) or self.deleted_task(item_id) or self.deleted_habit(item_id)
        return quoted(item.text) if item else None


def in_list_order(tasks: Iterable[Task], root: str | None = None) -> tuple[Task, ...]:
    """Return the tasks below `root` in list order, each before its subtasks."""
    below: dict[str | None, list[Task]] = {}
    for task in sorted(tasks, key=lambda task: (task.position, task.created_at, task.id), reverse=True):
        below.setdefault(task.parent_id, []).append(task)
    found: list[Task] = []
    waiting = below.pop(root, [])
    while waiting:
        task = waiting.pop()
        found.append(task)
        waiting += below.pop(task.id, [])
    return tuple(found)


def free_position(wanted: float, taken: Collection[float]) -> float:
    """Return the wanted position, or a free one close to it, so that all siblings keep their order.

    The free position is halfway to the sibling before, or else halfway to the sibling after. If the numbers are too
    close together for that, the wanted position is returned although it is taken.
    """
    if wanted not in taken:
        return wanted
    before = max((place for place in taken if place < wanted), default=wanted - 2)
    after = min((place for place in taken if place > wanted), default=wanted + 2)
    between = ((near + wanted) / 2 for near in (before, after))
    return next((place for place in between if place not in (before, wanted, after)), wanted)


def gone_error(what: str) -> ProviderError:
    """Return the error of a step whose task or habit is no longer on the list."""
    return ProviderError(f"the {what} is no longer on the list; nothing was done", "world.changed")


def changed_error(what: str) -> ProviderError:
    """Return the error of a step whose task or habit has changed since the step was planned."""
    return ProviderError(f"{what} has changed since; nothing was done", "world.changed")
