"""What an operation may look at in the lists, as they are or as earlier steps of a batch would leave them."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from datetime import datetime

from sayso.core.plan import AsLeft, Fact
from sayso.core.ports import Clock, Ids
from sayso.core.values import dataclass
from sayso.providers.tasks.model import HabitThere
from sayso.providers.tasks.sqlite import rows
from sayso.providers.tasks.store import MOST_FOUND, Done, Habit, Task, Tasks, state_of

Place = tuple[tuple[float, str, str], ...]


@dataclass(frozen=True)
class Reads(Tasks):
    """The reads over one connection; `as_left` are the facts that earlier steps of the batch change."""

    look: Callable[[], sqlite3.Connection]
    clock: Clock
    ids: Ids
    as_left: Mapping[tuple[str, str], AsLeft] = field(default_factory=dict[tuple[str, str], AsLeft])

    async def task(self, item_id: str) -> Task | None:
        return rows.task_of(self.look(), item_id)

    async def find_active(self, text: str) -> tuple[Task, ...]:
        return self._found(rows.ACTIVE, text)

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        return self._found(rows.COMPLETED, text)

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        return rows.near(self.look(), rows.COMPLETED if completed else rows.ACTIVE, text)

    async def all_tasks(self) -> tuple[Task, ...]:
        return in_order(rows.all_tasks(self.look()), None)

    async def subtree(self, item_id: str) -> tuple[Task, ...]:
        found = rows.subtree(self.look(), item_id)
        root = [task for task in found if task.id == item_id]
        return (*root, *in_order(found, item_id))

    async def children(self, item_id: str | None) -> tuple[Task, ...]:
        return tuple(rows.children(self.look(), item_id))

    def task_fact(self, task: Task) -> Fact:
        return self._fact(state_of(task))

    async def habit(self, item_id: str) -> Habit | None:
        return rows.habit_of(self.look(), item_id)

    async def find_habits(self, text: str) -> tuple[Habit, ...]:
        connection = self.look()
        ids = rows.matching(connection, rows.HABITS, text, MOST_FOUND)
        found = [habit for each in ids if (habit := rows.habit_of(connection, each)) is not None]
        return tuple(sorted(found, key=lambda habit: habit.created_at))

    async def near_habits(self, text: str) -> tuple[str, ...]:
        return rows.near(self.look(), rows.HABITS, text)

    async def all_habits(self) -> tuple[Habit, ...]:
        return tuple(rows.all_habits(self.look()))

    async def habit_history(self, item_id: str) -> tuple[Done, ...]:
        return tuple(rows.times_of(self.look(), item_id))

    def habit_fact(self, habit: Habit) -> Fact:
        return self._fact(HabitThere(habit.id))

    def new_id(self) -> str:
        return self.ids.token()

    def now(self) -> datetime:
        return self.clock.now()

    def _fact(self, fact: Fact) -> Fact:
        return self.as_left.get(fact.key, fact)

    def _found(self, which: str, text: str) -> tuple[Task, ...]:
        connection = self.look()
        found = rows.tasks_of(connection, rows.matching(connection, which, text, MOST_FOUND))
        places = Places(connection)
        return tuple(sorted(found, key=places.of))


class Places:
    """Where tasks stand in the whole list; what stands above them is looked up once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, Place] = {}

    def of(self, task: Task) -> Place:
        """Return what sorts a task into list order: the places of all above it, and its own."""
        way = [task]
        while (above := way[-1].parent_id) is not None and above not in self._known:
            parent = rows.task_of(self._connection, above)
            if parent is None:
                break
            way.append(parent)
        for each in reversed(way):
            before = self._known.get(each.parent_id or "", ())
            self._known[each.id] = (*before, (each.position, each.created_at, each.id))
        return self._known[task.id]


def in_order(tasks: Iterable[Task], root: str | None) -> tuple[Task, ...]:
    """Return those of the tasks that stand below `root`, in list order: each before its subtasks."""
    below: dict[str | None, list[Task]] = {}
    for task in sorted(tasks, key=lambda task: (task.position, task.created_at, task.id), reverse=True):
        below.setdefault(task.parent_id, []).append(task)
    found: list[Task] = []
    waiting = list(below.get(root, ()))
    while waiting:
        task = waiting.pop()
        found.append(task)
        waiting += below.get(task.id, ())
    return tuple(found)
