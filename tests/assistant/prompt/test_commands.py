"""The prompt of the command bar: the contract, the context as data, the request last."""

import pytest

from sayso.assistant.prompt.commands import system, user
from tests.assistant.prompt.given import KNOWN, OPERATIONS


@pytest.mark.req("S4-54", "X-20", "S4-26")
def test_it_speaks_of_the_contract_and_of_no_other_form():
    prompt = system(OPERATIONS)

    assert '"needs_clarification"' in prompt
    assert "left half [x, y, x+w/2, y+h]" in prompt
    assert not any(word in prompt for word in ("json-action", "# No action needed", "macos_auto"))


@pytest.mark.req("X-08")
def test_the_request_stands_after_the_context_and_outside_of_it():
    prompt = user(KNOWN, "switch to reddit")

    assert prompt.startswith("CONTEXT\n")
    assert prompt.endswith("\nREQUEST:\nswitch to reddit\n")
    assert prompt.count("</tabs>") == 1
    assert "2026-03-14 18:05" in prompt
