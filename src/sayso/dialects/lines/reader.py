"""Read a text of the line dialect piece by piece; any way of cutting it gives the same events."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sayso.core.events import Event, Proposed, Warned
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.dialects.lines.forms import FormsOf
from sayso.dialects.lines.near import Near
from sayso.dialects.lines.openers import BLANKS, Opener
from sayso.dialects.lines.propose import Body, Entry, propose
from sayso.dialects.lines.scan import Line, scan

_LINE_END = re.compile(r"(\r\n|\r|\n)")  # T-16: all other line separators are text
_FENCE = re.compile(r"`{3,}[^`]*|~{3,}.*", re.DOTALL)
_MANY = 4096


class _Gathered:
    """Text put together from pieces, in little room even where each piece is one character."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._blocks: list[str] = []

    def add(self, piece: str) -> None:
        if piece:
            self._pieces.append(piece)
        if len(self._pieces) >= _MANY:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()

    def take(self) -> str:
        text = "".join([*self._blocks, *self._pieces])
        self._blocks.clear()
        self._pieces.clear()
        return text


@dataclass
class _Open:
    """A heredoc whose end line has not come yet."""

    number: int
    line: Line
    opener: Opener
    after: str
    """What followed the line: blanks, and the line end."""
    lines: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])

    def add(self, line: str, end: str) -> None:
        self.lines.append(line)
        self.ends.append(end)

    def return_was_half(self) -> None:
        """Take the newline of a CR LF that came in two pieces."""
        if self.ends:
            self.ends[-1] += "\n"
        else:
            self.after += "\n"

    def body(self, end: str | None) -> Body:
        lines = [line + end for line, end in zip(self.lines, self.ends, strict=True)]
        raw = "".join([self.after, *lines, end or ""])
        return Body("".join([f"{line}\n" for line in self.lines]), end, raw)


def _cut(chunk: str) -> tuple[list[str], list[str]]:
    """Return the lines of a chunk, the unfinished last one included, and what ended each of the others."""
    if "\r" in chunk:
        parts = _LINE_END.split(chunk)
        return parts[::2], parts[1::2]
    lines = chunk.split("\n")
    return lines, ["\n"] * (len(lines) - 1)


class LinesReader:
    """Tells each proposal as soon as its line, or its heredoc, is complete. Nothing of such a text is shown."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._forms = FormsOf(operations)
        self._near = Near(self._forms)
        self._partial = _Gathered()
        self._after_return = False
        self._started = False
        self._number = 0
        self._index = 0
        self._open: _Open | None = None

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return the proposals it completed."""
        chunk = self._continued(chunk)
        if not chunk:
            return []
        self._after_return = chunk[-1] == "\r"
        lines, ends = _cut(chunk)
        self._partial.add(lines[0])
        if not ends:
            return []
        lines[0] = self._partial.take()
        self._partial.add(lines.pop())
        events: list[Event] = []
        for line, end in zip(lines, ends, strict=True):
            events += self._line(line, end)
        return events

    def close(self) -> list[Event]:
        """Take the end of the text: the last line needs no line end, a heredoc needs its end line (T-07)."""
        rest = self._partial.take()
        events = self._line(rest, "") if rest else []
        if self._open is not None:
            events += self._ended(self._open, None)
        return events

    def _continued(self, chunk: str) -> str:
        if not chunk:
            return chunk
        if self._after_return:
            self._after_return = False
            if chunk[0] == "\n":
                chunk = chunk[1:]
                if self._open is not None:
                    self._open.return_was_half()
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix("\ufeff")
        return chunk

    def _line(self, line: str, end: str) -> list[Event]:
        self._number += 1
        if self._open is not None:
            if line.rstrip(BLANKS) == self._open.opener.tag:
                return self._ended(self._open, line)
            self._open.add(line, end)
            return []
        line = line.lstrip(BLANKS)
        bare = line.rstrip(BLANKS)
        if not bare:
            return []
        scanned = scan(bare)
        if bare[0] == "#" and scanned.opener is None:
            return []
        if scanned.opener is not None and not (scanned.opener.doubtful and self._is_valid(scanned)):
            self._open = _Open(self._number, scanned, scanned.opener, line[len(bare) :] + end)
            return []
        return [] if _FENCE.fullmatch(bare) else self._proposed(self._number, scanned, None)

    def _is_valid(self, line: Line) -> bool:
        return propose(Entry(self._index, self._number, line), self._forms, self._near).problem is None

    def _ended(self, heredoc: _Open, end: str | None) -> list[Event]:
        self._open = None
        return self._proposed(heredoc.number, heredoc.line, heredoc.body(end))

    def _proposed(self, number: int, line: Line, body: Body | None) -> list[Event]:
        entry = Entry(self._index, number, line, body)
        self._index += 1
        proposal = propose(entry, self._forms, self._near)
        told: list[Event] = [Proposed(proposal)]
        return told if proposal.problem is None else told + self._warned(proposal)

    def _warned(self, proposal: Proposal) -> list[Event]:
        if proposal.code != "command.unknown":
            return []
        word, names = self._near.nearest(proposal.said)
        near = " or ".join(names)
        return [Warned(f"line {proposal.line}: “{word}” is no command; near it: {near}")] if names else []
