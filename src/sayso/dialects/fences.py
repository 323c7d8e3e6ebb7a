"""Fenced blocks in a streamed reply: where blocks begin and end, and which text the person sees."""

import re
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from sayso.core.dialect import Event, ProposalEvent, TextEvent
from sayso.dialects.json import Whole

INLINE = "json-action"
"""The only tag with which a block may begin after other text on its line; all other blocks begin a line."""

_WINDOW = 4096
"""How many characters are searched for a mark in one step; so the time stays linear for a text with many marks."""
_INFO_END = {"`": re.compile(r"[`\n]"), "~": re.compile(r"\n")}
_FENCE = 3
_LONGEST_INFO = 64
_LONGEST_HEAD = 240
_MOST_LOOKS = 8
_ENDS = frozenset("}]")


class Prose(Struct, frozen=True, gc=False):
    """Text for the person; `code` says whether it is inside an ordinary code fence of the reply."""

    text: str
    code: bool = False


class FencedBlock(Struct, frozen=True):
    """A fenced block with one of the wanted tags.

    `content` is its text without the fences, `raw` with them; `line` is the line on which `content` begins.
    """

    tag: str
    content: str
    raw: str
    closed: bool
    line: int


Piece = Prose | FencedBlock


class Fences:
    """Splits one reply into prose and blocks; how the reply is cut into pieces changes only where the prose is cut."""

    def __init__(self, tags: Iterable[str]) -> None:
        self._tags = tuple(tags)
        self._out: list[Piece] = []
        self._state: Callable[[str, int], int] = self._prose
        self.inside = False
        """Whether a block is open; then a piece without a newline may be appended to `line` instead of being fed."""
        self.line: list[str] = []
        self.flows = False
        """Whether a piece without newline and backtick is plain text; it may then be put into `last` without being fed.
        """
        self.last = ""
        """The latest part of the current line that was shown; empty if no part of it was shown."""
        self._first = ""
        """The first character of the current line that is no blank; empty until such a character was shown."""
        self._lines: list[str] = []
        self._number = 1
        self._block_line = 1
        self._tag = ""
        self._mark = ""
        self._run = 0
        self._run_of_code = 0
        self._info = ""
        self._looks = 0
        self._head = ""
        """The beginning of the current line of code; it shows whether the line closes the code fence."""

    def feed(self, chunk: str) -> list[Piece]:
        """Take the next piece of text and return the pieces that no later text can change."""
        self.flows = False
        at, end = 0, len(chunk)
        while at < end:
            at = self._state(chunk, at)
        return self._take_pieces()

    def close(self) -> list[Piece]:
        """End the text; return an open block, marked as not closed, and all text that was held back (T-67)."""
        if self.inside:
            line = "".join(self.line)
            if not self._ends(line):
                kept = self._without_half_an_end(line)
                self._lines.append(kept)
                self._block(closed=False, last=line[len(kept) :])
        elif self._run:
            tag = self._match_tag(self._info)
            if tag == INLINE and self._info.strip() == tag:
                self._lines = [self._mark * self._run + self._info]
                self._tag, self._block_line = tag, self._number
                self._block(closed=False)
            else:
                self._release()
        return self._take_pieces()

    def _take_pieces(self) -> list[Piece]:
        told, self._out = self._out, []
        return told

    # --- text ------------------------------------------------------------------------------------------------------

    def _prose(self, text: str, at: int) -> int:
        end, mark = _next_mark(text, at)
        if at < end:
            self._out.append(Prose(text[at:end]))
            self.skip_plain(text[at:end])
        if not mark:
            return end
        if self._may_open(mark):
            self._mark, self._run, self._info = mark, 0, ""
            self._state, self.flows = self._counting, False
            return end
        begin = end
        while end < len(text) and text[end] == mark:
            end += 1
        self._show(text[begin:end])
        self.flows = True
        return end

    @property
    def in_text(self) -> bool:
        """Whether the reader is in plain text, outside every fence."""
        return self._state == self._prose

    def skip_plain(self, text: str) -> None:
        """Update the state for plain text without backtick and tilde; the caller shows this text itself."""
        newline = text.rfind("\n")
        if newline >= 0:
            self._number += text.count("\n")
            self._first = ""
            text = text[newline + 1 :]
        self.last = text
        if not self._first:
            self._first = text.lstrip(" \t")[:1]
        self.flows = self._first != ""

    def _may_open(self, mark: str) -> bool:
        if not self._first:
            return True
        # In both of these cases the fence opens no block: a line that begins with “>” quotes somebody else, and after
        # an invisible character nobody could see what the fence belongs to.
        last = self.last[-1]
        return mark == "`" and last != "`" and last.isprintable() and self._first != ">"

    def _counting(self, text: str, at: int) -> int:
        end = at
        while end < len(text) and text[end] == self._mark:
            end += 1
        self._run += end - at
        if end < len(text):
            if self._run >= _FENCE:
                self._state = self._reading_info
            else:
                self._release()
                self._state = self._prose
        return end

    def _reading_info(self, text: str, at: int) -> int:
        # One call reads at most as many characters as an info string may have; the next call continues from there.
        said, newline, _ = text[at : at + _LONGEST_INFO].partition("\n")
        if self._match_tag(self._info + said) is None:
            self._open_other_fence()
            return at
        self._info += said
        at += len(said)
        if not newline:
            return at
        tag = self._info.strip(" \t\r")
        if tag not in self._tags or (tag != INLINE and self._first):
            self._open_other_fence()
            return at
        self._begin(tag)
        return at + 1

    def _match_tag(self, info: str) -> str | None:
        """Return the wanted tag that the info string is, or that it may become when more of it arrives; else None."""
        if len(info) > _LONGEST_INFO:
            return None
        begun = info.lstrip(" \t")
        said = begun.rstrip(" \t\r")
        for tag in self._tags:
            if tag == said or (begun == said and tag.startswith(said)):
                return tag
        return None

    def _open_other_fence(self) -> None:
        fresh = not self._first
        self._run_of_code = self._run
        self._release()
        self._state = self._rest_of_info if fresh else self._prose

    def _rest_of_info(self, text: str, at: int) -> int:
        found = _INFO_END[self._mark].search(text, at)
        end = found.start() if found else len(text)
        self._show(text[at:end])
        if found is None:
            return end
        if found.group() != "\n":  # an info string has no backtick, so this was no fence
            self._state = self._prose
            return end
        self._state = self._code
        self._show("\n", code=True)
        self._next_line()
        return end + 1

    # --- a code fence of the reply's own -----------------------------------------------------------------------------

    def _code(self, text: str, at: int) -> int:
        newline = text.find("\n", at)
        end = newline if newline >= 0 else len(text)
        line = text[at:end]
        self._show(line, code=True)
        if len(self._head) < _LONGEST_HEAD:
            self._head += line[:_LONGEST_HEAD]
        if newline < 0:
            self.flows = self._first not in {"", "\r", self._mark}  # such a line cannot close the fence
            return end
        closed = len(self._head) < _LONGEST_HEAD and _closes(self._head, self._mark, self._run_of_code)
        self._show("\n", code=not closed)
        self._next_line()
        if closed:
            self._state = self._prose
        return end + 1

    # --- a wanted block ----------------------------------------------------------------------------------------------

    def _begin(self, tag: str) -> None:
        self._lines = [self._mark * self._run + self._info + "\n"]
        self._tag, self._looks = tag, 0
        self._number += 1
        self._block_line = self._number
        self.inside = True
        self.line = []
        self._state = self._in_block

    def _in_block(self, text: str, at: int) -> int:
        newline = text.find("\n", at)
        end = newline if newline >= 0 else len(text)
        self.line.append(text[at:end])
        if newline < 0:
            return end
        line = "".join(self.line)
        self._number += 1
        if self._ends(line, "\n"):
            return newline + 1
        self._lines.append(line + "\n")
        self.line = []
        return newline + 1

    def _ends(self, line: str, newline: str = "") -> bool:
        """Say whether a line closes the block; if it does, the block is finished."""
        if _closes(line, self._mark, self._run):
            self._block(closed=True, last=line + newline)
            return True
        bare = line.rstrip(" \t\r")
        content = bare.rstrip(self._mark)
        if len(bare) - len(content) < self._run or content.rstrip()[-1:] not in _ENDS:
            return False
        # The closing fence may follow the JSON on its last line. Inside a string of the JSON, it closes nothing.
        self._looks += 1
        if self._looks > _MOST_LOOKS or not _is_whole("".join([*self._lines[1:], content])):
            return False
        self._lines.append(content)
        self._block(closed=True, last=line[len(content) :] + newline)
        return True

    def _without_half_an_end(self, line: str) -> str:
        """Return the last line without an incomplete closing fence, if the JSON before the fence is complete."""
        content = line.rstrip(" \t\r").rstrip(self._mark)
        whole = "".join([*self._lines[1:], content])
        return content if whole.rstrip()[-1:] in _ENDS and _is_whole(whole) else line

    def _block(self, *, closed: bool, last: str = "") -> None:
        content, raw = "".join(self._lines[1:]), "".join([*self._lines, last])
        self._out.append(FencedBlock(self._tag, content, raw, closed, self._block_line))
        inline = bool(self._first)
        self.inside, self._state, self._run = False, self._prose, 0
        self._lines = []
        self._next_line(count=False)
        if inline and last:
            self._out.append(Prose("\n"))

    # --- output -----------------------------------------------------------------------------------------------

    def _show(self, text: str, *, code: bool = False) -> None:
        """Show a part of a line."""
        if not text:
            return
        self._out.append(Prose(text, code))
        self.last = text
        if not self._first:
            self._first = text.lstrip(" \t")[:1]

    def _release(self) -> None:
        self._show(self._mark * self._run + self._info)
        self._run, self._info = 0, ""

    def _next_line(self, *, count: bool = True) -> None:
        self._number += count
        self._first = self.last = self._head = ""


def _next_mark(text: str, at: int) -> tuple[int, str]:
    """Return the index of the next backtick or tilde, and that character; the character is empty if none was found."""
    end = min(at + _WINDOW, len(text))
    tick = text.find("`", at, end)
    tilde = text.find("~", at, end if tick < 0 else tick)
    place = tick if tilde < 0 else tilde
    return (end, "") if place < 0 else (place, text[place])


def _closes(line: str, mark: str, run: int) -> bool:
    bare = line.strip(" \t\r")
    return len(bare) >= run and bare == mark * len(bare)


def _is_whole(text: str) -> bool:
    """Say whether all brackets and all strings of a JSON text are closed."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]++|\\.)*+(")?|[{}\[\]]', text, re.DOTALL):
        said = token.group()
        if said[0] == '"' and token[1] is None:
            return False
        depth += (said in "{[") - (said in "}]")
    return depth == 0


_GAP = re.compile(r"((?:\r?\n){2})(?:\r?\n)+")
_MOST_NEWLINES = 2
_BLANK = " \t\r\n"


class ShownText:
    """Takes the text and code of a reply piece by piece, and returns what can be shown, with long gaps shortened."""

    def __init__(self) -> None:
        self._pending: list[tuple[str, bool]] = []
        """Blanks after the shown text, from their first newline on; each has a flag that says whether it is code."""
        self._started = False

    @property
    def flows(self) -> bool:
        """Whether text without line ends can be shown unchanged."""
        return self._started and not self._pending

    def add(self, text: str, *, code: bool = False) -> str:
        """Take the next piece of the reply, and return the text that can already be shown."""
        flows = self.flows
        if flows and "\n" not in text and "\r" not in text:
            return text
        body = text.rstrip(_BLANK)
        if not body:
            return self._blanks(text, code=code)
        shown = _of(body, code=code) if flows else self._with_pending(body, code=code)
        return shown if body == text else shown + self._blanks(text[len(body) :], code=code)

    def outdent(self) -> None:
        """Drop the blanks before a block on its line, because the block is not shown either."""
        while self._pending:
            text, code = self._pending.pop()
            bare = text.rstrip(" \t")
            if bare:
                self._pending.append((bare, code))
                return

    def _blanks(self, text: str, *, code: bool) -> str:
        newline = len(text) - len(text.lstrip(" \t")) if self.flows else 0
        if newline < len(text):
            self._pending.append((text[newline:], code))
        return text[:newline]

    def _with_pending(self, body: str, *, code: bool) -> str:
        inner = body.lstrip(_BLANK)
        self._pending.append((body[: len(body) - len(inner)], code))
        lead = _join_pending(self._pending)
        self._pending.clear()
        if not self._started:
            self._started = True
            lead = lead[lead.rfind("\n") + 1 :]
        return lead + _of(inner, code=code)


def _of(text: str, *, code: bool) -> str:
    return text if code else _collapse_blanks(text)


def _join_pending(pending: list[tuple[str, bool]]) -> str:
    out: list[str] = []
    prose: list[str] = []
    for text, code in pending:
        if code:
            out += [_collapse_blanks("".join(prose)), text]
            prose.clear()
        else:
            prose.append(text)
    return "".join([*out, _collapse_blanks("".join(prose))])


def _collapse_blanks(text: str) -> str:
    return (
        text if _is_short(text) else _GAP.sub(lambda gap: gap[1], text)
    )  # a function, because Python would build a string for each gap from a template


def _is_short(text: str) -> bool:
    """Say whether a text has too few newlines to contain a long gap."""
    return text.count("\n") <= _MOST_NEWLINES


Handler = Callable[[FencedBlock, int], list[Event] | None]
"""Returns the events of a block; None if the block is of another kind, and is shown as text.

The number is the index of the block's first proposal. A correct number only saves time: the reader numbers all
proposals itself.
"""
Document = Callable[[str], tuple[str, list[Event]] | None]
"""Returns the text and the events of a reply that is a single object; None if the object is of another kind."""


class FencedReader:
    """Reads replies with blocks: `handlers` has a handler for each tag; `document` reads a reply that is one object.

    With each of them, the name of its dialect is given.
    """

    def __init__(
        self, handlers: Mapping[str, tuple[str, Handler]], document: tuple[str, Document] | None = None
    ) -> None:
        self.dialects: dict[str, None] = {}
        """The dialects of the blocks that were read, in the order in which they first occurred."""
        self._handlers = handlers
        self._document = document
        self._held: Whole | None = Whole() if document is not None else None
        """The beginning of the reply; it is held back as long as the reply may be a single object."""
        self._begun = False
        self._fences = Fences(handlers)
        self._shown = ShownText()
        self._count = 0
        self._line: list[str] | None = None
        """The pieces of the current line of the open block; None if no block is open."""
        self._flows = False
        """Whether a piece without newline, carriage return and backtick can be shown unchanged."""

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return the events that no later text can change."""
        if "\n" not in chunk:  # most pieces have no newline, and are handled quickly here
            line = self._line
            if line is not None:
                line.append(chunk)
                return []
            if self._flows and "`" not in chunk and "\r" not in chunk and chunk:
                self._fences.last = chunk
                return [TextEvent(chunk)]
        return self._feed_chunk(chunk) if chunk else []

    def close(self) -> list[Event]:
        """End the text and return the remaining events."""
        if self._held is None or self._document is None:
            return self._handle_pieces(self._fences.close())
        text = self._held.take()
        dialect, document = self._document
        found = document(text)
        content, events = found or (text, [])
        out = self._handle_pieces([*self._fences.feed(content), *self._fences.close()])
        return out if found is None else out + self._number_events(events, dialect)

    def _feed_chunk(self, chunk: str) -> list[Event]:
        fences, out = self._fences, list[Event]()
        if self._held is None and fences.in_text and "`" not in chunk and "~" not in chunk:
            fences.skip_plain(chunk)
            if shown := self._shown.add(chunk):
                out.append(TextEvent(shown))
        else:
            if self._held is not None:
                chunk = self._release_text(self._held, chunk)
            out += self._handle_pieces(fences.feed(chunk))
            self._line = fences.line if fences.inside else None
        self._flows = fences.flows and self._shown.flows
        return out

    def _release_text(self, held: Whole, chunk: str) -> str:
        held.add(chunk)
        if self._begun:
            return ""
        first = chunk.lstrip()[:1]
        self._begun = bool(first)
        if not first or first == "{":
            return ""
        self._held = None
        return held.take()

    def _handle_pieces(self, pieces: list[Piece]) -> list[Event]:
        out: list[Event] = []
        for piece in pieces:
            if isinstance(piece, Prose):
                if shown := self._shown.add(piece.text, code=piece.code):
                    out.append(TextEvent(shown))
                continue
            dialect, handler = self._handlers[piece.tag]
            found = handler(piece, self._count)
            if found is not None:
                self._shown.outdent()
                out += self._number_events(found, dialect)
            elif shown := self._shown.add(piece.raw, code=True):
                out.append(TextEvent(shown))
        return out

    def _number_events(self, events: list[Event], dialect: str) -> list[Event]:
        self.dialects[dialect] = None
        for at, event in enumerate(events):
            if isinstance(event, ProposalEvent):
                if event.proposal.index != self._count:
                    events[at] = ProposalEvent(event.proposal.with_index(self._count))
                self._count += 1
        return events
