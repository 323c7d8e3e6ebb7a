"""The operations on habits: add, change, delete and log."""

from typing import Annotated

from msgspec import Meta

from sayso.core.errors import ProposalError
from sayso.core.operation import operation
from sayso.core.plan import Change, Plan
from sayso.core.schema import Line
from sayso.providers.tasks.lists import Habit
from sayso.providers.tasks.lookup import every, in_part, one_habit, require_text
from sayso.providers.tasks.model import (
    AddHabit,
    DeleteHabit,
    EditHabit,
    LogHabit,
)
from sayso.providers.tasks.store import Tasks

Hours = Annotated[float, Meta(gt=0, le=8760, description="Hours between two times: 24 is daily, 4 every four hours.")]


@operation("habit.add", kind="write", asks="click")
async def add(tasks: Tasks, text: Line, interval_hours: Hours) -> Plan:
    """Add a habit that is due again after a number of hours."""
    words, new = require_text(text), tasks.new_id()
    step = AddHabit(new, words, interval_hours)
    return Plan(
        f"Add the habit “{words}”, {every(interval_hours)}",
        (Change(step, step.undo()),),
        said_when_done=f"Added the habit “{words}”, {every(interval_hours)}",
        data={"id": new},
    )


@operation("habit.edit", kind="write", asks="click")
async def edit(tasks: Tasks, target: Line, new_text: Line | None = None, interval_hours: Hours | None = None) -> Plan:
    """Change the text of a habit, how often it is due, or both; it is named by its text."""
    if new_text is None and interval_hours is None:
        raise ProposalError("habit.edit needs “new_text” or “interval_hours”, or both", "arguments.missing")
    words = None if new_text is None else require_text(new_text, "new_text")
    habit = await one_habit(tasks, target)
    words = None if words == habit.text else words
    hours = None if interval_hours == habit.interval_hours else interval_hours
    if words is None and hours is None:
        return Plan(f"The habit “{habit.text}” is already like that, {every(habit.interval_hours)}")
    step = EditHabit(habit.id, tasks.new_id(), words, hours)
    return Plan(
        _describe_edit(habit, words, hours),
        (Change(step, step.undo(), (tasks.habit_fact(habit),)),),
        said_when_done=_describe_done(habit, words, hours),
        data={"id": habit.id},
    )


@operation("habit.delete", kind="destructive", asks="click")
async def delete(tasks: Tasks, target: Line) -> Plan:
    """Delete a habit, which is named by its text, with the times it was done."""
    habit = await one_habit(tasks, target)
    times = len(await tasks.habit_history(habit.id))
    step = DeleteHabit(habit.id, tasks.new_id())
    history = f" with the {times} time{'s' if times > 1 else ''} it was done" if times else ""
    return Plan(
        f"Delete the habit “{habit.text}”{history}",
        (Change(step, step.undo(), (tasks.habit_fact(habit),)),),
        said_when_done=f"Deleted the habit “{habit.text}”",
        loses=(f"the habit “{habit.text}”{history}",),
        warns=in_part(target, habit.id, habit.text),
        data={"id": habit.id},
    )


@operation("habit.log", kind="write", asks="click")
async def log(tasks: Tasks, target: Line) -> Plan:
    """Write down that a habit, which is named by its text, was done now."""
    habit = await one_habit(tasks, target)
    step = LogHabit(habit.id, tasks.new_id())
    return Plan(
        f"Log “{habit.text}” as done now",
        (Change(step, step.undo(), (tasks.habit_fact(habit),)),),
        said_when_done=f"Logged “{habit.text}”",
        data={"id": habit.id, "entry": step.entry},
    )


def _describe_edit(habit: Habit, words: str | None, hours: float | None) -> str:
    if words is None:
        return f"Make the habit “{habit.text}” due {every(hours or 0)} instead of {every(habit.interval_hours)}"
    due = "" if hours is None else f" and make it due {every(hours)} instead of {every(habit.interval_hours)}"
    return f"Rename the habit “{habit.text}” to “{words}”{due}"


def _describe_done(habit: Habit, words: str | None, hours: float | None) -> str:
    if words is None:
        return f"“{habit.text}” is now due {every(hours or 0)}"
    return f"Renamed “{habit.text}” to “{words}”" + ("" if hours is None else f", due {every(hours)}")
