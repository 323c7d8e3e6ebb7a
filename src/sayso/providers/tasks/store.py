"""What operations can read of tasks and habits."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.providers.tasks.lists import Habit, HabitEntry, Lists, Task, in_list_order
from sayso.providers.tasks.model import HabitThere, state_of

MOST_FOUND = 21
"""How many matches a search returns at most; a longer list would not help to name one item."""


class Tasks(Protocol):
    """What operations can read of the lists of any backend.

    In a batch, they see the lists as the earlier plans will change them. A search tries the four kinds of match of T-58
    in order; `lookup.matching` defines them, and a backend may use an index instead. It returns the matches of the
    first kind that finds any: at most `MOST_FOUND`, in list order, parents before their children.
    """

    clock: Clock
    ids: Ids

    @property
    @abstractmethod
    def lists(self) -> Lists:
        """Return the lists that are read."""

    @abstractmethod
    def fact(self, fact: Fact) -> Fact:
        """Return the fact, or, if an earlier step of the batch will change it, a reference to that step's result."""

    async def task(self, item_id: str) -> Task | None:
        """Return the task with this id, completed or not."""
        return self.lists.task(item_id)

    async def find_active(self, text: str) -> tuple[Task, ...]:
        """Return the active tasks that match the text, in list order."""
        return self._sort(self.lists.find_tasks(text, completed=False))

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        """Return the completed tasks that match the text, in list order."""
        return self._sort(self.lists.find_tasks(text, completed=True))

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        """Return up to three texts of active or completed tasks that are spelled like this one, the closest first."""
        return self.lists.near_tasks(text, completed=completed)

    async def all_tasks(self) -> tuple[Task, ...]:
        """Return all tasks, including completed ones, in list order."""
        return in_list_order(self.lists.all_tasks())

    async def subtree(self, item_id: str) -> tuple[Task, ...]:
        """Return the task and everything below it, parents first; completed tasks are included."""
        found = self.lists.subtree(item_id)
        return (*(task for task in found if task.id == item_id), *in_list_order(found, item_id))

    async def children(self, item_id: str | None) -> tuple[Task, ...]:
        """Return all tasks directly below a task, or at the top level for None, in list order."""
        return tuple(self.lists.children(item_id))

    def task_fact(self, task: Task) -> Fact:
        """Return the fact that this task exists and is active or completed, as it is now; its text does not matter."""
        return self.fact(state_of(task))

    async def habit(self, item_id: str) -> Habit | None:
        """Return the habit with this id."""
        return self.lists.habit(item_id)

    async def find_habits(self, text: str) -> tuple[Habit, ...]:
        """Return the habits that match the text, oldest first."""
        return tuple(sorted(self.lists.find_habits(text), key=lambda habit: habit.created_at))[:MOST_FOUND]

    async def near_habits(self, text: str) -> tuple[str, ...]:
        """Return up to three texts of habits whose spelling is close to this text, the closest first."""
        return self.lists.near_habits(text)

    async def all_habits(self) -> tuple[Habit, ...]:
        """Return every habit, oldest first."""
        return tuple(self.lists.all_habits())

    async def habit_history(self, item_id: str) -> tuple[HabitEntry, ...]:
        """Return the times this habit was done, oldest first."""
        return tuple(self.lists.habit_history(item_id))

    def habit_fact(self, habit: Habit) -> Fact:
        """Return the fact that this habit exists; its text and interval may change."""
        return self.fact(HabitThere(habit.id))

    def new_id(self) -> str:
        """Return a new id that no task, habit or entry has yet."""
        return self.ids.token()

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return self.clock.now()

    def _sort(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Return tasks in list order, at most `MOST_FOUND`; the place of each parent is computed only once."""
        known: dict[str | None, Place] = {None: ()}

        def place(task: Task) -> Place:
            way = [task]
            while (above := way[-1].parent_id) not in known:
                parent = self.lists.task(above) if above else None
                if parent is None:
                    known[above] = ()
                else:
                    way.append(parent)
            for each in reversed(way):
                known[each.id] = (*known[each.parent_id], (each.position, each.created_at, each.id))
            return known[task.id]

        return tuple(sorted(tasks, key=place))[:MOST_FOUND]


Place = tuple[tuple[float, str, str], ...]
"""The place of a task in the list: the positions of all tasks above it, then its own.

Sorting by it gives list order.
"""
