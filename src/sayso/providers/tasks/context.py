"""The context that a model gets about the person's tasks and habits (S2-37)."""

from sayso.core.conversation import ContextLimits, ContextPiece
from sayso.core.encoding import Json
from sayso.providers.tasks.formats import entries_of
from sayso.providers.tasks.lists import Habit, Task
from sayso.providers.tasks.store import Tasks

MOST_COMPLETED = 50
"""How many completed tasks are shown at most, the latest ones; active tasks are all shown."""
TASKS = (
    "The person's tasks in their order. “level” is how deep a task stands below others. What is completed is "
    "read-only: it is shown for context."
)
HABITS = "The person's habits, oldest first, each due again so many hours after it was done."


async def tasks(reads: Tasks, around: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return every active task and the latest completed ones, in list order."""
    known = await reads.all_tasks()
    completed = sorted((task for task in known if task.completed_at), key=_completed_at, reverse=True)
    left_out = {task.id for task in completed[MOST_COMPLETED:]}
    level = {entry.id: entry.level for entry in entries_of(known)}
    rows: list[Json] = [_task(task, level[task.id]) for task in known if task.id not in left_out]
    return (ContextPiece("tasks", TASKS, rows, ours=True),)


async def habits(reads: Tasks, around: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return every habit."""
    return (ContextPiece("habits", HABITS, [_habit(habit) for habit in await reads.all_habits()], ours=True),)


def _completed_at(task: Task) -> str:
    return task.completed_at or ""


def _task(task: Task, level: int) -> dict[str, Json]:
    row: dict[str, Json] = {"text": task.text, "level": level}
    return {**row, "completed": True, "read_only": True} if task.completed_at else {**row, "completed": False}


def _habit(habit: Habit) -> dict[str, Json]:
    return {"text": habit.text, "repeatIntervalHours": habit.interval_hours, "last_done_at": habit.last_done_at}
