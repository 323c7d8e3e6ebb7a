"""What is asked is written as the client library has it, in its order."""

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from sayso.core.model import Turn
from sayso.models.messages import messages, parameters
from sayso.testing.scripted import called
from tests.models.asking import READ, wish


def test_what_one_side_says_in_a_row_is_one_message():
    asked = wish(
        Turn("user", "read a and b"),
        Turn("assistant", "", (called("file_read", path="a"), called("file_read", "call_2", path="b"))),
        Turn("tool", "words of a", answers="call_1"),
        Turn("tool", "words of b", answers="call_2"),
        Turn("user", "and?"),
    )

    first, second, third = messages(asked)

    assert isinstance(first, ModelRequest)
    assert [
        (type(part), part.content) for part in first.parts if isinstance(part, SystemPromptPart | UserPromptPart)
    ] == [
        (SystemPromptPart, "Be brief."),
        (UserPromptPart, "read a and b"),
    ]
    assert isinstance(second, ModelResponse)
    assert [(type(part), part.args) for part in second.parts if isinstance(part, ToolCallPart)] == [
        (ToolCallPart, '{"path": "a"}'),
        (ToolCallPart, '{"path": "b"}'),
    ]
    assert isinstance(third, ModelRequest)
    assert [
        (part.tool_name, part.tool_call_id, part.content) for part in third.parts if isinstance(part, ToolReturnPart)
    ] == [("file_read", "call_1", "words of a"), ("file_read", "call_2", "words of b")]
    assert isinstance(third.parts[-1], UserPromptPart)


def test_a_turn_without_words_has_no_text():
    _, answer, _ = messages(wish(Turn("user", "a"), Turn("assistant", "b"), Turn("user", "c")))

    assert isinstance(answer, ModelResponse)
    assert answer.parts == [TextPart("b")]


def test_tools_keep_their_schema():
    (tool,) = parameters(wish(tools=(READ,))).function_tools

    assert (tool.name, tool.description, tool.parameters_json_schema) == (READ.name, READ.description, READ.parameters)
    assert tool.strict is False
