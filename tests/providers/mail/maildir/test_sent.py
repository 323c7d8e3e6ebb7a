"""A mail of an account without an IMAP server goes out over SMTP, and its copy lies in the Maildir."""

import mailbox
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.core.plan import Left
from sayso.core.ports import Ground
from sayso.providers.mail.facts import MailSent
from sayso.providers.mail.maildir.backend import build
from sayso.providers.mail.provider import MAIL
from sayso.providers.mail.steps import SendMessage
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.trying import Trial
from tests.mail_env.smtp import Post, smtp


def trial_of(root: Path, post: Post | None) -> Trial:
    sending = {"smtp_host": "127.0.0.1", "smtp_port": post.port} if post else {}
    settings = {"path": str(root / "mail"), "address": "ana@x.test", **sending}
    return Trial(MAIL, build(Ground(settings, "/home/ana", str(root / "own"), (), FakeClock(), NumberedIds())))


@pytest.mark.req("S3-43")
async def test_another_program_finds_the_copy_as_read(tmp_path: Path):
    with smtp() as post:
        trial = trial_of(tmp_path, post)
        plan = await trial.plan("mail.send", to="bo@y.test", subject="S", body="Text\n", cc="c@y.test")
        (left,) = await trial.do(plan)
        settled = await trial.backend.settle(plan.changes[0].do, ())

    step = plan.changes[0].do
    assert isinstance(step, SendMessage)
    (copy,) = mailbox.Maildir(tmp_path / "mail" / ".Sent", create=False)
    assert (copy["message-id"], copy.get_flags()) == (step.message_id, "S")
    assert post.accepted == [("ana@x.test", ["bo@y.test", "c@y.test"], step.raw.encode())]
    assert left == settled == Left((MailSent(step.message_id),))


async def test_without_a_server_for_sending_it_is_said_before_anybody_is_asked(tmp_path: Path):
    with pytest.raises(SetupError, match=r"mail\.smtp_host, mail\.address\); “sayso config mail” asks"):
        await trial_of(tmp_path, None).plan("mail.send", to="bo@y.test", subject="S", body="B")


def test_a_mail_is_held_back_ten_seconds_unless_said_otherwise(tmp_path: Path):
    backend = build(Ground({"path": str(tmp_path)}, "/home/ana", str(tmp_path), (), FakeClock(), NumberedIds()))

    assert backend.holds(SendMessage("<a@x>", "a@x", ("b@y",), "S", "B")) == 10
