"""The prompt of actions teaches what is read."""

import pytest

from sayso.dialects.actions import ACTIONS
from sayso.dialects.actions.describing import SAMPLE, fenced
from sayso.dialects.reading import read
from tests.dialects.replies import OPERATIONS

PROMPT = ACTIONS.describe(list(OPERATIONS.values()))


@pytest.mark.req("S3-84", "S3-86", "S3-87", "S3-88", "S3-89")
def test_the_prompt_gives_the_form_and_the_first_guidelines():
    assert fenced(SAMPLE) in PROMPT
    for words in (
        "highly specific",
        "not “Send email”",
        "rich context",
        "primary for the main recommendation",
        "danger",
    ):
        assert words in PROMPT
    assert "Match the template to the operation" in PROMPT


@pytest.mark.req("S3-90", "S3-91")
def test_the_prompt_gives_the_last_guidelines():
    assert "Give all required parameters" in PROMPT
    assert "made for this person" in PROMPT


def test_the_example_of_the_prompt_reads_as_an_action():
    (proposal,) = read(ACTIONS, OPERATIONS, fenced(SAMPLE)).proposals

    assert (proposal.problem, proposal.template_id) == (None, "send_payment_reminder_acme")
