"""Wishes as data: what a person says, and the one operation and arguments that it means (tests/cases/wishes)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "cases" / "wishes"
OWN = "template.run"
"""The operation that an action of the person's own is."""


@dataclass(frozen=True)
class Wish:
    """A plain sentence with exact values in it, and what it means in canonical names.

    Of a wish for an action of the person's own, `template` is the template's id and `arguments` are its params.
    """

    id: str
    sentence: str
    operation: str
    arguments: Mapping[str, Any]
    template: str | None = None


@dataclass(frozen=True)
class Template:
    """An invented action of a person's own: its params by name, each with its type in words."""

    id: str
    does: str
    params: Mapping[str, str]


@dataclass(frozen=True)
class ByHand:
    """A reply that somebody wrote who saw a prompt and a wish only; `wish` is what the reply says.

    Where that is something else than was meant, `meant` differs from `wish`. A corrected one was written for such a
    reply, and says what was meant.
    """

    dialect: str
    wish: Wish
    meant: str
    reply: str
    corrected: bool = False


def wishes() -> tuple[Wish, ...]:
    """Return the wishes for the operations of the catalogue."""
    return tuple(
        Wish(one["id"], one["wish"], one["operation"], one["arguments"])
        for path in sorted(FOLDER.glob("*.json"))
        if path.name != "actions.json"
        for one in _file(path)["wishes"]
    )


def own_wishes() -> tuple[Wish, ...]:
    """Return the wishes for the person's own actions."""
    said = _file(FOLDER / "actions.json")["wishes"]
    return tuple(Wish(one["id"], one["wish"], OWN, one["params"], one["template"]) for one in said)


def templates() -> Mapping[str, Template]:
    """Return the person's own actions by id."""
    said = _file(FOLDER / "actions.json")["templates"]
    return {one["id"]: Template(one["id"], one["does"], one["params"]) for one in said}


def by_hand(dialect: str) -> tuple[ByHand, ...]:
    """Return the replies that were written by hand in a dialect; a new one may have none."""
    file = FOLDER / "by_hand" / f"{dialect}.json"
    if not file.exists():
        return ()
    known = {wish.id: wish for wish in (*wishes(), *own_wishes())}
    said = _file(file)["replies"]
    return tuple(_by_hand(dialect, one, known[one["wish"]]) for one in said)


def _by_hand(dialect: str, one: Mapping[str, Any], meant: Wish) -> ByHand:
    says = one.get("says")
    wish = meant
    if says is not None and "arguments" in says:
        wish = Wish(f"{meant.id} as written", meant.sentence, says["operation"], says["arguments"])
    return ByHand(dialect, wish, meant.id, one["reply"], one.get("corrected", False))


def _file(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))
