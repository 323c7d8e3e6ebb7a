"""A model of Google's is asked by the real client library, with text, calls and errors as every other."""

import pytest

from sayso.core.conversation import ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import SetupError
from sayso.testing.fakes import make_call
from sayso.testing.model_server import CutOff, Status, playing
from tests.models.asking import READ, calls_of, end_of, heard, hosted, problem_of, text_of, wish

GEMINI = "gemini:gemini-any"


async def test_text_and_calls_come_as_from_every_other():
    call = make_call("file_read", path="a")
    with playing([ReplyText("Hello, you there"), call, ReplyEnd("", "tools", None, 3)], size=6) as server:
        came, problem = await heard(hosted(server, GEMINI), wish(tools=(READ,)))

    assert [chunk for chunk in came if isinstance(chunk, ReplyText)] == [
        ReplyText("Hello,"),
        ReplyText(" you t"),
        ReplyText("here"),
    ]
    assert [(one.name, one.arguments) for one in calls_of(came)] == [("file_read", '{"path": "a"}')]
    assert (end_of(came).model, end_of(came).tokens_out, problem) == (GEMINI, 3, None)
    assert server.heard[0].path.startswith("/v1beta/models/gemini-any:streamGenerateContent")
    assert "Be brief." in str(server.heard[0].body["systemInstruction"])


@pytest.mark.parametrize(("reason", "calls"), [("refused", 0), ("length", 1)])
async def test_its_reasons_to_end_are_understood(reason: str, calls: int):
    with playing(
        [make_call("file_read", path="a"), ReplyEnd("", "refused" if reason == "refused" else "length")]
    ) as server:
        came, _ = await heard(hosted(server, GEMINI), wish(tools=(READ,)))

    assert (end_of(came).reason, len(calls_of(came))) == (reason, calls)


async def test_a_wrong_key_and_a_cut_are_sentences():
    with playing(Status(403), [ReplyText("half"), ToolCall("1", "file_read", "{}"), CutOff()]) as server:
        wrong = await problem_of(hosted(server, GEMINI))
        came, cut = await heard(hosted(server, GEMINI))

    assert (type(wrong), wrong.code) == (SetupError, "model.key")
    assert (text_of(came), calls_of(came), cut and cut.code) == ("half", [], "model.cut")


async def test_what_may_pass_is_asked_for_again_by_us_alone():
    with playing(Status(503), "now") as server:
        came, _ = await heard(hosted(server, GEMINI))

    assert (text_of(came), len(server.heard)) == ("now", 2)
