"""`sayso undo`: undo the last action, a given action, or a whole run."""

import argparse

from sayso.assembly import Home
from sayso.core.errors import ProposalError, Refused
from sayso.core.ports import Approver, RecordQuery
from sayso.core.record import Record, State
from sayso.runtime.results import Report, has_way_back, row_json
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.render import reference, table
from sayso.surfaces.cli.run_loop import carry, show
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal

MOST_LISTED = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", nargs="?", metavar="ID|RUN", help="what to take back; without it, the last thing done")
    parser.add_argument("--list", action="store_true", help="list what can be taken back, and do nothing")
    parser.add_argument("--dry-run", action="store_true", help="say what would be taken back, and do nothing")
    parser.add_argument("--yes", action="store_true", help="take it back also where there is no terminal")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Undo, or list what can be undone."""
    ref = None if arguments.ref is None else reference(arguments.ref)
    if arguments.list:
        return _list(ref, here)
    by = "command" if arguments.dry_run else _find_allowed_answers(yes=arguments.yes)

    async def work(home: Home, approver: Approver) -> Report:
        return await home.undo(ref, by=by, dry_run=arguments.dry_run)

    report = carry(here, work, NoTerminal("undo asks nothing"))
    return show(here, report, why_waiting="")


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
    else:
        here.print(*(table(records, terminal_width(here)) or ["There is nothing to take back."]))
    return Exit.FINE


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
