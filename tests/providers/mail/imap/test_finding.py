"""Messages are found by their ids in every mailbox, also many at once, and none is guessed."""

import pytest

from sayso.core.errors import ProposalError
from sayso.testing.mail import NEW, OLD
from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over
from tests.providers.mail.letters import mbox_of


@pytest.mark.needs("dovecot")
async def test_a_message_that_was_moved_elsewhere_is_found_again(server: Accounts):
    person = server.person()
    server.put(person, mbox_of([OLD, NEW]))
    there = over(server, person)
    await there.reads.inbox(9, include_read=True)
    other = server.signed_in(person)
    other.select("INBOX")
    other.uid("MOVE", "1", "Archive")

    (found,) = await there.reads.heads((OLD.message_id,))

    assert (found.mailbox, found.subject, found.body_text) == ("archive", "Invoice 1", "")
    other.logout()
    there.close()


@pytest.mark.needs("dovecot")
async def test_many_unknown_ids_are_found_without_asking_for_each(server: Accounts):
    person = server.person()
    letters = [(f"Message-ID: <{number}@x.test>\r\n\r\n".encode(), 10 + number, "") for number in range(60)]
    server.put(person, letters)
    there = over(server, person)

    found = await there.reads.heads(tuple(f"<{number}@x.test>" for number in range(5, 60)))

    assert [one.message_id for one in found] == [f"<{number}@x.test>" for number in range(5, 60)]
    there.close()


@pytest.mark.req("ML-08")
@pytest.mark.needs("dovecot")
async def test_an_id_that_two_messages_have_is_not_guessed(server: Accounts):
    person = server.person()
    server.put(person, [*mbox_of([NEW]), (b"Message-ID: <new@x.test>\r\nSubject: Spoofed\r\n\r\n", 99, "")])
    there = over(server, person)

    with pytest.raises(ProposalError, match="2 messages in “inbox”") as refused:
        await there.reads.heads((NEW.message_id,))

    found = await there.reads.heads(tuple(one.id for one in refused.value.candidates))
    assert sorted(one.subject for one in found) == ["Lunch", "Spoofed"]
    there.close()
