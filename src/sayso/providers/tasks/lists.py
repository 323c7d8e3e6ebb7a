"""Tasks and habits as values, and the lists that hold them: what every backend keeps, and the few changes it makes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError


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


class HabitEntry(Struct, frozen=True):
    """One time a habit was done."""

    id: str
    habit_id: str
    at: str


class Lists(ABC):
    """The tasks and habits of a person, and the history: what was deleted and may come back.

    A backend supplies reading and writing; the steps (`model.py`) say what is read and written.
    """

    @abstractmethod
    def task(self, item_id: str) -> Task | None:
        """Return the task with this id, completed or not."""

    @abstractmethod
    def deleted_task(self, item_id: str) -> Task | None:
        """Return the task with this id from the history."""

    @abstractmethod
    def all_tasks(self) -> Iterable[Task]:
        """Return all tasks, in any order."""

    @abstractmethod
    def children(self, parent: str | None) -> Sequence[Task]:
        """Return the tasks directly below this one, or at the top, in list order."""

    @abstractmethod
    def subtree(self, root: str) -> Sequence[Task]:
        """Return a task and everything below it, in any order; nothing when it is not there."""

    @abstractmethod
    def last_position(self, parent: str | None) -> float:
        """Return the highest position below this task, or at the top, deleted tasks included; 0 when there is none."""

    @abstractmethod
    def put_task(self, task: Task) -> None:
        """Add a task, or change the one with its id; one that comes back leaves the history."""

    @abstractmethod
    def drop_tasks(self, ids: Sequence[str]) -> None:
        """Take tasks off the list for good."""

    @abstractmethod
    def delete_tasks(self, ids: Sequence[str], now: str) -> None:
        """Move tasks from the list into the history."""

    @abstractmethod
    def find_tasks(self, text: str, *, completed: bool) -> Sequence[Task]:
        """Return the active or the completed tasks that match, in any order, and not many more than are shown."""

    @abstractmethod
    def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        """Return up to three texts of active or completed tasks that are written alike."""

    @abstractmethod
    def habit(self, item_id: str) -> Habit | None:
        """Return the habit with this id."""

    @abstractmethod
    def deleted_habit(self, item_id: str) -> Habit | None:
        """Return the habit with this id from the history."""

    @abstractmethod
    def all_habits(self) -> Sequence[Habit]:
        """Return all habits, oldest first."""

    @abstractmethod
    def habit_history(self, item_id: str) -> Sequence[HabitEntry]:
        """Return the times a habit was done, oldest first."""

    @abstractmethod
    def last_entry(self, item_id: str) -> str | None:
        """Return the id of the last time a habit was done."""

    @abstractmethod
    def put_habit(self, habit: Habit) -> None:
        """Add a habit, or change the one with its id."""

    @abstractmethod
    def drop_habit(self, item_id: str) -> None:
        """Take a habit off the list for good."""

    @abstractmethod
    def delete_habit(self, item_id: str, now: str) -> None:
        """Move a habit from the list into the history; the times it was done stay."""

    @abstractmethod
    def restore_habit(self, item_id: str) -> None:
        """Move a habit from the history back to its place on the list."""

    @abstractmethod
    def put_entry(self, entry: HabitEntry) -> None:
        """Write that a habit was done."""

    @abstractmethod
    def drop_entry(self, entry_id: str) -> None:
        """Take back that a habit was done."""

    @abstractmethod
    def find_habits(self, text: str) -> Sequence[Habit]:
        """Return the habits that match, in any order, and not many more than are shown."""

    @abstractmethod
    def near_habits(self, text: str) -> tuple[str, ...]:
        """Return up to three texts of habits that are written alike."""

    def require_task(self, item_id: str) -> Task:
        """Return a task that must be on the list. Raises `ProviderError`."""
        task = self.task(item_id)
        if task is None:
            raise gone_error("task")
        return task

    def require_habit(self, item_id: str) -> Habit:
        """Return a habit that must be on the list. Raises `ProviderError`."""
        habit = self.habit(item_id)
        if habit is None:
            raise gone_error("habit")
        return habit

    def add_task(self, task: Task) -> Task:
        """Add a new task at the end of its parent's list, and return it as it stands there. Raises `ProviderError`."""
        if task.parent_id is not None:
            self.require_task(task.parent_id)
        if self.task(task.id) or self.deleted_task(task.id):
            raise ProviderError("a task with this id is there already; nothing was done", "world.changed")
        task = replace(task, position=self.next_position(task.parent_id))
        self.put_task(task)
        return task

    def next_position(self, parent: str | None) -> float:
        """Return the position after all siblings, also after deleted ones: each finds its own free if it comes back."""
        return int(self.last_position(parent) // 1) + 1

    def place_task(self, task: Task) -> Task:
        """Put a task below its parent at its position, or close to it where a sibling has that position by now."""
        siblings = {each.position for each in self.children(task.parent_id) if each.id != task.id}
        task = replace(task, position=free_position(task.position, siblings))
        self.put_task(task)
        return task

    def name_of(self, item_id: str) -> str | None:
        """Return the text of a task or habit in quotes, also of a deleted one."""
        item = self.task(item_id) or self.habit(item_id) or self.deleted_task(item_id) or self.deleted_habit(item_id)
        return f"“{item.text}”" if item else None


def in_list_order(tasks: Iterable[Task], root: str | None = None) -> tuple[Task, ...]:
    """Return those of the tasks that stand below `root`, in list order: each before its subtasks."""
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

    That is halfway to the sibling before it, else halfway to the one after it. Where numbers are too close to have
    one between them, it is the wanted position itself.
    """
    if wanted not in taken:
        return wanted
    before = max((place for place in taken if place < wanted), default=wanted - 2)
    after = min((place for place in taken if place > wanted), default=wanted + 2)
    between = ((near + wanted) / 2 for near in (before, after))
    return next((place for place in between if place not in (before, wanted, after)), wanted)


def gone_error(what: str) -> ProviderError:
    """Return the refusal of a step whose task or habit is not on the list."""
    return ProviderError(f"the {what} is no longer on the list; nothing was done", "world.changed")


def changed_error(what: str) -> ProviderError:
    """Return the refusal of a step whose task or habit is not as it was when the step was planned."""
    return ProviderError(f"{what} has changed since; nothing was done", "world.changed")
