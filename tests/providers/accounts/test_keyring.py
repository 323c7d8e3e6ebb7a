"""A password is kept in a real keyring, read back and taken out; one that does not do as it should is told of."""

from pathlib import Path

import pytest

from sayso.providers.accounts.keyring import Entry, Keyring, Told, why_not
from sayso.providers.programs.run import Runner
from sayso.runtime.system import RandomIds
from tests.mail_env.keyrings import SecretService, odd_keyring, secret_service, without_session

WORD = "s3cret pässword"
ENTRY = Entry("mail", "imap.example.org", "ana@example.org")
ELSEWHERE = Entry("mail", "imap.example.net", "ana@example.org")
GNOME = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")


def keyring(environ: dict[str, str], seconds: float = 20) -> Keyring:
    return Keyring(Runner(without_session(**environ), RandomIds()), seconds)


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
    told = await keyring(odd_keyring(tmp_path, "Waiting"), 1.5).get(ENTRY)

    assert told.how == "late"
    assert "waiting for you to unlock it" in why_not(told)


@pytest.mark.req("AU-04")
@pytest.mark.parametrize("name", ["Forgetful", "Talkative"])
async def test_a_keyring_that_does_not_keep_it_has_a_fault_and_says_no_password(tmp_path: Path, name: str):
    told = await keyring(odd_keyring(tmp_path, name)).keep(ENTRY, "s3cret")

    assert told.how == "fault"
    assert "s3cret" not in f"{told}{why_not(told)}"


async def test_without_a_session_there_is_none():
    told = await keyring({}).there()

    assert told.how == "none"
    assert why_not(told) == "there is no keyring in this session"


@pytest.mark.req("AU-04")
def test_a_password_is_in_nothing_that_is_printed_of_it():
    assert "s3cret" not in repr(Told("found", "a keyring", "s3cret"))
