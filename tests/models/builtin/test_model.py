"""The built-in rules answer as a model does, asked themselves or through the client library."""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from msgspec.structs import replace
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, PartStartEvent, TextPart, ToolCallPart

from sayso.assembly.parts import PROVIDERS, dialect
from sayso.core.conversation import ConversationRequest, Model, ReplyEnd, ReplyText, ToolCall, ToolOffer
from sayso.core.operation import Operation
from sayso.dialects.base import read
from sayso.dialects.detect import CHAT
from sayso.models.builtin import BuiltIn
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import FakeClock
from tests.models.builtin.library import as_library_model
from tests.models.builtin.scenes import NOW, context

OPERATIONS: Mapping[str, Operation] = dict(catalogue(PROVIDERS))
RULES = BuiltIn(FakeClock(NOW), NOW.tzinfo, dialect("tools"))


def asked(words: str, name: str = "commands", **more: Any) -> ConversationRequest:
    return replace(ConversationRequest("", (), words, dialect(name), context=context(), operations=OPERATIONS), **more)


def commands(words: str, **more: Any) -> list[dict[str, Any]]:
    return json.loads(RULES.reply(asked(words, **more)).text)["commands"]


@pytest.mark.req("S4-45", "S4-46")
@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("switch to reddit", {"type": "switch_tab", "tab_index": 1}),
        ("close all wikipedia tabs", {"type": "close_tab", "tab_indices": [3, 4]}),
        ("open chatgpt", {"type": "open_url", "url": "https://chatgpt.com"}),
        ("switch to signal", {"type": "focus_app", "app_name": "Signal"}),
        ("quit signal", {"type": "close_app", "app_name": "Signal"}),
        ("how many tabs do I have", {"type": "query", "question": "how many tabs do I have"}),
        ("list my tabs", {"type": "list_tabs"}),
        ("activate the writing layout", {"type": "activate_preset", "preset_name": "writing"}),
        ("put firefox on the left half", {"type": "place_app", "app_name": "Firefox", "bounds": [0, 0, 960, 1080]}),
    ],
)
def test_commands_are_written_by_the_names_of_the_contract(words: str, command: dict[str, Any]):
    assert commands(words) == [command]


@pytest.mark.req("S4-48", "S4-49")
@pytest.mark.parametrize(
    ("words", "kind", "reason"),
    [
        ("switch to twitter", "switch_tab", "No tab"),
        ("switch to wikipedia", "switch_tab", "3 “Moss - Wikipedia” or 4 “Fern - Wikipedia”"),
    ],
)
def test_in_commands_it_asks_back_with_the_command_and_nothing_filled_in(words: str, kind: str, reason: str):
    reply = json.loads(RULES.reply(asked(words)).text)

    assert reply["needs_clarification"] is True
    assert reason in reply["clarification_reason"]
    assert reply["commands"] == [{"type": kind}]


@pytest.mark.parametrize("name", ["lines", "tools", "blocks", "commands", "auto"])
def test_a_wish_reads_back_in_every_dialect_that_can_say_it(name: str):
    text = RULES.reply(asked("delete the ladder task and add a task to paint the gate", name)).text

    found = read(dialect(name), OPERATIONS, text)
    assert [(one.operation, one.arguments, one.problem) for one in found.proposals] == [
        ("task.delete", {"target": "Buy a new ladder"}, None),
        ("task.add", {"text": "paint the gate"}, None),
    ]


@pytest.mark.parametrize("name", ["lines", "tools", "blocks", "actions", "commands"])
def test_a_question_proposes_nothing_in_any_dialect(name: str):
    text = RULES.reply(asked("close everything", name)).text

    found = read(dialect(name), OPERATIONS, text)
    assert [one for one in found.proposals if one.operation and not found.needs_clarification] == []
    assert "everything" in text


def test_what_a_dialect_cannot_say_is_said_in_words():
    text = RULES.reply(asked("switch to reddit", "blocks")).text

    assert "sayso ask" in text
    assert "```" not in text


def test_what_is_switched_off_is_not_proposed():
    allowed = {id_: operation for id_, operation in OPERATIONS.items() if id_ != "tab.close"}

    reply = json.loads(RULES.reply(asked("mute and close reddit", operations=allowed)).text)

    assert reply["needs_clarification"]
    assert "“tab.close” is switched off" in reply["clarification_reason"]


@pytest.mark.parametrize(
    ("words", "acts"), [("close reddit?", False), ("could you close reddit?", True), ("what tabs are open?", True)]
)
def test_what_is_put_as_a_question_changes_nothing(words: str, acts: bool):
    assert bool(not json.loads(RULES.reply(asked(words)).text)["needs_clarification"]) is acts


def test_an_answer_goes_on_with_the_words_before():
    assert commands("the fern one", earlier=("switch to wikipedia",)) == [{"type": "switch_tab", "tab_index": 4}]


def test_a_reply_streams_and_ends():
    async def stream(model: Model) -> list[object]:
        return [chunk async for chunk in model.stream(asked("mute"))]

    text, end = anyio.run(stream, RULES)

    assert isinstance(text, ReplyText)
    assert isinstance(end, ReplyEnd)
    assert (end.model, end.reason) == ("embedded", "stop")
    assert end.why[0] == "“mute” is what was read, without what is only polite"
    assert "sound.set_volume" in end.why[1]


def test_a_tool_that_is_offered_is_called():
    tools = (ToolOffer("file_move", "", {}), ToolOffer("browser", "", {}))

    reply = RULES.reply(asked("move plan.odt to downloads", "tools", tools=tools))

    assert reply.text == ""
    (call,) = reply.calls
    assert isinstance(call, ToolCall)
    assert (call.name, json.loads(call.arguments)["destination"]) == ("file_move", "~/Downloads/plan.odt")


def test_what_no_offered_tool_says_is_written():
    reply = RULES.reply(replace(asked("delete the ladder task"), dialect=CHAT, tools=(ToolOffer("file_move", "", {}),)))

    assert reply.calls == ()
    assert "delete_task" in reply.text


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
