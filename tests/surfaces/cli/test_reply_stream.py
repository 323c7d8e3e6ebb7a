"""Text that comes in pieces is laid out as if it came at once, and no line of it begins where ours do."""

import io
import os
import unicodedata
from contextlib import nullcontext

import pytest
from anyio import fail_after
from hypothesis import given
from hypothesis import strategies as st

from sayso.assistant.trace import Step, Trace
from sayso.surfaces.cli.context import Here
from sayso.surfaces.cli.reply_stream import PARTS, Flow, Listening, trace_lines
from sayso.surfaces.cli.text import BAR, WRAPPED, Style


def flowed(pieces: list[str], width: int | None) -> str:
    flow = Flow(width)
    return "".join(flow.add(piece) for piece in pieces) + flow.end()


def test_each_line_has_its_bar_and_a_long_one_is_cut_where_the_screen_ends():
    assert flowed(["Hel", "lo\n", "x" * 20], 18) == f"{BAR}Hello\n{BAR}{'x' * 16}\n{WRAPPED}{'x' * 4}\n"


def test_without_a_screen_it_stays_as_it_is_but_for_what_acts():
    assert flowed(["a\n", "b\x1b[2J"], None) == "a\nb\\u{1b}[2J\n"


def test_nothing_is_nothing():
    assert flowed([""], 80) == ""


@pytest.mark.req("AV-06")
@given(st.lists(st.text(max_size=40), max_size=8), st.integers(20, 60))
def test_no_line_begins_without_a_bar_and_nothing_in_it_acts(pieces: list[str], width: int):
    out = flowed(pieces, width)

    assert all(line.startswith((BAR, WRAPPED)) for line in out.split("\n")[:-1])
    assert not any(unicodedata.category(letter) in {"Cc", "Cf"} for letter in out.replace("\n", ""))


@given(st.text(alphabet="ab\n wide漢", max_size=80), st.integers(1, 7))
def test_how_it_is_cut_makes_no_difference(text: str, size: int):
    pieces = [text[at : at + size] for at in range(0, len(text), size)]

    assert flowed(pieces, 20) == flowed([text], 20)


def listening(stop: int = 0, *, as_json: bool = False) -> tuple[Listening, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return Listening(Here(out, err, None, {}, as_json), nullcontext, lambda: stop), out, err


def test_words_are_printed_as_they_come_and_a_call_has_a_line_of_its_own():
    hears, out, err = listening()

    hears.shown("Let me ")
    hears.shown("look.")
    hears.doing("macOS: calendar today")
    hears.end()

    assert (out.getvalue(), err.getvalue(), hears.any) == ("Let me look.\n", "… macOS: calendar today\n", True)


def test_with_json_no_words_are_printed():
    hears, out, _ = listening(as_json=True)

    hears.shown("Hello")
    hears.end()

    assert (out.getvalue(), hears.any) == ("", False)


async def test_a_wish_to_stop_is_heard():
    readable, writable = os.pipe()
    hears, _, _ = listening(readable)

    os.write(writable, b"!")
    with fail_after(10):
        await hears.stopped()

    os.close(readable)
    os.close(writable)


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
