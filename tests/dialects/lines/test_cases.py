"""Hold the line dialect against the museum of replies."""

import pytest

from sayso.core.dialect import TextEvent
from sayso.core.proposal import Proposal
from sayso.dialects.lines import LINES
from sayso.testing.dialects import cuts, proposals_in, read
from tests.dialects.catalogue import OPERATIONS
from tests.dialects.lines.museum import Case, cases

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
