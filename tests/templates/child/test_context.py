"""Every name of S3 asks for the operation that it means, under both spellings, waiting or not."""

import ast
import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sayso.assembly.parts import providers
from sayso.runtime.registry import catalogue
from sayso.templates.child.context import Context, ReplyObject, snake

CASES = json.loads((Path(__file__).parents[2] / "cases" / "templates" / "context.json").read_text("utf-8"))


class Pipe:
    """Answers everything with one message and one text."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []

    def send(self, message: Mapping[str, Any]) -> None:
        """Keep it."""
        self.asked.append(message)

    def receive(self) -> Mapping[str, Any]:
        """Answer."""
        return {"gives": {"id": "id", "text": "t", "messages": [{"message_id": "<1@x>"}]}}


def called(context: Context, text: str) -> Any:
    """Make the call that stands in a case: names of attributes, and plain values."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    names = ast.unparse(call.func).split(".")[1:]
    function: Any = context
    for name in names:
        function = getattr(function, name)
    named = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
    return function(*map(ast.literal_eval, call.args), **named)


@pytest.mark.req("T-86", "S3-33", "S3-36", "S3-40", "S3-41")
@pytest.mark.parametrize("case", CASES, ids=[case["call"] for case in CASES])
def test_it_asks_for_what_it_means(case: Mapping[str, Any]):
    pipe = Pipe()
    context = Context(pipe, "session_xyz", waits=False)

    called(context, case["call"])

    (asked,) = pipe.asked
    assert (asked["operation"], asked["arguments"]) == (case["operation"], case["arguments"])
    assert catalogue(providers())[case["operation"]].check(case["arguments"])[1] == []


@pytest.mark.req("S3-31", "S3-37", "S3-38", "S3-43")
def test_what_comes_back_can_be_asked_for_its_members():
    context = Context(Pipe(), "session_xyz", waits=False)

    (message,) = context.emailAPI.getInbox()

    assert (context.sessionId, message.message_id, message.messageId) == ("session_xyz", "<1@x>", "<1@x>")
    assert context.send_email(to="a@x.org", subject="s", body="b").messageId == "id"
    with pytest.raises(AttributeError, match="there is no “subjekt” here; there are: message_id"):
        assert message.subjekt


def test_a_handler_that_waits_gets_what_can_be_waited_for():
    context = Context(Pipe(), "s", waits=True)

    async def both() -> tuple[Any, ...]:
        first, second = context.email_api.get_email_by_id("a"), context.call_agent(prompt="p")
        return (await first, await second)

    assert asyncio.run(both()) == (ReplyObject(message_id="<1@x>"), "t")


def test_nothing_is_asked_where_there_is_nothing_to_ask():
    pipe = Pipe()
    context = Context(pipe, "s", waits=False)

    assert (context.archive_emails([]), context.email_api.get_emails_by_ids([])) == (None, [])
    assert pipe.asked == []


@pytest.mark.parametrize(
    ("camel", "plain"),
    [("emailAPI", "email_api"), ("getEmailsByIds", "get_emails_by_ids"), ("do", "do"), ("sessionId", "session_id")],
)
def test_names_have_two_spellings(camel: str, plain: str):
    assert snake(camel) == plain
