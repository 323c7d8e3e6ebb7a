"""What an operation may read of tasks and habits."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.providers.tasks.lists import Habit, HabitEntry, Lists, Task, in_list_order
from sayso.providers.tasks.model import HabitThere, state_of

MOST_FOUND = 21
"""How many matches are returned at most: more would not help somebody who means one thing."""


class Tasks(Protocol):
    """The reads, over the lists of any backend. In a batch they show them as the earlier plans would leave them.

    Finding follows the four steps of T-58 (`lookup.matching` is the reference; an index may answer it) and returns
    the matches of the first step that has any, in list order, parents before their children; at most `MOST_FOUND`.
    """

    clock: Clock
    ids: Ids

    @property
    @abstractmethod
    def lists(self) -> Lists:
        """Return the lists."""

    @abstractmethod
    def fact(self, fact: Fact) -> Fact:
        """Return the fact, or the reference that stands for it because an earlier step changes what it is about."""

    async def task(self, item_id: str) -> Task | None:
        """Return the task with this id, completed or not."""
        return self.lists.task(item_id)

    async def find_active(self, text: str) -> tuple[Task, ...]:
        """Return the tasks that are not completed and match."""
        return self._sort(self.lists.find_tasks(text, completed=False))

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        """Return the completed tasks that match."""
        return self._sort(self.lists.find_tasks(text, completed=True))

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        """Return up to three texts of active (or of completed) tasks that are written alike, the closest first."""
        return self.lists.near_tasks(text, completed=completed)

    async def all_tasks(self) -> tuple[Task, ...]:
        """Return every task, completed ones too, in list order."""
        return in_list_order(self.lists.all_tasks())

    async def subtree(self, item_id: str) -> tuple[Task, ...]:
        """Return the task and everything below it, completed ones too, parents first."""
        found = self.lists.subtree(item_id)
        return (*(task for task in found if task.id == item_id), *in_list_order(found, item_id))

    async def children(self, item_id: str | None) -> tuple[Task, ...]:
        """Return the tasks directly below this one, or at the top (None), completed ones too, in list order."""
        return tuple(self.lists.children(item_id))

    def task_fact(self, task: Task) -> Fact:
        """Return the fact that this task is there, and active or completed as it is now; its text may change."""
        return self.fact(state_of(task))

    async def habit(self, item_id: str) -> Habit | None:
        """Return the habit with this id."""
        return self.lists.habit(item_id)

    async def find_habits(self, text: str) -> tuple[Habit, ...]:
        """Return the habits that match."""
        return tuple(sorted(self.lists.find_habits(text), key=lambda habit: habit.created_at))[:MOST_FOUND]

    async def near_habits(self, text: str) -> tuple[str, ...]:
        """Return up to three texts of habits that are written alike."""
        return self.lists.near_habits(text)

    async def all_habits(self) -> tuple[Habit, ...]:
        """Return every habit, oldest first."""
        return tuple(self.lists.all_habits())

    async def habit_history(self, item_id: str) -> tuple[HabitEntry, ...]:
        """Return the times this habit was done, oldest first."""
        return tuple(self.lists.habit_history(item_id))

    def habit_fact(self, habit: Habit) -> Fact:
        """Return the fact that this habit is there; its text and interval may change."""
        return self.fact(HabitThere(habit.id))

    def new_id(self) -> str:
        """Return an id that no task, habit or entry has yet."""
        return self.ids.token()

    def now(self) -> datetime:
        """Return the time in UTC."""
        return self.clock.now()

    def _sort(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Return tasks in list order; what stands above each of them is looked up once."""
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
"""The positions of everything above a task, and its own: sorting by it gives list order."""
