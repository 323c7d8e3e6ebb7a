"""The facts about tasks and habits, and the steps that change the lists.

Every backend does a step by calling its `execute` with its own lists; the preview of a batch is made in the same way.
"""

from typing import ClassVar, TypeVar

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import NOTHING, Fact, Facts, Reach, Step
from sayso.core.quotes import quoted
from sayso.providers.tasks.lists import Habit, HabitEntry, Lists, Task, changed_error


class TasksFact(Fact, frozen=True):
    """A fact about a task or a habit."""

    owner: ClassVar[str] = "tasks"

    def holds(self, lists: Lists) -> bool:
        """Say whether the fact is true in these lists."""
        raise NotImplementedError


class TaskActive(TasksFact, frozen=True):
    """The task exists and is not completed; its text may have changed since the fact was recorded (T-64)."""

    fact: ClassVar[str] = "task_active"

    def holds(self, lists: Lists) -> bool:
        task = lists.task(self.about)
        return task is not None and task.completed_at is None


class TaskCompleted(TasksFact, frozen=True):
    """The task exists and is completed, with this time of completion."""

    fact: ClassVar[str] = "task_completed"
    at: str

    def holds(self, lists: Lists) -> bool:
        task = lists.task(self.about)
        return task is not None and task.completed_at == self.at


class TaskIs(TasksFact, frozen=True):
    """The task is exactly as a step made it; undo requires this (T-63)."""

    fact: ClassVar[str] = "task"
    text: str
    parent_id: str | None
    position: float
    completed_at: str | None

    def holds(self, lists: Lists) -> bool:
        task = lists.task(self.about)
        return task is not None and exactly(task) == self


class TaskWas(TasksFact, frozen=True):
    """The text that a task had before a step changed it; undo restores this text."""

    fact: ClassVar[str] = "task_was"
    text: str

    def holds(self, lists: Lists) -> bool:
        return True  # a record for undo, not a condition


class TaskStood(TasksFact, frozen=True):
    """The parent and position that a task had before a step moved it; undo restores them."""

    fact: ClassVar[str] = "task_stood"
    parent_id: str | None
    position: float

    def holds(self, lists: Lists) -> bool:
        return True  # a record for undo, not a condition


class TaskGone(TasksFact, frozen=True):
    """The task was removed from the list and is kept in the history."""

    fact: ClassVar[str] = "task_gone"

    def holds(self, lists: Lists) -> bool:
        return lists.task(self.about) is None and lists.deleted_task(self.about) is not None


class HabitThere(TasksFact, frozen=True):
    """The habit exists; its text, its interval and the times at which it was done do not matter."""

    fact: ClassVar[str] = "habit_there"

    def holds(self, lists: Lists) -> bool:
        return lists.habit(self.about) is not None


class HabitIs(TasksFact, frozen=True):
    """The habit has the text and the interval that a step gave it."""

    fact: ClassVar[str] = "habit"
    text: str
    interval_hours: float

    def holds(self, lists: Lists) -> bool:
        habit = lists.habit(self.about)
        return habit is not None and (habit.text, habit.interval_hours) == (self.text, self.interval_hours)


class HabitWas(TasksFact, frozen=True):
    """The text and the interval that a habit had before a step changed it."""

    fact: ClassVar[str] = "habit_was"
    text: str
    interval_hours: float

    def holds(self, lists: Lists) -> bool:
        return True  # a record for undo, not a condition


class HabitDone(TasksFact, frozen=True):
    """The latest entry of a habit is `entry`; None if there is no entry.

    `before` is the time at which the habit was done before that entry; None if there is none.
    """

    fact: ClassVar[str] = "habit_done"
    entry: str | None
    before: str | None = None

    def holds(self, lists: Lists) -> bool:
        return lists.last_entry(self.about) == self.entry


class HabitGone(TasksFact, frozen=True):
    """The habit was removed from the list and is kept in the history."""

    fact: ClassVar[str] = "habit_gone"

    def holds(self, lists: Lists) -> bool:
        return lists.habit(self.about) is None and lists.deleted_habit(self.about) is not None


FACTS: tuple[type[TasksFact], ...] = (
    TaskActive, TaskCompleted, TaskIs, TaskWas, TaskStood, TaskGone, HabitThere, HabitIs, HabitWas, HabitDone,
    HabitGone,
)  # fmt: skip


F = TypeVar("F", bound=TasksFact)


def require_fact(expects: Facts, kind: type[F], item_id: str, what: str) -> F:
    """Return the fact of this kind about a task or habit.

    If there is no such fact, raises `ProviderError`, which says that `what` is not known.
    """
    for fact in expects:
        if isinstance(fact, kind) and fact.about == item_id:
            return fact
    raise ProviderError(f"{what} is not known; nothing was done", "world.changed")


def state_of(task: Task) -> TasksFact:
    """Return the fact that the task is active, or that it is completed with its time of completion."""
    return TaskActive(task.id) if task.completed_at is None else TaskCompleted(task.id, task.completed_at)


def exactly(task: Task) -> TasksFact:
    """Return the fact that the task has its present text, parent, position and completion."""
    return TaskIs(task.id, task.text, task.parent_id, task.position, task.completed_at)


def must_hold(lists: Lists, fact: Fact) -> None:
    """Raise `ProviderError`, which names the task or habit, if a fact is not true in these lists."""
    if not isinstance(fact, TasksFact):
        raise ProviderError(f"the lists know no fact {quoted(fact.fact)}; nothing was done", "world.unknown_fact")
    if fact.holds(lists):
        return
    name = lists.name_of(fact.about)
    if name is None and isinstance(fact, TaskGone | HabitGone):
        raise ProviderError("what was deleted is no longer kept; nothing was done", "world.changed")
    raise changed_error(name or "the item")


def _task_facts(task: Task) -> Facts:
    return (exactly(task), state_of(task))


def _put_task(lists: Lists, task: Task) -> Facts:
    lists.put_task(task)
    return _task_facts(task)


def _put_habit(lists: Lists, habit: Habit) -> Facts:
    lists.put_habit(habit)
    return _habit_facts(habit)


def _habit_facts(habit: Habit) -> Facts:
    return (HabitIs(habit.id, habit.text, habit.interval_hours), HabitThere(habit.id))


class TasksStep(Step, frozen=True):
    """A step of the store “tasks”."""

    store: ClassVar[str] = "tasks"

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        """Apply the step to the lists, and return the facts that are true after it.

        Raises `ProviderError` if the step is no longer possible.
        """
        raise NotImplementedError


class AddTask(TasksStep, frozen=True):
    """Add a new task as the last one below its parent, or as the last one at the top level."""

    step: ClassVar[str] = "task.add"
    reach: ClassVar[Reach] = NOTHING
    id: str
    text: str
    parent_id: str | None = None

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        return _task_facts(lists.add_task(Task(self.id, self.text, self.parent_id, created_at=now)))

    def undo(self) -> "RemoveTask":
        return RemoveTask(self.id)


class RemoveTask(TasksStep, frozen=True):
    """Remove a task that was added; it must have no subtasks. Undo of `AddTask`."""

    step: ClassVar[str] = "task.remove"
    reach: ClassVar[Reach] = NOTHING
    id: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        _remove_tasks(lists, (self.id,))
        return ()


class EditTask(TasksStep, frozen=True):
    """Change the text of a task; the fact `TaskWas` keeps the former text."""

    step: ClassVar[str] = "task.edit"
    reach: ClassVar[Reach] = NOTHING
    id: str
    text: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = lists.require_task(self.id)
        return (*_put_task(lists, replace(before, text=self.text)), TaskWas(self.id, before.text))

    def undo(self) -> "UneditTask":
        return UneditTask(self.id, self.mark)


class UneditTask(TasksStep, frozen=True):
    """Restore the text that `TaskWas` records."""

    step: ClassVar[str] = "task.unedit"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = require_fact(expects, TaskWas, self.id, "the text it had before")
        return _put_task(lists, replace(lists.require_task(self.id), text=before.text))


class DeleteTasks(TasksStep, frozen=True):
    """Move a task and its subtasks from the list into the history; `ids` is the whole subtree, its root first.

    If the subtree now contains any other tasks, nothing is done.
    """

    step: ClassVar[str] = "task.delete"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        root = lists.require_task(self.ids[0])
        if {task.id for task in lists.subtree(root.id)} != set(self.ids):
            raise changed_error(f"what stands below {quoted(root.text)}")
        lists.delete_tasks(self.ids, now)
        return tuple(TaskGone(each) for each in self.ids)

    def undo(self) -> "RestoreTasks":
        return RestoreTasks(self.ids, self.mark)


class RestoreTasks(TasksStep, frozen=True):
    """Move tasks back from the history, with their ids, texts, order and states; the root's parent must still exist."""

    step: ClassVar[str] = "task.restore"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        deleted = [task for each in self.ids if (task := lists.deleted_task(each)) is not None]
        if len(deleted) != len(self.ids):
            raise ProviderError("what was deleted is no longer kept; nothing was done", "world.changed")
        root, *below = deleted
        if root.parent_id is not None and lists.task(root.parent_id) is None:
            raise ProviderError(f"the task above {quoted(root.text)} is gone by now; nothing was done", "world.changed")
        facts = _task_facts(lists.place_task(root))
        return facts + tuple(fact for task in below for fact in _put_task(lists, task))


class CompleteTask(TasksStep, frozen=True):
    """Mark a task as completed, at the time `at`; an empty `at` means now."""

    step: ClassVar[str] = "task.complete"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str
    at: str = ""

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        return _put_task(lists, replace(lists.require_task(self.id), completed_at=self.at or now))

    def undo(self) -> "ReopenTask":
        return ReopenTask(self.id, self.mark)


class ReopenTask(TasksStep, frozen=True):
    """Make a completed task active again."""

    step: ClassVar[str] = "task.reopen"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        return _put_task(lists, replace(lists.require_task(self.id), completed_at=None))

    def undo(self, completed_at: str) -> CompleteTask:
        return CompleteTask(self.id, self.mark, completed_at)


class AddTasks(TasksStep, frozen=True):
    """Add new tasks, each as the last one below its parent; parents come first. Either all are added or none."""

    step: ClassVar[str] = "task.add_all"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    parents: tuple[str | None, ...]
    completed: tuple[str | None, ...]
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        facts: Facts = ()
        for item_id, text, parent, completed in zip(self.ids, self.texts, self.parents, self.completed, strict=True):
            facts += _task_facts(lists.add_task(Task(item_id, text, parent, completed_at=completed, created_at=now)))
        return facts

    def undo(self) -> "RemoveTasks":
        return RemoveTasks(self.ids, self.mark)


class RemoveTasks(TasksStep, frozen=True):
    """Remove tasks that were added; no other task may be below them."""

    step: ClassVar[str] = "task.remove_all"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        _remove_tasks(lists, self.ids)
        return ()


class MoveTask(TasksStep, frozen=True):
    """Move a task and its subtasks.

    Without a position, the task becomes the last one below its new parent. The fact `TaskStood` records its former
    parent and position.
    """

    step: ClassVar[str] = "task.move"
    reach: ClassVar[Reach] = NOTHING
    id: str
    parent_id: str | None
    position: float | None
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = lists.require_task(self.id)
        position = lists.next_position(self.parent_id) if self.position is None else self.position
        facts = _move_task(lists, before, self.parent_id, position)
        return (*facts, TaskStood(self.id, before.parent_id, before.position))

    def undo(self) -> "UnmoveTask":
        return UnmoveTask(self.id, self.mark)


class UnmoveTask(TasksStep, frozen=True):
    """Move a task back to the parent and position that `TaskStood` records."""

    step: ClassVar[str] = "task.unmove"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = require_fact(expects, TaskStood, self.id, "the place it had before")
        return _move_task(lists, lists.require_task(self.id), before.parent_id, before.position)


class AddHabit(TasksStep, frozen=True):
    """Add a habit that is due every `interval_hours`."""

    step: ClassVar[str] = "habit.add"
    reach: ClassVar[Reach] = NOTHING
    id: str
    text: str
    interval_hours: float

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        if lists.habit(self.id) or lists.deleted_habit(self.id):
            raise ProviderError("a habit with this id is there already; nothing was done", "world.changed")
        return _put_habit(lists, Habit(self.id, self.text, self.interval_hours, created_at=now))

    def undo(self) -> "RemoveHabit":
        return RemoveHabit(self.id)


class RemoveHabit(TasksStep, frozen=True):
    """Remove a habit that was added, if it was never done; undo of `AddHabit`."""

    step: ClassVar[str] = "habit.remove"
    reach: ClassVar[Reach] = NOTHING
    id: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        if lists.last_entry(lists.require_habit(self.id).id) is not None:
            raise ProviderError("the habit was done since; nothing was changed", "world.changed")
        lists.drop_habit(self.id)
        return ()


class EditHabit(TasksStep, frozen=True):
    """Change a habit's text, its interval or both; the fact `HabitWas` records the former ones."""

    step: ClassVar[str] = "habit.edit"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str
    text: str | None = None
    interval_hours: float | None = None

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = lists.require_habit(self.id)
        text = before.text if self.text is None else self.text
        hours = before.interval_hours if self.interval_hours is None else self.interval_hours
        facts = _put_habit(lists, replace(before, text=text, interval_hours=hours))
        return (*facts, HabitWas(self.id, before.text, before.interval_hours))

    def undo(self) -> "UneditHabit":
        return UneditHabit(self.id, self.mark)


class UneditHabit(TasksStep, frozen=True):
    """Restore the text and the interval of a habit that `HabitWas` records."""

    step: ClassVar[str] = "habit.unedit"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = require_fact(expects, HabitWas, self.id, "what it was before")
        habit = lists.require_habit(self.id)
        return _put_habit(lists, replace(habit, text=before.text, interval_hours=before.interval_hours))


class DeleteHabit(TasksStep, frozen=True):
    """Move a habit from the list into the history, with the times at which it was done."""

    step: ClassVar[str] = "habit.delete"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        lists.delete_habit(lists.require_habit(self.id).id, now)
        return (HabitGone(self.id),)

    def undo(self) -> "RestoreHabit":
        return RestoreHabit(self.id, self.mark)


class RestoreHabit(TasksStep, frozen=True):
    """Move a habit back from the history, with the times at which it was done."""

    step: ClassVar[str] = "habit.restore"
    reach: ClassVar[Reach] = NOTHING
    id: str
    mark: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        habit = lists.deleted_habit(self.id)
        if habit is None:
            raise ProviderError("the habit is no longer kept; nothing was done", "world.changed")
        lists.restore_habit(self.id)
        return _habit_facts(habit)


class LogHabit(TasksStep, frozen=True):
    """Record that a habit was done now; `entry` is the id of the new entry."""

    step: ClassVar[str] = "habit.log"
    reach: ClassVar[Reach] = NOTHING
    id: str
    entry: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        before = lists.require_habit(self.id)
        lists.put_entry(HabitEntry(self.entry, self.id, now))
        lists.put_habit(replace(before, last_done_at=now))
        return (HabitThere(self.id), HabitDone(self.id, self.entry, before.last_done_at))

    def undo(self) -> "UnlogHabit":
        return UnlogHabit(self.id, self.entry)


class UnlogHabit(TasksStep, frozen=True):
    """Remove an entry from a habit's times, if it is the latest one."""

    step: ClassVar[str] = "habit.unlog"
    reach: ClassVar[Reach] = NOTHING
    id: str
    entry: str

    def execute(self, lists: Lists, expects: Facts, now: str) -> Facts:
        if lists.last_entry(self.id) != self.entry:
            raise ProviderError("the habit was logged again since; nothing was changed", "world.changed")
        lists.drop_entry(self.entry)
        before = next((fact.before for fact in expects if isinstance(fact, HabitDone) and fact.about == self.id), None)
        return _put_habit(lists, replace(lists.require_habit(self.id), last_done_at=before))


def _remove_tasks(lists: Lists, ids: tuple[str, ...]) -> None:
    """Remove tasks for good, if no other task is below them."""
    taken = set(ids)
    for item_id in ids:
        if any(child.id not in taken for child in lists.children(lists.require_task(item_id).id)):
            raise ProviderError("the task has subtasks by now; nothing was done", "world.changed")
    lists.drop_tasks(ids)


def _move_task(lists: Lists, task: Task, parent: str | None, position: float) -> Facts:
    if parent is not None:
        above = lists.require_task(parent)
        if parent in {each.id for each in lists.subtree(task.id)}:
            raise ProviderError(
                f"{quoted(above.text)} stands below {quoted(task.text)} by now; nothing was done", "world.changed"
            )
    return _task_facts(lists.place_task(replace(task, parent_id=parent, position=position)))


Steps = (
    AddTask | RemoveTask | EditTask | UneditTask | DeleteTasks | RestoreTasks | CompleteTask | ReopenTask
    | AddTasks | RemoveTasks | MoveTask | UnmoveTask
    | AddHabit | RemoveHabit | EditHabit | UneditHabit | DeleteHabit | RestoreHabit | LogHabit | UnlogHabit
)  # fmt: skip
STEPS: tuple[type[TasksStep], ...] = (
    AddTask, RemoveTask, EditTask, UneditTask, DeleteTasks, RestoreTasks, CompleteTask, ReopenTask,
    AddTasks, RemoveTasks, MoveTask, UnmoveTask,
    AddHabit, RemoveHabit, EditHabit, UneditHabit, DeleteHabit, RestoreHabit, LogHabit, UnlogHabit,
)  # fmt: skip


def token_of(step: Steps) -> str:
    """Return a token that no other step has: the step's name, and the mark or id that was made for the step."""
    match step:
        case LogHabit() | UnlogHabit():
            own = step.entry
        case AddTask() | RemoveTask() | AddHabit() | RemoveHabit():
            own = step.id
        case _:
            own = step.mark
    return f"{step.step} {own}"
