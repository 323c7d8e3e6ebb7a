"""A trace is printed in its six parts and in their order, whatever is in it."""

import pytest

from sayso.assistant.trace import Step, Trace
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.tracing import PARTS, trace_lines

NAMES = [f"{name}:" for name, _ in PARTS]


def heads(trace: Trace) -> list[str]:
    return [line for line in trace_lines(trace.json(), 80, Style()) if line.endswith(":") and not line.startswith(" ")]


@pytest.mark.req("S0-85")
def test_all_six_parts_are_there_also_when_there_was_nothing():
    assert heads(Trace("automation")) == NAMES
    assert heads(Trace("automation", {"a": 1}, "s", "u", (Step("u", "r"),))) == NAMES


def test_several_turns_are_told_one_after_the_other():
    trace = Trace("chat", {}, "s", "u", (Step("u", "first"), Step("again", "second")))

    lines = trace_lines(trace.json(), 80, Style())

    assert lines.index("LLM Response, turn 1:") < lines.index("User Prompt, turn 2:")
    assert "  │ second" in lines


def test_why_it_ended_stands_at_its_end_and_nothing_in_it_acts():
    lines = trace_lines(Trace("chat", user_prompt="a\x1b[2Jb", error="it fell silent").json(), 80, Style())

    assert "  │ it fell silent" in lines
    assert not any("\x1b" in line for line in lines)
