"""A trace has its six parts first and in their order, also where nothing was read of a reply."""

import pytest

from sayso.assistant.trace import AskStep, Trace
from sayso.core.proposal import Proposal
from sayso.core.record import State
from sayso.runtime.results import Outcome, Report
from sayso.testing.journal import a_record, as_done

PARTS = ["context", "system_prompt", "user_prompt", "response", "commands"]


@pytest.mark.req("S0-85")
def test_all_six_parts_are_there_when_nothing_was_read():
    trace = Trace("automation", {"time": "now"}, "system", "user", (AskStep("user", "# No action needed"),)).json()

    assert [key for key in trace if key in {*PARTS, "results"}] == [*PARTS, "results"]
    assert (trace["response"], trace["commands"], trace["results"]) == ("# No action needed", [], [])


@pytest.mark.req("S4-53")
def test_request_validation_and_execution_are_told_apart():
    bad = a_record(2, index=1, state=State.INVALID, plan=None)
    report = Report("run_x", "commands", (Outcome(as_done(a_record(1))), Outcome(bad.marked(error="no such tab"))))
    step = AskStep("u", "r", (Proposal(0, "a"), Proposal(1, "b", problem="no such tab")), (report,))

    trace = Trace("commands", steps=(step,)).json()

    assert trace["validation"] == [
        {"index": 0, "valid": True, "problem": None},
        {"index": 1, "valid": False, "problem": "no such tab"},
    ]


def test_what_a_read_found_is_told_and_not_kept():
    read = Outcome(a_record(1, plan=None, state=State.DONE), {"text": "private"}, "private")
    trace = Trace("chat", steps=(AskStep("u", "r", (), (Report("run_x", "tools", (read,)),)),))

    assert "private" in str(trace.json())
    assert "private" not in str(trace.json(whole=False))


def test_why_it_ended_without_a_reply_is_in_it():
    trace = Trace("chat", user_prompt="u", error="the server fell silent").json()

    assert (trace["error"], trace["response"], trace["user_prompt"]) == ("the server fell silent", "", "u")
