"""Letters are changed, moved and sent on an IMAP server."""

from collections.abc import Generator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, NotDone, Plan
from sayso.core.ports import BackendContext
from sayso.providers.mail import MAIL
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import Imap, build
from sayso.providers.mail.model import MoveMessages, SendMessage
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from tests.mail_env.accounts import WORD, Accounts
from tests.mail_env.gmail import Gmail
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.providers.mail.imap.gmail_letters import OLD, ONE, TWO, places


@pytest.mark.req("S3-39")
async def test_to_archive_takes_off_the_label_of_the_inbox_and_undo_puts_it_back(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.archive", ids=[ONE, TWO])

    lefts = await trial.do(plan)

    assert [("\\Inbox" in one.labels) for one in google.mails] == [False, False, False]
    assert len(google.said("UID STORE")) == 1
    assert await places(trial) == {ONE: "archive", TWO: "archive", OLD: "archive"}
    assert not google.said("MOVE")
    await trial.take_back(plan, lefts)
    assert await places(trial) == {ONE: "inbox", TWO: "inbox", OLD: "archive"}
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


@contextmanager
def account(server: Accounts, person: str, own: Path, post: RecordingSmtp | None = None) -> Generator[Trial]:
    settings = {"host": "127.0.0.1", "port": server.port, "user": person, "address": person, "name": "Ana Büg"}
    sending = {"smtp_host": "127.0.0.1", "smtp_port": post.port} if post else {}
    ground = BackendContext(
        {**settings, **sending}, "/home/ana", str(own), (), FakeClock(), NumberedIds(), environ={VARIABLE: WORD}
    )
    backend = build(ground)
    try:
        yield Trial(MAIL, backend)
    finally:
        backend.close()


async def planned(trial: Trial) -> tuple[Plan, SendMessage]:
    plan = await trial.plan("mail.send", to="Bo <bo@y.test>", subject="Hi ü", body="One\n.\n", bcc="secret@z.test")
    step = plan.changes[0].do
    assert isinstance(step, SendMessage)
    return plan, step


def among_the_sent(server: Accounts, person: str) -> list[bytes]:
    client = server.signed_in(person)
    client.select("Sent", readonly=True)
    _, numbers = client.search(None, "ALL")
    found = [client.fetch(number.decode(), "(FLAGS BODY.PEEK[])")[1][0] for number in numbers[0].split()]
    client.logout()
    return [one[1] for one in found if isinstance(one, tuple)]


@pytest.mark.needs("dovecot", "setpriv")
@pytest.mark.req("S1-28", "S3-43", "ML-02")
async def test_what_was_approved_goes_out_and_the_same_is_kept(server: Accounts, tmp_path: Path):
    person = server.person()
    with smtp(login=True, word=WORD) as post, account(server, person, tmp_path, post) as trial:
        plan, step = await planned(trial)
        (left,) = await trial.do(plan)
        settled = await trial.backend.settle(step, ())
        (message,) = await trial.seen.get((step.message_id,))

    assert post.accepted == [(person, ["bo@y.test", "secret@z.test"], step.raw.encode())]
    assert among_the_sent(server, person) == [step.raw.encode()]
    assert b"secret@z.test" not in post.accepted[0][2]
    read = message_from_bytes(post.accepted[0][2], policy=default)
    assert (str(read["from"]), str(read["subject"])) == (f"Ana Büg <{person}>", "Hi ü")
    assert settled == left
    assert (message.mailbox, message.subject) == ("sent", "Hi ü")


@pytest.mark.needs("dovecot", "setpriv")
@pytest.mark.req("ML-06")
async def test_after_a_cut_the_sent_ones_tell_whether_it_went(server: Accounts, tmp_path: Path):
    person = server.person()
    with smtp(login=True, word=WORD) as post, account(server, person, tmp_path, post) as trial:
        post.cut = "dot"
        plan, step = await planned(trial)
        with pytest.raises(Uncertain):
            await trial.do(plan)

        unknown = await trial.backend.settle(step, ())
        server.put(person, [(step.raw.encode(), 1, "S")], "Sent")  # a server that keeps copies itself
        known = await trial.backend.settle(step, ())

    assert isinstance(unknown, CannotTell)
    assert isinstance(known, Applied)
    assert len(post.accepted) == 1


@pytest.mark.needs("dovecot", "setpriv")
@pytest.mark.req("ML-06")
async def test_after_a_cut_before_the_mail_nothing_went(server: Accounts, tmp_path: Path):
    person = server.person()
    with smtp(login=True, word=WORD) as post, account(server, person, tmp_path, post) as trial:
        post.cut = "RCPT"
        plan, step = await planned(trial)
        with pytest.raises(ProviderError, match="nothing was sent"):
            await trial.do(plan)

        settled = await trial.backend.settle(step, ())

    assert isinstance(settled, NotDone)
    assert post.accepted == []
    assert among_the_sent(server, person) == []


@pytest.mark.needs("dovecot", "setpriv")
async def test_without_a_server_for_sending_it_is_said_before_anybody_is_asked(server: Accounts, tmp_path: Path):
    with account(server, server.person(), tmp_path) as trial, pytest.raises(SetupError, match=r"mail\.smtp_host"):
        await planned(trial)
