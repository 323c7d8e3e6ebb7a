"""Files are renamed all or not at all."""

import mailbox
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied
from sayso.core.ports import BackendContext
from sayso.providers.mail import MAIL
from sayso.providers.mail.maildir.backend import build
from sayso.providers.mail.maildir.changes import plan_marks, plan_moves, rename_all
from sayso.providers.mail.maildir.files import MailFolder, number_for
from sayso.providers.mail.maildir.reads import list_files, newest
from sayso.providers.mail.model import MailSent, SendMessage
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.providers.mail.maildir.places import planted


def here(_: int) -> None:
    """Do nothing between two files."""


def test_flags_and_labels_go_with_a_message(tmp_path: Path):
    inbox, archive = (
        MailFolder("inbox", planted(tmp_path, MESSAGES)),
        MailFolder("archive", planted(tmp_path, [], ".Archive")),
    )
    number_for(archive.path, "Other")
    number_for(inbox.path, "Money")
    rename_all(plan_marks(newest(list_files(inbox)), lambda one: {"F", "a"}), here)

    rename_all(plan_moves(newest(list_files(inbox)), archive, "token"), here)

    assert sorted(one.name for one in (archive.path / "cur").iterdir()) == [
        "1772359200.token_2.sayso:2,Fb",
        "1773136800.token_1.sayso:2,Fb",
        "1773396000.token_0.sayso:2,Fb",
    ]


def test_when_one_is_gone_those_before_it_come_back(tmp_path: Path):
    inbox, archive = (
        MailFolder("inbox", planted(tmp_path, MESSAGES)),
        MailFolder("archive", planted(tmp_path, [], ".Archive")),
    )
    found = newest(list_files(inbox))
    before = {one.path for one in found}
    taken = found[-1].path

    def takes(number: int) -> None:
        if number == 2:
            taken.unlink()

    with pytest.raises(ProviderError, match="nothing was done"):
        rename_all(plan_moves(found, archive, "token"), takes)

    assert {one.path for one in list_files(inbox)} == before - {taken}
    assert list((archive.path / "cur").iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path):
    inbox, archive = (
        MailFolder("inbox", planted(tmp_path, MESSAGES)),
        MailFolder("archive", planted(tmp_path, [], ".Archive")),
    )
    renamings = plan_moves(newest(list_files(inbox)), archive, "token")
    renamings[1].to.write_text("somebody else's")

    with pytest.raises(ProviderError, match="there already"):
        rename_all(renamings, here)

    assert renamings[1].to.read_text() == "somebody else's"
    assert len(list(list_files(inbox))) == len(MESSAGES)


def trial_of(root: Path, post: RecordingSmtp | None) -> Trial:
    sending = {"smtp_host": "127.0.0.1", "smtp_port": post.port} if post else {}
    settings = {"path": str(root / "mail"), "address": "ana@x.test", **sending}
    return Trial(MAIL, build(BackendContext(settings, "/home/ana", str(root / "own"), (), FakeClock(), NumberedIds())))


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
    assert left == settled == Applied((MailSent(step.message_id),))


async def test_without_a_server_for_sending_it_is_said_before_anybody_is_asked(tmp_path: Path):
    with pytest.raises(SetupError, match=r"mail\.smtp_host, mail\.address\); “sayso config mail” asks"):
        await trial_of(tmp_path, None).plan("mail.send", to="bo@y.test", subject="S", body="B")


def test_a_mail_is_held_back_ten_seconds_unless_said_otherwise(tmp_path: Path):
    backend = build(BackendContext({"path": str(tmp_path)}, "/home/ana", str(tmp_path), (), FakeClock(), NumberedIds()))

    assert backend.holds(SendMessage("<a@x>", "a@x", ("b@y",), "S", "B")) == 10
