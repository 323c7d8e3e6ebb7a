"""Whoever hears nothing never stops anything."""

import pytest
from anyio import move_on_after

from sayso.assistant.stream import Nobody, receive_reply
from sayso.core.conversation import ConversationRequest, Message, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.dialects.detect import CHAT
from sayso.testing.fakes import Scripted, Silent


async def test_nobody_waits_for_ever():
    nobody = Nobody()
    nobody.shown("x")
    nobody.doing("y")

    with move_on_after(0) as scope:
        await nobody.stopped()

    assert scope.cancelled_caught


ASKED = ConversationRequest("", (Message("user", "hi"),), "hi", CHAT)


class Shown(Nobody):
    def __init__(self) -> None:
        self.text: list[str] = []

    def shown(self, text: str) -> None:
        self.text.append(text)


class AtOnce(Nobody):
    async def stopped(self) -> None:
        return


async def test_text_and_calls_are_kept_and_text_is_shown_as_it_comes():
    shown, call = Shown(), ToolCall("c", "file_read", "{}")
    model = Scripted([ReplyText("Hel"), ReplyText("lo."), call])

    reply = await receive_reply(model, ASKED, shown, CHAT.reader({}), 1000)

    assert (reply.text, reply.calls, reply.ended.reason, reply.too_long) == ("Hello.", (call,), "tools", False)
    assert shown.text == ["Hel", "lo."]


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
        await receive_reply(Scripted([ReplyText("x"), problem]), ASKED, Nobody(), None, 1000)


@pytest.mark.parametrize("pieces", [[ReplyText("é" * 6)], [ToolCall("c", "x" * 6, "y" * 6)]])
async def test_a_reply_that_is_too_long_is_left(pieces: list[ReplyText | ToolCall]):
    model = Scripted([*pieces, Silent()])

    reply = await receive_reply(model, ASKED, Nobody(), None, 11)

    assert (reply.too_long, reply.ended) == (True, ReplyEnd("scripted", "length"))
