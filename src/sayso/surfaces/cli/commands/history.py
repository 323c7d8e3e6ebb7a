"""`sayso log` and `sayso pending`: list the actions of the journal, and those that wait for a decision."""

import argparse
import json
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta
from typing import cast

from msgspec import to_builtins
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.instances import LASTS, Instance
from sayso.core.lazy import load
from sayso.core.ports import RecordQuery
from sayso.core.quotes import quoted, visible
from sayso.core.record import NOT_PLANNED, Record, State, action_key
from sayso.core.settings import seconds
from sayso.journal.instances import list_instances
from sayso.journal.reader import JournalReader
from sayso.runtime.questions import is_over
from sayso.runtime.results import row_json
from sayso.runtime.services import moment as parse_time
from sayso.runtime.services import stamp
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import Command, UsageProblem, near, whole_number
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.journal import read_journal, settings_of
from sayso.surfaces.cli.references import find_reference
from sayso.surfaces.cli.render import moment, table
from sayso.surfaces.cli.text import one_line, sentence

SHOWN = 50


def configure_log(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "what", nargs="?", metavar="verify|export", help="prove that nothing was altered, or export all"
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="where to export to; without it, standard output")
    parser.add_argument("--limit", type=whole_number, default=SHOWN, metavar="N", help=f"rows to show; {SHOWN}")
    parser.add_argument("--operation", metavar="GLOB", help="only these operations, such as 'file.*'")
    parser.add_argument(
        "--words", metavar="WORDS", help="only what has all of these words in it, also inside longer ones"
    )
    parser.add_argument("--since", metavar="T", help="only what began since then, such as 2024-01-28 or 24h")
    parser.add_argument(
        "--state", metavar="S", help="only what is in this state: done, failed, waiting, …; several with commas"
    )
    parser.add_argument("--dry-runs", action="store_true", help="also what dry runs would have done")
    parser.add_argument("--before", metavar="ID", help="only what came before this action, to see older ones")
    parser.add_argument("--checkpoint", metavar="FILE", help="with verify: an export, or the last line of one")


def act_log(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Show, verify or export the journal."""
    if arguments.checkpoint is not None and arguments.what != "verify":
        raise UsageProblem("--checkpoint goes with “sayso log verify”")
    if arguments.file is not None and arguments.what != "export":
        raise UsageProblem("only “sayso log export” takes a file")
    if arguments.what == "verify":
        return load("sayso.surfaces.cli.proof:prove")(arguments.checkpoint, here)
    if arguments.what == "export":
        return load("sayso.surfaces.cli.proof:copy_out")(arguments.file, here)
    if arguments.what is not None:
        raise UsageProblem(
            f"sayso log does not know {quoted(arguments.what)}{near(arguments.what, ('verify', 'export'))}; "
            f"to find words: sayso log --words {shlex.quote(arguments.what)}"
        )
    if arguments.before is not None:
        arguments.before = find_reference(arguments.before, here)
    wanted = query(arguments)
    hides = not (wanted.states or arguments.dry_runs or here.json)
    if hides:
        wanted = replace(wanted, states=NOT_PLANNED)
    return _show(wanted, (arguments.words or "").split(), here, hides=hides)


def query(arguments: argparse.Namespace) -> RecordQuery:
    """Return the query for the requested rows. Raises `SetupError` or `ProposalError`."""
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
            raise UsageProblem(f"there is no state {quoted(name)}{near(name, [state.value for state in State])}")
    return frozenset(State(name) for name in names)


def since(text: str) -> str:
    """Return, in the journal's format, the time that `text` names: a date, a time, or how long ago."""
    length = seconds(text)
    if length is not None:
        return stamp(SystemClock().now() - timedelta(seconds=length))
    try:
        # The module that reads dates is large, so it is imported only if there is a date to read.
        local = load("sayso.core.datetimes:LocalZone")()
        return stamp(load("sayso.core.datetimes:read_when")(text).at(local).astimezone(UTC))
    except ProposalError as wrong:
        raise UsageProblem(f"--since: {wrong}; or how long ago, such as 24h") from None


def _show(wanted: RecordQuery, words: Sequence[str], here: CommandContext, *, hides: bool) -> int:
    def look(reader: JournalReader) -> tuple[list[Record], int]:
        records = _find(reader, wanted, words, here) if words else reader.query(wanted)
        return records, reader.count({State.PLANNED}) if hides else 0

    records, dry = read_journal(here, look)
    if here.json:
        here.document({"rows": [row_json(record) for record in records]})
        return Exit.FINE
    here.print(*(table(records, terminal_width(here)) or ["Nothing that fits this is recorded yet."]))
    if len(records) == wanted.limit:
        here.tell(f"older ones: sayso log --before {records[-1].id}")
    if dry:
        told = "1 action of a dry run is" if dry == 1 else f"{dry:,} actions of dry runs are"
        here.tell(f"{told} not shown: sayso log --dry-runs")
    return Exit.FINE


def _find(reader: JournalReader, wanted: RecordQuery, words: Sequence[str], here: CommandContext) -> list[Record]:
    """Return what has these words, as the page finds it; all of the journal is looked through."""
    path = str(settings_of(here).places.database)
    return load("sayso.journal.search:found_with")(reader, wanted, words, path)


LOG = Command(
    configure_log,
    act_log,
    "sayso log --operation 'file.*' --since 24h",
    "“sayso log verify” names the first row that was altered; “sayso log export FILE” writes all as JSON lines.",
)


def configure_pending(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act_pending(arguments: argparse.Namespace, here: CommandContext) -> int:
    """List the waiting actions."""
    records, offers = _waiting(here)
    if here.json:
        told = cast("list[Json]", to_builtins(offers))
        here.document({"rows": [row_json(record) for record in records], **({"offers": told} if told else {})})
        return Exit.FINE
    width = terminal_width(here)
    lines = [*_lines(records, width), *(line for one in offers for line in _offer_lines(one, width))]
    here.print(*(lines or ["Nothing waits for you."]))
    return Exit.FINE


def _waiting(here: CommandContext) -> tuple[list[Record], list[Instance]]:
    """Return the waiting actions, newest first, and the offers of own actions that nobody has run yet, oldest first."""
    now = SystemClock().now()
    records, found = read_journal(
        here, lambda reader: (reader.in_state((State.WAITING,)), list_instances(reader.connection))
    )
    offers = [one for one in found if one.state == "pending" and now - parse_time(one.created) <= LASTS]
    return _not_over(records, here), offers


def _offer_lines(one: Instance, width: int) -> Iterator[str]:
    params = json.dumps(dict(one.params), ensure_ascii=False)
    yield f"{one.id}  offered {moment(one.created)}, for an hour"
    yield f"      {one_line(visible(f'{one.template} {params}'), width - 6)}"
    yield from _ways(one.id, width)


def waiting(here: CommandContext) -> list[Record]:
    """Return the waiting actions, newest first."""
    return _not_over(read_journal(here, lambda reader: reader.in_state((State.WAITING,))), here)


def _not_over(records: list[Record], here: CommandContext) -> list[Record]:
    if any(is_over(record, SystemClock().now()) for record in records):
        return load("sayso.surfaces.cli.home:pending_in_home")(here)
    return records[::-1]


def _lines(records: list[Record], width: int) -> Iterator[str]:
    for run in dict.fromkeys(record.run for record in records):
        mine = sorted((record for record in records if record.run == run), key=lambda record: record.index)
        until = f", until {moment(mine[0].expires)}" if mine[0].expires else ""
        yield from sentence(f"{visible(run)}  since {moment(mine[0].time)}{until}", width, "", "      ")
        for record in mine:
            yield f"{record.index + 1:>4}. {one_line(record.about, width - 6)}"
            yield f"      {record.id}"
        yield from _ways(visible(run), width)


def _ways(id_: str, width: int) -> Iterator[str]:
    """Yield the two commands that decide, on one line where both have room, so that none is broken anywhere."""
    both = [f"sayso approve {id_}", f"sayso decline {id_}"]
    line = f"      {'   or   '.join(both)}"
    yield from [line] if len(line) <= width else (f"      {one}" for one in both)


PENDING = Command(configure_pending, act_pending, "sayso pending")
