"""Text that comes in pieces is laid out as if it came at once, and no line of it begins where ours do."""

import io
import os
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager, nullcontext

import pytest
from anyio import fail_after, sleep_forever
from hypothesis import given
from hypothesis import strategies as st

from sayso.assistant.asker import AskStep, Trace
from sayso.assistant.stream import receive_reply
from sayso.core.conversation import ReplyText, ToolCall
from sayso.dialects.detect import CHAT
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.reply_stream import PARTS, Flow, TerminalReplyView, trace_lines
from sayso.surfaces.cli.text import BAR, WRAPPED, Style
from sayso.testing.model_server import Pause, playing
from tests.models.asking import FORMATS, READ, hosted, wish
from tests.patience import patience


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


def listening(stop: int = 0, *, as_json: bool = False) -> tuple[TerminalReplyView, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return TerminalReplyView(CommandContext(out, err, None, {}, as_json), nullcontext, lambda: stop), out, err


def test_words_are_printed_as_they_come_and_a_call_has_a_line_of_its_own():
    view, out, err = listening()

    view.show_text("Let me ")
    view.show_text("look.")
    view.show_progress("macOS: calendar today")
    view.end_reply()

    assert (out.getvalue(), err.getvalue(), view.any) == ("Let me look.\n", "… macOS: calendar today\n", True)


class Held:
    """The line of progress, and how often it is held back at the moment."""

    def __init__(self) -> None:
        self.times = 0

    @contextmanager
    def quiet(self) -> Generator[None]:
        self.times += 1
        yield
        self.times -= 1


def test_the_line_of_progress_is_held_back_while_a_line_of_the_reply_is_open():
    held = Held()
    view = TerminalReplyView(CommandContext(io.StringIO(), io.StringIO(), None, {}, False), held.quiet, int)
    times: list[int] = []

    for text in ("Now I ", "move", " it.\n", "\n", "And"):
        view.show_text(text)
        times.append(held.times)
    view.end_reply()

    assert (times, held.times) == ([1, 1, 0, 0, 1], 0)


@pytest.mark.parametrize("name", FORMATS)
async def test_no_word_is_lost_where_a_call_follows_the_text_of_a_real_server(name: str):
    held, pause, out, err = Held(), Pause(), io.StringIO(), io.StringIO()
    times: list[int] = []

    class Watched(TerminalReplyView):
        def show_text(self, text: str) -> None:
            super().show_text(text)
            times.append(held.times)
            pause.over.set()

        async def wait_for_stop(self) -> None:
            await sleep_forever()

    view = Watched(CommandContext(out, err, None, {}, False), held.quiet, int)
    pieces = [ReplyText("Now I "), pause, ReplyText("move it."), ToolCall("c", "file_read", "{}")]
    with playing(pieces) as server:
        reply = await receive_reply(hosted(server, name), wish(tools=(READ,)), view, CHAT.reader({}), 1000)
    assert out.getvalue().endswith("it.\n"), "a question would begin on the line of the reply"
    view.show_progress("reading")

    assert (set(times), held.times) == ({1}, 0)
    assert (out.getvalue(), err.getvalue()) == ("Now I move it.\n", "… reading\n")
    assert (reply.text, len(reply.calls)) == ("Now I move it.", 1)


def test_with_json_no_words_are_printed():
    view, out, _ = listening(as_json=True)

    view.show_text("Hello")
    view.end_reply()

    assert (out.getvalue(), view.any) == ("", False)


async def test_a_wish_to_stop_is_heard():
    readable, writable = os.pipe()
    view, _, _ = listening(readable)

    os.write(writable, b"!")
    with fail_after(patience()):
        await view.wait_for_stop()

    os.close(readable)
    os.close(writable)


NAMES = [f"{name}:" for name, _ in PARTS]


def heads(trace: Trace) -> list[str]:
    return [line for line in trace_lines(trace.json(), 80, Style()) if line.endswith(":") and not line.startswith(" ")]


@pytest.mark.req("S0-85")
def test_all_six_parts_are_there_also_when_there_was_nothing():
    assert heads(Trace("automation")) == NAMES
    assert heads(Trace("automation", {"a": 1}, "s", "u", (AskStep("u", "r"),))) == NAMES


def test_several_turns_are_told_one_after_the_other():
    trace = Trace("chat", {}, "s", "u", (AskStep("u", "first"), AskStep("again", "second")))

    lines = trace_lines(trace.json(), 80, Style())

    assert lines.index("LLM Response, turn 1:") < lines.index("User Prompt, turn 2:")
    assert "  │ second" in lines


def test_why_it_ended_stands_at_its_end_and_nothing_in_it_acts():
    lines = trace_lines(Trace("chat", user_prompt="a\x1b[2Jb", error="it fell silent").json(), 80, Style())

    assert "  │ it fell silent" in lines
    assert not any("\x1b" in line for line in lines)
