"""`sayso undo`: undo the last action, a given action, or a whole run."""

import argparse
from collections.abc import Sequence
from contextlib import closing

from sayso.assembly import Home
from sayso.core.errors import ProposalError, Refused
from sayso.core.ports import Approver, RecordQuery
from sayso.core.quotes import visible
from sayso.core.record import Record, State
from sayso.runtime.results import Report, has_way_back, row_json
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.prompts import talking
from sayso.surfaces.cli.references import find_reference
from sayso.surfaces.cli.render import table
from sayso.surfaces.cli.run_loop import carry, show
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal
from sayso.surfaces.cli.text import sentence

MOST_LISTED = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", nargs="?", metavar="ID|RUN", help="what to take back; without it, the last thing done")
    parser.add_argument("--list", action="store_true", help="list what can be taken back; at a terminal you may pick")
    parser.add_argument("--dry-run", action="store_true", help="say what would be taken back, and do nothing")
    parser.add_argument("--yes", action="store_true", help="take it back also where there is no terminal")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Undo, or list what can be undone; at a terminal, the person may pick from the list."""
    ref = None if arguments.ref is None else find_reference(arguments.ref, here)
    if arguments.list:
        return _list(ref, here)
    if arguments.dry_run:
        return show(here, _take_back(ref, "command", here, dry_run=True), why_waiting="")
    by = _find_allowed_answers(yes=arguments.yes)
    report = _take_back(ref, by, here)
    code = show(here, report, why_waiting="")
    while code != Exit.FINE and ref is None and not here.json:
        following = _offer(str(report.outcomes[0].record.undo_of), by, here)
        if following is None:
            break
        report = _take_back(following, by, here)
        code = show(here, report, why_waiting="")
    return code


def _take_back(ref: str | None, by: str, here: CommandContext, *, dry_run: bool = False) -> Report:
    async def work(home: Home, approver: Approver) -> Report:
        return await home.undo(ref, by=by, dry_run=dry_run)

    return carry(here, work, NoTerminal("undo asks nothing"))


def _offer(tried: str, by: str, here: CommandContext) -> str | None:
    """Tell what was done before an action that could not be taken back; return its id if the person wants that back.

    Where nobody can answer, nothing more is taken back: the last thing done is what was asked for.
    """
    before = in_home(here, lambda home: home.undoable_before(tried))
    if before is None:
        here.print("", *sentence("Nothing that was done before can be taken back.", terminal_width(here)))
        return None
    record, summary = before
    said = f"Before that: {summary.removeprefix('Take back: ')}. sayso undo {record.id} takes that back"
    here.print("", *sentence(visible(said), terminal_width(here)))
    terminal = NoTerminal("") if by == "flag" else find_terminal()
    if isinstance(terminal, NoTerminal):
        return None
    with closing(terminal), talking(here, terminal) as talk:
        said = (talk.line("Take that back? [y/N]") or "").strip().lower()
    return record.id if said in {"y", "yes"} else None


def _find_allowed_answers(*, yes: bool) -> str:
    terminal = find_terminal()
    if isinstance(terminal, Terminal):
        terminal.close()
        return "flag" if yes else "command"
    if yes:
        return "flag"
    sentence = f"nothing was taken back: type this on your terminal, or add --yes ({terminal.why})"
    raise Refused(sentence, "terminal.needed", "terminal")


def _list(ref: str | None, here: CommandContext) -> int:
    async def look(home: Home) -> list[Record]:
        if ref is not None:
            return [record for record, _ in await home.undoable(ref)]
        return await _undoable(home)

    records = in_home(here, look)
    if here.json:
        here.document({"rows": [row_json(record) for record in records]})
        return Exit.FINE
    terminal = find_terminal() if records and here.out.isatty() else NoTerminal("")
    if isinstance(terminal, NoTerminal):
        here.print(*(table(records, terminal_width(here)) or ["There is nothing to take back."]))
        return Exit.FINE
    picked = _picked(records, here, terminal)
    return Exit.FINE if picked is None else show(here, _take_back(picked, "command", here), why_waiting="")


def _picked(records: Sequence[Record], here: CommandContext, terminal: Terminal) -> str | None:
    """Show a numbered list, and return the id of the one that the person picks; None if none."""
    width = terminal_width(here) - _MARGIN
    for number, record in enumerate(records, 1):
        first, second = table((record,), width)
        here.print(f"{number:>3}  {first}", f"{'':{_MARGIN}}{second}")
    with closing(terminal), talking(here, terminal) as talk:
        while typed := (talk.line("Take back which? [number, Enter for none]") or "").strip():
            if typed.isascii() and typed.isdigit() and 0 < int(typed) <= len(records):
                return records[int(typed) - 1].id
            talk.say(f"type a number from 1 to {len(records)}, or Enter for none")
    return None


_MARGIN = 5


async def _undoable(home: Home) -> list[Record]:
    """Return the actions that still wait for their delay, then the newest ones that can be undone, newest first."""
    ended = frozenset({State.DONE, State.FAILED})
    running = await home.log(RecordQuery(limit=MOST_LISTED, states=frozenset({State.RUNNING})))
    found = [record for record in running if await _is_held(home, record)]
    before: int | None = None
    while len(found) < MOST_LISTED:
        page = await home.log(RecordQuery(limit=200, before=before, states=ended))
        found += [record for record in page if has_way_back(record)]
        if not page:
            break
        before = page[-1].key
    return found[:MOST_LISTED]


async def _is_held(home: Home, record: Record) -> bool:
    try:
        return bool(await home.undoable(record.id))
    except ProposalError:
        return False


COMMAND = Command(
    configure,
    act,
    "sayso undo --list",
    "What you changed by hand since then is left alone, and you are told.",
)
