"""The operations on tasks and habits: add, rename, delete, complete, reopen, log and put in order."""

from datetime import UTC, datetime
from operator import attrgetter
from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.errors import ProposalError
from sayso.core.operation import operation
from sayso.core.plan import Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Line
from sayso.providers.tasks.formats import DEEPEST, MOST_TASKS
from sayso.providers.tasks.lists import Habit, Task
from sayso.providers.tasks.lookup import (
    active_task,
    ambiguous_tasks,
    every,
    find_completed_task,
    in_part,
    one_habit,
    require_text,
)
from sayso.providers.tasks.model import (
    AddHabit,
    AddTask,
    AddTasks,
    CompleteTask,
    DeleteHabit,
    DeleteTasks,
    EditHabit,
    EditTask,
    LogHabit,
    MoveTask,
    ReopenTask,
)
from sayso.providers.tasks.store import Tasks


@operation("task.add", kind="write", asks="click")
async def add_task(tasks: Tasks, text: Line) -> Plan:
    """Add a task."""
    words, new = require_text(text), tasks.new_id()
    step = AddTask(new, words)
    return Plan(
        f"Add the task {quoted(words)}",
        (Change(step, step.undo()),),
        said_when_done=f"Added {quoted(words)}",
        data={"id": new},
    )


@operation("task.add_subtask", kind="write", asks="click")
async def add_subtask(tasks: Tasks, parent: Line, text: Line) -> Plan:
    """Add a subtask below an active task, which is named by its text."""
    words, above, new = require_text(text), await active_task(tasks, parent), tasks.new_id()
    step = AddTask(new, words, above.id)
    return Plan(
        f"Add {quoted(words)} below {quoted(above.text)}",
        (Change(step, step.undo(), (tasks.task_fact(above),)),),
        said_when_done=f"Added {quoted(words)} below {quoted(above.text)}",
        data={"id": new},
    )


@operation("task.edit", kind="write", asks="click")
async def edit_task(tasks: Tasks, target: Line, new_text: Line) -> Plan:
    """Rename an active task, which is named by its text."""
    words, task = require_text(new_text, "new_text"), await active_task(tasks, target)
    if task.text == words:
        return Plan(f"The task is already called {quoted(words)}")
    step = EditTask(task.id, words, tasks.new_id())
    return Plan(
        f"Rename {quoted(task.text)} to {quoted(words)}",
        (Change(step, step.undo(), (tasks.task_fact(task),)),),
        said_when_done=f"Renamed {quoted(task.text)} to {quoted(words)}",
        data={"id": task.id},
    )


@operation("task.delete", kind="destructive", asks="click")
async def delete_task(tasks: Tasks, target: Line) -> Plan:
    """Delete an active task, which is named by its text, with all its subtasks."""
    task = await active_task(tasks, target)
    whole = await tasks.subtree(task.id)
    what = f"{quoted(task.text)}{_below(whole[1:])}"
    step = DeleteTasks(tuple(each.id for each in whole), tasks.new_id())
    expects = tuple(sorted((tasks.task_fact(each) for each in whole), key=attrgetter("fact")))
    return Plan(
        f"Delete {what}",
        (Change(step, step.undo(), expects),),
        said_when_done=f"Deleted {what}",
        loses=(f"the task {what}",),
        warns=in_part(target, task.id, task.text),
        data={"id": task.id, "tasks": len(whole)},
    )


@operation("task.complete", kind="write", asks="click")
async def complete_task(tasks: Tasks, target: Line) -> Plan:
    """Mark an active task, which is named by its text, as completed."""
    done = await _find_completed_already(tasks, target)
    if done is not None:
        return Plan(f"{quoted(done.text)} is already completed")
    task = await active_task(tasks, target)
    step = CompleteTask(task.id, tasks.new_id())
    return Plan(
        f"Complete {quoted(task.text)}",
        (Change(step, step.undo(), (tasks.task_fact(task),)),),
        said_when_done=f"Completed {quoted(task.text)}",
        data={"id": task.id},
    )


@operation("task.reopen", kind="write", asks="click")
async def reopen_task(tasks: Tasks, target: Line) -> Plan:
    """Make a completed task, which is named by its text, active again."""
    active = await _find_active_already(tasks, target)
    if active is not None:
        return Plan(f"{quoted(active.text)} is not completed")
    task = await find_completed_task(tasks, target)
    step = ReopenTask(task.id, tasks.new_id())
    return Plan(
        f"Reopen {quoted(task.text)}",
        (Change(step, step.undo(task.completed_at or ""), (tasks.task_fact(task),)),),
        said_when_done=f"Reopened {quoted(task.text)}",
        data={"id": task.id},
    )


async def _find_completed_already(tasks: Tasks, target: str) -> Task | None:
    """Return the completed task with the id `target`, or else, if no active task matches, the one with this text."""
    meant = await tasks.task(target)
    if meant is not None:
        return meant if meant.completed_at is not None else None
    if await tasks.find_active(target):
        return None
    done = await tasks.find_completed(target)
    if len(done) > 1:
        raise await ambiguous_tasks(tasks, target, done)
    return done[0] if done else None


async def _find_active_already(tasks: Tasks, target: str) -> Task | None:
    """Return the active task with the id `target`, or else the active task with this text, if no other task matches."""
    meant = await tasks.task(target)
    if meant is not None:
        return meant if meant.completed_at is None else None
    active = await tasks.find_active(target)
    return active[0] if len(active) == 1 and not await tasks.find_completed(target) else None


def _below(tasks: tuple[Task, ...]) -> str:
    if not tasks:
        return ""
    completed = sum(task.completed_at is not None for task in tasks)
    count = f"{len(tasks)} subtask" + ("s" if len(tasks) > 1 else "")
    return f" with its {count}" + (f" ({completed} completed)" if completed else "")


Hours = Annotated[float, Meta(gt=0, le=8760, description="Hours between two times: 24 is daily, 4 every four hours.")]


@operation("habit.add", kind="write", asks="click")
async def add_habit(tasks: Tasks, text: Line, interval_hours: Hours) -> Plan:
    """Add a habit that is due again after a number of hours."""
    words, new = require_text(text), tasks.new_id()
    step = AddHabit(new, words, interval_hours)
    return Plan(
        f"Add the habit {quoted(words)}, {every(interval_hours)}",
        (Change(step, step.undo()),),
        said_when_done=f"Added the habit {quoted(words)}, {every(interval_hours)}",
        data={"id": new},
    )


@operation("habit.edit", kind="write", asks="click")
async def edit_habit(
    tasks: Tasks, target: Line, new_text: Line | None = None, interval_hours: Hours | None = None
) -> Plan:
    """Change the text of a habit, how often it is due, or both; it is named by its text."""
    if new_text is None and interval_hours is None:
        raise ProposalError("habit.edit needs “new_text” or “interval_hours”, or both", "arguments.missing")
    words = None if new_text is None else require_text(new_text, "new_text")
    habit = await one_habit(tasks, target)
    words = None if words == habit.text else words
    hours = None if interval_hours == habit.interval_hours else interval_hours
    if words is None and hours is None:
        return Plan(f"The habit {quoted(habit.text)} is already like that, {every(habit.interval_hours)}")
    step = EditHabit(habit.id, tasks.new_id(), words, hours)
    return Plan(
        _describe_habit_edit(habit, words, hours),
        (Change(step, step.undo(), (tasks.habit_fact(habit),)),),
        said_when_done=_describe_edited_habit(habit, words, hours),
        data={"id": habit.id},
    )


@operation("habit.delete", kind="destructive", asks="click")
async def delete_habit(tasks: Tasks, target: Line) -> Plan:
    """Delete a habit, which is named by its text, with the times it was done."""
    habit = await one_habit(tasks, target)
    times = len(await tasks.habit_history(habit.id))
    step = DeleteHabit(habit.id, tasks.new_id())
    history = f" with the {times} time{'s' if times > 1 else ''} it was done" if times else ""
    return Plan(
        f"Delete the habit {quoted(habit.text)}{history}",
        (Change(step, step.undo(), (tasks.habit_fact(habit),)),),
        said_when_done=f"Deleted the habit {quoted(habit.text)}",
        loses=(f"the habit {quoted(habit.text)}{history}",),
        warns=in_part(target, habit.id, habit.text),
        data={"id": habit.id},
    )


@operation("habit.log", kind="write", asks="click")
async def log_habit(tasks: Tasks, target: Line) -> Plan:
    """Write down that a habit, which is named by its text, was done now."""
    habit = await one_habit(tasks, target)
    step = LogHabit(habit.id, tasks.new_id())
    return Plan(
        f"Log {quoted(habit.text)} as done now",
        (Change(step, step.undo(), (tasks.habit_fact(habit),)),),
        said_when_done=f"Logged {quoted(habit.text)}",
        data={"id": habit.id, "entry": step.entry},
    )


def _describe_habit_edit(habit: Habit, words: str | None, hours: float | None) -> str:
    if words is None:
        return f"Make the habit {quoted(habit.text)} due {every(hours or 0)} instead of {every(habit.interval_hours)}"
    due = "" if hours is None else f" and make it due {every(hours)} instead of {every(habit.interval_hours)}"
    return f"Rename the habit {quoted(habit.text)} to {quoted(words)}{due}"


def _describe_edited_habit(habit: Habit, words: str | None, hours: float | None) -> str:
    if words is None:
        return f"{quoted(habit.text)} is now due {every(hours or 0)}"
    return f"Renamed {quoted(habit.text)} to {quoted(words)}" + ("" if hours is None else f", due {every(hours)}")


Where = Literal["top", "below", "before", "after"]
Texts = Annotated[list[Line], Meta(min_length=1, max_length=MOST_TASKS, description="Texts of the tasks, in order.")]
Levels = Annotated[
    list[Annotated[int, Meta(ge=0, le=DEEPEST)]],
    Meta(description="How deep each task stands: 0 at the top, 1 below the last one of level 0 before it, and so on."),
]


def _check_times(_name: str, texts: list[str]) -> None:
    for text in texts:
        _read_time(text)


Completed = Annotated[
    list[Annotated[str, Meta(max_length=40)]],
    Meta(
        description="When each task was completed, ISO 8601 in UTC; empty for an active one.",
        extra={"check": _check_times},
    ),
]


@operation("task.move", kind="write", asks="click")
async def move_task(tasks: Tasks, target: Line, where: Where, other: Line | None = None) -> Plan:
    """Move an active task with its subtasks: to the top level, or below, before or after another active task."""
    if where == "top" and other is not None:
        raise ProposalError("task.move to the “top” takes no “other”", "arguments.unknown")
    if where != "top" and other is None:
        raise ProposalError(f"task.move needs “other”: {where} which task?", "arguments.missing")
    task = await active_task(tasks, target)
    beside = None if other is None else await active_task(tasks, other)
    above = await _find_parent(tasks, where, beside)
    _check_apart(task, beside, above, await tasks.subtree(task.id))
    siblings = await tasks.children(above.id if above else None)
    move, moved, to = _in_words(where, beside)
    if _is_in_place(task, siblings, where, beside):
        return Plan(f"{quoted(task.text)} already stands there")
    step = MoveTask(task.id, above.id if above else None, _between(task, siblings, where, beside), tasks.new_id())
    seen = (task,) if above is None else (task, above)
    expects = tuple(sorted((tasks.task_fact(each) for each in seen), key=attrgetter("fact")))
    return Plan(
        f"{move} {quoted(task.text)} {to}",
        (Change(step, step.undo(), expects),),
        said_when_done=f"{moved} {quoted(task.text)} {to}",
        data={"id": task.id},
    )


def _in_words(where: Where, beside: Task | None) -> tuple[str, str, str]:
    """Return what is done to a task, the same when it is done, and to where."""
    if beside is None:
        return "Move", "Moved", "to the top level"
    if where == "below":
        return "Make", "Made", f"a part of {quoted(beside.text)}"
    return "Move", "Moved", f"{where} {quoted(beside.text)}"


async def _find_parent(tasks: Tasks, where: Where, beside: Task | None) -> Task | None:
    if beside is None or where == "below" or beside.parent_id is None:
        return beside if where == "below" else None
    above = await tasks.task(beside.parent_id)
    if above is not None and above.completed_at is not None:
        sentence = (
            f"{quoted(beside.text)} stands below {quoted(above.text)}, which is "
            "completed, and completed tasks are read-only"
        )
        raise ProposalError(sentence, "target.not_found")
    return above


def _check_apart(task: Task, beside: Task | None, above: Task | None, whole: tuple[Task, ...]) -> None:
    ids = {each.id for each in whole}
    if (beside is not None and beside.id == task.id) or (above is not None and above.id in ids):
        raise ProposalError(f"{quoted(task.text)} cannot be moved below or beside itself", "target.itself")


def _is_in_place(task: Task, siblings: tuple[Task, ...], where: Where, beside: Task | None) -> bool:
    ids = [each.id for each in siblings]
    if task.id not in ids:
        return False
    place = ids.index(task.id)
    if beside is None or where == "below":
        return place == len(ids) - 1
    return place + (1 if where == "before" else -1) == ids.index(beside.id)


def _between(task: Task, siblings: tuple[Task, ...], where: Where, beside: Task | None) -> float | None:
    """Return a position between two siblings; None for the end of the list."""
    others = [each for each in siblings if each.id != task.id]
    if beside is None or where == "below":
        return None
    place = [each.id for each in others].index(beside.id) + (where == "after")
    if place == len(others):
        return None
    high = others[place].position
    low = others[place - 1].position if place else high - 2
    middle = (low + high) / 2
    if not low < middle < high:
        sentence = (
            f"there is no room left {where} {quoted(beside.text)}; move that one to the end of its list and back first"
        )
        raise ProposalError(sentence, "target.no_room")
    return middle


_BOTH = 2
"""How many tasks are all named where they are added at once."""


@operation("task.add_all", kind="write", asks="click")
async def add_tasks(tasks: Tasks, texts: Texts, levels: Levels, completed: Completed | None = None) -> Plan:
    """Add a list of tasks at once, all or none; a level is 0 at the top, and one more than its parent's below it."""
    done = completed if completed is not None else [""] * len(texts)
    if not len(texts) == len(levels) == len(done):
        raise ProposalError("task.add_all needs as many levels (and times) as texts", "arguments.type")
    ids: list[str] = []
    parents: list[str | None] = []
    last: list[str] = []
    for level in levels:
        if level > len(last):
            raise ProposalError("a task may stand only one level deeper than the one before it", "arguments.type")
        ids.append(tasks.new_id())
        parents.append(last[level - 1] if level else None)
        last[level:] = [ids[-1]]
    words = tuple(require_text(text, "texts") for text in texts)
    step = AddTasks(tuple(ids), words, tuple(parents), tuple(map(_read_time, done)), tasks.new_id())
    what = (
        f"{len(ids)} tasks, from {quoted(words[0])} to {quoted(words[-1])}"
        if len(ids) > _BOTH
        else f"the {'tasks' if len(ids) > 1 else 'task'} {' and '.join(map(quoted, words))}"
    )
    return Plan(
        f"Add {what}",
        (Change(step, step.undo()),),
        said_when_done=f"Added {what}",
        preview="\n".join(f"{'  ' * level}{text}" for level, text in zip(levels, words, strict=True)),
        data={"ids": ids},
    )


def _read_time(text: str) -> str | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        universal = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ProposalError(f"{quoted(text)} is no time such as 2024-01-28T14:00:00Z", "arguments.type") from None
    if moment.tzinfo is None:
        raise ProposalError(f"{quoted(text)} has no time zone; write it as 2024-01-28T14:00:00Z", "arguments.type")
    return universal.isoformat().replace("+00:00", "Z")
