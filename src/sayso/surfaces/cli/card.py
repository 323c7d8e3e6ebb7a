"""Write what a question is about: the effect of each action as its plan has it, and what the plan loses and sends."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from sayso.core.canonical import Json
from sayso.core.plan import CannotUndo, Plan
from sayso.core.verdict import Card, Question
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.layout import block, cut, sentence, sha256, short_block
from sayso.surfaces.cli.scripts import warnings
from sayso.surfaces.cli.style import Style

MOST_CARDS = 20
PREVIEW_LINES, PREVIEW_CHARACTERS = 30, 1500
VALUE_LINES, VALUE_CHARACTERS = 12, 600
TELLING = 8
"""Characters from which on a value that stands in the summary is not taken for another that happens to be the same."""

NARROW = 60
"""Columns below which a screen counts as narrow."""

_CUT = re.compile(r"… [\d,]+ more lines?\Z")
_MARGIN = "     "
_FORWARDS = ("content", "text", "body")


@dataclass
class Page:
    """Lines that fill up, and how many characters were left out of them."""

    width: int
    style: Style
    whole: bool
    lines: list[str] = field(default_factory=list[str])
    left_out: int = 0

    def say(self, text: str, first: str = "", rest: str | None = None) -> None:
        """Add a sentence, its foreign parts made visible here."""
        self.lines += sentence(visible(text), self.width, first, rest)

    def note(self, name: str, text: str, paint: Callable[[str], str] = str) -> None:
        """Add a sentence under its name; on a narrow screen the name stands in the line."""
        wide = self.width >= NARROW
        first, rest = (f"{_MARGIN}{name:<9}", None) if wide else (f"{_MARGIN}{name}: ", _MARGIN + "  ")
        self.lines += [paint(line) for line in sentence(visible(text), self.width, first, rest)]

    def headline(self, text: str, first: str) -> None:
        """Add what an action does, strongly."""
        self.lines += [self.style.bold(line) for line in sentence(visible(text), self.width, first)]

    def put(self, text: str, indent: str, lines: int, most: int) -> None:
        """Add a foreign text, whole or its beginning."""
        if self.whole:
            self.lines += block(text, self.width, indent)
            return
        shown = short_block(text, self.width, indent, lines, most)
        self.lines += shown.lines
        self.left_out += shown.left_out


def page(question: Question, width: int, style: Style, *, whole: bool, over: bool = False) -> Page:
    """Return what is shown of a question; `whole` leaves nothing out, `over` the way back and the yes."""
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
    out.say(f"… {len(cards):,} more actions ({asking:,} of them need your yes), sha256 {sha256(listed)}")


def _card(out: Page, card: Card, *, mark: bool, over: bool) -> None:
    out.lines.append("")
    out.headline(card.plan.summary + ("   ← asks" if mark else ""), f"{card.index + 1:>3}. ")
    contents(out, card)
    if not over:
        out.note("way back", way_back(card.plan))
    if card.verdict.ruling == "ask" and not over:
        out.note("asks", because(card))
    if card.label:
        out.note("label", f"the model calls it “{card.label}”")


def contents(out: Page, card: Card) -> None:
    """Write what an action loses and sends, what is odd about it, and every value that its summary does not tell."""
    for said, name in notes(card):
        out.note(name, said, out.style.careful)
    if card.plan.preview:
        out.put(card.plan.preview, _MARGIN, PREVIEW_LINES, PREVIEW_CHARACTERS)
    for name, value in hidden(card):
        _value(out, name, value)


def because(card: Card) -> str:
    """Say why a card asks."""
    return card.verdict.because.replace(f": {card.plan.summary}", "")


def notes(card: Card) -> Iterator[tuple[str, str]]:
    """Yield what a person must not overlook, each with its name."""
    for lost in card.plan.loses:
        yield lost, "loses"
    for sent in card.plan.sends:
        yield sent, "sends"
    for warned in card.plan.warns:
        yield warned, "note"
    for said in dict.fromkeys(said for text in _names(card) for said in warnings(text)):
        yield said, "look"


def _names(card: Card) -> list[str]:
    texts = [text for name, value in card.arguments.items() if name not in _FORWARDS for text in texts_in(value)]
    return [*texts, card.plan.summary]


def texts_in(value: Json) -> list[str]:
    """Return every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in cast("list[Json]", value) for text in texts_in(item)]
    if isinstance(value, Mapping):
        return [text for item in cast("Mapping[str, Json]", value).values() for text in texts_in(item)]
    return []


def hidden(card: Card) -> list[tuple[str, str]]:
    """Return the arguments whose values neither the summary nor the preview shows already."""
    told = [card.plan.summary, *card.plan.loses, *card.plan.sends]
    preview = card.plan.preview
    if not _CUT.search(preview):
        told.append(preview)
    added = {line[1:] for line in preview.split("\n") if line[:1] == "+"} if told[-1] == preview else set[str]()
    is_diff = told[-1] == preview and preview.startswith("--- before\n")
    return [
        (name, text)
        for name, value in card.arguments.items()
        for text in [_said(value)]
        if not _is_told(name, text, told, added, is_diff=is_diff)
    ]


def _said(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_told(name: str, text: str, told: list[str], added: set[str], *, is_diff: bool) -> bool:
    if name == "content" and is_diff:
        return True
    if any(f"“{text}”" in one or (len(text) >= TELLING and text in one) for one in told):
        return True
    return bool(added) and all(line in added for line in text.removesuffix("\n").split("\n"))


def _value(out: Page, name: str, value: str) -> None:
    shown = visible(value)
    first = f"{_MARGIN}{visible(name):<9}" if len(name) < len(_MARGIN) + 4 else f"{_MARGIN}{visible(name)} "
    if "\n" not in value and len(first) + len(shown) <= out.width:
        out.lines.append(first + shown)
        return
    out.lines += cut(f"{first}({len(value):,} characters, sha256 {sha256(value)})", out.width)
    out.put(value, _MARGIN, VALUE_LINES, VALUE_CHARACTERS)


def way_back(plan: Plan) -> str:
    """Say whether what is done can be taken back, and why not where it cannot."""
    if not plan.changes:
        return "none needed: it changes nothing by itself"
    whys = [change.undo.why for change in plan.changes if isinstance(change.undo, CannotUndo)]
    if not whys:
        return "sayso undo takes it back"
    reasons = "; ".join(dict.fromkeys(whys))
    if len(whys) == len(plan.changes):
        return f"none: {reasons}"
    return f"in part, {len(plan.changes) - len(whys)} of {len(plan.changes)} changes: {reasons}"
