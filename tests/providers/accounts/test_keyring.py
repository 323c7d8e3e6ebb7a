"""A password is kept in a real keyring, read back and taken out; one that does not do as it should is told of."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.keyring import (
    LEFT_ALONE,
    PROGRAM,
    Keyring,
    KeyringAnswer,
    KeyringEntry,
    keyring_of,
    password_line,
    password_of,
    read_keyring,
    why_not,
)
from sayso.providers.programs.own_python import module_command
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.fails import fails
from tests.mail_env.keyrings import SecretService, odd_keyring, secret_service, without_session
from tests.patience import patience

WORD = "s3cret pässword"
ENTRY = KeyringEntry("mail", "imap.example.org", "ana@example.org")
ELSEWHERE = KeyringEntry("mail", "imap.example.net", "ana@example.org")
GNOME = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")


def keyring(environ: dict[str, str], seconds: float = 20) -> Keyring:
    return Keyring(ProgramRunner(without_session(**environ), RandomIds()), seconds)


@GNOME
async def test_a_password_is_kept_for_one_server_and_taken_out_again(service: SecretService):
    ours = keyring(service.environ)

    kept = await ours.keep(ENTRY, WORD)
    found, other = await ours.get(ENTRY), await ours.get(ELSEWHERE)
    removed, again = await ours.remove(ENTRY), await ours.remove(ENTRY)

    assert [kept.how, found.how, other.how, removed.how, again.how] == ["kept", "found", "absent", "removed", "absent"]
    assert found.password == WORD
    assert (await ours.there()).how == "there"


@GNOME
async def test_a_locked_keyring_is_told_from_an_empty_one():
    with secret_service() as service:
        ours = keyring(service.environ)
        assert (await ours.keep(ENTRY, "s3cret")).how == "kept"

        service.lock()

        told = await ours.get(ENTRY)
        assert (told.how, told.password) == ("locked", "")
        assert "is locked; unlock it" in why_not(told)
        assert (await ours.keep(ENTRY, "other")).how == "locked"


async def test_a_keyring_that_waits_for_ever_is_left(tmp_path: Path):
    told = await keyring(odd_keyring(tmp_path, "Waiting"), 0.2).get(ENTRY)

    assert told.how == "late"
    assert "waiting for you to unlock it" in why_not(told)


@pytest.mark.req("AU-04")
@pytest.mark.parametrize("name", ["Forgetful", "Talkative"])
async def test_a_keyring_that_does_not_keep_it_has_a_fault_and_says_no_password(tmp_path: Path, name: str):
    told = await keyring(odd_keyring(tmp_path, name)).keep(ENTRY, "s3cret")

    assert told.how == "fault"
    assert "s3cret" not in f"{told}{why_not(told)}"


async def test_a_keyring_that_did_not_answer_is_left_alone_for_a_while(tmp_path: Path):
    clock = FakeClock()
    environ = without_session(**odd_keyring(tmp_path, "Waiting"))
    waits = BackendContext({}, "/h", str(tmp_path), (), clock, RandomIds(), environ=environ)
    none = replace(waits, environ=without_session())

    first = await read_keyring(waits, ENTRY, 0.2)
    at_once = await read_keyring(none, ENTRY)
    clock.advance(seconds=LEFT_ALONE + 60)
    later = await read_keyring(none, ENTRY)

    assert (first.how, at_once.how, later.how) == ("late", "late", "none")
    assert "asked again in ten minutes" in why_not(first)


async def test_who_sets_up_an_account_is_not_kept_waiting_by_an_earlier_silence(tmp_path: Path):
    clock = FakeClock()
    environ = without_session(**odd_keyring(tmp_path, "Waiting"))
    waits = BackendContext({}, "/h", str(tmp_path), (), clock, RandomIds(), environ=environ)
    await read_keyring(waits, ENTRY, 0.2)

    keyring_of(waits)

    assert (await read_keyring(replace(waits, environ=without_session()), ENTRY)).how == "none"


async def test_without_a_session_there_is_none():
    told = await keyring({}).there()

    assert told.how == "none"
    assert why_not(told) == "there is no keyring in this session"


@pytest.mark.req("AU-04")
def test_a_password_is_in_nothing_that_is_printed_of_it():
    assert "s3cret" not in repr(KeyringAnswer("found", "a keyring", "s3cret"))


PASSWORD_ENTRY = KeyringEntry("mail", "imap.example.org", "ana")


def ground(environ: dict[str, str], **settings: Json) -> BackendContext:
    environ = without_session(**environ)
    return BackendContext(settings, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ)


@GNOME
@pytest.mark.req("AU-04")
async def test_the_environment_comes_before_the_program_and_that_before_the_keyring(service: SecretService):
    await keyring_of(ground(service.environ)).keep(PASSWORD_ENTRY, "kept")
    printing: list[Json] = ["printf", "printed\\nmore"]

    given = await password_of(
        ground({**service.environ, "SAYSO_MAIL_PASSWORD": "given"}, password_command=printing), PASSWORD_ENTRY
    )
    printed = await password_of(ground(service.environ, password_command=printing), PASSWORD_ENTRY)
    kept = await password_of(ground(service.environ), PASSWORD_ENTRY)

    assert [given.password, printed.password, kept.password] == ["given", "printed", "kept"]
    assert [given.where, printed.where] == ["SAYSO_MAIL_PASSWORD", "password_command (printf)"]
    assert "keyring" in kept.where
    assert "kept" not in repr(kept)


@GNOME
async def test_a_password_of_another_server_is_not_given(service: SecretService):
    await keyring_of(ground(service.environ)).keep(PASSWORD_ENTRY, "kept")

    with fails(SetupError, "mail.password", match="does not have it; run “sayso config mail”"):
        await password_of(ground(service.environ), KeyringEntry("mail", "imap.other.example", "ana"))


async def test_without_any_every_way_is_named():
    with pytest.raises(SetupError, match="no keyring in this session; run “sayso config calendar”") as none:
        await password_of(ground({}), KeyringEntry("calendar", "cal.example.org", "ana"))

    assert "SAYSO_CALENDAR_PASSWORD, or let password_command in [calendar]" in str(none.value)


async def test_doctor_is_told_where_it_comes_from_or_what_to_do():
    had = await password_line(ground({"SAYSO_MAIL_PASSWORD": "x"}), PASSWORD_ENTRY)
    failing = await password_line(ground({}, password_command=["false"]), PASSWORD_ENTRY)
    missing = await password_line(ground({}), PASSWORD_ENTRY)

    assert (had.served, had.why) == ("SAYSO_MAIL_PASSWORD", "for ana at imap.example.org")
    assert (failing.served, failing.fix) == ("", "sayso config mail")
    assert "(false) ended with 1 and printed no password" in failing.why
    assert (missing.served, missing.fix) == ("", "sayso config mail")


@pytest.mark.req("AU-04")
def test_what_a_keyring_raises_is_not_said_on_the_output(tmp_path: Path):
    asked = {"verb": "set", "service": "sayso mail x", "user": "ana", "password": "s3cret"}

    done = subprocess.run(
        module_command(PROGRAM),
        input=json.dumps(asked).encode(),
        env=without_session(**odd_keyring(tmp_path, "Talkative")),
        capture_output=True,
        check=False,
        timeout=patience(),
    )

    assert done.returncode != 0
    assert done.stdout == b""


@pytest.fixture(scope="module")
def service() -> Iterator[SecretService]:
    """Give a keyring that ends with the tests of a file."""
    with secret_service() as there:
        yield there
