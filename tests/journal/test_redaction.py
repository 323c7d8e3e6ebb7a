"""What the settings say is not kept goes from everywhere in a record, and nothing else does."""

import json
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.plan import NOT_KEPT
from sayso.core.record import Progress, State, StepOutcome, StepRecord
from sayso.journal.redaction import REDACTED, Redactor, redact_record, without
from sayso.testing.journal import PLAN, a_record

CANARY = 'canary "ß" line one\nand the second line'


def leaking(secret: Any) -> Any:
    """Return a record that has a secret wherever one can stand."""
    text = f"it says {secret} here"
    change = {**PLAN["changes"][0], "do": {"step": "mail.send", "body": secret, "list": [text, {str(secret): 1}]}}
    plan = {**PLAN, "summary": text, "changes": [change], "sends": [text], "preview": f"+{text}", "data": {"a": [text]}}
    marks = Progress(
        State.FAILED,
        1,
        message=text,
        error=repr(text),
        changes=(StepRecord(StepOutcome.DONE, {"free": {str(secret): {"b": text}}}),),
    )
    return a_record(
        1, operation="mail.send", arguments={"to": "ben", "body": secret}, said=json.dumps(text), label=text, plan=plan,
        verdict=Verdict("ask", text, "sends"), marks=marks,
    )  # fmt: skip


@pytest.mark.req("T-92", "AU-04")
@pytest.mark.parametrize("secret", [CANARY, "s3cr3t", 73519, "x y z"])
def test_a_named_argument_is_gone_from_the_whole_record(secret: Any):
    kept = redact_record(leaking(secret), ("mail.send.body",))

    text = msgspec.json.encode(kept).decode()
    for line in str(secret).splitlines():
        assert line not in text
        assert json.dumps(line)[1:-1] not in text
    assert kept.arguments == {"to": "ben", "body": REDACTED}
    assert kept.digest == leaking(secret).digest


@pytest.mark.req("AU-04")
@pytest.mark.parametrize("arguments", [{"login": {"password": CANARY}}, {"all": [{"x": {"password": [CANARY]}}]}])
def test_a_pattern_finds_an_argument_however_deep(arguments: dict[str, Any]):
    record = replace(leaking(CANARY), operation="template.run", arguments=arguments)

    kept = redact_record(record, ("*.password",))

    assert "canary" not in msgspec.json.encode(kept).decode()


def test_a_record_without_a_named_argument_is_the_same_record():
    record = leaking(CANARY)
    understood = replace(record, said="")

    assert redact_record(record, ("mail.reply.body",)) is record
    assert redact_record(understood, ("mail.reply.body", "*.password")) is understood
    assert redact_record(record, ()) is record


def test_a_pattern_that_matches_the_name_of_an_operation_redacts_its_arguments_alone():
    assert without("mail.query", {"raw": "from:ana"}, ("query",)) == ({"raw": "from:ana"}, frozenset())
    assert without("mail.query", {"query": "from:ana"}, ("query",)) == ({"query": REDACTED}, frozenset({"from:ana"}))


WRITES = {"step": "file.write", "path": "/home/ana/b.txt", "text": "the Blue house", "mode": 420}


def writing(undo: dict[str, Any], left: dict[str, Any]) -> Any:
    """Return a record that wrote a text, with what undoes it and what it left."""
    plan: dict[str, Any] = {**PLAN, "changes": [{"do": WRITES, "undo": undo, "expects": {"free": {"blue": {}}}}]}
    marks = Progress(State.DONE, 1, message="wrote blue", changes=(StepRecord(StepOutcome.DONE, left),))
    arguments = {"path": "~/b.txt", "content": "the Blue house"}
    return a_record(1, operation="file.write", arguments=arguments, plan=plan, marks=marks)


def test_what_an_undo_needs_is_kept_if_it_has_no_word_of_the_value():
    undo, left = {"step": "file.trash", "path": "/home/ana/b.txt"}, {"unchanged": {"/home/ana/b.txt": {"inode": 2}}}

    kept = redact_record(writing(undo, left), ("content",))

    (change,) = cast("list[Any]", (kept.plan or {})["changes"])
    assert (change["undo"], kept.marks.changes[0].left) == (undo, left)
    assert change["do"] == {**WRITES, "text": REDACTED}
    assert "blue" not in msgspec.json.encode(kept).decode().lower()


@pytest.mark.parametrize(
    ("undo", "left"),
    [
        ({"step": "file.trash", "path": "/home/ana/BLUE.txt"}, {}),
        ({"step": "file.trash", "path": "/home/ana/bl%75e.txt"}, {}),
        ({"step": "file.trash", "path": "/a", "more": [{"x": "a navyblue thing"}]}, {}),
        ({"step": "file.trash", "path": "/a"}, {"unchanged": {"/home/blue": {}}}),
        ({"step": "file.trash", "path": "/a"}, {"unchanged": {"/a": {"name": "Blue"}}}),
    ],
)
def test_an_undo_that_has_a_word_of_the_value_is_not_kept(undo: dict[str, Any], left: dict[str, Any]):
    kept = redact_record(writing(undo, left), ("content",))

    assert kept.plan
    assert kept.plan["changes"] == [{"do": {"step": "not_kept"}, "undo": {"cannot": NOT_KEPT}, "expects": {}}]
    assert kept.marks.changes == (StepRecord(StepOutcome.DONE, {}),)


def test_a_short_value_goes_only_where_it_is_a_word_of_its_own():
    hide = Redactor(frozenset({"a"}))

    assert hide.text("a cat and a") == "[redacted] cat and [redacted]"


def test_an_empty_value_hides_nothing():
    assert Redactor(frozenset({"", " "})).text("as it was") == "as it was"


def test_a_value_that_is_missing_stays_missing():
    assert without("mail.send", {"body": None}, ("*.body",)) == ({"body": None}, frozenset())
