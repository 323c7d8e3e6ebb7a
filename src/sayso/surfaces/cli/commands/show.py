"""`sayso show`: one action or a whole run, with its plan as it stands in the journal."""

import argparse
from collections.abc import Iterator

from sayso.assembly import Home
from sayso.core.decision import Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.record import Record, State
from sayso.runtime.questions import card
from sayso.runtime.results import has_way_back, row_json
from sayso.surfaces.cli.context import Here, in_home, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.preview import lines, page, rows
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import moment, reference
from sayso.surfaces.cli.reply_stream import trace_lines
from sayso.surfaces.cli.text import sentence, visible

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


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Show it."""
    ref = reference(arguments.ref)

    async def found(home: Home) -> tuple[list[Record], list[str], dict[str, Json]]:
        records = await home.log_of(ref)
        if not records:
            raise ProposalError(f"there is no action or run “{ref}”", "action.unknown")
        said = await home.sessions.of_run(records[0].run)
        trace = dict(said.trace) if said else {}
        shown = [line for record in records for line in _lines(record, home, here)]
        return records, [*await _changed(ref, records, home, here), *shown], trace

    records, lines, trace = in_home(here, found)
    if here.json:
        rows_: list[Json] = [row_json(record) for record in records]
        here.document({"rows": rows_, "trace": trace or None})
    elif arguments.trace:
        here.print(*(trace_lines(trace, terminal_width(here), here.style) if trace else [_UNTOLD]), "", *lines)
    else:
        here.print(*lines)
    return Exit.FINE


async def _changed(ref: str, records: list[Record], home: Home, here: Here) -> list[str]:
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


def _lines(record: Record, home: Home, here: Here) -> Iterator[str]:
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


COMMAND = Command(configure, act, "sayso show do_0D8M2YQ5Z3F4K")
