"""`sayso task` and `sayso habit`: the person's own lists."""

import argparse
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.quotes import quoted, visible
from sayso.providers.tasks.formats import arguments_of, entries_of, too_much
from sayso.providers.tasks.lists import Habit, HabitEntry, Task
from sayso.providers.tasks.lookup import due_at, every, habit_json, one_habit
from sayso.providers.tasks.store import Tasks
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import Command, UsageProblem, number
from sayso.surfaces.cli.context import CommandContext, read_text, terminal_width
from sayso.surfaces.cli.direct import (
    FORMATS,
    Subcommand,
    act_on,
    carry_out,
    form_of,
    look_at_lists,
    now_of,
    read_import,
    require_words,
    save,
)
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.render import moment
from sayso.surfaces.cli.text import sentence

PLACES = ("below", "before", "after")
_MOST_TOLD = 10


def configure_task(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "what", nargs="?", default="list", metavar="|".join(TASK_DEEDS), help="what to do; without it, list"
    )
    parser.add_argument("words", nargs="*", metavar="TEXT|FILE", help="a task by its text or id, or a file")
    parser.add_argument("--below", metavar="TASK", help="add or move below this task")
    parser.add_argument("--before", metavar="TASK", help="move before this task")
    parser.add_argument("--after", metavar="TASK", help="move after this task")
    parser.add_argument("--top", action="store_true", help="move to the top level")
    parser.add_argument("--to", metavar="TEXT", help="with edit: the new text")
    parser.add_argument("--all", action="store_true", help="list completed tasks too")
    parser.add_argument(
        "--format", choices=FORMATS, help="format of the file; without it, what its name says, else markdown"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def _do(operation: str, arguments: argparse.Namespace, here: CommandContext, **given: Json) -> int:
    return carry_out(here, operation, given, dry_run=arguments.dry_run)


def _add_task(arguments: argparse.Namespace, here: CommandContext) -> int:
    text = require_words(arguments, "task")
    if arguments.below is None:
        return _do("task.add", arguments, here, text=text)
    return _do("task.add_subtask", arguments, here, parent=arguments.below, text=text)


def _edit_task(arguments: argparse.Namespace, here: CommandContext) -> int:
    if arguments.to is None:
        raise UsageProblem("sayso task edit TASK --to TEXT: what is its new text?")
    return _do("task.edit", arguments, here, target=require_words(arguments, "task"), new_text=arguments.to)


def _move(arguments: argparse.Namespace, here: CommandContext) -> int:
    said = [place for place in PLACES if getattr(arguments, place) is not None] + ["top"] * arguments.top
    if len(said) != 1:
        raise UsageProblem("sayso task move TASK needs one of --below, --before, --after (with a task) and --top")
    given: dict[str, Json] = {"target": require_words(arguments, "task"), "where": said[0]}
    if not arguments.top:
        given["other"] = getattr(arguments, said[0])
    return _do("task.move", arguments, here, **given)


def _to_target(operation: str) -> Callable[[argparse.Namespace, CommandContext], int]:
    return lambda arguments, here: _do(operation, arguments, here, target=require_words(arguments, "task"))


def _list_tasks(arguments: argparse.Namespace, here: CommandContext) -> int:
    return _show_tasks(here, hidden=not arguments.all)


def _tree(arguments: argparse.Namespace, here: CommandContext) -> int:
    return _show_tasks(here, hidden=False)


def _show_tasks(here: CommandContext, *, hidden: bool) -> int:
    tasks = look_at_lists(here, lambda reads: reads.all_tasks())
    kept = [task for task in tasks if not (hidden and task.completed_at)]
    if here.json:
        here.document({"tasks": [asdict(task) for task in kept]})
    else:
        here.print(*(_lines(tasks, kept, terminal_width(here)) or ["Nothing is to be done."]))
    return Exit.FINE


def _lines(tasks: tuple[Task, ...], kept: list[Task], width: int) -> list[str]:
    """Return the checklist; the subtasks of a hidden task keep their indentation."""
    shown = {task.id for task in kept}
    lines: list[str] = []
    for entry in entries_of(tasks):
        if entry.id in shown:
            first = f"{'  ' * entry.level}[{'x' if entry.completed else ' '}] "
            lines += sentence(visible(entry.text), width, first, " " * len(first))
    return lines


def _import(arguments: argparse.Namespace, here: CommandContext) -> int:
    if len(arguments.words) != 1:
        raise UsageProblem("sayso task import FILE: which file? - is standard input")
    (file,) = arguments.words
    found = read_import(read_text(file, here), form_of(file, arguments.format))
    for sentence_ in found.left_out[:_MOST_TOLD]:
        here.tell(f"sayso: left out: {sentence_}")
    if len(found.left_out) > _MOST_TOLD:
        here.tell(f"sayso: left out: {len(found.left_out) - _MOST_TOLD:,} more")
    if not found.entries:
        raise UsageProblem(f"there is no task in {quoted(file)}; a checklist has lines such as “- [ ] Buy bread”")
    if wrong := too_much(found.entries):
        raise UsageProblem(f"nothing of {quoted(file)} was added: {wrong}")
    given: dict[str, Json] = {name: list(values) for name, values in arguments_of(found.entries, now_of()).items()}
    return _do("task.add_all", arguments, here, **given)


def _export(arguments: argparse.Namespace, here: CommandContext) -> int:
    if len(arguments.words) > 1:
        raise UsageProblem("sayso task export [FILE] takes one file")
    file = arguments.words[0] if arguments.words else "-"
    tasks = look_at_lists(here, lambda reads: reads.all_tasks())
    return save(here, tasks, file, form_of(file, arguments.format))


TASK_DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "add": Subcommand(_add_task, ("below", "dry_run")),
        "list": Subcommand(_list_tasks, ("all",), words=False),
        "tree": Subcommand(_tree, words=False),
        "done": Subcommand(_to_target("task.complete"), ("dry_run",)),
        "undone": Subcommand(_to_target("task.reopen"), ("dry_run",)),
        "edit": Subcommand(_edit_task, ("to", "dry_run")),
        "move": Subcommand(_move, (*PLACES, "top", "dry_run")),
        "delete": Subcommand(_to_target("task.delete"), ("dry_run",)),
        "import": Subcommand(_import, ("format", "dry_run")),
        "export": Subcommand(_export, ("format",)),
    }
)

TASK = Command(
    configure_task,
    act_on("task", TASK_DEEDS),
    'sayso task add "Buy wine" --below "Dinner"',
    "What you type here needs no further yes; it is recorded, and “sayso undo” takes it back.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; without it, list")
    parser.add_argument("words", nargs="*", metavar="TEXT", help="a habit by its text or id")
    parser.add_argument("--every", type=number, metavar="HOURS", help="with add and edit: hours between two times; 24")
    parser.add_argument("--to", metavar="TEXT", help="with edit: the new text")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def _add(arguments: argparse.Namespace, here: CommandContext) -> int:
    hours = 24.0 if arguments.every is None else arguments.every
    return _do("habit.add", arguments, here, text=require_words(arguments, "habit"), interval_hours=hours)


def _edit(arguments: argparse.Namespace, here: CommandContext) -> int:
    if arguments.to is None and arguments.every is None:
        raise UsageProblem("sayso habit edit HABIT needs --to TEXT, --every HOURS, or both")
    given: dict[str, Json] = {"target": require_words(arguments, "habit")}
    given |= {} if arguments.to is None else {"new_text": arguments.to}
    given |= {} if arguments.every is None else {"interval_hours": arguments.every}
    return _do("habit.edit", arguments, here, **given)


def _list_habits(arguments: argparse.Namespace, here: CommandContext) -> int:
    habits = look_at_lists(here, lambda reads: reads.all_habits())
    now = SystemClock().now()
    if here.json:
        here.document({"habits": [habit_json(habit, now) for habit in habits]})
        return Exit.FINE
    lines = [line for habit in habits for line in sentence(_describe_habit(habit, now), terminal_width(here), "", "  ")]
    here.print(*(lines or ["There is no habit yet."]))
    return Exit.FINE


def _describe_habit(habit: Habit, now: datetime) -> str:
    due = due_at(habit)
    when = "due now" if due <= now else f"due {moment(due.isoformat())}"
    last = f"last done {moment(habit.last_done_at)}" if habit.last_done_at else "not done yet"
    return f"{visible(habit.text)}: {every(habit.interval_hours)}, {when} ({last})"


def _history(arguments: argparse.Namespace, here: CommandContext) -> int:
    target = require_words(arguments, "habit")

    async def look(reads: Tasks) -> tuple[Habit, tuple[HabitEntry, ...]]:
        habit = await one_habit(reads, target)
        return habit, await reads.habit_history(habit.id)

    habit, times = look_at_lists(here, look)
    if here.json:
        here.document({"habit": habit_json(habit, SystemClock().now()), "times": [asdict(time) for time in times]})
        return Exit.FINE
    count = "once" if len(times) == 1 else f"{len(times):,} times"
    head = f"{quoted(habit.text)} was done {count}:" if times else f"{quoted(habit.text)} was not done yet."
    here.print(visible(head), *(f"  {moment(time.at)}" for time in times))
    return Exit.FINE


DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "add": Subcommand(_add, ("every", "dry_run")),
        "list": Subcommand(_list_habits, words=False),
        "done": Subcommand(_to_target("habit.log"), ("dry_run",)),
        "edit": Subcommand(_edit, ("every", "to", "dry_run")),
        "delete": Subcommand(_to_target("habit.delete"), ("dry_run",)),
        "history": Subcommand(_history),
    }
)

HABIT = Command(
    configure,
    act_on("habit", DEEDS),
    'sayso habit add "Meditation" --every 4',
    "What you type here needs no further yes; it is recorded, and “sayso undo” takes it back.",
)
