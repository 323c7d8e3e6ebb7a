"""Read a chat reply with fenced blocks: text is told as it comes, a block when it has closed."""

from collections.abc import Callable, Mapping

from sayso.core.events import Event, Proposed, Text
from sayso.dialects.fences import Block, Fences, Piece, Prose
from sayso.dialects.shown import Shown
from sayso.dialects.whole import Whole

Handler = Callable[[Block, int], list[Event] | None]
"""Reads a block; None when it is not its own, and is shown. The number is that of its first proposal,
which is for speed alone: all are counted here."""
Document = Callable[[str], tuple[str, list[Event]] | None]
"""Reads a reply that is one object: its text for the person and what it proposes; None when it is not its own."""


class FencedReader:
    """A reader with a handler for each tag of the blocks that are not for the person, and one for a bare object.

    Each stands with the name of its dialect.
    """

    def __init__(
        self, handlers: Mapping[str, tuple[str, Handler]], document: tuple[str, Document] | None = None
    ) -> None:
        self.dialects: dict[str, None] = {}
        """The dialects of what was read, in the order they came up."""
        self._handlers = handlers
        self._document = document
        self._held: Whole | None = Whole() if document is not None else None
        """The reply from its beginning, as long as it may be one object."""
        self._begun = False
        self._fences = Fences(handlers)
        self._shown = Shown()
        self._count = 0
        self._line: list[str] | None = None
        """Where a piece of the open block's line goes, if a block is open."""
        self._flows = False
        """Whether a piece without newline, return and backtick is shown as it stands."""

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return what is certain by now."""
        if "\n" not in chunk:  # most pieces of most replies, which is why they are looked at here and no further
            line = self._line
            if line is not None:
                line.append(chunk)
                return []
            if self._flows and "`" not in chunk and "\r" not in chunk and chunk:
                self._fences.last = chunk
                return [Text(chunk)]
        return self._fed(chunk) if chunk else []

    def close(self) -> list[Event]:
        """Take the end of the text and return what is left."""
        if self._held is None or self._document is None:
            return self._told(self._fences.close())
        text = self._held.take()
        dialect, document = self._document
        found = document(text)
        content, events = found or (text, [])
        out = self._told([*self._fences.feed(content), *self._fences.close()])
        return out if found is None else out + self._counted(events, dialect)

    def _fed(self, chunk: str) -> list[Event]:
        fences, out = self._fences, list[Event]()
        if self._held is None and fences.in_text and "`" not in chunk and "~" not in chunk:
            fences.shown(chunk)
            if shown := self._shown.add(chunk):
                out.append(Text(shown))
        else:
            if self._held is not None:
                chunk = self._released(self._held, chunk)
            out += self._told(fences.feed(chunk))
            self._line = fences.line if fences.inside else None
        self._flows = fences.flows and self._shown.flows
        return out

    def _released(self, held: Whole, chunk: str) -> str:
        held.add(chunk)
        if self._begun:
            return ""
        first = chunk.lstrip()[:1]
        self._begun = bool(first)
        if not first or first == "{":
            return ""
        self._held = None
        return held.take()

    def _told(self, pieces: list[Piece]) -> list[Event]:
        out: list[Event] = []
        for piece in pieces:
            if isinstance(piece, Prose):
                if shown := self._shown.add(piece.text, code=piece.code):
                    out.append(Text(shown))
                continue
            dialect, handler = self._handlers[piece.tag]
            found = handler(piece, self._count)
            if found is not None:
                self._shown.outdent()
                out += self._counted(found, dialect)
            elif shown := self._shown.add(piece.raw, code=True):
                out.append(Text(shown))
        return out

    def _counted(self, events: list[Event], dialect: str) -> list[Event]:
        self.dialects[dialect] = None
        for at, event in enumerate(events):
            if isinstance(event, Proposed):
                if event.proposal.index != self._count:
                    events[at] = Proposed(event.proposal.numbered(self._count))
                self._count += 1
        return events
