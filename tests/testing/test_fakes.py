"""The scripted model plays what it was given, piece by piece, and keeps what it was asked."""

from contextlib import aclosing

import anyio
import pytest

from sayso.assembly.parts import dialect
from sayso.core.conversation import Chunk, ConversationRequest, Message, Model, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, SaysoError
from sayso.testing.fakes import Scripted, Silent, make_call

WISH = ConversationRequest("Be brief.", (Message("user", "move a to b"),), "move a to b", dialect("lines"))


async def played(model: Model) -> tuple[list[Chunk], SaysoError | None]:
    """Return what came, and what it broke off with."""
    came: list[Chunk] = []
    try:
        async for chunk in model.stream(WISH):
            came += [chunk]
    except SaysoError as broke:
        return came, broke
    return came, None


async def test_a_text_comes_in_pieces_and_then_its_end():
    model = Scripted("MOVE_FILE a b", name="m", size=5)

    came, broke = await played(model)

    assert came == [ReplyText("MOVE_"), ReplyText("FILE "), ReplyText("a b"), ReplyEnd("m", "stop", 6, 3)]
    assert broke is None
    assert (model.asked, model.ended) == ([WISH], 1)


async def test_replies_are_played_in_order_and_calls_end_for_tools():
    model = Scripted("one", [ReplyText("two"), make_call("file_read", path="a")])

    await played(model)
    came, _ = await played(model)

    assert came[:2] == [ReplyText("two"), ToolCall("call_1", "file_read", '{"path": "a"}')]
    assert isinstance(came[2], ReplyEnd)
    assert came[2].reason == "tools"


async def test_an_end_that_is_given_is_the_end():
    came, _ = await played(Scripted([ReplyText("far too lo"), ReplyEnd("m", "length")]))

    assert came == [ReplyText("far too lo"), ReplyEnd("m", "length")]


async def test_an_error_is_raised_in_its_turn():
    cut = ProviderError("the connection broke")
    model = Scripted([ReplyText("half"), cut], ProviderError("it is down"))

    came, broke = await played(model)
    nothing, down = await played(model)

    assert (came, broke) == ([ReplyText("half")], cut)
    assert (nothing, str(down)) == ([], "it is down")
    assert model.ended == 0


async def test_a_reply_can_be_made_of_what_was_asked():
    came, _ = await played(Scripted(lambda asked: asked.words, size=99))

    assert came[0] == ReplyText("move a to b")


async def test_being_asked_too_often_is_a_failure_of_the_test():
    model = Scripted("once")
    await played(model)

    with pytest.raises(AssertionError, match="asked 2 times, and has 1 replies"):
        await played(model)


async def test_it_falls_silent_until_it_is_left():
    model = Scripted([ReplyText("well"), Silent()])
    came: list[Chunk] = []

    with anyio.move_on_after(0.05) as waited:
        async with aclosing(model.stream(WISH)) as chunks:
            async for chunk in chunks:
                came += [chunk]

    assert waited.cancelled_caught
    assert (came, model.ended) == ([ReplyText("well")], 0)
