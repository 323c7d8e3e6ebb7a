"""`sayso task`: the person's own tasks, seen and changed."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType

from sayso.core.encoding import Json
from sayso.providers.tasks.formats.entries import arguments_of, entries_of, too_much
from sayso.providers.tasks.store import Task
from sayso.surfaces.cli.app import UsageProblem
from sayso.surfaces.cli.context import Here, read_text, terminal_width
from sayso.surfaces.cli.direct import FORMATS, Deed, carry_out, deed_of, form_of, imported, looked, now_of, save
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.text import sentence, visible

PLACES = ("below", "before", "after")
_MOST_TOLD = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; list by itself")
    parser.add_argument("words", nargs="*", metavar="TEXT|FILE", help="a task by its text or id, or a file")
    parser.add_argument("--below", metavar="TASK", help="add or move below this task")
    parser.add_argument("--before", metavar="TASK", help="move before this task")
    parser.add_argument("--after", metavar="TASK", help="move after this task")
    parser.add_argument("--top", action="store_true", help="move to the top level")
    parser.add_argument("--to", metavar="TEXT", help="with edit: the new text")
    parser.add_argument("--all", action="store_true", help="list completed tasks too")
    parser.add_argument("--format", choices=FORMATS, help="of the file; by its name without it, else markdown")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Do it."""
    return deed_of("task", DEEDS, arguments).act(arguments, here)


def _text(arguments: argparse.Namespace) -> str:
    text = " ".join(arguments.words)
    if not text.strip():
        raise UsageProblem(f"sayso task {arguments.what}: which task? write its text")
    return text


def _do(operation: str, arguments: argparse.Namespace, here: Here, **given: Json) -> int:
    return carry_out(here, operation, given, dry_run=arguments.dry_run)


def _add(arguments: argparse.Namespace, here: Here) -> int:
    text = _text(arguments)
    if arguments.below is None:
        return _do("task.add", arguments, here, text=text)
    return _do("task.add_subtask", arguments, here, parent=arguments.below, text=text)


def _edit(arguments: argparse.Namespace, here: Here) -> int:
    if arguments.to is None:
        raise UsageProblem("sayso task edit TASK --to TEXT: what is its new text?")
    return _do("task.edit", arguments, here, target=_text(arguments), new_text=arguments.to)


def _move(arguments: argparse.Namespace, here: Here) -> int:
    said = [place for place in PLACES if getattr(arguments, place) is not None] + ["top"] * arguments.top
    if len(said) != 1:
        raise UsageProblem("sayso task move TASK needs one of --below, --before, --after (with a task) and --top")
    given: dict[str, Json] = {"target": _text(arguments), "where": said[0]}
    if not arguments.top:
        given["other"] = getattr(arguments, said[0])
    return _do("task.move", arguments, here, **given)


def _to_target(operation: str) -> Callable[[argparse.Namespace, Here], int]:
    return lambda arguments, here: _do(operation, arguments, here, target=_text(arguments))


def _list(arguments: argparse.Namespace, here: Here) -> int:
    return _shown(here, hidden=not arguments.all)


def _tree(arguments: argparse.Namespace, here: Here) -> int:
    return _shown(here, hidden=False)


def _shown(here: Here, *, hidden: bool) -> int:
    tasks = looked(here, lambda reads: reads.all_tasks())
    kept = [task for task in tasks if not (hidden and task.completed_at)]
    if here.json:
        here.document({"tasks": [asdict(task) for task in kept]})
    else:
        here.print(*(_lines(tasks, kept, terminal_width(here)) or ["Nothing is to be done."]))
    return Exit.FINE


def _lines(tasks: tuple[Task, ...], kept: list[Task], width: int) -> list[str]:
    """Return the checklist; what stands below a hidden task keeps its depth."""
    shown = {task.id for task in kept}
    lines: list[str] = []
    for entry in entries_of(tasks):
        if entry.id in shown:
            first = f"{'  ' * entry.level}[{'x' if entry.completed else ' '}] "
            lines += sentence(visible(entry.text), width, first, " " * len(first))
    return lines


def _import(arguments: argparse.Namespace, here: Here) -> int:
    if len(arguments.words) != 1:
        raise UsageProblem("sayso task import FILE: which file? - is standard input")
    (file,) = arguments.words
    found = imported(read_text(file, here), form_of(file, arguments.format))
    for sentence_ in found.left_out[:_MOST_TOLD]:
        here.tell(f"sayso: left out: {sentence_}")
    if len(found.left_out) > _MOST_TOLD:
        here.tell(f"sayso: left out: {len(found.left_out) - _MOST_TOLD:,} more")
    if not found.entries:
        raise UsageProblem(f"there is no task in “{file}”; a checklist has lines such as “- [ ] Buy bread”")
    if wrong := too_much(found.entries):
        raise UsageProblem(f"nothing of “{file}” was added: {wrong}")
    given: dict[str, Json] = {name: list(values) for name, values in arguments_of(found.entries, now_of()).items()}
    return _do("task.add_all", arguments, here, **given)


def _export(arguments: argparse.Namespace, here: Here) -> int:
    if len(arguments.words) > 1:
        raise UsageProblem("sayso task export [FILE] takes one file")
    file = arguments.words[0] if arguments.words else "-"
    tasks = looked(here, lambda reads: reads.all_tasks())
    return save(here, tasks, file, form_of(file, arguments.format))


DEEDS: Mapping[str, Deed] = MappingProxyType(
    {
        "add": Deed(_add, ("below", "dry_run")),
        "list": Deed(_list, ("all",), words=False),
        "tree": Deed(_tree, words=False),
        "done": Deed(_to_target("task.complete"), ("dry_run",)),
        "undone": Deed(_to_target("task.reopen"), ("dry_run",)),
        "edit": Deed(_edit, ("to", "dry_run")),
        "move": Deed(_move, (*PLACES, "top", "dry_run")),
        "delete": Deed(_to_target("task.delete"), ("dry_run",)),
        "import": Deed(_import, ("format", "dry_run")),
        "export": Deed(_export, ("format",)),
    }
)

COMMAND = Command(
    configure,
    act,
    'sayso task add "Buy wine" --below "Dinner"',
    "What you type here is its own approval; it is recorded, and “sayso undo” takes it back.",
)
