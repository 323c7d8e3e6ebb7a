"""Hold the line dialect against the museum of replies."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sayso.core.dialect import TextEvent
from sayso.core.proposal import Proposal
from sayso.dialects.lines import LINES
from sayso.testing.dialects import cuts, proposals_in, read
from tests.dialects.catalogue import OPERATIONS

FOLDER = Path(__file__).parents[2] / "cases" / "lines"


@dataclass(frozen=True)
class Case:
    """One reply; of each proposal the keys that matter here."""

    name: str
    text: str
    proposals: list[dict[str, Any]]
    req: list[str]


def cases() -> list[Case]:
    """Return all cases, by name."""
    return [_case(file) for file in sorted(FOLDER.glob("*.json"))]


def _case(file: Path) -> Case:
    document = json.loads(file.read_text(encoding="utf-8"))
    beside = file.with_suffix(".txt")
    text = beside.read_bytes().decode() if beside.exists() else document["text"]
    return Case(file.stem, text, document["proposals"], document["req"])


each = pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases()])
each_with_its_ids = pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name, marks=pytest.mark.req(*case.req)) for case in cases()]
)


def proposed(*pieces: str) -> list[Proposal]:
    return [event.proposal for event in proposals_in(read(LINES, OPERATIONS, pieces))]


@each_with_its_ids
def test_a_reply_proposes_what_its_case_says(case: Case):
    found = proposed(case.text)

    of_interest = [{key: getattr(one, key) for key in keys} for one, keys in zip(found, case.proposals, strict=False)]
    assert of_interest == case.proposals
    assert len(found) == len(case.proposals), found[len(case.proposals) :]


@each
@pytest.mark.thorough  # the first ring cuts the same replies in `test_any_cut.py`
@pytest.mark.req("PA-05")
def test_a_reply_may_be_cut_anywhere(case: Case):
    whole = proposed(case.text)

    different = [pieces for pieces in cuts(case.text) if proposed(*pieces) != whole]

    assert different == []


@each
def test_no_part_of_a_reply_is_shown_as_text(case: Case):
    events = read(LINES, OPERATIONS, [case.text])

    assert not [event for event in events if isinstance(event, TextEvent)]


@each
def test_what_was_said_reads_again_as_the_same(case: Case):
    for one in proposed(case.text):
        (again,) = proposed(one.said)

        assert (again.said, again.operation, again.arguments) == (one.said, one.operation, one.arguments)
        assert (again.problem, again.code) == (one.problem, one.code)
