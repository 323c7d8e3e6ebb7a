"""Reading lines, against finding the same words with one compiled regular expression; how it grows; what it keeps.

Then reading replies in pieces.
"""

import re
import tracemalloc
from collections.abc import Iterator, Mapping

from bench import streaming
from bench.line import Gap, Line
from bench.size import Size
from bench.timing import in_turns, times, work_of
from sayso.assembly.parts import providers
from sayso.core.dialect import ProposalEvent
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.dialects.lines.reader import LinesReader
from sayso.runtime.registry import catalogue

LINES = (
    "MOVE_FILE ~/Documents/letter-{n}.txt ~/Documents/done/letter-{n}.txt\n"
    'NOTIFY "Letter {n} was put away" "Done with it"\n'
    'WRITE_FILE "~/Documents/note {n}.txt" <<END\n'
    "Dear Sir or Madam, this is letter number {n}.\n"
    "It has a few lines, as letters do, and they are of the usual length.\n"
    "Yours faithfully\n"
    "END\n"
)
# What a line is made of: a heredoc's body whole, words, quoted words; blanks and line ends in between are passed over.
WORDS = re.compile(r'<<(\w+)\n(?:.*\n)*?\1$|"(?:[^"\\]|\\.)*"|[^ \t\n"]+', re.MULTILINE)
PIECE = 65_536


def text_of(characters: int) -> str:
    """Return about so many characters of commands."""
    parts: list[str] = []
    length = n = 0
    while length < characters:
        parts.append(LINES.format(n=n))
        length += len(parts[-1])
        n += 1
    return "".join(parts)


def known() -> Mapping[str, Operation]:
    """Return the whole catalogue."""
    return catalogue(providers())


def counted(operations: Mapping[str, Operation], text: str) -> int:
    """Read a text piece by piece, letting each event go, and return how many events there were."""
    reader = LinesReader(operations)
    count = 0
    for piece in pieces(text):
        count += len(reader.feed(piece))
    return count + len(reader.close())


def pieces(text: str) -> Iterator[str]:
    """Cut a text as a stream would."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def measured(size: Size) -> list[Line | Gap]:
    """Measure time, growth and memory."""
    operations = known()
    text, tenth = text_of(size.text // 10), text_of(size.text // 100)
    commands = text.count("MOVE_FILE") * 3
    took = in_turns(
        {
            "ours": lambda: counted(operations, text),
            "expression": lambda: sum(1 for _ in WORDS.finditer(text)),
            "values": lambda: _made(commands),
        },
        max(3, size.rounds // 3),
    )
    micro = 1e6 * sorted(took["ours"])[len(took["ours"]) // 2] / commands
    small = min(work_of(lambda: counted(operations, tenth)) for _ in range(3))
    large = text_of(size.text)
    growth = work_of(lambda: counted(operations, large)) / small / (len(large) / len(tenth))
    return [
        Line(
            "reading lines, against one regular expression",
            times(took, "ours", "expression"),
            3.5,
            floor="each command becomes a checked proposal, and that value alone costs what is counted below",
            beside=f"{micro:.1f} µs for a command; "
            f"{times(took, 'values', 'expression'):.1f} × for making the proposals and nothing else",
        ),
        Line(f"reading {len(large) / 1e6:.0f} MB against a hundredth of it, for each character", growth, 1.5),
        Line("memory on top of the text while reading it", _memory(operations, large), 1, "× the text"),
        *streaming.measured(size),
    ]


def _made(count: int) -> None:
    for number in range(count):
        ProposalEvent(Proposal(number, "said", "file.move", {"source": "/a"}, line=number, given=("MOVE_FILE", "")))


def _memory(operations: Mapping[str, Operation], text: str) -> float:
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        counted(operations, text)
        return (tracemalloc.get_traced_memory()[1] - before) / len(text)
    finally:
        tracemalloc.stop()
