"""`sayso log` and `sayso show`: the audit trail, its proof and export, and one action or run whole."""

import argparse
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta
from pathlib import Path

import anyio

from sayso.assembly import Home
from sayso.core.datetimes import LocalZone, read_when
from sayso.core.decision import Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, SetupError
from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State, action_key
from sayso.core.settings import seconds
from sayso.journal.hash_chain import Checkpoint, VerificationResult
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.questions import card
from sayso.runtime.results import has_way_back, row_json
from sayso.runtime.services import stamp
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import Command, UsageProblem, near, whole_number
from sayso.surfaces.cli.context import CommandContext, read_text, settings_of, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.preview import lines, page, rows
from sayso.surfaces.cli.render import moment, reference, table
from sayso.surfaces.cli.reply_stream import trace_lines
from sayso.surfaces.cli.text import sentence, visible

SHOWN = 50


def configure_log(parser: argparse.ArgumentParser) -> None:
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


def act_log(arguments: argparse.Namespace, here: CommandContext) -> int:
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


def query(arguments: argparse.Namespace) -> RecordQuery:
    """Return which rows are wanted. Raises `SetupError` or `ProposalError`."""
    return RecordQuery(
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


def _show(wanted: RecordQuery, here: CommandContext) -> int:
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


def _journal(here: CommandContext) -> SqliteJournal:
    """Return the journal unopened: to prove or copy it, nothing of it may change."""
    database = settings_of(here).places.database
    if not database.exists():
        raise SetupError(f"there is no journal yet at {database}; it begins with the first “sayso run”", "journal.none")
    return SqliteJournal(str(database), clock=SystemClock())


def _verify(file: str | None, here: CommandContext) -> int:
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


def _well(found: VerificationResult, *, compared: bool) -> str:
    with_ = ", and nothing is missing that the checkpoint knows" if compared else ""
    return f"✓ the journal holds: {_count(found.rows, 'audit row')}, {_count(found.actions, 'action')}{with_}"


def _export(file: str | None, here: CommandContext) -> int:
    journal = _journal(here)
    if file is None or file == "-":
        return _print_export(journal, here)
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


def _print_export(journal: SqliteJournal, here: CommandContext) -> int:
    if not here.json:
        anyio.run(journal.export, _on_screen(here) if here.out.isatty() else here.write)
        return Exit.FINE
    lines: list[str] = []
    anyio.run(journal.export, lines.append)
    here.document({"lines": [json.loads(line) for line in lines]})
    return Exit.FINE


def _on_screen(here: CommandContext) -> Callable[[str], object]:
    """Return what writes the same lines in ASCII only: on a terminal nothing in them can act or hide."""
    return lambda text: print(json.dumps(json.loads(text), separators=(",", ":")), file=here.out)


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}" + ("" if number == 1 else "s")


LOG = Command(
    configure_log,
    act_log,
    "sayso log --operation 'file.*' --since 24h",
    "“sayso log verify” names the first row that was altered; “sayso log export FILE” writes all as JSON lines.",
)

_UNTOLD = "No language model was asked for this, or what it was told is kept no more."

_CAME_TO_NOTHING = frozenset(
    {State.DECLINED, State.EXPIRED, State.FAILED, State.REFUSED, State.SKIPPED, State.UNCHANGED, State.UNDONE}
)

_EXPOSED = (
    "What others wrote stood before the model when it proposed this ({}), so what leaves this computer is asked about; "
    "--trace shows what it was told."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID|RUN", help="an action or a run")
    parser.add_argument("--trace", action="store_true", help="print all that a model was told and said to get there")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Show it."""
    ref = reference(arguments.ref)

    async def look(home: Home) -> tuple[list[Record], list[str], dict[str, Json]]:
        records = await home.log_of(ref)
        if not records:
            raise ProposalError(f"there is no action or run “{ref}”", "action.unknown")
        said = await home.sessions.of_run(records[0].run)
        trace = dict(said.trace) if said else {}
        shown = [line for record in records for line in _lines(record, home, here)]
        return records, [*await _describe_edits(ref, records, home, here), *shown], trace

    records, lines, trace = in_home(here, look)
    if here.json:
        rows_: list[Json] = [row_json(record) for record in records]
        here.document({"rows": rows_, "trace": trace or None})
    elif arguments.trace:
        here.print(*(trace_lines(trace, terminal_width(here), here.style) if trace else [_UNTOLD]), "", *lines)
    else:
        here.print(*lines)
    return Exit.FINE


async def _describe_edits(ref: str, records: list[Record], home: Home, here: CommandContext) -> list[str]:
    """Return what the person changed when these were edited in a preview; nothing when they were not."""
    first = next((record.edit_of for record in records if record.edit_of is not None), None)
    if first is None:
        return []
    before = await home.log_of(first)
    run = before[0].run if before else first
    of_one = [record for record in before if record.id == first]
    changes = rows(await home.log_of(run) if ref.startswith("run_") else of_one, records)
    head = f"You edited this in the preview of {run}:"
    return [head, *lines(changes, home.operations, terminal_width(here), "     "), ""]


def _lines(record: Record, home: Home, here: CommandContext) -> Iterator[str]:
    width = terminal_width(here)
    yield f"{record.id}  {moment(record.time)}  {record.state.value}  {record.operation or 'not understood'}"
    text = record.marks.message or record.marks.error
    if text:
        yield from sentence(visible(text), width, "     ")
    if record.exposed and record.plan and record.plan.get("sends"):
        yield from sentence(_EXPOSED.format(visible(", ".join(record.exposed).replace("_", " "))), width, "     ")
    if record.plan is None:
        if record.said:
            yield from sentence(visible(record.said), width, "     said     ")
        return
    over = record.state in _CAME_TO_NOTHING and not has_way_back(record)
    whole = page(Question(record.run, (card(record, home.tools),), ""), width, here.style, whole=True, over=over)
    yield from whole.lines
    yield ""


SHOW = Command(configure, act, "sayso show do_0D8M2YQ5Z3F4K")
