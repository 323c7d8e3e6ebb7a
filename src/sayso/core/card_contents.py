"""What a card tells the person about one action: its arguments, what is lost or sent, warnings, and the way back."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from msgspec import Struct

from sayso.core.decision import Card
from sayso.core.encoding import Json, code
from sayso.core.lookalikes import warnings
from sayso.core.plan import CannotUndo, Plan
from sayso.core.quotes import quoted
from sayso.core.record import NOT_KEPT

_FORWARDS = ("content", "text", "body")
"""Arguments whose text is passed on as it is, so that no name in it can mislead."""


TELLING = 8
"""Minimum length at which a text counts as shown when something else on the card contains it."""
_LONG = 80
"""Longer values stand on a card once; where they would stand again, their beginning and end do."""
_KEPT_START, _KEPT_END = 40, 16
_MOST = 50
"""How many places and words are looked at; a text of which this is not enough is written out again."""
_CUT = re.compile(r"… [\d,]+ more lines?\Z")
_AROUND = frozenset("“”\"',;:()<> \n\t")


class ArgumentRow(Struct, frozen=True):
    """One argument. `value` is how it is written on one line; `text` is the value itself if it is a text.

    `shown` says whether the text stands whole elsewhere on its card.
    """

    name: str
    value: str
    text: str | None
    shown: bool = False

    @property
    def repeats(self) -> bool:
        """Return whether it is so long that it is not written out where it stands elsewhere on its card."""
        return self.shown and (len(self.value) > _LONG or "\n" in self.value)


def argument_rows(arguments: Mapping[str, Json]) -> Iterator[ArgumentRow]:
    """Yield a row for every argument; different arguments give different rows."""
    for name, value in arguments.items():
        yield ArgumentRow(name, written(value), value if isinstance(value, str) else None)


def card_rows(card: Card, drawn: Iterable[str] = ()) -> list[ArgumentRow]:
    """Return a row for every argument of a card, as a person reads it; `drawn` are texts that are shown besides."""
    plan = card.plan
    others = (plan.summary, *plan.loses, *plan.sends, *plan.warns, *drawn)
    preview = shown_preview(card)
    return [
        ArgumentRow(row.name, row.value, row.text, shown=_stands(row, others) or _is_previewed(row, preview))
        for row in argument_rows(card.said or card.arguments)
    ]


def shown_preview(card: Card) -> str:
    """Return the preview of a card; "" if all of it stands among its notes or its arguments."""
    plan, texts = card.plan, [row.text for row in argument_rows(card.arguments) if row.text]
    if plan.preview in (*plan.loses, *plan.sends, *plan.warns, *texts):
        return ""
    if not _CUT.search(plan.preview):
        return plan.preview
    begun = _CUT.sub("", plan.preview).rstrip().split("\n")
    added = "\n".join(line[1:] for line in begun)
    if all(line.startswith("+") for line in begun) and any(text.startswith(added) for text in texts):
        return ""
    return plan.preview


def _stands(row: ArgumentRow, others: Iterable[str]) -> bool:
    text = row.text
    if text is None:
        return False
    return any(row.value in other or (len(text) >= TELLING and _holds(other, text)) for other in others)


_QUOTES = dict.fromkeys(map(ord, "“”„«»\"'‘’`"))
_STOPS = dict.fromkeys(map(ord, ".,;:!?"), " ")


def called(card: Card) -> str:
    """Return what the model calls an action; "" if it wrote nothing, or nothing that its summary does not say."""
    return card.label if card.label and _bare(card.label) not in _bare(card.plan.summary) else ""


def _bare(text: str) -> str:
    """Return a text without what makes no difference to a reader: capitals, quotes, blanks, stops."""
    return f" {' '.join(text.casefold().translate(_QUOTES).translate(_STOPS).split())} "


def _holds(other: str, text: str) -> bool:
    """Return whether one text stands in another one, with nothing that belongs to it before or behind."""
    at = -1
    for _ in range(_MOST):
        at = other.find(text, at + 1)
        if at < 0:
            return False
        around = other[at - 1 : at] + other[at + len(text) : at + len(text) + 1]
        if _AROUND.issuperset(around):
            return True
    return False


def _is_previewed(row: ArgumentRow, preview: str) -> bool:
    text = row.text
    if not preview or text is None or _CUT.search(preview):
        return False
    if preview.startswith("--- before\n"):
        return row.name == "content"
    added = {line[1:] for line in preview.split("\n") if line[:1] == "+"}
    if added:
        return len(text) >= TELLING and all(line in added for line in text.removesuffix("\n").split("\n"))
    return len(text) >= TELLING and _holds(preview, text)


def written(value: Json) -> str:
    """Return a value on one line: texts are quoted, and equal numbers look equal (3.0 is 3)."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(written(one) for one in cast('list[Json]', value))}]"
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Json]", value).items()
        return "{" + ", ".join(f"{quoted(name)}: {written(one)}" for name, one in sorted(members)) + "}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def request_sentence(summary: str, arguments: Mapping[str, Json]) -> str:
    """Return what was asked for, where there is no plan that says it: what the operation does, and with which values.

    `summary` is that of the operation, of which only the first part is told.
    """
    does = summary[: min((at for mark in ",;:" if (at := summary.find(mark)) >= 0), default=len(summary))]
    texts = [text for text in texts_in(dict(arguments)) if text.strip()]
    values = [quoted(one if len(one) <= _LONGEST_VALUE else f"{one[: _LONGEST_VALUE - 1]}…") for one in texts]
    return f"{does}: {', '.join(values[:_MOST_VALUES])}" if values else does


_LONGEST_VALUE, _MOST_VALUES = 80, 3


def exactly(card: Card) -> str:
    """Return the kind of an action, its steps if they are called otherwise, and the code of all that a yes allows."""
    steps = dict.fromkeys(change.do.step for change in card.plan.changes)
    others = [step for step in steps if step not in {"", card.operation}]
    by_way_of = f" ({', '.join(others)})" if others else ""
    return f"{card.operation}{by_way_of}, code {code(card.digest)}"


def because(card: Card) -> str:
    """Return why a card needs the person's yes, without its summary and the long values that stand on the card."""
    above = (card.plan.summary, *card.plan.loses, *card.plan.sends, *card.plan.warns)
    return _shortened(card.verdict.because.replace(f": {card.plan.summary}", ""), above)


def notes(card: Card) -> Iterator[tuple[str, str]]:
    """Yield what is lost or sent, warnings and misleading characters, each with the name of its category.

    Of a long value that stands above it whole, a note has the beginning and the end.
    """
    above = [card.plan.summary]
    for said, name in (
        *((one, "loses") for one in card.plan.loses),
        *((one, "sends") for one in card.plan.sends),
        *((one, "note") for one in card.plan.warns),
    ):
        yield _shortened(said, above), name
        above.append(said)
    for said in dict.fromkeys(said for text in _names(card) for said in warnings(text)):
        yield said, "look"


def _shortened(text: str, above: Iterable[str]) -> str:
    """Return a sentence in which long words that stand in one of those above it have only their two ends."""
    if len(text) <= _LONG:
        return text
    words = list(dict.fromkeys(word.strip("“”,;:()") for word in text.split() if len(word) > _LONG))[:_MOST]
    for word in sorted((one for one in words if any(one in other for other in above)), key=len, reverse=True):
        text = text.replace(word, f"{word[:_KEPT_START]}…{word[-_KEPT_END:]}")
    return text


def has_no_way_back(plan: Plan) -> bool:
    """Return whether undo cannot reverse all changes of a plan."""
    return any(isinstance(change.undo, CannotUndo) for change in plan.changes)


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


def way_back(plan: Plan, whole: str = "sayso undo takes it back") -> str:
    """Return whether undo can reverse a plan, and if not, why not; `whole` is said if it can."""
    if not plan.changes:
        unkept = plan.data.get(NOT_KEPT)
        return f"none: {unkept}" if unkept else "none needed: it changes nothing by itself"
    whys = [change.undo.why for change in plan.changes if isinstance(change.undo, CannotUndo)]
    if not whys:
        return whole
    reasons = "; ".join(dict.fromkeys(whys))
    if len(whys) == len(plan.changes):
        return f"none: {reasons}"
    return f"in part, {len(plan.changes) - len(whys)} of {len(plan.changes)} changes: {reasons}"
