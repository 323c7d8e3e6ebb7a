"""No secret gets out: not of settings, accounts or letters."""

import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from sayso.core.encoding import Json
from sayso.core.proposal import Origin, Proposal
from sayso.providers.accounts.keyring import Keyring, KeyringEntry
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.results import report_json
from sayso.runtime.system import RandomIds
from tests.desktop_env.ports import free_port
from tests.journeys.attempts import VERBS
from tests.journeys.ground import Ground, a_file, in_mode, tree, yes
from tests.mail_env.dovecot import Accounts, accounts
from tests.mail_env.keyrings import SecretService, odd_keyring, secret_service
from tests.mail_env.smtp import smtp
from tests.surfaces.cli.person import sayso

CANARY = "CANARY-51d0c2"
FILES = (
    "token",
    "key.pem",
    "actions/mine.py",
    ".logs/actions/2026-01-01.jsonl",
    "trash/t0ken/item",
    "tmp/x",
    "sayso.pid",
)
OWN = ".local/state/sayso"
PATHS = (
    "~", "~/.local", "~/.local/state", f"~/{OWN}", f"~/{OWN}/config.toml", f"~/{OWN}/sayso.db", f"~/{OWN}/token",
    f"~/{OWN}/actions/mine.py", f"~/{OWN}/trash/t0ken/item", f"~/Documents/../{OWN}/token", f"~/{OWN.upper()}/token",
    "~/Documents", "~/Documents/way", "~/Documents/way/token", "~/Documents/up/state/sayso/token", "~/Documents/file",
    "~/Documents/a.txt", "~/Documents/free", "~/Documents/free/sayso/token", "~/Documents/hard", "~/Downloads/x",
)  # fmt: skip
PATTERNS = ("*", "token", "CANARY*", "sayso", "*.py")


def calls() -> some.SearchStrategy[tuple[str, dict[str, Json]]]:
    """Draw one operation on paths that lead to sayso's own, around it, or nowhere near."""
    paths = some.sampled_from(PATHS)
    return some.tuples(some.sampled_from(sorted(VERBS)), paths, paths, some.sampled_from(PATTERNS)).map(a_call)


def a_call(drawn: tuple[str, str, str, str]) -> tuple[str, dict[str, Json]]:
    """Return a call with every path in it drawn."""
    verb, path, other, pattern = drawn
    operation, name, more = VERBS[verb]
    rest = {key: other if key in {"source", "destination"} else value for key, value in more.items()}
    if "pattern" in rest:
        rest["pattern"] = pattern
    return operation, {**rest, name: path}


def laid(base: Path) -> Ground:
    """Lay out a home whose whole is a root, with sayso's folder in it and a canary in each file there."""
    ground = Ground(base, OWN)
    for folder in ("Documents", "Downloads"):
        (ground.home / folder).mkdir(parents=True)
    for name in FILES:
        a_file(ground.own / name, f"{name} {CANARY}\n", mode=0o600)
    ground.own.chmod(0o700)
    (ground.own / "config.toml").write_text(f'# {CANARY}\n{in_mode("never")}roots = ["~"]\n')
    (ground.documents / "way").symlink_to(ground.own)
    (ground.documents / "up").symlink_to(ground.home / ".local")
    (ground.documents / "file").symlink_to(ground.own / "token")
    ground.file("a.txt", "mine\n")
    return ground


@pytest.mark.req("SE-01", "FS-11")
@pytest.mark.timeout(240)
@settings(max_examples=40)
@given(sequence=some.lists(calls(), min_size=4, max_size=12))
def test_what_lies_in_sayso_s_folder_appears_nowhere(sequence: list[tuple[str, dict[str, Json]]]):
    base = Path(tempfile.mkdtemp(prefix="sayso-canary-"))
    heard: list[str] = []
    listener = a_listener(heard)
    logging.getLogger().addHandler(listener)
    try:
        ground = laid(base)
        planted = {path: thing for path, thing in tree(ground.own).items() if path in FILES or path == "config.toml"}

        told = anyio.run(all_of, ground, sequence)

        now = tree(ground.own)
        assert {path: now.get(path) for path in planted} == planted, "sayso's own was changed"
        assert CANARY not in told + "".join(heard)
        assert holding_canary(ground) == set()
    finally:
        logging.getLogger().removeHandler(listener)
        shutil.rmtree(base)


async def all_of(ground: Ground, sequence: list[tuple[str, dict[str, Json]]]) -> str:
    """Take every call down the path, as one batch and then each for itself; return all that was told."""
    proposals = [Proposal(index, "", operation, arguments) for index, (operation, arguments) in enumerate(sequence)]
    async with ground.opened() as home:
        reports = [await home.take(proposals, Origin(dialect), yes()) for dialect in ("lines", "tools")]
        records = await home.log()
    return json.dumps([report_json(report) for report in reports]) + repr(records)


def a_listener(heard: list[str]) -> logging.Handler:
    """Return what keeps every line of the log."""

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage() + str(record.exc_info or ""))

    return Listener()


def holding_canary(ground: Ground) -> set[str]:
    """Return the files outside the planted ones that hold a canary, sayso's journal among those looked at."""
    planted = {ground.own / name for name in (*FILES, "config.toml")}
    found: set[str] = set()
    for folder, _, names in os.walk(ground.base):
        for name in names:
            path = Path(folder) / name
            if (
                path not in planted
                and path.is_file()
                and not path.is_symlink()
                and CANARY.encode() in path.read_bytes()
            ):
                found.add(str(path))
    return found


KEYRING_CANARY = "CANARY-7c1e-word"
SEND = '{"name": "macos_auto", "arguments": {"action": "mail_send", "to": "bo@y.test", "subject": "S", "body": "B"}}'
ACCOUNTS = """
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
        there = ACCOUNTS.format(port=server.port, smtp_port=post.port, nobody=free_port(), more=more)
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
    environ = (
        {"SAYSO_MAIL_PASSWORD": KEYRING_CANARY, "SAYSO_CALENDAR_PASSWORD": KEYRING_CANARY}
        if way == "environment"
        else {}
    )
    if way == "keyring":
        environ = service.environ
        keyring = Keyring(ProgramRunner({**os.environ, **environ}, RandomIds()), 20)
        assert (
            anyio.run(keyring.keep, KeyringEntry("mail", "127.0.0.1", "ana@example.test"), KEYRING_CANARY).how == "kept"
        )
    (scratch_home / "word").write_text(KEYRING_CANARY)
    program = f'password_command = ["cat", "{scratch_home}/word"]' if way == "program" else ""

    told, home = all_that_is_told(server, program, environ)

    assert "did not let ana@example.test in" in told
    assert "did not take the password of ana@example.test" in told
    assert KEYRING_CANARY not in told
    assert KEYRING_CANARY.encode() not in written_in(home)


@pytest.mark.req("AU-04")
@pytest.mark.needs("dovecot")
def test_a_keyring_or_a_program_that_says_the_password_aloud_is_not_repeated(
    server: Accounts, scratch_home: Path, tmp_path: Path
):
    loud = f'password_command = ["sh", "-c", "echo {KEYRING_CANARY} >&2; echo {KEYRING_CANARY}; exit 1"]'

    by_program, home = all_that_is_told(server, loud, {})
    by_keyring, _ = all_that_is_told(server, "", odd_keyring(tmp_path, "Loud", KEYRING_CANARY))

    assert "ended with 1 and printed no password" in by_program
    assert "the keyring has a fault of its own" in by_keyring
    assert KEYRING_CANARY not in by_keyring
    # The settings themselves say the word here; nothing else does.
    assert KEYRING_CANARY not in by_program.replace(f"echo {KEYRING_CANARY}", "")
    (home / "config.toml").unlink()
    assert KEYRING_CANARY.encode() not in written_in(home)
