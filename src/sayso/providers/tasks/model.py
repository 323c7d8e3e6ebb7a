"""The steps that a tasks backend can do, and the facts that may be expected of tasks and habits."""

from typing import ClassVar

from sayso.core.plan import Fact, Step


class TasksStep(Step, frozen=True):
    """A step of the tasks store."""

    store: ClassVar[str] = "tasks"


class AddTask(TasksStep, frozen=True):
    """Put a new task at the end of its parent's list, or of the top level."""

    step: ClassVar[str] = "task.add"
    id: str
    text: str
    parent_id: str | None = None


class RemoveTask(TasksStep, frozen=True):
    """Take away a task that was added, if it is as it was left and has no subtasks."""

    step: ClassVar[str] = "task.remove"
    id: str


class EditTask(TasksStep, frozen=True):
    """Give a task another text; leaves the former one as `TaskWas`."""

    step: ClassVar[str] = "task.edit"
    id: str
    text: str
    mark: str


class UneditTask(TasksStep, frozen=True):
    """Give a task the text back that `TaskWas` names."""

    step: ClassVar[str] = "task.unedit"
    id: str
    mark: str


class DeleteTasks(TasksStep, frozen=True):
    """Take a task and its subtasks off the list into the history; `ids` is the whole subtree, its root first.

    If the subtree holds any other task by now, nothing is done.
    """

    step: ClassVar[str] = "task.delete"
    ids: tuple[str, ...]
    mark: str


class RestoreTasks(TasksStep, frozen=True):
    """Bring them back from the history with ids, texts, order and states, if their parent is still there."""

    step: ClassVar[str] = "task.restore"
    ids: tuple[str, ...]
    mark: str


class CompleteTask(TasksStep, frozen=True):
    """Mark a task completed; `at` is the time to write, empty for now."""

    step: ClassVar[str] = "task.complete"
    id: str
    mark: str
    at: str = ""


class ReopenTask(TasksStep, frozen=True):
    """Make a completed task active again."""

    step: ClassVar[str] = "task.reopen"
    id: str
    mark: str


class AddTasks(TasksStep, frozen=True):
    """Put a whole list of new tasks at the end, each after its parent; all of them or none."""

    step: ClassVar[str] = "task.add_all"
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    parents: tuple[str | None, ...]
    completed: tuple[str | None, ...]
    mark: str


class RemoveTasks(TasksStep, frozen=True):
    """Take away a list of tasks that were added, if they are as they were left and nothing else is below them."""

    step: ClassVar[str] = "task.remove_all"
    ids: tuple[str, ...]
    mark: str


class MoveTask(TasksStep, frozen=True):
    """Put a task with all below it elsewhere; leaves its former place as `TaskStood`. No position is the end."""

    step: ClassVar[str] = "task.move"
    id: str
    parent_id: str | None
    position: float | None
    mark: str


class UnmoveTask(TasksStep, frozen=True):
    """Put a task back to where `TaskStood` says it was."""

    step: ClassVar[str] = "task.unmove"
    id: str
    mark: str


class AddHabit(TasksStep, frozen=True):
    """Add a habit that is due every `interval_hours`."""

    step: ClassVar[str] = "habit.add"
    id: str
    text: str
    interval_hours: float


class RemoveHabit(TasksStep, frozen=True):
    """Take away a habit that was added, if it is as it was left and was not done since."""

    step: ClassVar[str] = "habit.remove"
    id: str


class EditHabit(TasksStep, frozen=True):
    """Change a habit's text, its interval or both; leaves the former ones as `HabitWas`."""

    step: ClassVar[str] = "habit.edit"
    id: str
    mark: str
    text: str | None = None
    interval_hours: float | None = None


class UneditHabit(TasksStep, frozen=True):
    """Give a habit text and interval back that `HabitWas` names."""

    step: ClassVar[str] = "habit.unedit"
    id: str
    mark: str


class DeleteHabit(TasksStep, frozen=True):
    """Take a habit and the times it was done off the list into the history."""

    step: ClassVar[str] = "habit.delete"
    id: str
    mark: str


class RestoreHabit(TasksStep, frozen=True):
    """Bring a habit back from the history with the times it was done."""

    step: ClassVar[str] = "habit.restore"
    id: str
    mark: str


class LogHabit(TasksStep, frozen=True):
    """Write that a habit was done now; `entry` is the id of what is written."""

    step: ClassVar[str] = "habit.log"
    id: str
    entry: str


class UnlogHabit(TasksStep, frozen=True):
    """Take back that it was done, if nothing was logged after it."""

    step: ClassVar[str] = "habit.unlog"
    id: str
    entry: str


MakingTasks = AddTask | RemoveTask | EditTask | UneditTask
MovingTasks = DeleteTasks | RestoreTasks | CompleteTask | ReopenTask
PlacingTasks = AddTasks | RemoveTasks | MoveTask | UnmoveTask
MakingHabits = AddHabit | RemoveHabit | EditHabit | UneditHabit
MovingHabits = DeleteHabit | RestoreHabit | LogHabit | UnlogHabit
Steps = MakingTasks | MovingTasks | PlacingTasks | MakingHabits | MovingHabits
STEPS: tuple[type[TasksStep], ...] = (
    AddTask, RemoveTask, EditTask, UneditTask, DeleteTasks, RestoreTasks, CompleteTask, ReopenTask,
    AddTasks, RemoveTasks, MoveTask, UnmoveTask,
    AddHabit, RemoveHabit, EditHabit, UneditHabit, DeleteHabit, RestoreHabit, LogHabit, UnlogHabit,
)  # fmt: skip


def token_of(step: Steps) -> str:
    """Return what tells this step from every other one: its name, and the mark or id that was made for it."""
    match step:
        case LogHabit() | UnlogHabit():
            own = step.entry
        case AddTask() | RemoveTask() | AddHabit() | RemoveHabit():
            own = step.id
        case _:
            own = step.mark
    return f"{step.step} {own}"


class TaskActive(Fact, frozen=True):
    """The task is there and not completed; it may have been renamed since (T-64)."""

    fact: ClassVar[str] = "task_active"


class TaskCompleted(Fact, frozen=True):
    """The task is there and completed, since the same time."""

    fact: ClassVar[str] = "task_completed"
    at: str


class TaskIs(Fact, frozen=True):
    """The task is exactly as a step left it; the way back needs this (T-63)."""

    fact: ClassVar[str] = "task"
    text: str
    parent_id: str | None
    position: float
    completed_at: str | None


class TaskWas(Fact, frozen=True):
    """The text a task had before a step changed it; what the way back gives it again."""

    fact: ClassVar[str] = "task_was"
    text: str


class TaskStood(Fact, frozen=True):
    """Where a task stood before a step moved it; what the way back gives it again."""

    fact: ClassVar[str] = "task_stood"
    parent_id: str | None
    position: float


class TaskGone(Fact, frozen=True):
    """The task is off the list and kept in the history."""

    fact: ClassVar[str] = "task_gone"


class HabitThere(Fact, frozen=True):
    """The habit is there, whatever it is called and whenever it was done."""

    fact: ClassVar[str] = "habit_there"


class HabitIs(Fact, frozen=True):
    """The habit has the text and interval that a step left."""

    fact: ClassVar[str] = "habit"
    text: str
    interval_hours: float


class HabitWas(Fact, frozen=True):
    """The text and interval a habit had before a step changed it."""

    fact: ClassVar[str] = "habit_was"
    text: str
    interval_hours: float


class HabitDone(Fact, frozen=True):
    """The last time a habit was done is this entry; `before` is the time before it."""

    fact: ClassVar[str] = "habit_done"
    entry: str | None
    before: str | None = None


class HabitGone(Fact, frozen=True):
    """The habit is off the list and kept in the history."""

    fact: ClassVar[str] = "habit_gone"


FACTS: tuple[type[Fact], ...] = (
    TaskActive, TaskCompleted, TaskIs, TaskWas, TaskStood, TaskGone, HabitThere, HabitIs, HabitWas, HabitDone,
    HabitGone,
)  # fmt: skip
