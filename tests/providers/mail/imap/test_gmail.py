"""What Gmail has beside IMAP is used where it is offered, on a server made after Google's own description of it."""

import pytest

from sayso.providers.mail import MAIL
from sayso.providers.mail.imap.backend import Imap
from sayso.providers.mail.imap.gmail import keywords_told, numbers_key
from sayso.testing.harness import Trial
from sayso.testing.mail import ids_of, reads
from tests.mail_env.gmail import Gmail
from tests.providers.mail.imap.gmail_letters import OLD, ONE, TWO, places


async def labels(trial: Trial, id_: str) -> tuple[str, ...]:
    (found,) = await reads(trial).heads((id_,))
    return found.labels


async def test_each_message_is_listed_once_with_its_labels(mail: Imap):
    trial = Trial(MAIL, mail)

    found = await places(trial)

    assert found == {ONE: "inbox", TWO: "inbox", OLD: "archive"}
    assert [await labels(trial, one) for one in (ONE, TWO, OLD)] == [("Two words",), ("Grüße",), ("2024",)]


@pytest.mark.req("S3-42")
async def test_labels_come_and_go_as_labels(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.add_label", ids=[ONE, OLD], label='URGENT "now"')

    lefts = await trial.do(plan)

    assert 'URGENT "now"' in google.mails[0].labels & google.mails[2].labels
    assert "\\Important" in google.mails[0].labels
    assert not any(mail.flags for mail in google.mails)
    assert (await trial.plan("mail.add_label", ids=[ONE], label='urgent "NOW"')).changes == ()
    await trial.take_back(plan, lefts)
    assert google.mails[0].labels == {"\\Inbox", "\\Important", "Two words"}
    await trial.do(await trial.plan("mail.remove_label", ids=[TWO], label="grüße"))
    assert google.mails[1].labels == {"\\Inbox"}


async def test_a_label_is_searched_for_as_a_label(google: Gmail, mail: Imap):
    found = await Trial(MAIL, mail).answer("mail.search", criteria={"label": "two words"})

    assert ids_of(found.data["messages"]) == [ONE]
    assert not google.said("KEYWORD")


@pytest.mark.req("S3-34")
async def test_a_query_is_given_to_gmail_as_it_is_and_as_one_text(google: Gmail, mail: Imap):
    query = 'subject:"About" from:bo larger:1 {a "b) NOT (c"} in:anywhere'
    google.finds[query] = {1, 3}

    found = await Trial(MAIL, mail).answer("mail.query", query=query)

    assert ids_of(found.data["messages"]) == [OLD, ONE]
    assert len(google.said("X-GM-RAW")) >= 2


def test_labels_that_are_gmails_own_are_none():
    assert keywords_told({b"X-GM-LABELS": (b"\\Inbox", b"\\Starred", b"a b", 2024, b"junk")}) == (
        b"a=20b",
        b"2024",
        b"=6Aunk",
    )
    assert keywords_told({b"FLAGS": ()}) is None


def test_many_numbers_are_asked_for_in_few_and_short_lines():
    keys = numbers_key(list(range(10**18, 10**18 + 1000)))

    assert len(keys) == 10
    assert all(len(b" ".join(key)) < 8000 for key in keys)
    assert b"".join(key[0] for key in keys).count(b"X-GM-MSGID") == 1000
