"""Mail in a Maildir behaves as any other, leaves folders that other programs read, and survives a crash."""

import mailbox
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.core.ports import Backend, BackendContext
from sayso.providers.mail import MAIL
from sayso.providers.mail.maildir.backend import build, plan_marks, plan_moves, rename_all
from sayso.providers.mail.maildir.files import MailFolder, number_for
from sayso.providers.mail.maildir.reads import list_files, newest
from sayso.providers.mail.model import MailSent, SendMessage
from sayso.providers.mail.store import Message
from sayso.testing.fakes import FakeClock, KillAt, Killed, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD, READ, MailSuite, SendingSuite
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.providers.mail.letters import over, planted

BOTH = [OLD.message_id, NEW.message_id]


@pytest.fixture(scope="module")
def post() -> Iterator[RecordingSmtp]:
    """Give a server that takes mail."""
    with smtp() as there:
        yield there


class TestMaildir(MailSuite, SendingSuite):
    """The suite on a real folder, and a server that takes what is sent."""

    @pytest.fixture(autouse=True)
    def _root(self, tmp_path: Path, post: RecordingSmtp) -> None:
        self.path = tmp_path
        self.port = post.port
        self.made = 0

    def make(self, messages: Sequence[Message]) -> Backend:
        self.made += 1
        root = self.path / f"mail-{self.made}"
        planted(root, messages)
        takes: dict[str, Json] = {"smtp_host": "127.0.0.1", "smtp_port": self.port, "address": "ana@x.test"}
        return over(root, own=str(self.path / "own"), more=takes)


@pytest.mark.req("S3-39", "S3-40", "S3-41", "S3-42")
async def test_another_program_sees_what_was_done(tmp_path: Path):
    planted(tmp_path, MESSAGES)
    trial = Trial(MAIL, over(tmp_path))
    for operation, arguments in (
        ("mail.star", {}),
        ("mail.mark_read", {}),
        ("mail.add_label", {"label": "URGENT"}),
        ("mail.archive", {}),
    ):
        await trial.do(await trial.plan(operation, ids=BOTH, **arguments))

    box = mailbox.Maildir(tmp_path, create=False)
    archive = box.get_folder("Archive")
    assert [str(one["Message-ID"]) for one in box] == [READ.message_id]
    assert {(str(one["Message-ID"]), one.get_flags()) for one in archive} == {(id_, "FSa") for id_ in BOTH}
    assert (tmp_path / ".Archive" / "dovecot-keywords").read_text() == "0 URGENT\n"


@pytest.mark.needs("notmuch")
async def test_notmuch_reads_what_was_done(tmp_path: Path):
    root = tmp_path / "mail"
    planted(root, MESSAGES)
    trial = Trial(MAIL, over(root))
    await trial.do(await trial.plan("mail.star", ids=BOTH))
    await trial.do(await trial.plan("mail.archive", ids=[OLD.message_id]))

    said = notmuch(tmp_path, root, "search", "--output=files", "tag:flagged")

    assert sorted(Path(one).parent.parent.name for one in said.split("\n") if one) == [".Archive", "mail"]


def notmuch(home: Path, root: Path, *words: str) -> str:
    settings = home / "notmuch"
    who = "[user]\nname=A\nprimary_email=a@x.test\n[maildir]\nsynchronize_flags=true\n"
    settings.write_text(f"[database]\npath={root}\n{who}")
    call = [str(shutil.which("notmuch")), f"--config={settings}"]
    subprocess.run([*call, "new", "--quiet"], check=True, capture_output=True)
    return subprocess.run([*call, *words], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("at", "settled"),
    [("mail.move.before", NotDone), ("mail.move.between", CannotTell), ("mail.move.after", Applied)],
)
async def test_a_move_that_was_killed_is_settled_by_its_token(tmp_path: Path, at: str, settled: type):
    planted(tmp_path, MESSAGES)

    (change,) = (await Trial(MAIL, over(tmp_path)).plan("mail.archive", ids=BOTH)).changes
    with pytest.raises(Killed):
        await over(tmp_path, KillAt(at)).apply(change.do, change.expects)

    found = await over(tmp_path).settle(change.do, change.expects)

    assert isinstance(found, settled)
    if isinstance(found, Applied):
        assert change.undo is not None
        await over(tmp_path).apply(change.undo, found.facts)
        assert len(await over(tmp_path).reads.inbox(9, include_read=True)) == len(MESSAGES)


async def test_a_killed_draft_is_settled_by_its_message_id(tmp_path: Path):

    (change,) = (await Trial(MAIL, over(tmp_path)).plan("mail.compose", to="a@x.test", subject="S", body="B")).changes
    assert isinstance(await over(tmp_path).settle(change.do, ()), NotDone)
    with pytest.raises(Killed):
        await over(tmp_path, KillAt("mail.compose.after")).apply(change.do, ())

    assert isinstance(await over(tmp_path).settle(change.do, ()), Applied)


@pytest.mark.req("ML-08")
async def test_what_another_program_did_meanwhile_is_not_overwritten(tmp_path: Path):
    place = planted(tmp_path, MESSAGES)
    trial = Trial(MAIL, over(tmp_path))
    plan = await trial.plan("mail.mark_read", ids=BOTH)
    before = {file.name for file in (place / "new").iterdir()}
    taken = next(file for file in (place / "new").iterdir() if b"Lunch" in file.read_bytes())
    taken.unlink()

    with pytest.raises(ProviderError, match="nothing was done"):
        await trial.do(plan)

    assert {file.name for file in (place / "new").iterdir()} == before - {taken.name}


@pytest.mark.req("ML-09")
async def test_mail_that_arrives_meanwhile_is_not_touched(tmp_path: Path):
    place = planted(tmp_path, [OLD, READ])
    trial = Trial(MAIL, over(tmp_path))
    plan = await trial.plan("mail.trash", ids=[OLD.message_id, READ.message_id])
    planted(tmp_path / "other", [NEW])
    next((tmp_path / "other" / "new").iterdir()).rename(place / "new" / "9.late")

    await trial.do(plan)

    assert [one.message_id for one in await over(tmp_path).reads.inbox(9, include_read=True)] == [NEW.message_id]


@pytest.fixture
def inbox(tmp_path: Path) -> MailFolder:
    return MailFolder("inbox", planted(tmp_path, MESSAGES))


@pytest.fixture
def archive(tmp_path: Path) -> MailFolder:
    return MailFolder("archive", planted(tmp_path, [], ".Archive"))


def nothing(_: int) -> None:
    """Do nothing between two files."""


def test_flags_and_labels_go_with_a_message(inbox: MailFolder, archive: MailFolder):
    number_for(archive.path, "Other")
    number_for(inbox.path, "Money")
    rename_all(plan_marks(newest(list_files(inbox)), lambda one: {"F", "a"}), nothing)

    rename_all(plan_moves(newest(list_files(inbox)), archive, "token"), nothing)

    assert sorted(one.name for one in (archive.path / "cur").iterdir()) == [
        "1772359200.token_2.sayso:2,Fb",
        "1773136800.token_1.sayso:2,Fb",
        "1773396000.token_0.sayso:2,Fb",
    ]


def test_when_one_is_gone_those_before_it_come_back(inbox: MailFolder, archive: MailFolder):
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


def test_nothing_is_written_over(inbox: MailFolder, archive: MailFolder):
    renamings = plan_moves(newest(list_files(inbox)), archive, "token")
    renamings[1].to.write_text("somebody else's")

    with pytest.raises(ProviderError, match="there already"):
        rename_all(renamings, nothing)

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
