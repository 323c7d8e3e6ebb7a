"""Write the preview of a batch: a numbered list in plain words, and below it what holds for all of it."""

from collections.abc import Collection, Iterable, Mapping

from sayso.core.plan import CannotUndo
from sayso.core.values import dataclass
from sayso.core.verdict import Card, Question
from sayso.surfaces.cli.card import Page, because, contents, hidden, notes, way_back
from sayso.surfaces.cli.choosing import ranges
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.grouping import Entry, entries
from sayso.surfaces.cli.layout import sentence, sha256
from sayso.surfaces.cli.style import Style

HEADING = "🤖 Suggested Actions"
MOST_ENTRIES = 40
"""More lines of the list than these are shown on request."""
MOST_MEMBERS = 20
"""More like steps than these are named on request."""

_MARGIN = "     "
_ALL_BACK = "sayso undo takes it back"


@dataclass(frozen=True)
class Block:
    """Lines that belong together, and the cards of which they show everything."""

    lines: tuple[str, ...]
    shows: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Ticks:
    """What the person has left out of a question, by index, and what cannot happen without that."""

    left_out: frozenset[int]
    lacking: Mapping[int, int]

    @staticmethod
    def of(question: Question, left_out: Iterable[int]) -> "Ticks":
        """Return them with all that follows from them."""
        out = frozenset(left_out)
        return Ticks(out, question.lacking(out))

    def going(self, question: Question) -> tuple[Card, ...]:
        """Return the cards that a yes would be for."""
        return tuple(card for card in question.cards if self.mark(card.index) == "x")

    def kept(self, question: Question) -> tuple[Card, ...]:
        """Return the cards that the person did not leave out, also those that cannot happen now."""
        return tuple(card for card in question.cards if card.index not in self.left_out)

    def mark(self, index: int) -> str:
        """Return the sign in the box before a number."""
        return " " if index in self.left_out else "-" if index in self.lacking else "x"


def listing(question: Question, ticks: Ticks, width: int, style: Style) -> list[Block]:
    """Return the list: like steps as one line each, long values by their beginning."""
    found = entries(question.cards, _stands_alone, lambda card: (ticks.mark(card.index), _says_below(card)))
    blocks = [Block(("", style.bold(HEADING), ""))]
    for entry in found[:MOST_ENTRIES]:
        page = Page(width, style, whole=False)
        _entry(page, entry, ticks)
        shows = frozenset(card.index for card in entry.cards) if page.left_out == 0 else frozenset[int]()
        blocks.append(Block(tuple(page.lines), shows))
    rest = [card for entry in found[MOST_ENTRIES:] for card in entry.cards]
    return [*blocks, *([_rest(rest, width)] if rest else []), _foot(question, width, style)]


def whole(question: Question, indices: Collection[int], ticks: Ticks, width: int, style: Style) -> list[Block]:
    """Return these cards one by one with nothing left out of them."""
    blocks: list[Block] = []
    for card in question.cards:
        if card.index in indices:
            page = Page(width, style, whole=True)
            _headline(page, Entry((card,), card.plan.summary), ticks)
            _below(page, card, every=True)
            blocks.append(Block(("", *page.lines), frozenset({card.index})))
    return blocks


def changed(question: Question, indices: Collection[int], ticks: Ticks, width: int, style: Style) -> list[Block]:
    """Return the headlines of these cards, as they stand after a change."""
    page = Page(width, style, whole=False)
    for card in question.cards:
        if card.index in indices:
            _headline(page, Entry((card,), card.plan.summary), ticks)
    return [Block(tuple(page.lines))]


def _stands_alone(card: Card) -> bool:
    return bool(card.label or card.plan.preview or next(notes(card), None) or hidden(card))


def _says_below(card: Card) -> tuple[object, ...]:
    asks = card.verdict.ruling == "ask"
    return (asks, because(card) if asks else "", way_back(card.plan), len(card.plan.changes) > 1, card.plan.on_failure)


def _entry(page: Page, entry: Entry, ticks: Ticks) -> None:
    _headline(page, entry, ticks)
    if len(entry.cards) == 1:
        _below(page, entry.cards[0], every=False)
    else:
        _members(page, entry)
        _ways(page, entry.cards[0], every=False)
    page.lines.append("")


def _headline(page: Page, entry: Entry, ticks: Ticks) -> None:
    first = entry.cards[0]
    mark = ticks.mark(first.index)
    told = entry.summary + ("   ← asks" if first.verdict.ruling == "ask" and mark == "x" else "")
    start = f"[{mark}] {ranges([card.index + 1 for card in entry.cards]):>2}. "
    if mark == "x":
        page.headline(told, start)
        return
    missing = ticks.lacking.get(first.index)
    why = "left out" if missing is None else f"left out: it needs {missing + 1}"
    page.lines += [page.style.faint(line) for line in sentence(f"{visible(told)} ({why})", page.width, start)]


def _members(page: Page, entry: Entry) -> None:
    named = [f"{card.index + 1} {visible(member)}" for card, member in zip(entry.cards, entry.members, strict=True)]
    told = ",  ".join(named[:MOST_MEMBERS])
    left = len(named) - MOST_MEMBERS
    if left > 0:
        page.left_out += sum(map(len, named[MOST_MEMBERS:]))
        told += f", … {left:,} more (m {entry.cards[0].index + 1}-{entry.cards[-1].index + 1} shows them)"
    page.lines += sentence(told, page.width, _MARGIN + "  ")


def _below(page: Page, card: Card, *, every: bool) -> None:
    contents(page, card)
    if card.needs and every:
        page.note("needs", f"{ranges([index + 1 for index in card.needs])} to happen first")
    _ways(page, card, every=every)
    if every and card.verdict.ruling == "ask":
        page.note("asks", because(card))
    if card.label:
        page.note("label", f"the model calls it “{card.label}”")


def _ways(page: Page, card: Card, *, every: bool) -> None:
    back = way_back(card.plan)
    if every or (card.plan.changes and back != _ALL_BACK):
        gone = any(isinstance(change.undo, CannotUndo) for change in card.plan.changes)
        page.note("way back", back, page.style.careful if gone else str)
    if len(card.plan.changes) > 1:
        kept = "what it has done by then stays" if card.plan.on_failure == "go on" else "it takes back what it did"
        page.note("fails", f"if one of its {len(card.plan.changes):,} changes fails, {kept}")


def _rest(cards: list[Card], width: int) -> Block:
    listed = "\n".join(f"{card.plan.summary} {card.digest}" for card in cards)
    asking = sum(card.verdict.ruling == "ask" for card in cards)
    needing = f"{asking:,} of them need your yes"
    told = f"… {len(cards):,} more actions ({needing}), sha256 {sha256(listed)}; v shows all of them"
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
    return Block(tuple(page.lines))
