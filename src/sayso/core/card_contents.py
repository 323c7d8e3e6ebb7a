"""What a card tells the person about one action: its arguments, what is lost or sent, warnings, and the way back."""

import json
from collections.abc import Iterator, Mapping
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


class ArgumentRow(Struct, frozen=True):
    """One argument. `value` is how it is written on one line; `text` is the value itself if it is a text."""

    name: str
    value: str
    text: str | None


def argument_rows(arguments: Mapping[str, Json]) -> Iterator[ArgumentRow]:
    """Yield a row for every argument; different arguments give different rows."""
    for name, value in arguments.items():
        yield ArgumentRow(name, written(value), value if isinstance(value, str) else None)


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
    """Return why a card needs the person's yes, without its summary."""
    return card.verdict.because.replace(f": {card.plan.summary}", "")


def notes(card: Card) -> Iterator[tuple[str, str]]:
    """Yield what is lost or sent, warnings and misleading characters, each with the name of its category."""
    for lost in card.plan.loses:
        yield lost, "loses"
    for sent in card.plan.sends:
        yield sent, "sends"
    for warned in card.plan.warns:
        yield warned, "note"
    for said in dict.fromkeys(said for text in _names(card) for said in warnings(text)):
        yield said, "look"


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
