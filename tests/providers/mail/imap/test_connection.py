"""A connection that was cut is opened again for a question, and mailboxes and labels are those of the server."""

from collections.abc import Sequence

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import CannotTell, NotDone
from sayso.core.ports import Backend, KillPoint
from sayso.providers.mail import MAIL
from sayso.providers.mail.imap.backend import Imap
from sayso.providers.mail.imap.client import ImapSession
from sayso.providers.mail.imap.connection import Mailboxes, list_mailboxes
from sayso.providers.mail.imap.fetch import keywords_of_fetched, numbers_key
from sayso.providers.mail.model import MoveMessages
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD, ids_of, reads
from tests.mail_env.dovecot import Accounts
from tests.mail_env.gmail import Gmail
from tests.providers.mail.imap.servers import OLDEST, ONE, TWO, over, places
from tests.providers.mail.letters import mbox_of

BOTH = [OLD.message_id, NEW.message_id]


def backend(server: Accounts, person: str, kill: KillPoint) -> Backend:
    return over(server, person, kill)


@pytest.mark.needs("dovecot")
async def test_after_a_cut_the_next_question_is_answered(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    there = over(server, person)
    await there.reads.inbox(9, include_read=True)

    server.cut()

    assert len(await there.reads.inbox(9, include_read=True)) == len(MESSAGES)


@pytest.mark.needs("dovecot")
async def test_after_a_cut_before_the_deed_it_is_done_once(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.archive", ids=BOTH)

    server.cut()
    await trial.do(plan)

    assert [one.mailbox for one in await trial.seen.heads(tuple(BOTH))] == ["archive", "archive"]


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize(("at", "settled"), [("before", NotDone), ("after", CannotTell)])
async def test_a_cut_in_the_middle_is_uncertain_and_settled_by_looking(server: Accounts, at: str, settled: type):
    person = server.person(mbox_of(MESSAGES))

    def cuts(label: str) -> None:
        if label == f"mail.move.{at}":
            server.cut()
            if at == "after":
                raise ConnectionResetError

    there = backend(server, person, cuts)
    (change,) = (await Trial(MAIL, there).plan("mail.archive", ids=BOTH)).changes

    with pytest.raises(Uncertain, match="cut in the middle"):
        await there.apply(change.do, change.expects)

    assert isinstance(await there.settle(change.do, change.expects), settled)


async def labels(trial: Trial, id_: str) -> tuple[str, ...]:
    (found,) = await reads(trial).heads((id_,))
    return found.labels


async def test_each_message_is_listed_once_with_its_labels(mail: Imap):
    trial = Trial(MAIL, mail)

    found = await places(trial)

    assert found == {ONE: "inbox", TWO: "inbox", OLDEST: "archive"}
    assert [await labels(trial, one) for one in (ONE, TWO, OLDEST)] == [("Two words",), ("Grüße",), ("2024",)]


@pytest.mark.req("S3-42")
async def test_labels_come_and_go_as_labels(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.add_label", ids=[ONE, OLDEST], label='URGENT "now"')

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

    assert ids_of(found.data["messages"]) == [OLDEST, ONE]
    assert len(google.said("X-GM-RAW")) >= 2


@pytest.mark.req("S3-39")
async def test_to_archive_takes_off_the_label_of_the_inbox_and_undo_puts_it_back(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.archive", ids=[ONE, TWO])

    lefts = await trial.do(plan)

    assert [("\\Inbox" in one.labels) for one in google.mails] == [False, False, False]
    assert len(google.said("UID STORE")) == 1
    assert await places(trial) == {ONE: "archive", TWO: "archive", OLDEST: "archive"}
    assert not google.said("MOVE")
    await trial.take_back(plan, lefts)
    assert await places(trial) == {ONE: "inbox", TWO: "inbox", OLDEST: "archive"}
    assert google.mails[0].labels == {"\\Inbox", "\\Important", "Two words"}


async def test_a_cut_while_archiving_is_uncertain_and_never_done_again(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.archive", ids=[ONE])
    google.cuts = "UID STORE"
    (change,) = plan.changes
    assert isinstance(change.do, MoveMessages)

    with pytest.raises(Uncertain):
        await mail.apply(change.do, change.expects)

    assert "\\Inbox" not in google.mails[0].labels
    assert isinstance(await mail.settle(change.do, change.expects), CannotTell)
    assert len(google.said("UID STORE")) == 1


def test_labels_that_are_gmails_own_are_none():
    assert keywords_of_fetched({b"X-GM-LABELS": (b"\\Inbox", b"\\Starred", b"a b", 2024, b"junk")}) == (
        b"a=20b",
        b"2024",
        b"=6Aunk",
    )
    assert keywords_of_fetched({b"FLAGS": ()}) is None


def test_many_numbers_are_asked_for_in_few_and_short_lines():
    keys = numbers_key(list(range(10**18, 10**18 + 1000)))

    assert len(keys) == 10
    assert all(len(b" ".join(key)) < 8000 for key in keys)
    assert b"".join(key[0] for key in keys).count(b"X-GM-MSGID") == 1000


Listed = Sequence[tuple[tuple[bytes, ...], bytes, str]]


class Lists(ImapSession):
    """A server that has these mailboxes."""

    def __init__(self, listed: Listed) -> None:
        self.listed = listed

    def list_folders(
        self, directory: str = "", pattern: str = "*"
    ) -> list[tuple[tuple[bytes, ...], bytes | None, str]]:
        return [(flags, delimiter, name) for flags, delimiter, name in self.listed]

    def has_capability(self, capability: str) -> bool:
        return False


def there(*listed: tuple[str, tuple[bytes, ...]]) -> Mailboxes:
    return list_mailboxes(Lists([(flags, b"/", name) for name, flags in listed]))


def test_what_the_server_says_counts():
    boxes = there(("INBOX", ()), ("Papierkorb", (rb"\Trash",)), ("Trash", ()), ("Work", ()))

    assert boxes.names == {"inbox": "INBOX", "trash": "Papierkorb", "Trash": "Trash", "Work": "Work"}


def test_usual_names_count_where_it_says_nothing():
    boxes = there(("INBOX", ()), ("INBOX.Sent Items", ()), ("INBOX.Drafts", ()), ("Spam", ()))

    assert boxes.names == {"inbox": "INBOX", "sent": "INBOX.Sent Items", "drafts": "INBOX.Drafts", "junk": "Spam"}


def test_where_all_mail_is_in_one_mailbox_that_is_the_archive_and_is_searched():
    boxes = there(("INBOX", ()), ("[Gmail]/All Mail", (rb"\All",)), ("[Gmail]/Trash", (rb"\Trash",)), ("Work", ()))

    assert boxes.name("archive") == "[Gmail]/All Mail"
    assert boxes.mailboxes_to_search() == ["inbox", "archive"]


@pytest.mark.req("ML-07")
def test_a_mailbox_whose_name_would_be_a_command_is_not_there():
    boxes = there(("INBOX", ()), ("x\r\na1 DELETE INBOX", ()), ("NoMail", (rb"\Noselect",)))

    assert boxes.names == {"inbox": "INBOX"}


def test_a_mailbox_that_is_gone_is_named():
    with pytest.raises(ProviderError, match="“Work” any more"):
        there(("INBOX", ())).name("Work")
