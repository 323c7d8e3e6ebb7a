"""No password of mail or calendar is in anything that sayso prints or writes, whatever goes wrong with it."""

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from sayso.providers.accounts.keyring import Entry, Keyring
from sayso.providers.programs.run import Runner
from sayso.runtime.system import RandomIds
from tests.desktop_env.ports import free_port
from tests.mail_env.accounts import Accounts, accounts
from tests.mail_env.keyrings import SecretService, odd_keyring, secret_service
from tests.mail_env.smtp import smtp
from tests.surfaces.cli.person import sayso

CANARY = "CANARY-7c1e-word"
SEND = '{"name": "macos_auto", "arguments": {"action": "mail_send", "to": "bo@y.test", "subject": "S", "body": "B"}}'
SETTINGS = """
[policy]
mode = "never"
waive_floor = ["mail.send"]

[mail]
kind = "imap"
user = "ana@example.test"
address = "ana@example.test"
hold_seconds = 0
host = "127.0.0.1"
smtp_host = "127.0.0.1"
port = {port}
smtp_port = {smtp_port}
{more}

[calendar]
kind = "caldav"
url = "http://127.0.0.1:{nobody}/"
user = "ana"
{more}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Accounts]:
    """Return a server that knows another password."""
    with accounts() as there:
        yield there


@pytest.fixture(scope="module")
def service() -> Iterator[SecretService]:
    """Return a keyring that has the canary for both servers."""
    with secret_service() as there:
        yield there


def all_that_is_told(server: Accounts, more: str, environ: dict[str, str]) -> tuple[str, Path]:
    """Do what needs the passwords, with a server that does not take them and one that is not there."""
    home = Path(os.environ["SAYSO_HOME"])
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    said: list[str] = []
    with smtp(login=True, word="another") as post:
        there = SETTINGS.format(port=server.port, smtp_port=post.port, nobody=free_port(), more=more)
        (home / "config.toml").write_text(there)
        for words, text in (
            ("run - --dialect lines --json", "MAIL_INBOX\nCALENDAR_TODAY\n"),
            ("run - --dialect tools --yes", SEND),
            ("doctor", ""),
            ("log export", ""),
        ):
            done = sayso(*words.split(), text=text, SAYSO_DEBUG="1", **environ)
            said += [done.out, done.err]
        assert post.accepted == []
    return "".join(said), home


def written_in(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())


@pytest.mark.req("AU-04")
@pytest.mark.needs("dovecot", "dbus-daemon", "dbus-send", "gnome-keyring-daemon")
@pytest.mark.parametrize("way", ["keyring", "environment", pytest.param("program", marks=pytest.mark.thorough)])
def test_a_password_that_is_not_taken_is_told_nowhere(
    server: Accounts, service: SecretService, scratch_home: Path, way: str
):
    environ = {"SAYSO_MAIL_PASSWORD": CANARY, "SAYSO_CALENDAR_PASSWORD": CANARY} if way == "environment" else {}
    if way == "keyring":
        environ = service.environ
        keyring = Keyring(Runner({**os.environ, **environ}, RandomIds()), 20)
        assert anyio.run(keyring.keep, Entry("mail", "127.0.0.1", "ana@example.test"), CANARY).how == "kept"
    (scratch_home / "word").write_text(CANARY)
    program = f'password_command = ["cat", "{scratch_home}/word"]' if way == "program" else ""

    told, home = all_that_is_told(server, program, environ)

    assert "did not let ana@example.test in" in told
    assert "did not take the password of ana@example.test" in told
    assert CANARY not in told
    assert CANARY.encode() not in written_in(home)


@pytest.mark.req("AU-04")
@pytest.mark.needs("dovecot")
def test_a_keyring_or_a_program_that_says_the_password_aloud_is_not_repeated(
    server: Accounts, scratch_home: Path, tmp_path: Path
):
    loud = f'password_command = ["sh", "-c", "echo {CANARY} >&2; echo {CANARY}; exit 1"]'

    by_program, home = all_that_is_told(server, loud, {})
    by_keyring, _ = all_that_is_told(server, "", odd_keyring(tmp_path, "Loud", CANARY))

    assert "ended with 1 and printed no password" in by_program
    assert "the keyring has a fault of its own" in by_keyring
    assert CANARY not in by_keyring
    # The settings themselves say the word here; nothing else does.
    assert CANARY not in by_program.replace(f"echo {CANARY}", "")
    (home / "config.toml").unlink()
    assert CANARY.encode() not in written_in(home)
