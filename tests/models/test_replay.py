"""Replies in a file are played in their order, words before calls, and a file that holds none is one sentence."""

from pathlib import Path

import pytest

from sayso.core.conversation import Chunk, ConversationRequest, Message, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, SetupError
from sayso.dialects.detect import CHAT
from sayso.models.replay import PIECE, RecordedReply, Replay, open_replay

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
