"""`sayso habit`: the person's own habits, seen and changed."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from types import MappingProxyType

from sayso.core.encoding import Json
from sayso.providers.tasks.lookup import due_at, every, one_habit
from sayso.providers.tasks.store import Done, Habit, Tasks
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import UsageProblem, number
from sayso.surfaces.cli.context import Here, terminal_width
from sayso.surfaces.cli.direct import Deed, carry_out, deed_of, looked
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import moment
from sayso.surfaces.cli.text import sentence, visible


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; list by itself")
    parser.add_argument("words", nargs="*", metavar="TEXT", help="a habit by its text or id")
    parser.add_argument("--every", type=number, metavar="HOURS", help="with add and edit: hours between two times; 24")
    parser.add_argument("--to", metavar="TEXT", help="with edit: the new text")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Do it."""
    return deed_of("habit", DEEDS, arguments).act(arguments, here)


def _text(arguments: argparse.Namespace) -> str:
    text = " ".join(arguments.words)
    if not text.strip():
        raise UsageProblem(f"sayso habit {arguments.what}: which habit? write its text")
    return text


def _do(operation: str, arguments: argparse.Namespace, here: Here, **given: Json) -> int:
    return carry_out(here, operation, given, dry_run=arguments.dry_run)


def _add(arguments: argparse.Namespace, here: Here) -> int:
    hours = 24.0 if arguments.every is None else arguments.every
    return _do("habit.add", arguments, here, text=_text(arguments), interval_hours=hours)


def _edit(arguments: argparse.Namespace, here: Here) -> int:
    if arguments.to is None and arguments.every is None:
        raise UsageProblem("sayso habit edit HABIT needs --to TEXT, --every HOURS, or both")
    given: dict[str, Json] = {"target": _text(arguments)}
    given |= {} if arguments.to is None else {"new_text": arguments.to}
    given |= {} if arguments.every is None else {"interval_hours": arguments.every}
    return _do("habit.edit", arguments, here, **given)


def _to_target(operation: str) -> Callable[[argparse.Namespace, Here], int]:
    return lambda arguments, here: _do(operation, arguments, here, target=_text(arguments))


def _list(arguments: argparse.Namespace, here: Here) -> int:
    habits = looked(here, lambda reads: reads.all_habits())
    now = SystemClock().now()
    if here.json:
        here.document({"habits": [_document(habit, now) for habit in habits]})
        return Exit.FINE
    lines = [line for habit in habits for line in sentence(_said(habit, now), terminal_width(here), "", "  ")]
    here.print(*(lines or ["There is no habit yet."]))
    return Exit.FINE


def _document(habit: Habit, now: datetime) -> dict[str, Json]:
    due = due_at(habit)
    return {**asdict(habit), "due_at": due.isoformat().replace("+00:00", "Z"), "due": due <= now}


def _said(habit: Habit, now: datetime) -> str:
    due = due_at(habit)
    when = "due now" if due <= now else f"due {moment(due.isoformat())}"
    last = f"last done {moment(habit.last_done_at)}" if habit.last_done_at else "not done yet"
    return f"{visible(habit.text)}: {every(habit.interval_hours)}, {when} ({last})"


def _history(arguments: argparse.Namespace, here: Here) -> int:
    target = _text(arguments)

    async def found(reads: Tasks) -> tuple[Habit, tuple[Done, ...]]:
        habit = await one_habit(reads, target)
        return habit, await reads.habit_history(habit.id)

    habit, times = looked(here, found)
    if here.json:
        here.document({"habit": _document(habit, SystemClock().now()), "times": [asdict(time) for time in times]})
        return Exit.FINE
    count = "once" if len(times) == 1 else f"{len(times):,} times"
    head = f"“{habit.text}” was done {count}:" if times else f"“{habit.text}” was not done yet."
    here.print(visible(head), *(f"  {moment(time.at)}" for time in times))
    return Exit.FINE


DEEDS: Mapping[str, Deed] = MappingProxyType(
    {
        "add": Deed(_add, ("every", "dry_run")),
        "list": Deed(_list, words=False),
        "done": Deed(_to_target("habit.log"), ("dry_run",)),
        "edit": Deed(_edit, ("every", "to", "dry_run")),
        "delete": Deed(_to_target("habit.delete"), ("dry_run",)),
        "history": Deed(_history),
    }
)

COMMAND = Command(
    configure,
    act,
    'sayso habit add "Meditation" --every 4',
    "What you type here is its own approval; it is recorded, and “sayso undo” takes it back.",
)
