"""The operations that move tasks, and add a whole list of them in its order."""

from datetime import UTC, datetime
from operator import attrgetter
from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.errors import ProposalError
from sayso.core.operation import operation
from sayso.core.plan import Change, Plan
from sayso.core.schema import Line
from sayso.providers.tasks.formats import DEEPEST, MOST_TASKS
from sayso.providers.tasks.lists import Task
from sayso.providers.tasks.lookup import active_task, require_text
from sayso.providers.tasks.model import AddTasks, MoveTask
from sayso.providers.tasks.store import Tasks

Where = Literal["top", "below", "before", "after"]
Texts = Annotated[list[Line], Meta(min_length=1, max_length=MOST_TASKS, description="Texts of the tasks, in order.")]
Levels = Annotated[
    list[Annotated[int, Meta(ge=0, le=DEEPEST)]],
    Meta(description="How deep each task stands: 0 at the top, 1 below the last one of level 0 before it, and so on."),
]
Completed = Annotated[
    list[Annotated[str, Meta(max_length=40)]],
    Meta(description="When each task was completed, ISO 8601 in UTC; empty for an active one."),
]


@operation("task.move", kind="write", asks="click")
async def move(tasks: Tasks, target: Line, where: Where, other: Line | None = None) -> Plan:
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
    to = "to the top level" if beside is None else f"{where} “{beside.text}”"
    if _is_in_place(task, siblings, where, beside):
        return Plan(f"“{task.text}” already stands there")
    step = MoveTask(task.id, above.id if above else None, _between(task, siblings, where, beside), tasks.new_id())
    seen = (task,) if above is None else (task, above)
    expects = tuple(sorted((tasks.task_fact(each) for each in seen), key=attrgetter("fact")))
    return Plan(
        f"Move “{task.text}” {to}",
        (Change(step, step.undo(), expects),),
        said_when_done=f"Moved “{task.text}” {to}",
        data={"id": task.id},
    )


async def _find_parent(tasks: Tasks, where: Where, beside: Task | None) -> Task | None:
    if beside is None or where == "below" or beside.parent_id is None:
        return beside if where == "below" else None
    above = await tasks.task(beside.parent_id)
    if above is not None and above.completed_at is not None:
        sentence = f"“{beside.text}” stands below “{above.text}”, which is completed, and completed tasks are read-only"
        raise ProposalError(sentence, "target.not_found")
    return above


def _check_apart(task: Task, beside: Task | None, above: Task | None, whole: tuple[Task, ...]) -> None:
    ids = {each.id for each in whole}
    if (beside is not None and beside.id == task.id) or (above is not None and above.id in ids):
        raise ProposalError(f"“{task.text}” cannot be moved below or beside itself", "target.itself")


def _is_in_place(task: Task, siblings: tuple[Task, ...], where: Where, beside: Task | None) -> bool:
    ids = [each.id for each in siblings]
    if task.id not in ids:
        return False
    place = ids.index(task.id)
    if beside is None or where == "below":
        return place == len(ids) - 1
    return place + (1 if where == "before" else -1) == ids.index(beside.id)


def _between(task: Task, siblings: tuple[Task, ...], where: Where, beside: Task | None) -> float | None:
    """Return a position between two siblings; None for the end."""
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
        sentence = f"there is no room left {where} “{beside.text}”; move that one to the end of its list and back first"
        raise ProposalError(sentence, "target.no_room")
    return middle


@operation("task.add_all", kind="write", asks="click")
async def add_all(tasks: Tasks, texts: Texts, levels: Levels, completed: Completed | None = None) -> Plan:
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
    what = f"{len(ids)} tasks, from “{words[0]}” to “{words[-1]}”" if len(ids) > 1 else f"the task “{words[0]}”"
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
        raise ProposalError(f"“{text}” is no time such as 2024-01-28T14:00:00Z", "arguments.type") from None
    if moment.tzinfo is None:
        raise ProposalError(f"“{text}” has no time zone; write it as 2024-01-28T14:00:00Z", "arguments.type")
    return universal.isoformat().replace("+00:00", "Z")
