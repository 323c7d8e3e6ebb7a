"""Replies as data: the text of a reply, and what reading it must tell; JSON files below tests/cases/<dialect>."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sayso.assembly.parts import DIALECTS, dialect, providers
from sayso.core.dialect import Dialect
from sayso.core.proposal import Proposal
from sayso.dialects.answers import AnsweringDialect
from sayso.dialects.base import Reading, read
from sayso.runtime.registry import catalogue
from sayso.testing.dialects import cuts
from sayso.testing.dialects import read as told
from sayso.testing.harness import OperationsById

CASES = Path(__file__).parents[1] / "cases"
OPERATIONS = OperationsById(catalogue(providers()).values())
EACH = tuple(name for name in DIALECTS if name not in {"auto", "chat"})
"""The dialects, without the two that read others."""
NOTE_NAMES = ", ".join(id_.replace(".", "_").upper() for id_ in OPERATIONS if id_.startswith("note."))
"""The operations on notes as the line dialect names them; it has no other names for them."""
SHORT = 400
"""Texts up to this length are cut at every place."""


def answering(name: str) -> AnsweringDialect:
    """Return a dialect, and what it answers a model."""
    found = dialect(name)
    assert isinstance(found, AnsweringDialect)
    return found


@dataclass(frozen=True)
class Case:
    """A reply; `expects` holds members of what `sayso parse --json` prints, and of its proposals only those named."""

    name: str
    text: str
    req: tuple[str, ...]
    expects: dict[str, Any]


def cases(dialect: str) -> list[Any]:
    """Return the cases of a dialect as parameters, marked with the requirements they prove."""
    found = [_case(path) for path in sorted((CASES / dialect).glob("*.json"))]
    return [pytest.param(case, id=case.name, marks=pytest.mark.req(*case.req)) for case in found]


def _case(path: Path) -> Case:
    said = json.loads(path.read_text("utf-8"))
    text = said.pop("text", None)
    if text is None:
        text = path.with_suffix(".txt").read_text("utf-8")
    return Case(path.stem, text, tuple(said.pop("req", ())), said)


def must_read_as(case: Case, dialect: Dialect) -> Reading:
    """Read a case and hold it against what it expects."""
    found = read(dialect, OPERATIONS, case.text)
    wanted = list(case.expects["proposals"])
    shown = [{key: value_of(one, key) for key in keys} for one, keys in zip(found.proposals, wanted, strict=False)]
    assert shown == wanted
    assert len(found.proposals) == len(wanted), found.proposals[len(wanted) :]
    for name in ("needs_clarification", "clarification_reason", "text_shown"):
        if name in case.expects:
            assert getattr(found, name.removesuffix("_shown")) == case.expects[name]
    if "warnings" in case.expects:
        assert len(found.warnings) == len(case.expects["warnings"]), found.warnings
        for sentence, part in zip(found.warnings, case.expects["warnings"], strict=True):
            assert part in sentence
    return found


def value_of(proposal: Proposal, key: str) -> object:
    """Return a member of a proposal, its arguments as a plain object."""
    return dict(proposal.arguments) if key == "arguments" else getattr(proposal, key)


def must_read_alike_however_cut(case: Case, dialect: Dialect) -> None:
    """Cut a case at every place, and in small pieces: the events are the same."""
    whole = told(dialect, OPERATIONS, [case.text])
    ways = list(cuts(case.text)) if len(case.text) <= SHORT else [_pieces(case.text, size) for size in (1, 3, 7, 64)]
    different = [pieces for pieces in ways if told(dialect, OPERATIONS, pieces) != whole]
    assert different == []


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
