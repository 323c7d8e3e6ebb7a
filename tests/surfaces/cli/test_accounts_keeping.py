"""Settings and keyring are changed together or not at all."""

import os
from pathlib import Path

import anyio
import pytest

from sayso.config import Settings, load
from sayso.core.errors import SetupError
from sayso.providers.accounts.keyring import Keyring, KeyringEntry
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.accounts import Account, keep_account, remove_account
from tests.mail_env.keyrings import SecretService, without_session
from tests.surfaces.cli.interviews import Typist

pytestmark = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")
ENTRY = KeyringEntry("mail", "imap.example.org", "ana")
WORD, OLD = "s3cret", "0ld"
ACCOUNT = Account("mail", {"kind": "imap", "host": "imap.example.org", "port": 993, "tls": None}, ENTRY, WORD)


@pytest.fixture
def keyring(service: SecretService) -> Keyring:
    """Return the keyring, with an old password in it."""
    made = Keyring(ProgramRunner(without_session(**service.environ), RandomIds()), 20)
    anyio.run(made.keep, ENTRY, OLD)
    return made


@pytest.fixture
def now(scratch_home: Path) -> Settings:
    """Return the settings, one of which the account has no use for."""
    home = Path(os.environ["SAYSO_HOME"])
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.toml").write_text("[mail]\nport = 143\ntls = true\n")
    return load(os.environ)


def word_in(keyring: Keyring) -> str:
    return anyio.run(keyring.get, ENTRY).password


def test_all_that_changes_is_shown_and_then_is_so(typist: Typist, keyring: Keyring, now: Settings):
    thread = typist.types(("Write this? [y/N]", b"y\n"))

    assert keep_account(typist.interview, now, keyring, ACCOUNT)

    thread.join(10)
    assert b"port = 993   (was 143)" in typist.seen
    assert b"tls is taken out   (was true)" in typist.seen
    assert now.places.config.read_text() == '[mail]\nport = 993\nkind = "imap"\nhost = "imap.example.org"\n'
    assert word_in(keyring) == WORD
    assert WORD not in f"{ACCOUNT}"


def test_a_no_leaves_both_as_they_were(typist: Typist, keyring: Keyring, now: Settings):
    before = now.places.config.read_text()
    thread = typist.types(("Write this? [y/N]", b"\n"), ("Remove this? [y/N]", b"n\n"))

    assert not keep_account(typist.interview, now, keyring, ACCOUNT)
    assert not remove_account(typist.interview, now, keyring, ACCOUNT)

    thread.join(10)
    assert (now.places.config.read_text(), word_in(keyring)) == (before, OLD)


def test_settings_that_cannot_be_written_leave_the_old_password(typist: Typist, keyring: Keyring, now: Settings):
    now.places.config.write_text("[mail]\nport = 143\ntls = true\nodd = 1\n")
    thread = typist.types(("Write this? [y/N]", b"y\n"))

    with pytest.raises(SetupError, match="odd"):
        keep_account(typist.interview, now, keyring, ACCOUNT)

    thread.join(10)
    assert word_in(keyring) == OLD
    assert "odd = 1" in now.places.config.read_text()


def test_a_keyring_that_takes_nothing_leaves_the_settings(typist: Typist, now: Settings):
    before = now.places.config.read_text()
    thread = typist.types(("Write this? [y/N]", b"y\n"))

    with pytest.raises(SetupError, match="nothing was written: there is no keyring in this session"):
        keep_account(typist.interview, now, Keyring(ProgramRunner(without_session(), RandomIds()), 20), ACCOUNT)

    thread.join(10)
    assert now.places.config.read_text() == before


def test_what_is_so_already_is_not_asked_about(typist: Typist, keyring: Keyring, now: Settings):
    same = Account("mail", {"port": 143, "tls": True, "host": None}, ENTRY)

    assert keep_account(typist.interview, now, keyring, same)
    typist.sees("nothing is changed")


def test_removing_takes_out_settings_and_password(typist: Typist, keyring: Keyring, now: Settings):
    thread = typist.types(("Remove this? [y/N]", b"y\n"))

    assert remove_account(typist.interview, now, keyring, ACCOUNT)

    thread.join(10)
    assert word_in(keyring) == ""
    assert now.places.config.read_text() == "[mail]\n"
    assert remove_account(typist.interview, load(os.environ), keyring, ACCOUNT)
    typist.sees("no account is set up in [mail]")
