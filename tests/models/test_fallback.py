"""Models that stand in for others: the next one where one cannot begin, and one that plays replies from a file."""

from pathlib import Path

import pytest

from sayso.core.conversation import Chunk, ConversationRequest, Message, ReplyDelayed, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.dialects.detect import CHAT
from sayso.models.fallback import Fallback
from sayso.models.replay import PIECE, RecordedReply, Replay, open_replay
from sayso.testing.fakes import Scripted
from tests.models.asking import end_of, heard, problem_of, text_of

NO_KEY = SetupError("there is no key for a", "model.key")
DOWN = ProviderError("b is down", "model.server")


async def test_the_first_answers_where_it_can():
    first, second = Scripted("hello", name="a:1"), Scripted("you", name="b:1")
    model = Fallback((first, second))

    came, _ = await heard(model)

    assert (model.name, text_of(came), second.asked) == ("a:1", "hello", [])
    assert end_of(came).instead == ()


async def test_the_end_says_who_answered_and_why_others_did_not():
    model = Fallback((Scripted(NO_KEY, name="a:1"), Scripted(DOWN, name="b:1"), Scripted("hello", name="c:1")))

    came, _ = await heard(model)

    assert text_of(came) == "hello"
    assert (end_of(came).model, end_of(came).instead) == ("c:1", ("there is no key for a", "b is down"))


async def test_all_are_asked_the_same():
    first, second = Scripted(DOWN, name="a"), Scripted("hello", name="b")

    await heard(Fallback((first, second)))

    assert first.asked == second.asked


async def test_one_that_broke_off_is_not_replaced():
    cut = ProviderError("a broke off", "model.cut")
    second = Scripted("hello", name="b")

    came, problem = await heard(Fallback((Scripted([ReplyText("half"), cut], name="a"), second)))

    assert (came, problem, second.asked) == ([ReplyText("half")], cut, [])


@pytest.mark.parametrize(("first", "second"), [(NO_KEY, DOWN), (DOWN, NO_KEY)])
async def test_where_none_can_all_reasons_are_told(first: SaysoError, second: SaysoError):
    problem = await problem_of(Fallback((Scripted(first, name="a"), Scripted(second, name="b"))))

    assert (type(problem), problem.code) == (type(first), first.code)
    assert str(problem).startswith(str(first))
    assert f"b: {second}" in str(problem)


async def test_a_mistake_in_the_program_is_not_covered_up():
    mistaken, second = Scripted(name="a"), Scripted("hello", name="b")

    with pytest.raises(AssertionError):
        await heard(Fallback((mistaken, second)))

    assert second.asked == []


async def test_an_end_alone_is_a_beginning_too():
    came, _ = await heard(Fallback((Scripted([ReplyEnd("a", "refused")], name="a"), Scripted("hello", name="b"))))

    assert came == [ReplyEnd("a", "refused")]


ASKED = ConversationRequest("", (Message("user", "hi"),), "hi", CHAT)


async def played(model: Replay) -> list[Chunk]:
    return [chunk async for chunk in model.stream(ASKED)]


async def test_replies_come_in_pieces_and_in_their_order(tmp_path: Path):
    file = tmp_path / "replies.json"
    file.write_text(
        '["' + "x" * (PIECE + 1) + '", {"text": "y", "calls": [{"name": "file_read", "arguments": {"path": "a"}}]}]'
    )
    model = open_replay(str(file))

    assert await played(model) == [ReplyText("x" * PIECE), ReplyText("x"), ReplyEnd(model.name, "stop")]
    assert await played(model) == [
        ReplyText("y"),
        ToolCall("call_1_0", "file_read", '{"path": "a"}'),
        ReplyEnd(model.name, "tools"),
    ]
    with pytest.raises(ProviderError, match="no reply left"):
        await played(model)


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "is no list of replies"), ('[{"txt": 1}]', "is no list of replies"), (None, "cannot be read")],
)
def test_what_is_no_list_of_replies_is_one_sentence(text: str | None, said: str, tmp_path: Path):
    file = tmp_path / "replies.json"
    if text is not None:
        file.write_text(text)

    with pytest.raises(SetupError, match=said):
        open_replay(str(file))


async def test_an_empty_reply_only_ends():
    assert await played(Replay("m", [RecordedReply()])) == [ReplyEnd("m", "stop")]


async def test_a_model_that_is_only_delayed_has_not_begun():
    delayed = ReplyDelayed("busy", 1, 2, 5)
    model = Fallback((Scripted([delayed, ProviderError("a is down")], name="a"), Scripted("hi", name="b")))

    came = [chunk async for chunk in model.stream(ASKED)]

    assert came[0] == delayed
    assert isinstance(came[-1], ReplyEnd)
    assert came[-1].instead == ("a is down",)
