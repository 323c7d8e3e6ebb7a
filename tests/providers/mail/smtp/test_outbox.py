"""What a server was told is kept in mind, and nothing else of it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from os import utime
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, NotDone, Settlement
from sayso.core.ports import KillPoint, no_kill_point
from sayso.providers.mail.account import SmtpServer, read_server
from sayso.providers.mail.compose import build_message
from sayso.providers.mail.model import MailSent, SendMessage
from sayso.providers.mail.outbox import Delivery, Outbox
from sayso.testing.fakes import FakeClock, KillAt, Killed
from tests.mail_env.smtp import Cut, RecordingSmtp, smtp

ADDRESS = {"address": "ana@x.test"}


@pytest.mark.req("ML-10")
@pytest.mark.parametrize(
    ("settings", "server"),
    [
        ({"smtp_host": "s.test"}, SmtpServer("s.test", 465, "tls")),
        ({"smtp_host": "s.test", "smtp_port": 465}, SmtpServer("s.test", 465, "tls")),
        ({"smtp_host": "s.test", "smtp_port": 587}, SmtpServer("s.test", 587, "starttls")),
        ({"smtp_host": "s.test", "smtp_port": 25, "tls": True}, SmtpServer("s.test", 25, "starttls")),
        ({"smtp_host": "s.test", "tls": "starttls"}, SmtpServer("s.test", 587, "starttls")),
        ({"smtp_host": "s.test", "tls": False}, SmtpServer("s.test", 587, "none")),
        ({"smtp_host": "s.test", "tls": "none", "smtp_port": 25}, SmtpServer("s.test", 25, "none")),
        ({"smtp_host": "127.0.0.1", "smtp_port": 2525}, SmtpServer("127.0.0.1", 2525, "none")),
        ({"smtp_host": "localhost", "smtp_port": 2525}, SmtpServer("localhost", 2525, "none")),
        ({"smtp_host": "localhost", "smtp_port": 2525, "tls": True}, SmtpServer("localhost", 2525, "starttls")),
        ({"smtp_host": "127.0.0.1.evil.test", "smtp_port": 25}, SmtpServer("127.0.0.1.evil.test", 25, "starttls")),
        ({"smtp_host": "s.test", "user": "ana"}, SmtpServer("s.test", 465, "tls", "ana")),
        (
            {"smtp_host": "s.test", "user": "ana", "auth": "xoauth2"},
            SmtpServer("s.test", 465, "tls", "ana", by_token=True),
        ),
    ],
    ids=str,
)
def test_the_settings_say_where_and_how(settings: dict[str, str | int | bool], server: SmtpServer):
    assert read_server({**ADDRESS, **settings}) == server


@pytest.mark.parametrize("settings", [{}, ADDRESS, {"smtp_host": "s.test"}], ids=str)
def test_what_is_missing_is_said_with_the_command_that_sets_it(settings: dict[str, str]):
    with pytest.raises(SetupError, match=r"mail\.smtp_host, mail\.address\); “sayso config mail” asks"):
        read_server(settings)


def test_a_protection_that_there_is_not_is_named():
    with pytest.raises(SetupError, match="ssl3"):
        read_server({**ADDRESS, "smtp_host": "s.test", "tls": "ssl3"})


NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_message_is_going_then_sent_and_never_going_again(tmp_path: Path):
    outbox = Outbox(tmp_path / "outbox")
    assert outbox.stage("<a@x>") is None

    outbox.mark_going("<a@x>", NOW)
    assert outbox.stage("<a@x>") == "going"
    outbox.mark_sent("<a@x>")

    assert outbox.stage("<a@x>") == "sent"
    assert outbox.stage("<b@x>") is None
    with pytest.raises(Uncertain, match="not sent twice"):
        outbox.mark_going("<a@x>", NOW)


def test_of_what_was_refused_nothing_is_known(tmp_path: Path):
    outbox = Outbox(tmp_path / "outbox")
    outbox.mark_refused("<a@x>")
    outbox.mark_going("<a@x>", NOW)

    outbox.mark_refused("<a@x>")

    assert outbox.stage("<a@x>") is None
    assert list((tmp_path / "outbox").iterdir()) == []


def test_what_was_sent_is_forgotten_after_a_season_and_what_is_not_known_never(tmp_path: Path):
    outbox = Outbox(tmp_path)
    for one in ("<old@x>", "<lost@x>"):
        outbox.mark_going(one, NOW)
    outbox.mark_sent("<old@x>")
    for file in tmp_path.iterdir():
        utime(file, (NOW.timestamp(), NOW.timestamp()))

    outbox.mark_going("<new@x>", NOW + timedelta(days=91))

    assert [outbox.stage(one) for one in ("<old@x>", "<lost@x>", "<new@x>")] == [None, "going", "going"]


def test_its_files_are_private_and_hold_an_id_alone(tmp_path: Path):
    Outbox(tmp_path / "outbox").mark_going("<a@x>", NOW)

    (file,) = (tmp_path / "outbox").iterdir()

    assert file.read_bytes() == b"<a@x>"
    assert file.stat().st_mode & 0o77 == 0
    assert file.parent.stat().st_mode & 0o77 == 0


ID = "<token1@x.test>"
DRAFT = SendMessage(ID, "Ana <a@x.test>", ("b@y.test",), "S", "Text ü\n.\n", ("c@y.test",), ("secret@z.test",))
STEP = replace(DRAFT, raw=build_message(DRAFT, FakeClock().now()))


class Kept:
    """A mailbox of sent messages; `silent` cannot be asked."""

    def __init__(self, *, silent: bool = False, by_server: Callable[[], bool] = lambda: False) -> None:
        self.messages: list[bytes] = []
        self.silent = silent
        self.by_server = by_server

    async def holds(self, message_id: str) -> bool:
        if self.silent:
            raise ProviderError("the mail server does not answer")
        return self.by_server() or any(message_id.encode() in one for one in self.messages)

    async def keep(self, message: bytes) -> None:
        self.messages.append(message)


async def password() -> str:
    return ""


def sender(post: RecordingSmtp, folder: Path, kill: KillPoint = no_kill_point) -> Delivery:
    server = SmtpServer("127.0.0.1", post.port, "none")
    return Delivery(server, password, Outbox(folder), FakeClock(), kill)


@pytest.mark.req("S3-43", "ML-02")
async def test_all_get_the_bytes_that_were_approved_and_a_copy_is_kept(tmp_path: Path):
    kept = Kept()
    with smtp() as post:
        left = await sender(post, tmp_path).send(STEP, kept)

    assert left == Applied((MailSent(ID),))
    assert post.accepted == [("a@x.test", ["b@y.test", "c@y.test", "secret@z.test"], STEP.raw.encode())]
    assert kept.messages == [STEP.raw.encode()]
    assert b"secret@z.test" not in post.accepted[0][2]


async def test_a_server_that_keeps_copies_itself_is_not_given_another(tmp_path: Path):
    with smtp() as post:
        kept = Kept(by_server=lambda: bool(post.accepted))
        left = await sender(post, tmp_path).send(STEP, kept)

    assert (left, kept.messages) == (Applied((MailSent(ID),)), [])


async def test_a_copy_that_cannot_be_kept_does_not_undo_the_sending(tmp_path: Path):
    with smtp() as post:
        left = await sender(post, tmp_path).send(STEP, Kept(silent=True))

    assert left == Applied((MailSent(ID, kept=False),))


async def test_the_same_mail_is_not_handed_over_twice(tmp_path: Path):
    with smtp() as post:
        await sender(post, tmp_path).send(STEP, Kept())
        with pytest.raises(Uncertain, match="not sent twice"):
            await sender(post, tmp_path).send(STEP, Kept())

        settled = await sender(post, tmp_path).settle(STEP, Kept())

    assert settled == Applied((MailSent(ID),))
    assert len(post.accepted) == 1


@pytest.mark.req("ML-06")
@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize("cut", ["MAIL", "RCPT", "DATA", "dot", "250"])
async def test_after_a_cut_the_outcome_is_what_happened_or_unknown(cut: Cut, saved: bool, tmp_path: Path):
    with smtp() as post:
        post.cut = cut
        kept = Kept(by_server=lambda: saved and bool(post.accepted))
        try:
            outcome: Settlement | str = await sender(post, tmp_path).send(STEP, kept)
        except Uncertain:
            outcome = await sender(post, tmp_path).settle(STEP, kept)
        except ProviderError as no:
            outcome = str(no)

    if cut in {"MAIL", "RCPT", "DATA"}:
        assert isinstance(outcome, str)
        assert post.accepted == []
    else:
        assert isinstance(outcome, Applied if saved or cut == "250" else CannotTell)
        assert len(post.accepted) == 1


@pytest.mark.req("ML-06")
@pytest.mark.parametrize(
    ("point", "accepted", "settled"),
    [
        ("mail.send.before", 0, NotDone),
        ("mail.send.going", 0, CannotTell),
        ("mail.send.taken", 1, Applied),
    ],
)
async def test_what_a_process_that_died_left_is_settled_without_sending(
    point: str, accepted: int, settled: type[Settlement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "sayso.providers.mail.smtp.GOODBYE_SECONDS", 0.01
    )  # to the server, the good-bye is a part of the mail

    with smtp() as post:
        with pytest.raises(Killed):
            await sender(post, tmp_path, KillAt(point)).send(STEP, Kept())

        outcome = await sender(post, tmp_path).settle(STEP, Kept())

    assert isinstance(outcome, settled)
    assert len(post.accepted) == accepted


async def test_what_the_server_refused_can_be_sent_anew(tmp_path: Path):
    with smtp() as post:
        post.answers = {".": "451 later"}
        with pytest.raises(ProviderError, match="451"):
            await sender(post, tmp_path).send(STEP, Kept())
        assert isinstance(await sender(post, tmp_path).settle(STEP, Kept()), NotDone)

        post.answers = {}
        await sender(post, tmp_path).send(STEP, Kept())

    assert len(post.accepted) == 1
