"""Read a chat reply with fenced blocks: text is told as it comes, a block when it has closed."""

from collections.abc import Callable, Mapping

from sayso.core.events import Event, Proposed, Text
from sayso.dialects.fences import Block, Fences, Piece
from sayso.dialects.shown import Shown
from sayso.dialects.whole import Whole

Handler = Callable[[Block], list[Event] | None]
"""Reads a block; None when it is not its own, and is shown. The reader counts the proposals."""
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

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return what is certain by now."""
        fences = self._fences
        if fences.inside and "\n" not in chunk:  # most pieces of most replies
            fences.line.append(chunk)
            return []
        if self._held is not None:
            chunk = self._released(self._held, chunk)
        return self._told(pieces) if (pieces := fences.feed(chunk)) else []

    def close(self) -> list[Event]:
        """Take the end of the text and return what is left."""
        if self._held is not None and self._document is not None:
            text = self._held.take()
            dialect, document = self._document
            found = document(text)
            content, events = found or (text, [])
            out = self._told([*self._fences.feed(content), *self._fences.close()])
            return out if found is None else out + self._counted(events, dialect)
        return self._told(self._fences.close())

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
            if isinstance(piece, Block):
                dialect, handler = self._handlers[piece.tag]
                found = handler(piece)
                out += self._text(piece.raw, code=True) if found is None else self._counted(found, dialect)
            else:
                out += self._text(piece.text, code=piece.code)
        return out

    def _counted(self, events: list[Event], dialect: str) -> list[Event]:
        self.dialects[dialect] = None
        out: list[Event] = []
        for event in events:
            if isinstance(event, Proposed):
                out.append(Proposed(event.proposal.numbered(self._count)))
                self._count += 1
            else:
                out.append(event)
        return out

    def _text(self, text: str, *, code: bool) -> list[Event]:
        shown = self._shown.add(text, code=code)
        return [Text(shown)] if shown else []
