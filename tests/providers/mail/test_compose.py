"""What is written here reads back as it was meant."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import default
from email.utils import getaddresses
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import Applied, NotDone
from sayso.core.ports import BackendContext
from sayso.providers.mail.account import read_server
from sayso.providers.mail.compose import LONGEST, Composer, Outgoing, build_message, mailto, message_bytes
from sayso.providers.mail.model import ComposeMessage, MailComposed, MailSent, SendMessage
from sayso.providers.programs.run import ProgramRunner
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.macos import SimulatedMac
from tests.desktop_env.session import Session, wait_for
from tests.mac_env.hostile import ONE_LINE
from tests.mail_env.smtp import PASSWORD, USER, smtp

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize("body", ["", "One\n.\nTwo\n", "ünï " * 400, "From here\n--\n", "日本\n"], ids=len)
def test_a_message_reads_back_as_it_was_meant(body: str):
    step = ComposeMessage("<a@x>", ("Bö <bo@y.test>", "c@y.test"), "Sübject " * 20, body)

    read = message_from_bytes(message_bytes(step, "Ana <ana@x.test>", NOW), policy=default)

    assert [str(one) for one in read["to"].addresses] == ["Bö <bo@y.test>", "c@y.test"]
    assert (str(read["subject"]).split(), read["message-id"]) == (["Sübject"] * 20, "<a@x>")
    assert read.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")


BUILDING_NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=80)
BODIES = st.lists(LINES | st.sampled_from([".", "..", "From x", "x" * 1200, "", "Bcc: a@x.test"])).map("\n".join)


def step(subject: str = "S", body: str = "B", **more: Any) -> SendMessage:
    return SendMessage("<a@x.test>", "Ana Büg <ana@x.test>", ("Bo <bo@y.test>",), subject, body, **more)


@pytest.mark.req("ML-01", "ML-05")
@given(LINES, BODIES)
def test_another_reader_finds_what_was_written(subject: str, body: str):
    raw = build_message(step(subject, body), BUILDING_NOW).encode("ascii")

    read: Any = message_from_bytes(raw, policy=default)
    assert str(read["Subject"]).split() == subject.split()
    assert str(read.get_content()).replace("\r\n", "\n").removesuffix("\n") == body.removesuffix("\n")
    assert [str(one) for one in read["To"].addresses] == ["Bo <bo@y.test>"]
    assert raw.replace(b"\r\n", b"").count(b"\n") == raw.replace(b"\r\n", b"").count(b"\r") == 0
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))


def test_hidden_recipients_stand_nowhere_in_it():
    raw = build_message(step(bcc=("secret@z.test",), cc=("c@y.test",), reply_to=("r@y.test",)), BUILDING_NOW)

    assert "secret" not in raw
    assert "bcc" not in raw.lower()
    assert "Cc: c@y.test\r\nReply-To: r@y.test\r\n" in raw


PEOPLE = st.lists(
    st.tuples(
        st.sampled_from(["", "Bo", "Müller, Bo", "日本語の名前" * 4, "b" * 90, "ß", "A. B. Ü., C;D", "Dr. O'N (x)"]),
        st.sampled_from(["u1@x.test", "u2@xn--bcher-kva.test", "a.rather.long.local.part@some.example.test"]),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.req("ML-02", "ML-03")
@given(PEOPLE, PEOPLE)
def test_each_field_names_the_people_shown_whatever_they_are_called(
    to: list[tuple[str, str]], cc: list[tuple[str, str]]
):
    written = [tuple(f'"{name}" <{address}>' if name else address for name, address in people) for people in (to, cc)]
    raw = build_message(SendMessage("<a@x.test>", "Ana <a@x.test>", written[0], "S", "B", written[1]), BUILDING_NOW)

    read = message_from_bytes(raw.encode("ascii"))
    for field, people in (("To", to), ("Cc", cc)):
        found = getaddresses([read[field]])
        assert [(str(make_header(decode_header(name))), address) for name, address in found] == people
    assert all(len(line) <= 500 for line in raw.split("\r\n"))


def test_it_is_the_same_each_time():
    assert build_message(step(), BUILDING_NOW) == build_message(step(), BUILDING_NOW)


@pytest.mark.req("ML-01")
@pytest.mark.parametrize("bad", ["S\r\nBcc: evil@x.test", "S\nX", "a\x00"])
def test_what_would_break_out_of_a_field_is_no_message(bad: str):
    with pytest.raises(ProposalError):
        build_message(step(bad), BUILDING_NOW)


def test_a_sender_that_is_none_is_a_matter_of_the_settings():
    with pytest.raises(SetupError, match=r"\[mail\]"):
        build_message(SendMessage("<a@x>", "Ana <nowhere>", ("b@y.test",), "S", "B"), BUILDING_NOW)


TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40)
STEP = ComposeMessage("<a@x>", ("Bo <bo@y.test>", "c+d@y.test"), "Hi & bye?", "One\n$(touch x) ü %0d\n")


@pytest.fixture
def program(bare_session: Session, tmp_path: Path) -> Path:
    """Return the file in which the mail program of the desktop writes what it was given."""
    record, runs = tmp_path / "composed", tmp_path / "program"
    runs.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{record}\n')
    runs.chmod(0o755)
    folder = bare_session.home / ".local/share/applications"
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "post.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=RecordingSmtp\nExec={runs} %u\nMimeType=x-scheme-handler/mailto;\n"
    )
    (bare_session.home / ".config/mimeapps.list").write_text(
        "[Default Applications]\nx-scheme-handler/mailto=post.desktop\n"
    )
    return record


def composer(session: Session, **environ: str) -> Composer:
    return Composer(ProgramRunner({**session.environment, **environ}, NumberedIds()))


@pytest.mark.needs("gio", "xdg-mime")
@pytest.mark.req("S0-40", "S0-41", "T-26")
async def test_a_window_is_opened_with_everything_in_its_place(bare_session: Session, program: Path):
    composes = composer(bare_session, DISPLAY=":99")
    assert await composes.opens(60)
    left = await composes.open(STEP)

    wait_for(lambda: program.exists() and program.read_text().endswith("\n"))
    address = program.read_text().strip()
    assert left == Applied((MailComposed(STEP.message_id),))
    assert address == mailto(STEP)
    assert unquote(urlsplit(address).path) == "bo@y.test,c+d@y.test"
    fields = parse_qs(urlsplit(address).query)
    assert fields == {"subject": ["Hi & bye?"], "body": ["One\r\n$(touch x) ü %0d\r\n"]}


@pytest.mark.needs("gio", "xdg-mime")
async def test_without_a_screen_or_a_mail_program_none_is_opened(bare_session: Session):
    assert not await composer(bare_session).opens(60)
    (bare_session.home / ".config/mimeapps.list").unlink(missing_ok=True)
    for entry in (bare_session.home / ".local/share/applications").glob("post.desktop"):
        entry.unlink()
    assert not await composer(bare_session, DISPLAY=":99", XDG_DATA_DIRS="/nowhere").opens(60)


@pytest.mark.needs("gio", "xdg-mime")
async def test_what_is_too_long_for_a_window_is_left_to_a_draft(bare_session: Session, program: Path):
    composes = composer(bare_session, DISPLAY=":99")

    assert await composes.opens(LONGEST)
    assert not await composes.opens(LONGEST + 1)


@given(TEXTS, TEXTS)
def test_no_text_breaks_out_of_its_field(subject: str, body: str):
    address = mailto(ComposeMessage("<a@x>", ("bo@y.test",), subject, body))

    fields = parse_qs(urlsplit(address).query, keep_blank_values=True)
    assert fields.get("subject", [""]) == [subject]
    assert fields.get("body", [""]) == [body]
    assert address.isascii()
    assert address.startswith("mailto:bo@y.test")


DRAFT = SendMessage("<a@x.test>", "ana@x.test", ("b@y.test",), "S", "B")

OUTGOING_STEP = SendMessage(
    "<a@x.test>", "ana@x.test", ("b@y.test",), "S", "B", raw=build_message(DRAFT, FakeClock().now())
)


class Nowhere:
    """A mailbox that is not there."""

    async def holds(self, message_id: str) -> bool:
        raise ProviderError("there is no such mailbox")

    async def keep(self, message: bytes) -> None:
        raise ProviderError("there is no such mailbox")


async def password(ground: BackendContext) -> str:
    return PASSWORD


def outgoing(own: Path, **settings: Json) -> Outgoing:
    ground = BackendContext(settings, "/home/ana", str(own), (), FakeClock(), NumberedIds())
    return Outgoing(ground, Nowhere(), password, Composer(ProgramRunner({}, NumberedIds())))


async def test_it_signs_in_with_what_the_settings_say_and_tells_of_a_copy_that_is_missing(tmp_path: Path):
    with smtp(login=True) as post:
        settings: dict[str, Json] = {"smtp_host": "127.0.0.1", "smtp_port": post.port, "user": USER}
        sends = outgoing(tmp_path, address="ana@x.test", **settings)
        left = await sends.send(OUTGOING_STEP)

    assert left == Applied((MailSent("<a@x.test>", kept=False),))
    assert sends.tells(OUTGOING_STEP, left) == "no copy could be saved in the mailbox of sent mail"
    assert len(post.accepted) == 1
    assert post.heard[1].startswith("AUTH")


async def test_without_a_server_nothing_is_sent_and_what_to_set_is_said(tmp_path: Path):
    sends = outgoing(tmp_path)

    with pytest.raises(SetupError, match=r"mail\.smtp_host, mail\.address\); “sayso config mail” asks"):
        read_server(sends.context.settings)
    with pytest.raises(ProviderError, match="nothing was sent"):
        await sends.send(OUTGOING_STEP)


async def test_what_never_went_out_is_settled_as_not_sent(tmp_path: Path):
    sends = outgoing(tmp_path, smtp_host="s.test", address="ana@x.test")

    assert isinstance(await sends.settle(OUTGOING_STEP), NotDone)


@pytest.mark.parametrize(("settings", "seconds"), [({}, 10), ({"hold_seconds": 3}, 3), ({"hold_seconds": 0}, 0)])
def test_a_mail_is_held_and_nothing_else(settings: dict[str, Json], seconds: float, tmp_path: Path):
    sends = outgoing(tmp_path, **settings)

    assert sends.holds(OUTGOING_STEP) == seconds
    assert sends.holds(ComposeMessage("<a@x>", ("b@y.test",), "S", "B")) == 0


@pytest.mark.req("T-26", "S0-40")
async def test_on_a_mac_a_mail_is_opened_in_its_mail_program_as_one_address(mac: SimulatedMac):
    composer = Composer(ProgramRunner(mac.environ, NumberedIds()), "darwin")
    mail = ComposeMessage("<a@x>", ("Bo <bo@y.test>",), ONE_LINE, "One\n" + ONE_LINE)

    await composer.open(mail)

    ((program, address),) = mac.calls
    fields = parse_qs(urlsplit(address).query)
    assert (program, unquote(urlsplit(address).path)) == ("open", "bo@y.test")
    assert (fields["subject"], fields["body"]) == ([ONE_LINE], [f"One\r\n{ONE_LINE}"])
    assert (await composer.opens(100), await composer.opens(LONGEST + 1)) == (True, False)
