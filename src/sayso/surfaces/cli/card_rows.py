"""The rows of a card: every argument of an action by its name, and the code of what a yes is bound to."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from msgspec import Struct

from sayso.core.decision import Card
from sayso.core.encoding import Json
from sayso.core.quotes import quoted
from sayso.surfaces.cli.text import code


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


def exactly(card: Card) -> str:
    """Return the kind of an action, its steps if they are called otherwise, and the code of all that a yes allows."""
    steps = dict.fromkeys(change.do.step for change in card.plan.changes)
    others = [step for step in steps if step not in {"", card.operation}]
    by_way_of = f" ({', '.join(others)})" if others else ""
    return f"{card.operation}{by_way_of}, code {code(card.digest)}"
