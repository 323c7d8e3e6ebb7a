"""Previews of actions: their effects, their targets, what they lose or send, and whether they can be undone."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from msgspec import Struct

from sayso.assembly.parts import dialect
from sayso.core.card_contents import (
    ArgumentRow,
    because,
    called,
    card_rows,
    exactly,
    has_no_way_back,
    notes,
    shown_preview,
    way_back,
)
from sayso.core.card_groups import ListEntry, entries, ranges, says_below, stands_alone
from sayso.core.decision import Card, Question
from sayso.core.encoding import code
from sayso.core.errors import SaysoError
from sayso.core.operation import Operation
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record
from sayso.dialects.base import write_proposal
from sayso.runtime.results import EDITED
from sayso.surfaces.cli.text import (
    WRAPPED,
    Block,
    Style,
    block,
    columns,
    cut_at_blanks,
    pack,
    sentence,
    short_block,
)

Row = tuple[str, Record]
"""A sign (`-` removed, `+` added or changed, blank unchanged) and the action."""


def rows(before: Sequence[Record], after: Sequence[Record]) -> list[Row]:
    """Return the differences between a run and its edited version, in the order of the edited version.

    A removed action is listed at its former position.
    """
    edited = [record for record in before if record.marks.code == EDITED]
    kept = {record.edit_of for record in after}
    gone = [record for record in edited if record.id not in kept]
    was = {record.id: record for record in edited}
    out: list[Row] = []
    for record in after:
        old = was.get(record.edit_of or "")
        while old is not None and gone and gone[0].index < old.index:
            out.append(("-", gone.pop(0)))
        if old is not None and _same(old, record):
            out.append((" ", record))
            continue
        out += [("-", old)] if old is not None else []
        out.append(("+", record))
    return [*out, *(("-", record) for record in gone)]


def _same(old: Record, new: Record) -> bool:
    return (old.operation, old.template_id, dict(old.arguments)) == (
        new.operation,
        new.template_id,
        dict(new.arguments),
    )


def lines(changes: Sequence[Row], operations: Mapping[str, Operation], width: int, indent: str) -> Iterator[str]:
    """Yield the lines of the differences, formatted as untrusted text behind a bar."""
    for sign, record in changes:
        for line in write_action(record, operations.get).split("\n"):
            yield from block(f"{sign} {line}", width, indent)


def write_action(record: Record, operation_of: Callable[[str], Operation | None]) -> str:
    """Return an action in the dialect of its run, or as JSON if the dialect cannot express it."""
    operation = operation_of(record.operation or "")
    if operation is None:
        return record.said.rstrip("\n") or str(record.operation)
    with suppress(SaysoError):
        return write_proposal(dialect(record.dialect), operation, record.arguments, record.template_id).rstrip("\n")
    return f"{record.operation} {json.dumps(dict(record.arguments), ensure_ascii=False)}"


MOST_CARDS = 20
PREVIEW_LINES, PREVIEW_CHARACTERS = 30, 1500
VALUE_LINES, VALUE_CHARACTERS = 12, 600

NARROW = 50
"""Terminals with fewer columns get the narrow layout."""

_MARGIN = "     "
_NAMES, _WIDEST_NAMES = 8, 14


_ASKS = "   ← asks"


@dataclass
class Page:
    """The lines added so far, and the number of characters left out of them."""

    width: int
    style: Style
    whole: bool
    lines: list[str] = field(default_factory=list[str])
    left_out: int = 0

    def say(self, text: str, first: str = "", rest: str | None = None) -> None:
        """Add a sentence; characters in it that act or hide are escaped."""
        self.lines += sentence(visible(text), self.width, first, rest)

    def note(self, name: str, text: str, paint: Callable[[str], str] = str) -> None:
        """Add a sentence after a name; on a wide terminal the names form a column."""
        wide = self.width >= NARROW
        first, rest = (f"{_MARGIN}{name:<9}", None) if wide else (f"{_MARGIN}{name}: ", _MARGIN + "  ")
        self.lines += [paint(line) for line in sentence(visible(text), self.width, first, rest)]

    def headline(self, text: str, first: str, *, asks: bool = False) -> None:
        """Add the summary of an action in bold, with a mark if it is what asks."""
        lines = sentence(visible(text), self.width, first)
        if asks and columns(lines[-1] + _ASKS) <= self.width:
            lines[-1] += _ASKS
        elif asks:
            lines.append(f"{' ' * columns(first)}{_ASKS.lstrip()}")
        self.lines += [self.style.bold(line) for line in lines]

    def put(self, text: str, indent: str, lines: int, most: int) -> None:
        """Add untrusted text; unless `whole` is set, at most `lines` lines and `most` characters of it."""
        if self.whole:
            self.lines += block(text, self.width, indent)
            return
        shown = short_block(text, self.width, indent, lines, most)
        self.lines += shown.lines
        self.left_out += shown.left_out


def page(question: Question, width: int, style: Style, *, whole: bool, over: bool = False) -> Page:
    """Return the preview of a question; `whole` shows all texts, `over` omits undo and the reasons for asking."""
    out = Page(width, style, whole)
    cards = question.cards
    several = len(cards) > 1
    for number, card in enumerate(cards):
        if number == MOST_CARDS and not whole:
            _rest(out, cards[number:])
            break
        _card(out, card, mark=several and card.verdict.ruling == "ask", over=over)
    return out


def _rest(out: Page, cards: Sequence[Card]) -> None:
    listed = "\n".join(f"{card.plan.summary} {card.digest}" for card in cards)
    out.left_out += sum(len(card.plan.summary) for card in cards)
    asking = sum(card.verdict.ruling == "ask" for card in cards)
    out.lines.append("")
    out.say(f"… {len(cards):,} more actions ({asking:,} of them need your yes), code {code(listed)}")


def _card(out: Page, card: Card, *, mark: bool, over: bool) -> None:
    out.lines.append("")
    out.headline(card.plan.summary, f"{card.index + 1:>3}. ", asks=mark)
    contents(out, card)
    if not over:
        out.note("way back", way_back(card.plan))
    if card.verdict.ruling == "ask" and not over:
        out.note("asks", because(card))
    out.note("exactly", exactly(card), out.style.faint)
    if label := called(card):
        out.note("label", f"the model calls it {quoted(label)}")


def contents(out: Page, card: Card, said_elsewhere: str = "") -> None:
    """Add the losses, what is sent, warnings, every argument by its name, and the preview."""
    for said, name in notes(card):
        if said != said_elsewhere:
            out.note(name, said, out.style.careful)
    rows = card_rows(card)
    column = min(max((_NAMES, *(len(visible(row.name)) for row in rows))), _WIDEST_NAMES)
    for row in rows:
        _row(out, row, column)
    if preview := shown_preview(card):
        out.put(preview, _MARGIN, PREVIEW_LINES, PREVIEW_CHARACTERS)


def _row(out: Page, row: ArgumentRow, column: int) -> None:
    """Add an argument: on one line, wrapped without loss, or as a block under its length.

    Of a long text that stands whole elsewhere on the card, only the length and the code are added.
    """
    first = f"{_MARGIN}{visible(row.name):<{column}} "
    shown = visible(row.value)
    if row.text is None or "\n" not in row.text:
        if columns(first + shown) <= out.width:
            out.lines.append(first + shown)
            return
        if len(row.value) <= VALUE_CHARACTERS and not row.repeats:
            begun, *more = cut_at_blanks(shown, max(out.width - max(columns(first), len(_MARGIN + WRAPPED)), 16))
            out.lines += [first + begun, *(_MARGIN + WRAPPED + piece for piece in more)]
            return
    text = row.value if row.text is None else row.text
    known = f", as shown here, code {code(text)}" if row.repeats else ""
    out.lines += sentence(f"({len(text):,} characters{known})", out.width, first)
    if not row.repeats:
        out.put(text, _MARGIN, VALUE_LINES, VALUE_CHARACTERS)


HEADING = "🤖 Suggested Actions"
MOST_ENTRIES = 40
"""Maximum number of entries in the list; the person can request the others."""
MOST_MEMBERS = 20
"""Maximum number of cards that an entry names; the person can request the others."""

_ALL_BACK = "sayso undo takes it back"


class TickedRows(Struct, frozen=True):
    """The cards that the person left out, and the cards that depend on them; both are given by index."""

    left_out: frozenset[int]
    lacking: Mapping[int, int]

    @staticmethod
    def of(question: Question, left_out: Iterable[int]) -> "TickedRows":
        """Return the ticks for these left-out cards and the cards that need them."""
        out = frozenset(left_out)
        return TickedRows(out, question.lacking(out))

    def going(self, question: Question) -> tuple[Card, ...]:
        """Return the cards that a yes would carry out."""
        return tuple(card for card in question.cards if self.mark(card.index) == "x")

    def kept(self, question: Question) -> tuple[Card, ...]:
        """Return the cards that the person did not leave out, including those that need a left-out card."""
        return tuple(card for card in question.cards if card.index not in self.left_out)

    def mark(self, index: int) -> str:
        """Return the mark of a card: `x` if included, `-` if it needs a left-out card, else a blank."""
        return " " if index in self.left_out else "-" if index in self.lacking else "x"


def listing(question: Question, ticks: TickedRows, width: int, style: Style) -> list[Block]:
    """Return the list of all cards; similar cards share one entry, and long values are shortened."""
    found = entries(question.cards, stands_alone, lambda card: (ticks.mark(card.index), says_below(card)))
    blocks = [Block((style.bold(HEADING), ""))]
    for entry in found[:MOST_ENTRIES]:
        page = Page(width, style, whole=False)
        _entry(page, entry, ticks)
        shows = frozenset(card.index for card in entry.cards) if page.left_out == 0 else frozenset[int]()
        blocks.append(Block(tuple(page.lines), shows))
    rest = [card for entry in found[MOST_ENTRIES:] for card in entry.cards]
    return [*blocks, *([_rest_preview(rest, width)] if rest else []), _foot(question, width, style)]


def whole(question: Question, indices: Collection[int], ticks: TickedRows, width: int, style: Style) -> list[Block]:
    """Return the selected cards one by one, with all their texts in full."""
    blocks: list[Block] = []
    for card in question.cards:
        if card.index in indices:
            page = Page(width, style, whole=True)
            _headline(page, ListEntry((card,), card.plan.summary), ticks)
            _below(page, card, every=True)
            between = [""] if blocks else []
            blocks.append(Block((*between, *page.lines), frozenset({card.index})))
    return blocks


def list_headlines(
    question: Question, indices: Collection[int], ticks: TickedRows, width: int, style: Style
) -> list[Block]:
    """Return the headlines of the selected cards with their current marks."""
    page = Page(width, style, whole=False)
    for card in question.cards:
        if card.index in indices:
            _headline(page, ListEntry((card,), card.plan.summary), ticks)
    return [Block(tuple(page.lines))]


def _entry(page: Page, entry: ListEntry, ticks: TickedRows) -> None:
    _headline(page, entry, ticks)
    if len(entry.cards) == 1:
        _below(page, entry.cards[0], every=False)
    else:
        _members(page, entry)
        _ways(page, entry.cards[0], every=False)
    page.lines.append("")


def _headline(page: Page, entry: ListEntry, ticks: TickedRows) -> None:
    first = entry.cards[0]
    mark = ticks.mark(first.index)
    start = f"[{mark}] {ranges([card.index + 1 for card in entry.cards]):>2}. "
    if mark == "x":
        page.headline(entry.summary, start, asks=first.verdict.ruling == "ask")
        return
    missing = ticks.lacking.get(first.index)
    why = "left out" if missing is None else f"left out: it needs {missing + 1}"
    page.lines += [page.style.faint(line) for line in sentence(f"{visible(entry.summary)} ({why})", page.width, start)]


def _members(page: Page, entry: ListEntry) -> None:
    named = [f"{card.index + 1} {visible(member)}" for card, member in zip(entry.cards, entry.members, strict=True)]
    left = len(named) - MOST_MEMBERS
    if left > 0:
        page.left_out += sum(map(len, named[MOST_MEMBERS:]))
        more = f"… {left:,} more (m {entry.cards[0].index + 1}-{entry.cards[-1].index + 1} shows them)"
        named[MOST_MEMBERS:] = [more]
    margin = _MARGIN + "  "
    items = [*(f"{one}," for one in named[:-1]), named[-1]]  # a number stands on the line of its name
    page.lines += [margin + line for line in pack(items, "  ", page.width - len(margin))]


def _below(page: Page, card: Card, *, every: bool) -> None:
    contents(page, card, "" if every else because(card))  # below the list stands once why these ask
    if card.needs and every:
        page.note("needs", f"{ranges([index + 1 for index in card.needs])} to happen first")
    _ways(page, card, every=every)
    if every and card.verdict.ruling == "ask":
        page.note("asks", because(card))
    if every:
        page.note("exactly", exactly(card), page.style.faint)
    if label := called(card):
        page.note("label", f"the model calls it {quoted(label)}")


def _ways(page: Page, card: Card, *, every: bool) -> None:
    back = way_back(card.plan)
    if every or (card.plan.changes and back != _ALL_BACK):
        page.note("way back", back, page.style.careful if has_no_way_back(card.plan) else str)
    if len(card.plan.changes) > 1:
        kept = "what it has done by then stays" if card.plan.on_failure == "go on" else "it takes back what it did"
        page.note("fails", f"if one of its {len(card.plan.changes):,} changes fails, {kept}")


def _rest_preview(cards: list[Card], width: int) -> Block:
    listed = "\n".join(f"{card.plan.summary} {card.digest}" for card in cards)
    asking = sum(card.verdict.ruling == "ask" for card in cards)
    needing = f"{asking:,} of them need your yes"
    told = f"… {len(cards):,} more actions ({needing}), code {code(listed)}; v shows all of them"
    return Block((*sentence(told, width, "    "), ""))


def _foot(question: Question, width: int, style: Style) -> Block:
    page = Page(width, style, whole=False)
    asking: dict[str, list[int]] = {}
    for card in question.asking:
        asking.setdefault(because(card), []).append(card.index + 1)
    for why, numbers in asking.items():
        of = f"{ranges(numbers)}: " if len(asking) > 1 or len(numbers) < len(question.cards) else ""
        page.note("asks", of + why)
    back = [card.index + 1 for card in question.cards if way_back(card.plan) == _ALL_BACK]
    if back:
        of = "each of them" if len(back) == len(question.cards) else ranges(back)
        page.note("way back", f"sayso undo takes back {of}, or all of it at once")
    after = "the rest is skipped" if question.stops else "the others still run; what needs it is skipped"
    page.note("fails", f"if one of them fails, {after}")
    page.note("exactly", f"code {code(question.digest)}", page.style.faint)
    return Block(tuple(page.lines))
