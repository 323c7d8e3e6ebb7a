"""Asked through the client library, the built-in rules answer the same as when they are asked themselves."""

import pytest
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, PartStartEvent, TextPart, ToolCallPart

from sayso.core.conversation import ToolOffer
from sayso.dialects.detect import CHAT
from sayso.models.builtin.adapter import as_library_model
from tests.models.builtin.test_model import RULES, asked


@pytest.mark.parametrize("words", ["switch to reddit", "close everything", "mute and delete the ladder task", ""])
@pytest.mark.parametrize("name", ["commands", "lines"])
async def test_both_say_the_same(words: str, name: str):
    around = asked(words, name)
    model = as_library_model(RULES, around)

    reply = await model_request(model, [ModelRequest.user_text_prompt(words)], instrument=False)

    assert [part.content for part in reply.parts if isinstance(part, TextPart)] == [RULES.reply(around).text]
    assert reply.model_name == RULES.name


async def test_both_stream_the_same():
    around = asked("switch to reddit")
    prompt = [ModelRequest.user_text_prompt("list my tabs")]

    async with model_request_stream(as_library_model(RULES, around), prompt, instrument=False) as events:
        begun = [event.part async for event in events if isinstance(event, PartStartEvent)]

    assert [part.content for part in begun if isinstance(part, TextPart)] == [RULES.reply(asked("list my tabs")).text]


async def test_both_call_the_same_tools():
    around = asked("move plan.odt to downloads", "tools", dialect=CHAT, tools=(ToolOffer("file_move", "", {}),))

    reply = await model_request(
        as_library_model(RULES, around), [ModelRequest.user_text_prompt(around.words)], instrument=False
    )

    calls = [(part.tool_name, part.args) for part in reply.parts if isinstance(part, ToolCallPart)]
    assert calls == [(call.name, call.arguments) for call in RULES.reply(around).calls]
    assert len(calls) == 1
