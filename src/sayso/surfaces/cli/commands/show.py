"""`sayso show`: show one action or run in full."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.parts import providers, providers_with
from sayso.core.decision import Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.instances import is_offer
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Codec
from sayso.core.ports import Backend
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record, State
from sayso.journal.instances import run_of_instance
from sayso.journal.reader import JournalReader
from sayso.journal.sessions import exchange_of_run
from sayso.policy.settings import Policy
from sayso.runtime.questions import card
from sayso.runtime.registry import catalogue, codec
from sayso.runtime.results import has_way_back, row_json
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.journal import read_journal, settings_of
from sayso.surfaces.cli.preview import lines, page, rows
from sayso.surfaces.cli.references import find_reference
from sayso.surfaces.cli.render import moment
from sayso.surfaces.cli.text import sentence

_UNTOLD = "No language model was asked for this, or what it was told is no longer kept."

_CAME_TO_NOTHING = frozenset(
    {State.DECLINED, State.EXPIRED, State.FAILED, State.REFUSED, State.SKIPPED, State.UNCHANGED, State.UNDONE}
)

_EXPOSED = (
    "The model had read what others wrote when it proposed this ({}), so what leaves this computer is asked about; "
    "--trace shows what it was told."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID|RUN", help="an action or a run")
    parser.add_argument("--trace", action="store_true", help="print all that a model was told and said to get there")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Show the action or run."""
    ref = find_reference(arguments.ref, here)
    found = read_journal(here, lambda reader: _find(reader, ref))
    settings = settings_of(here)
    known = _Known(catalogue(providers_with(settings)), codec(providers()), lambda: settings.policy, {})
    shown = [line for record in found.records for line in _lines(record, known, here)]
    shown = [*_describe_edits(found, known, here), *shown]
    if here.json:
        rows_: list[Json] = [row_json(record) for record in found.records]
        here.document({"rows": rows_, "trace": found.trace or None})
    elif arguments.trace:
        here.print(*(_trace_lines(found.trace, here) if found.trace else [_UNTOLD]), "", *shown)
    else:
        here.print(*shown)
    return Exit.FINE


class _Known(Struct, frozen=True):
    """The known operations, the codec that reads plans from the journal, and the policy."""

    catalogue: Mapping[str, Operation]
    codec: Codec
    policy: Callable[[], Policy]
    backends: Mapping[str, Backend]


class _Found(Struct, frozen=True):
    """The records of an action or run, and the records that the person replaced by editing."""

    records: list[Record]
    trace: dict[str, Json]
    edit_of: str = ""
    """The id of the run that was edited; empty if none was."""
    before: Sequence[Record] = ()


def _find(reader: JournalReader, ref: str) -> _Found:
    records = _records_of(reader, ref)
    if not records:
        raise ProposalError(f"there is no action or run {quoted(ref)}", "action.unknown")
    exchange = exchange_of_run(reader.connection, records[0].run)
    found = _Found(records, dict(exchange.trace) if exchange else {})
    first = next((record.edit_of for record in records if record.edit_of is not None), None)
    if first is None:
        return found
    edited = _records_of(reader, first)
    run = edited[0].run if edited else first
    return replace(found, edit_of=run, before=_records_of(reader, run) if ref.startswith("run_") else edited)


def _records_of(reader: JournalReader, ref: str) -> list[Record]:
    if is_offer(ref):
        ref = run_of_instance(reader.connection, ref) or ref
    return reader.of_run(ref) if ref.startswith("run_") else [record for record in (reader.find(ref),) if record]


def _trace_lines(trace: Mapping[str, Json], here: CommandContext) -> list[str]:
    return load("sayso.surfaces.cli.reply_stream:trace_lines")(trace, terminal_width(here), here.style)


def _describe_edits(found: _Found, known: _Known, here: CommandContext) -> list[str]:
    """Return the lines that show the person's edits; empty if nothing was edited."""
    if not found.edit_of:
        return []
    changes = rows(found.before, found.records)
    head = f"You edited this in the preview of {found.edit_of}:"
    return [head, *lines(changes, known.catalogue, terminal_width(here), "     "), ""]


def _lines(record: Record, known: _Known, here: CommandContext) -> Iterator[str]:
    width = terminal_width(here)
    yield f"{record.id}  {moment(record.time)}  {record.state.value}  {record.operation or 'not understood'}"
    text = record.marks.message or record.marks.error
    if text:
        yield from sentence(visible(text), width, "     ")
    if record.plan is None:
        if record.said:
            yield from sentence(visible(record.said), width, "     said     ")
        return
    shown = card(record, known)
    if record.exposed and shown.plan.leaving:
        yield from sentence(_EXPOSED.format(visible(", ".join(record.exposed).replace("_", " "))), width, "     ")
    over = record.state in _CAME_TO_NOTHING and not has_way_back(record)
    whole = page(Question(record.run, (shown,), ""), width, here.style, whole=True, over=over)
    yield from whole.lines
    yield ""


COMMAND = Command(configure, act, "sayso show do_0D8M2YQ5Z3F4K")
