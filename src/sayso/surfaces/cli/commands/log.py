"""`sayso log`: the audit trail, its proof, and its export."""

import argparse
import json
import os
import re
from collections.abc import Callable
from datetime import UTC, timedelta
from pathlib import Path

import anyio

from sayso.assembly import Home
from sayso.config.schema import seconds
from sayso.core.datetimes import LocalZone, read_when
from sayso.core.errors import ProposalError, SetupError
from sayso.core.ports import Query
from sayso.core.record import Record, State, action_key
from sayso.journal.hash_chain import Checkpoint, Verified
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.results import row_json
from sayso.runtime.services import stamp
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import UsageProblem, near, whole_number
from sayso.surfaces.cli.context import Here, in_home, read_text, settings_of, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import table
from sayso.surfaces.cli.text import visible

SHOWN = 50


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "what", nargs="?", metavar="verify|export", help="prove that nothing was altered, or export all"
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="where to export to; without it, standard output")
    parser.add_argument("--limit", type=whole_number, default=SHOWN, metavar="N", help=f"rows to show; {SHOWN}")
    parser.add_argument("--operation", metavar="GLOB", help="only these operations, such as 'file.*'")
    parser.add_argument("--since", metavar="T", help="only what began since then: 2024-01-28, or 24h")
    parser.add_argument(
        "--state", metavar="S", help="only what ended so: done, failed, waiting, …; several with commas"
    )
    parser.add_argument("--before", metavar="ID", help="only what came before this action, to read on")
    parser.add_argument("--checkpoint", metavar="FILE", help="with verify: what an export ended with")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Show, verify or export."""
    if arguments.checkpoint is not None and arguments.what != "verify":
        raise UsageProblem("--checkpoint goes with “sayso log verify”")
    if arguments.file is not None and arguments.what != "export":
        raise UsageProblem("only “sayso log export” takes a file")
    if arguments.what == "verify":
        return _verify(arguments.checkpoint, here)
    if arguments.what == "export":
        return _export(arguments.file, here)
    if arguments.what is not None:
        raise UsageProblem(f"sayso log does not know “{arguments.what}”{near(arguments.what, ('verify', 'export'))}")
    return _show(query(arguments), here)


def query(arguments: argparse.Namespace) -> Query:
    """Return which rows are wanted. Raises `SetupError` or `ProposalError`."""
    return Query(
        limit=arguments.limit,
        before=None if arguments.before is None else action_key(arguments.before),
        operation=arguments.operation,
        states=_states(arguments.state),
        since=None if arguments.since is None else since(arguments.since),
    )


def _states(text: str | None) -> frozenset[State]:
    names = [name.strip() for name in text.split(",")] if text is not None else []
    for name in names:
        if name not in list(State):
            raise UsageProblem(f"there is no state “{name}”{near(name, [state.value for state in State])}")
    return frozenset(State(name) for name in names)


def since(text: str) -> str:
    """Return the moment that a date, a time, or a length of time before now means, as the journal writes it."""
    length = seconds(text)
    if length is not None:
        return stamp(SystemClock().now() - timedelta(seconds=length))
    try:
        return stamp(read_when(text).at(LocalZone()).astimezone(UTC))
    except ProposalError as wrong:
        raise UsageProblem(f"--since: {wrong}; or how long ago, such as 24h") from None


def _show(wanted: Query, here: Here) -> int:
    async def rows(home: Home) -> list[Record]:
        return await home.log(wanted)

    records = in_home(here, rows)
    if here.json:
        here.document({"rows": [row_json(record) for record in records]})
        return Exit.FINE
    here.print(*(table(records, terminal_width(here)) or ["Nothing is written down yet that fits this."]))
    if len(records) == wanted.limit:
        here.tell(f"older ones: sayso log --before {records[-1].id}")
    return Exit.FINE


def _journal(here: Here) -> SqliteJournal:
    """Return the journal unopened: to prove or copy it, nothing of it may change."""
    database = settings_of(here).places.database
    if not database.exists():
        raise SetupError(f"there is no journal yet at {database}; it begins with the first “sayso run”", "journal.none")
    return SqliteJournal(str(database), clock=SystemClock())


def _verify(file: str | None, here: Here) -> int:
    checkpoint = None if file is None else Checkpoint.read(read_text(file, here))
    found = anyio.run(_journal(here).verify, checkpoint)
    if here.json:
        here.document(
            {
                "ok": found.ok,
                "rows": found.rows,
                "actions": found.actions,
                "problem": found.problem,
                "bad_row": found.bad_row,
                "bad_action": found.bad_action,
                "checkpoint": found.checkpoint.json(),
            }
        )
    elif found.ok:
        here.print(_well(found, compared=checkpoint is not None))
    if not found.ok:
        here.tell(f"sayso: the journal does not hold: {found.problem}")
    return Exit.FINE if found.ok else Exit.FAILED


def _well(found: Verified, *, compared: bool) -> str:
    with_ = ", and nothing is missing that the checkpoint knows" if compared else ""
    return f"✓ the journal holds: {_count(found.rows, 'audit row')}, {_count(found.actions, 'action')}{with_}"


def _export(file: str | None, here: Here) -> int:
    journal = _journal(here)
    if file is None or file == "-":
        return _printed(journal, here)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SetupError(f"“{file}” is there already, and is not overwritten", "export.exists") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as opened:
        anyio.run(journal.export, opened.write)
        opened.flush()
        os.fsync(opened.fileno())
    lines = len(re.findall(b"\n", Path(file).read_bytes()))
    if here.json:
        here.document({"path": str(Path(file).absolute()), "lines": lines})
    else:
        checking = f"sayso log verify --checkpoint {visible(file)}"
        here.print(f"✓ exported {lines:,} lines; the last one is a checkpoint for “{checking}”")
    return Exit.FINE


def _printed(journal: SqliteJournal, here: Here) -> int:
    if not here.json:
        anyio.run(journal.export, _on_screen(here) if here.out.isatty() else here.write)
        return Exit.FINE
    lines: list[str] = []
    anyio.run(journal.export, lines.append)
    here.document({"lines": [json.loads(line) for line in lines]})
    return Exit.FINE


def _on_screen(here: Here) -> Callable[[str], object]:
    """Return what writes the same lines in ASCII only: on a terminal nothing in them can act or hide."""
    return lambda text: print(json.dumps(json.loads(text), separators=(",", ":")), file=here.out)


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}" + ("" if number == 1 else "s")


COMMAND = Command(
    configure,
    act,
    "sayso log --operation 'file.*' --since 24h",
    "“sayso log verify” names the first row that was altered; “sayso log export FILE” writes all as JSON lines.",
)
