"""What each step on tasks writes; it is called within a transaction, and raises where the world has moved on."""

import sqlite3
from typing import assert_never

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.providers.tasks.model import (
    AddTask,
    AddTasks,
    CompleteTask,
    DeleteTasks,
    EditTask,
    MakingTasks,
    MoveTask,
    MovingTasks,
    PlacingTasks,
    RemoveTask,
    RemoveTasks,
    ReopenTask,
    RestoreTasks,
    TaskGone,
    TaskStood,
    TaskWas,
    UneditTask,
    UnmoveTask,
)
from sayso.providers.tasks.ordering import free_place
from sayso.providers.tasks.sqlite import rows
from sayso.providers.tasks.store import Task, exactly, former_place, gone_error, state_of, was


def make(connection: sqlite3.Connection, step: MakingTasks, expects: Facts, now: str) -> Facts:
    """Make a task, change its text, or take either back."""
    match step:
        case AddTask(id, text, parent_id):
            if parent_id is not None:
                _there(connection, parent_id)
            return _as_it_is(_add_task(connection, Task(id, text, parent_id, 0, None, now)))
        case RemoveTask(id):
            _remove_tasks(connection, (_there(connection, id).id,))
            return ()
        case EditTask(id, text):
            before = _there(connection, id)
            return (*_as_it_is(_write_task(connection, replace(before, text=text))), TaskWas(id, before.text))
        case UneditTask(id):
            return _as_it_is(_write_task(connection, replace(_there(connection, id), text=was(expects, id))))
        case _:
            assert_never(step)


def move(connection: sqlite3.Connection, step: MovingTasks, now: str) -> Facts:
    """Take tasks off the list, bring them back, complete or reopen one."""
    match step:
        case DeleteTasks(ids):
            return _delete_tasks(connection, ids, now)
        case RestoreTasks(ids):
            return _restore_tasks(connection, ids)
        case CompleteTask(id):
            return _as_it_is(_write_task(connection, replace(_there(connection, id), completed_at=step.at or now)))
        case ReopenTask(id):
            return _as_it_is(_write_task(connection, replace(_there(connection, id), completed_at=None)))
        case _:
            assert_never(step)


def place(connection: sqlite3.Connection, step: PlacingTasks, expects: Facts, now: str) -> Facts:
    """Add a whole list, move a task, or take either back."""
    match step:
        case AddTasks(ids):
            facts: list[Fact] = []
            for item_id, text, parent, done in zip(ids, step.texts, step.parents, step.completed, strict=True):
                if parent is not None:
                    _there(connection, parent)
                facts += _as_it_is(_add_task(connection, Task(item_id, text, parent, 0, done, now)))
            return tuple(facts)
        case RemoveTasks(ids):
            _remove_tasks(connection, ids)
            return ()
        case MoveTask(id, parent_id, position):
            at = rows.next_position(connection, parent_id) if position is None else position
            before = _there(connection, id)
            after = _place_task(connection, replace(before, parent_id=parent_id, position=at))
            return (*_as_it_is(after), TaskStood(id, before.parent_id, before.position))
        case UnmoveTask(id):
            then = former_place(expects, id)
            before = _there(connection, id)
            return _as_it_is(_place_task(connection, replace(before, parent_id=then.parent_id, position=then.position)))
        case _:
            assert_never(step)


def _there(connection: sqlite3.Connection, item_id: str) -> Task:
    task = rows.task_of(connection, item_id)
    if task is None:
        raise gone_error("task")
    return task


def _as_it_is(task: Task) -> tuple[Fact, ...]:
    return (exactly(task), state_of(task))


def _list_of(task: Task) -> str:
    return rows.ACTIVE if task.completed_at is None else rows.COMPLETED


def _add_task(connection: sqlite3.Connection, task: Task) -> Task:
    if rows.is_there(connection, "tasks", task.id) or rows.is_there(connection, "deleted_tasks", task.id):
        raise ProviderError("a task with this id is there already; nothing was done", "world.changed")
    task = replace(task, position=rows.next_position(connection, task.parent_id))
    _put(connection, task)
    return task


def _put(connection: sqlite3.Connection, task: Task) -> None:
    fields = (task.id, task.text, task.parent_id, task.position, task.completed_at, task.created_at)
    connection.execute(
        "INSERT INTO tasks (id, text, parent_id, position, completed_at, created_at) VALUES (?, ?, ?, ?, ?, ?)", fields
    )
    rows.put(connection, _list_of(task), task.id, task.text)


def _write_task(connection: sqlite3.Connection, task: Task) -> Task:
    connection.execute(
        "UPDATE tasks SET text = ?, completed_at = ? WHERE id = ?", (task.text, task.completed_at, task.id)
    )
    rows.put(connection, _list_of(task), task.id, task.text)
    return task


def _place_task(connection: sqlite3.Connection, task: Task) -> Task:
    parent = task.parent_id
    if parent is not None:
        above = _there(connection, parent)
        if rows.stands_below(connection, parent, task.id):
            raise ProviderError(f"“{above.text}” stands below “{task.text}” by now; nothing was done", "world.changed")
    task = _at_a_free_place(connection, task)
    connection.execute("UPDATE tasks SET parent_id = ?, position = ? WHERE id = ?", (parent, task.position, task.id))
    return task


def _at_a_free_place(connection: sqlite3.Connection, task: Task) -> Task:
    siblings = {each.position for each in rows.children(connection, task.parent_id) if each.id != task.id}
    return replace(task, position=free_place(task.position, siblings))


def _remove_tasks(connection: sqlite3.Connection, ids: tuple[str, ...]) -> None:
    """Take away for good what was only just added, if nothing else stands below it."""
    taken = set(ids)
    for item_id in ids:
        _there(connection, item_id)
        below = connection.execute("SELECT id FROM tasks WHERE parent_id = ?", (item_id,))
        if any(child not in taken for (child,) in below):
            raise ProviderError("the task has subtasks by now; nothing was done", "world.changed")
    for item_id in ids:
        connection.execute("DELETE FROM tasks WHERE id = ?", (item_id,))
        rows.drop(connection, item_id)


def _delete_tasks(connection: sqlite3.Connection, ids: tuple[str, ...], now: str) -> Facts:
    root = _there(connection, ids[0])
    if {task.id for task in rows.subtree(connection, root.id)} != set(ids):
        raise ProviderError(f"what stands below “{root.text}” has changed since; nothing was done", "world.changed")
    for item_id in ids:
        connection.execute(
            "INSERT INTO deleted_tasks (id, text, parent_id, position, completed_at, created_at, deleted_at) "
            "SELECT id, text, parent_id, position, completed_at, created_at, ? FROM tasks WHERE id = ?",
            (now, item_id),
        )
        connection.execute("DELETE FROM tasks WHERE id = ?", (item_id,))
        rows.drop(connection, item_id)
    return tuple(TaskGone(each) for each in ids)


def _restore_tasks(connection: sqlite3.Connection, ids: tuple[str, ...]) -> Facts:
    back = rows.find_deleted(connection, ids)
    if len(back) != len(ids):
        raise ProviderError("what was deleted is no longer kept; nothing was done", "world.changed")
    parent = back[0].parent_id
    if parent is not None and not rows.is_there(connection, "tasks", parent):
        raise ProviderError(f"the task above “{back[0].text}” is gone by now; nothing was done", "world.changed")
    back[0] = _at_a_free_place(connection, back[0])
    for task in back:
        connection.execute("DELETE FROM deleted_tasks WHERE id = ?", (task.id,))
        _put(connection, task)
    return tuple(fact for task in back for fact in _as_it_is(task))
