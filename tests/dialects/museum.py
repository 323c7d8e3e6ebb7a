"""The museum as data: replies as they came, and what a careful person says should be read (tests/museum)."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sayso.assembly.parts import dialect
from sayso.core.proposal import Proposal
from sayso.dialects.base import Reading, read
from tests.dialects.replies import EACH, OPERATIONS

FOLDER = Path(__file__).parents[1] / "museum"
DIALECTS = tuple(name for name in EACH if (FOLDER / name).exists())
"""Those of which there are replies; a new dialect may have none."""
KINDS = ("unedited", "good", "sloppy", "cut", "hostile", "none")
"""`unedited` is what a real model wrote; the others were written, and say what they were written to be."""
JSON_SHOWS = re.compile(r'[{\[]\s*["\'“{]|\{\s*\w+"?\s*:|json-action|"templateId"')


@dataclass(frozen=True)
class Piece:
    """One reply with its origin; of a proposal `expects` names only what a person can tell from the reply."""

    dialect: str
    name: str
    origin: str
    wish: str
    kind: str
    reply: str
    expects: dict[str, Any]

    @property
    def id(self) -> str:
        """Return its name among all."""
        return f"{self.dialect}/{self.name}"


def pieces() -> tuple[Piece, ...]:
    """Return all of the museum."""
    return tuple(
        Piece(name, path.stem, **json.loads(path.read_text("utf-8")))
        for name in DIALECTS
        for path in sorted((FOLDER / name).glob("*.json"))
    )


def differences(piece: Piece) -> list[str]:
    """Return where the reader of its dialect reads a reply otherwise than a careful person."""
    found = read(dialect(piece.dialect), OPERATIONS, piece.reply)
    return [*_proposals(piece, found), *_beside(piece, found)]


def _proposals(piece: Piece, found: Reading) -> Iterator[str]:
    wanted = list(_each(piece.expects["proposals"]))
    if len(found.proposals) != len(wanted):
        yield f"{len(found.proposals)} proposals, not {len(wanted)}"
    for at, (proposal, one) in enumerate(zip(found.proposals, wanted, strict=False)):
        told = _told(proposal, one)
        if told != one:
            yield f"proposal {at}: {told}, not {one}"


def _each(said: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in said:
        times: int = one.get("times", 1)
        yield from [{key: value for key, value in one.items() if key != "times"}] * times


def _told(proposal: Proposal, wanted: dict[str, Any]) -> dict[str, Any]:
    whole = {
        "operation": proposal.operation,
        "arguments": dict(proposal.arguments),
        "template_id": proposal.template_id,
        "style": proposal.style,
    }
    told = {name: value for name, value in whole.items() if name in wanted}
    if proposal.problem is not None:
        told["refused"] = proposal.code
    return told


def _beside(piece: Piece, found: Reading) -> Iterator[str]:
    expects = piece.expects
    if len(found.warnings) != expects["warnings"]:
        yield f"{len(found.warnings)} warnings, not {expects['warnings']}"
    if found.needs_clarification != expects.get("needs_clarification", False):
        yield f"needs_clarification is {found.needs_clarification}"
    if found.text != expects.get("text", ""):
        yield f"shown is {found.text!r}"
    if JSON_SHOWS.search(found.text) and not expects["json_may_show"]:
        yield "JSON is shown"
