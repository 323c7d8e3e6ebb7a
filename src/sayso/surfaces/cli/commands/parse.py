"""`sayso parse`: read the proposals in a text, without planning or running them."""

import argparse
import json
from collections.abc import Iterator, Mapping

from sayso.assembly.parts import dialect, providers_with, read_settings
from sayso.core.dialect import Dialect, ProposalEvent, TextEvent, WarningEvent
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation
from sayso.core.proposal import proposal_json
from sayso.core.quotes import visible
from sayso.dialects.base import Reading, events, pieces, read
from sayso.runtime.registry import catalogue
from sayso.surfaces.cli.app import Command, dialect_option, whole_number
from sayso.surfaces.cli.context import CommandContext, read_text, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.text import block, one_line, sentence


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the text; - is standard input")
    dialect_option(parser)
    parser.add_argument("--chunk", type=whole_number, metavar="N", help="feed the text N characters at a time")
    parser.add_argument(
        "--events", action="store_true", help="print a JSON line for each thing as soon as it is certain"
    )


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Print the proposals."""
    chosen = dialect(arguments.dialect)
    now = read_settings(here.environ)
    operations = catalogue(providers_with(now))
    most = now.policy.limits.reply_bytes
    text = read_text(arguments.file, here, most)
    if len(text.encode("utf-8", "surrogatepass")) > most:
        raise SetupError(
            f"the text is longer than {most} bytes, the most that is read at once (`[limits] reply_bytes`)",
            "limit.reply",
        )
    if arguments.events:
        here.document_lines(parse_pieces(chosen, operations, text, arguments.chunk))
        return Exit.FINE
    reading = read(chosen, operations, text, arguments.chunk)
    if here.json:
        here.document(reading_json(reading))
    else:
        here.print(*_lines(reading, terminal_width(here)))
    return Exit.FINE


def parse_pieces(
    chosen: Dialect, operations: Mapping[str, Operation], text: str, size: int | None
) -> Iterator[dict[str, Json]]:
    """Feed the text in pieces of `size` characters, and yield the reader's events as JSON."""
    sizes = iter([len(piece) for piece in pieces(text, size)])
    fed, shown, said = 0, "", ""
    for batch in events(chosen.reader(operations), text, size):
        step = next(sizes, None)
        fed += step or 0
        for event in batch:
            if isinstance(event, TextEvent):
                shown += event.text
            elif isinstance(event, ProposalEvent):
                yield {"proposed": proposal_json(event.proposal)}
            elif isinstance(event, WarningEvent):
                yield {"warning": event.sentence}
            else:
                yield {"needs_clarification": True, "clarification_reason": event.reason}
        if step is not None or shown != said:
            yield {"fed": fed, "shown": shown}
            said = shown


def reading_json(reading: Reading) -> dict[str, Json]:
    """Return the document that `sayso parse --json` prints."""
    return {
        "dialect": reading.dialect,
        "text": reading.text,
        "needs_clarification": reading.needs_clarification,
        "clarification_reason": reading.clarification_reason,
        "proposals": [proposal_json(proposal) for proposal in reading.proposals],
        "warnings": list(reading.warnings),
    }


def _lines(reading: Reading, width: int) -> Iterator[str]:
    if reading.text:
        yield from block(reading.text, width, "")
    for proposal in reading.proposals:
        where = f" (line {proposal.line})" if proposal.line else ""
        operation = proposal.operation or "not understood"
        yield f"{proposal.index + 1:>3}. {operation}{where}"
        if proposal.operation is None:
            yield f"     {one_line(proposal.said, width - 5)}"
        for name, value in proposal.arguments.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"     {visible(name)}: {one_line(shown, width - 7 - len(name))}"
        if proposal.problem:
            yield from sentence(visible(proposal.problem), width, "     ✗ ")
    for warning in reading.warnings:
        yield from sentence(visible(warning), width, "note: ")
    if not reading.proposals:
        yield "No action is proposed in this text."


COMMAND = Command(configure, act, "sayso parse reply.txt --dialect lines --json")
