"""A change is done to what was approved, in one exchange, and to nothing else."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail import MAIL
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD, READ
from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over
from tests.providers.mail.letters import mbox_of

BOTH = [OLD.message_id, NEW.message_id]


@pytest.mark.req("ML-08")
@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("operation", ["mail.archive", "mail.star"])
async def test_a_mailbox_that_was_made_anew_is_not_touched(server: Accounts, operation: str):
    person = server.person()
    server.put(person, mbox_of(MESSAGES), "Sent")
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.trash" if operation == "mail.archive" else operation, ids=BOTH)
    other = server.signed_in(person)
    other.delete("Sent")
    other.create("Sent")
    server.put(person, mbox_of(MESSAGES), "Sent")

    with pytest.raises(ProviderError, match="nothing was done"):
        await trial.do(plan)

    other.select("Sent")
    assert other.uid("SEARCH", "UNFLAGGED")[1] == [b"1 2 3"]
    other.logout()
    trial.backend.reads.connection.close()


@pytest.mark.req("ML-09")
@pytest.mark.needs("dovecot")
async def test_mail_that_arrives_meanwhile_is_not_touched(server: Accounts):
    person = server.person()
    server.put(person, mbox_of([OLD, READ]))
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.trash", ids=[OLD.message_id, READ.message_id])

    server.put(person, mbox_of([NEW]))
    await trial.do(plan)

    assert [one.message_id for one in await trial.seen.inbox(9, include_read=True)] == [NEW.message_id]
    trial.backend.reads.connection.close()


@pytest.mark.needs("dovecot")
async def test_what_another_program_flagged_meanwhile_is_not_overwritten(server: Accounts):
    person = server.person()
    server.put(person, mbox_of(MESSAGES))
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.star", ids=BOTH)
    other = server.signed_in(person)
    other.select("INBOX")

    other.uid("STORE", "1", "+FLAGS", r"(\Flagged)")

    with pytest.raises(ProviderError, match="changed since"):
        await trial.do(plan)
    assert [one.flags for one in await trial.seen.heads((NEW.message_id,))] == [()]
    other.logout()
    trial.backend.reads.connection.close()


@pytest.mark.needs("dovecot")
async def test_a_flag_set_between_the_look_and_the_deed_is_left_alone(server: Accounts):
    person = server.person()
    server.put(person, mbox_of(MESSAGES))
    other = server.signed_in(person)
    other.select("INBOX")

    def meanwhile(label: str) -> None:
        if label == "mail.flag.before":
            other.uid("STORE", "1", "+FLAGS", r"(\Flagged)")

    trial = Trial(MAIL, over(server, person, meanwhile))
    plan = await trial.plan("mail.star", ids=BOTH)

    with pytest.raises(ProviderError, match="nothing was done"):
        await trial.do(plan)

    found = await trial.seen.heads(tuple(BOTH))
    assert [one.flags for one in found] == [("starred",), ()]
    other.logout()
    trial.backend.reads.connection.close()


@pytest.mark.req("S3-39", "S3-40", "S3-41", "S3-42")
@pytest.mark.needs("dovecot")
async def test_another_program_sees_what_was_done(server: Accounts):
    person = server.person()
    server.put(person, mbox_of(MESSAGES))
    trial = Trial(MAIL, over(server, person))

    for operation, arguments in (
        ("mail.star", {}),
        ("mail.mark_read", {}),
        ("mail.add_label", {"label": "URGENT"}),
        ("mail.archive", {}),
    ):
        await trial.do(await trial.plan(operation, ids=BOTH, **arguments))

    other = server.signed_in(person)
    other.select("Archive")
    assert other.uid("SEARCH", "FLAGGED", "SEEN", "KEYWORD", "URGENT")[1] == [b"1 2"]
    other.logout()
    trial.backend.reads.connection.close()
