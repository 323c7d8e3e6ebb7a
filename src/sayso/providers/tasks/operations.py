"""The operations on tasks: add, rename, delete, complete and reopen."""

from operator import attrgetter

from sayso.core.operation import operation
from sayso.core.plan import Change, Plan
from sayso.core.schema import Line
from sayso.providers.tasks.lists import Task
from sayso.providers.tasks.lookup import active_task, ambiguous_tasks, find_completed_task, in_part, require_text
from sayso.providers.tasks.model import (
    AddTask,
    CompleteTask,
    DeleteTasks,
    EditTask,
    ReopenTask,
)
from sayso.providers.tasks.store import Tasks


@operation("task.add", kind="write", asks="click")
async def add(tasks: Tasks, text: Line) -> Plan:
    """Add a task."""
    words, new = require_text(text), tasks.new_id()
    step = AddTask(new, words)
    return Plan(
        f"Add the task “{words}”",
        (Change(step, step.undo()),),
        said_when_done=f"Added “{words}”",
        data={"id": new},
    )


@operation("task.add_subtask", kind="write", asks="click")
async def add_subtask(tasks: Tasks, parent: Line, text: Line) -> Plan:
    """Add a subtask below an active task, which is named by its text."""
    words, above, new = require_text(text), await active_task(tasks, parent), tasks.new_id()
    step = AddTask(new, words, above.id)
    return Plan(
        f"Add “{words}” below “{above.text}”",
        (Change(step, step.undo(), (tasks.task_fact(above),)),),
        said_when_done=f"Added “{words}” below “{above.text}”",
        data={"id": new},
    )


@operation("task.edit", kind="write", asks="click")
async def edit(tasks: Tasks, target: Line, new_text: Line) -> Plan:
    """Rename an active task, which is named by its text."""
    words, task = require_text(new_text, "new_text"), await active_task(tasks, target)
    if task.text == words:
        return Plan(f"The task is already called “{words}”")
    step = EditTask(task.id, words, tasks.new_id())
    return Plan(
        f"Rename “{task.text}” to “{words}”",
        (Change(step, step.undo(), (tasks.task_fact(task),)),),
        said_when_done=f"Renamed “{task.text}” to “{words}”",
        data={"id": task.id},
    )


@operation("task.delete", kind="destructive", asks="click")
async def delete(tasks: Tasks, target: Line) -> Plan:
    """Delete an active task, which is named by its text, with all its subtasks."""
    task = await active_task(tasks, target)
    whole = await tasks.subtree(task.id)
    what = f"“{task.text}”{_below(whole[1:])}"
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
async def complete(tasks: Tasks, target: Line) -> Plan:
    """Mark an active task, which is named by its text, as completed."""
    done = await _already_completed(tasks, target)
    if done is not None:
        return Plan(f"“{done.text}” is already completed")
    task = await active_task(tasks, target)
    step = CompleteTask(task.id, tasks.new_id())
    return Plan(
        f"Complete “{task.text}”",
        (Change(step, step.undo(), (tasks.task_fact(task),)),),
        said_when_done=f"Completed “{task.text}”",
        data={"id": task.id},
    )


@operation("task.reopen", kind="write", asks="click")
async def reopen(tasks: Tasks, target: Line) -> Plan:
    """Make a completed task, which is named by its text, active again."""
    active = await _active_already(tasks, target)
    if active is not None:
        return Plan(f"“{active.text}” is not completed")
    task = await find_completed_task(tasks, target)
    step = ReopenTask(task.id, tasks.new_id())
    return Plan(
        f"Reopen “{task.text}”",
        (Change(step, step.undo(task.completed_at or ""), (tasks.task_fact(task),)),),
        said_when_done=f"Reopened “{task.text}”",
        data={"id": task.id},
    )


async def _already_completed(tasks: Tasks, target: str) -> Task | None:
    """Return the completed task that `target` means, by its id or where no active one is meant."""
    meant = await tasks.task(target)
    if meant is not None:
        return meant if meant.completed_at is not None else None
    if await tasks.find_active(target):
        return None
    done = await tasks.find_completed(target)
    if len(done) > 1:
        raise await ambiguous_tasks(tasks, target, done)
    return done[0] if done else None


async def _active_already(tasks: Tasks, target: str) -> Task | None:
    """Return the active task that `target` means, by its id or where it is the only one meant."""
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
