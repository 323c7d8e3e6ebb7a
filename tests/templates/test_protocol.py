"""A message is read strictly, or it is none."""

import ast
import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.assembly.parts import providers
from sayso.core.operation import Operation
from sayso.runtime.registry import catalogue
from sayso.templates.child.context import Context, ReplyObject, snake
from sayso.templates.protocol import (
    MOST_CHARACTERS,
    MOST_IDS,
    Effect,
    HandlerFailed,
    HandlerRequest,
    HandlerResult,
    HandlerSays,
    merge_effects,
    read_message,
    read_result,
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"type":"ask","operation":"mail.get","arguments":{"id":"a"}}', HandlerRequest("mail.get", {"id": "a"})),
        (b'{"type":"says","text":"x","level":"warn"}', HandlerSays("x", "warn")),
        (b'{"type":"failed","why":"x"}', HandlerFailed("x")),
        (b'{"type":"failed"}', None),
        (b'{"type":"failed","why":"x","more":1}', None),
        (b'{"why":"x"}', None),
        (b"null", None),
    ],
)
def test_it_is_one_of_five(line: bytes, message: object):
    assert read_message(line) == message


@given(st.binary(max_size=200))
def test_whatever_comes_is_a_message_or_none(line: bytes):
    read_message(line)


@pytest.mark.req("S3-26", "S3-27", "S3-29")
def test_a_result_has_the_names_of_s3():
    given: dict[str, Any] = {
        "success": True,
        "message": "m",
        "data": {},
        "suggestedActions": [{}],
        "refreshInbox": True,
    }

    assert read_result(given) == HandlerResult(True, "m", {}, [{}], True)
    assert read_result({"success": True, "message": "m", "suggested_actions": []}) == (
        "what the handler returned is no result: “result” has no field “suggested_actions”"
    )


def test_a_message_is_a_line_and_no_book():
    whole = read_result({"success": True, "message": "x" * MOST_CHARACTERS})
    longer = read_result({"success": True, "message": "x" * (MOST_CHARACTERS + 1)})

    assert isinstance(whole, HandlerResult)
    assert longer == "what the handler returned is no result: “result.message”: it is longer than 4,000 characters"


OPERATIONS: dict[str, Operation] = dict(catalogue(providers()))


def effect(operation: str, number: int, **arguments: object) -> Effect:
    return Effect(operation, arguments, (number,))


def test_a_thousand_single_ones_are_one_in_their_order_and_none_is_there_twice():
    effects = [effect("mail.archive", n, ids=[str(n % 900)]) for n in range(1000)]

    (one,) = merge_effects(effects, OPERATIONS)

    assert one.arguments == {"ids": [str(n) for n in range(900)]}
    assert one.calls == tuple(range(1000))


def test_another_kind_between_or_other_words_keep_them_apart():
    effects = [
        effect("mail.archive", 1, ids=["a"]),
        effect("mail.star", 2, ids=["a"]),
        effect("mail.archive", 3, ids=["b"]),
        effect("mail.add_label", 4, ids=["a"], label="X"),
        effect("mail.add_label", 5, ids=["b"], label="X"),
        effect("mail.add_label", 6, ids=["b"], label="Y"),
        effect("note.create", 7, title="a"),
        effect("note.create", 8, title="a"),
    ]

    found = merge_effects(effects, OPERATIONS)

    assert [one.calls for one in found] == [(1,), (2,), (3,), (4, 5), (6,), (7,), (8,)]
    assert found[3].arguments == {"ids": ["a", "b"], "label": "X"}


def test_no_action_gets_more_ids_than_it_takes():
    effects = [effect("mail.archive", n, ids=[f"{n}-{m}" for m in range(2000)]) for n in range(5)]

    found = merge_effects(effects, OPERATIONS)

    assert [len(cast("list[str]", one.arguments["ids"])) for one in found] == [4000, 4000, 2000]
    assert all(len(one.calls) <= MOST_IDS for one in found)


@given(st.lists(st.tuples(st.sampled_from(["mail.archive", "mail.star", "mail.trash"]), st.text("abc", min_size=1))))
def test_nothing_is_lost_and_nothing_changes_its_place(wanted: list[tuple[str, str]]):
    found = merge_effects([effect(kind, n, ids=[id_]) for n, (kind, id_) in enumerate(wanted)], OPERATIONS)

    assert [call for one in found for call in one.calls] == list(range(len(wanted)))
    in_runs: list[tuple[str, list[str]]] = []
    for kind, id_ in wanted:
        if in_runs and in_runs[-1][0] == kind:
            in_runs[-1][1].append(id_)
        else:
            in_runs.append((kind, [id_]))
    assert [(one.operation, one.arguments["ids"]) for one in found] == [(k, list(Counter(ids))) for k, ids in in_runs]


CASES = json.loads((Path(__file__).parents[1] / "cases" / "templates" / "context.json").read_text("utf-8"))


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


@pytest.mark.req("T-86", "S3-36", "S3-40", "S3-41")
@pytest.mark.parametrize("case", CASES, ids=[case["call"] for case in CASES])
def test_it_asks_for_what_it_means(case: Mapping[str, Any]):
    pipe = Pipe()
    context = Context(pipe, "session_xyz", name="Note down", waits=False)

    called(context, case["call"])

    (asked,) = pipe.asked
    assert (asked["operation"], asked["arguments"]) == (case["operation"], case["arguments"])
    assert catalogue(providers())[case["operation"]].check(case["arguments"])[1] == []


@pytest.mark.req("S3-31", "S3-37", "S3-38", "S3-43")
def test_what_comes_back_can_be_asked_for_its_members():
    context = Context(Pipe(), "session_xyz", name="Note down", waits=False)

    (message,) = context.emailAPI.getInbox()

    assert (context.sessionId, message.message_id, message.messageId) == ("session_xyz", "<1@x>", "<1@x>")
    assert context.send_email(to="a@x.org", subject="s", body="b").messageId == "id"
    with pytest.raises(AttributeError, match="there is no “subjekt” here; there are: message_id"):
        assert message.subjekt


def test_a_handler_that_waits_gets_what_can_be_waited_for():
    context = Context(Pipe(), "s", name="Note down", waits=True)

    async def both() -> tuple[Any, ...]:
        first, second = context.email_api.get_email_by_id("a"), context.call_agent(prompt="p")
        return (await first, await second)

    assert asyncio.run(both()) == (ReplyObject(message_id="<1@x>"), "t")


def test_nothing_is_asked_where_there_is_nothing_to_ask():
    pipe = Pipe()
    context = Context(pipe, "s", name="Note down", waits=False)

    assert (context.archive_emails([]), context.email_api.get_emails_by_ids([])) == (None, [])
    assert pipe.asked == []


@pytest.mark.parametrize(
    ("camel", "plain"),
    [("emailAPI", "email_api"), ("getEmailsByIds", "get_emails_by_ids"), ("do", "do"), ("sessionId", "session_id")],
)
def test_names_have_two_spellings(camel: str, plain: str):
    assert snake(camel) == plain
