"""A reply is shown while it comes in, kept whole, and left when it is too long or the person stops it."""

from collections.abc import AsyncGenerator

import pytest
from anyio import Event, create_task_group, move_on_after, wait_all_tasks_blocked

from sayso.assistant.asker import NoView
from sayso.assistant.stream import receive_reply
from sayso.core.conversation import Chunk, ConversationRequest, Message, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.dialects.detect import CHAT
from sayso.testing.fakes import Scripted, Silent


async def test_without_a_view_nothing_ever_stops_it():
    nobody = NoView()
    nobody.show_text("x")
    nobody.show_progress("y")
    nobody.end_reply()

    with move_on_after(0) as scope:
        await nobody.wait_for_stop()

    assert scope.cancelled_caught


ASKED = ConversationRequest("", (Message("user", "hi"),), "hi", CHAT)


class Shown(NoView):
    def __init__(self) -> None:
        self.text: list[str] = []

    def show_text(self, text: str) -> None:
        self.text.append(text)


class AtOnce(NoView):
    async def wait_for_stop(self) -> None:
        return


async def test_text_and_calls_are_kept_and_text_is_shown_as_it_comes():
    shown, call = Shown(), ToolCall("c", "file_read", "{}")
    model = Scripted([ReplyText("Hel"), ReplyText("lo."), call])

    reply = await receive_reply(model, ASKED, shown, CHAT.reader({}), 1000)

    assert (reply.text, reply.calls, reply.ended.reason, reply.too_long) == ("Hello.", (call,), "tools", False)
    assert "".join(shown.text) == "Hello."


async def test_a_part_of_a_line_is_shown_as_soon_as_the_stream_pauses():
    shown, before, waiting = Shown(), list[str](), Event()

    class Pausing:
        name = "pausing"

        async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
            yield ReplyText("Hel")
            yield ReplyText("lo")
            await waiting.wait()
            yield ReplyText(", you.\nNow")
            yield ReplyEnd("pausing", "stop")

    async with create_task_group() as tasks:
        tasks.start_soon(receive_reply, Pausing(), ASKED, shown, CHAT.reader({}), 1000)
        await wait_all_tasks_blocked()
        before += shown.text
        waiting.set()

    assert (before, shown.text) == (["Hello"], ["Hello", ", you.\nNow"])


async def test_what_came_before_a_stream_broke_off_is_shown():
    shown = Shown()

    with pytest.raises(ProviderError, match="down"):
        await receive_reply(Scripted([ReplyText("Hel"), ProviderError("down")]), ASKED, shown, CHAT.reader({}), 1000)

    assert shown.text == ["Hel"]


async def test_without_a_reader_nothing_is_shown():
    shown = Shown()

    await receive_reply(Scripted("{}"), ASKED, shown, None, 1000)

    assert shown.text == []


async def test_a_person_who_stops_it_leaves_the_stream():
    model = Scripted([ReplyText("Hello"), Silent()])

    with pytest.raises(Refused, match="you stopped it"):
        await receive_reply(model, ASKED, AtOnce(), None, 1000)

    assert model.ended == 0


@pytest.mark.parametrize("problem", [ProviderError("down"), SetupError("no key")])
async def test_what_the_model_raises_comes_out_as_it_is(problem: ProviderError | SetupError):
    with pytest.raises(type(problem), match=str(problem)):
        await receive_reply(Scripted([ReplyText("x"), problem]), ASKED, NoView(), None, 1000)


@pytest.mark.parametrize("pieces", [[ReplyText("é" * 6)], [ToolCall("c", "x" * 6, "y" * 6)]])
async def test_a_reply_that_is_too_long_is_left(pieces: list[ReplyText | ToolCall]):
    model = Scripted([*pieces, Silent()])

    reply = await receive_reply(model, ASKED, NoView(), None, 11)

    assert (reply.too_long, reply.ended) == (True, ReplyEnd("scripted", "length"))
