"""Operations on mail show everything they will send, and take only what a mail can carry."""

import pytest

from sayso.core.errors import ProposalError
from sayso.core.plan import CannotUndo, Plan
from sayso.providers.mail.memory import pretended
from sayso.providers.mail.provider import MAIL
from sayso.providers.mail.steps import SendMessage
from sayso.providers.mail.world import World
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.trying import Trial

BY_ID = {operation.id: operation for operation in MAIL.operations}


async def planned(operation: str, **arguments: object) -> Plan:
    return await Trial(MAIL, pretended(FakeClock(), NumberedIds(), World(), "me@x.org")).plan(operation, **arguments)


@pytest.mark.req("ML-02")
async def test_sending_names_every_recipient_hidden_ones_too():
    plan = await planned(
        "mail.send",
        to="a@x.org, Bo <b@x.org>",
        subject="S",
        body="Text",
        cc="c@x.org",
        bcc="d@x.org",
        reply_to="e@x.org",
    )

    assert plan.sends == (
        "mail to a@x.org",
        "mail to Bo <b@x.org>",
        "mail, as a copy, to c@x.org",
        "mail, as a hidden copy, to d@x.org",
    )
    assert plan.summary == "Send “S” to a@x.org, b@x.org, c@x.org, d@x.org"
    assert plan.warns == ("Answers will go to e@x.org",)
    assert plan.preview == (
        "From: me@x.org\nTo: a@x.org, Bo <b@x.org>\nCc: c@x.org\nBcc: d@x.org\nReply-To: e@x.org\nSubject: S\n\nText"
    )


async def test_the_message_id_is_made_before_anything_is_shown():
    plan = await planned("mail.send", to="a@x.org", subject="S", body="B")

    (change,) = plan.changes
    assert isinstance(change.do, SendMessage)
    assert change.do == SendMessage(
        "<token000000000000001@x.org>", "me@x.org", ("a@x.org",), "S", "B", raw=change.do.raw
    )
    assert "Message-ID: <token000000000000001@x.org>\r\n" in change.do.raw
    assert change.undo == CannotUndo("a sent mail cannot be called back")
    assert plan.data == {"message_id": "<token000000000000001@x.org>"}


async def test_a_domain_with_letters_beyond_ascii_is_spelled_out():
    plan = await planned("mail.send", to="a@bücher.example", subject="", body="")

    assert plan.sends == (
        "mail to a@xn--bcher-kva.example (that is bücher.example, a name with letters beyond a to z)",
    )


@pytest.mark.req("ML-01")
@pytest.mark.parametrize("field", ["to", "subject", "cc", "bcc", "reply_to"])
@pytest.mark.parametrize("bad", ["\r", "\n", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\x00"], ids=ascii)
def test_no_header_takes_a_line_break_or_control_character(field: str, bad: str):
    arguments = {"to": "a@x.org", "subject": "S", "body": "B", field: f"a@x.org{bad}Bcc: evil@x.test"}

    _, problems = BY_ID["mail.send"].check(arguments)

    assert [problem.argument for problem in problems] == [field]


@pytest.mark.req("ML-01")
@pytest.mark.parametrize("operation", ["mail.send", "mail.compose"])
async def test_a_subject_takes_no_encoded_word(operation: str):
    with pytest.raises(ProposalError, match="encoded word"):
        await planned(operation, to="a@x.org", subject="=?utf-8?q?a=0D=0ABcc:_evil=40x.test?=", body="")


@pytest.mark.parametrize("operation", ["mail.send", "mail.compose"])
async def test_a_subject_is_shown_without_the_blanks_around_it_that_no_mail_carries(operation: str):
    plan = await planned(operation, to="a@x.org", subject="  A  word ", body="")

    assert "“A  word”" in plan.summary
    assert "Subject: A  word\n" in plan.preview


@pytest.mark.req("ML-02")
@pytest.mark.parametrize("extra", ["headers", "envelope_to", "from", "replyTo"])
def test_sending_takes_no_other_fields(extra: str):
    _, problems = BY_ID["mail.send"].check({"to": "a@x.org", "subject": "S", "body": "B", extra: "x"})

    assert [problem.code for problem in problems] == ["arguments.unknown"]


@pytest.mark.parametrize(
    ("criteria", "code"),
    [
        ({"sender": "ana"}, "arguments.unknown"),
        ({"unread": "yes"}, "arguments.type"),
        ({"limit": 0}, "arguments.type"),
        ({"after": "2024-02-30"}, "arguments.date"),
        ({"from": "a\nb"}, "arguments.characters"),
    ],
    ids=str,
)
async def test_criteria_are_held_to_their_form(criteria: dict[str, object], code: str):
    with pytest.raises(ProposalError) as refused:
        await Trial(MAIL, pretended(FakeClock(), NumberedIds(), World())).answer("mail.search", criteria=criteria)

    assert refused.value.code == code


@pytest.mark.parametrize("ids", [["a\nb"], ["a\x00"], ["x\u2028"]], ids=ascii)
async def test_an_id_takes_no_control_character(ids: list[str]):
    _, problems = BY_ID["mail.star"].check({"ids": ids})

    if not problems:
        with pytest.raises(ProposalError, match="control"):
            await planned("mail.star", ids=ids)


def test_who_must_approve_stands_in_the_catalogue():
    asks = {id_: (operation.kind, operation.asks) for id_, operation in BY_ID.items()}

    assert asks == {
        "mail.compose": ("write", "mode"),
        "mail.send": ("external", "floor"),
        **{f"mail.{name}": ("read", "none") for name in ("inbox", "search", "query", "get", "get_many")},
        **{
            f"mail.{name}": ("write", "click")
            for name in (
                *("archive", "star", "unstar", "mark_read", "mark_unread", "add_label", "remove_label"),
                "save_attachment",
            )
        },
        "mail.trash": ("destructive", "click"),
    }
    assert {id_ for id_, operation in BY_ID.items() if operation.outside} == {
        f"mail.{name}" for name in ("inbox", "search", "query", "get", "get_many")
    }
