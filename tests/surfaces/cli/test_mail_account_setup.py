"""A person sets their mail up at a terminal, with real servers and a real keyring; what is wrong is named."""

import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sayso.core.encoding import Json
from sayso.core.ports import BackendContext
from sayso.providers.mail.account_setup import MailEndpoint, MailServers
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.mail_account import ask_for_servers, now_set
from sayso.testing.fakes import FakeClock
from tests.desktop_env.ports import free_port
from tests.mail_env.dovecot import WORD, Accounts, accounts, guarded
from tests.mail_env.keyrings import secret_service
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import Typist, answered, by_password, by_program, servers
from tests.surfaces.cli.person import Screen, sayso

pytestmark = pytest.mark.needs("dovecot", "dbus-daemon", "dbus-send", "gnome-keyring-daemon", "openssl")
WRONG = "wr0ng-w0rd"
STRICT = """
passdb {
  driver = static
  args = nopassword=y nologin=y reason=https://support.google.com/accounts/answer/185833
}
protocol imap {
  imap_capability = IMAP4rev1 UIDPLUS MOVE
}
"""
HERE = "127.0.0.1"
NOT_KNOWN_AS_HERE = "127.1"


@pytest.fixture(scope="module")
def strict() -> Iterator[Accounts]:
    """Return a server without TLS that answers a wrong password as Google does."""
    with accounts(STRICT) as there:
        yield there


@pytest.fixture(scope="module")
def safe() -> Iterator[Accounts]:
    """Return a server whose certificate is for “localhost” and by nobody."""
    with guarded("localhost") as there:
        yield there


@pytest.fixture
def post() -> Iterator[RecordingSmtp]:
    """Return a server that takes mail from who signs in, and from nobody else."""
    with smtp(login=True, word=WORD) as there:
        yield there


@pytest.fixture
def safe_post(safe: Accounts) -> Iterator[RecordingSmtp]:
    """Return a server that takes mail, with the same certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(safe.session.home / "cert.pem", safe.session.home / "key.pem")
    with smtp(login=True, word=WORD, tls=context, starttls=True) as there:
        yield there


@pytest.fixture
def config(written: Callable[[str], Path]) -> Path:
    """Return the file of settings, which has a comment and a setting of another kind."""
    return written('# mine\n[mail]\nhold_seconds = 30 # half a minute\n\n[policy]\nmode = "always"\n')


@pytest.fixture
def desk(sit: Sit, with_keyring: None, config: Path) -> Callable[..., Screen]:
    """Return what starts the setting up in a session with a keyring."""
    return lambda *words: sit("config", "mail", *words, columns=240)


def plain(server: Accounts, post: RecordingSmtp) -> tuple[tuple[str, int, str], tuple[str, int, str]]:
    return (HERE, server.port, "none"), (HERE, post.port, "none")


@pytest.mark.req("AU-04")
def test_an_account_is_tried_shown_and_written_and_works(
    desk: Callable[..., Screen], strict: Accounts, post: RecordingSmtp, config: Path
):
    person = strict.person()
    screen = desk()
    answered(screen, *servers(*plain(strict, post), address=person), *by_password(WORD))
    shown = screen.see("Write this?")
    assert config.read_text().count("\n") == 6
    screen.type("y\n")

    assert screen.end() == 0
    assert f'host = "{HERE}"' in shown
    assert f"The password goes into your keyring, as “sayso mail {HERE}”, {person}" in shown
    assert "to take it back: sayso config mail --remove" in screen.text
    assert WORD.encode() not in screen.raw
    text = config.read_text()
    assert text.startswith("# mine\n[mail]\nhold_seconds = 30 # half a minute\n")
    assert WORD not in text
    assert 'kind = "imap"' in text
    assert post.heard[1].startswith("AUTH")
    assert post.accepted == []

    inbox = sayso("run", "-", "--dialect", "lines", "--json", text="MAIL_INBOX\n")
    doctor = sayso("doctor")
    assert inbox.document["results"][0]["state"] == "done"
    assert "mail password" in doctor.out
    assert "the keyring (" in doctor.out
    assert WORD not in inbox.out + inbox.err + doctor.out + doctor.err
    written = [file for file in config.parent.rglob("*") if file.is_file()]
    assert written
    assert not any(WORD.encode() in file.read_bytes() for file in written)


def test_setting_up_once_more_begins_with_what_is_set_and_removing_takes_all_of_it_out(
    desk: Callable[..., Screen], strict: Accounts, post: RecordingSmtp, config: Path
):
    before, person = config.read_text(), strict.person()
    screen = desk()
    answered(screen, *servers(*plain(strict, post), address=person), *by_password(WORD), ("Write this?", "y"))
    assert screen.end() == 0

    again = desk()
    answered(again, ("Your mail address", ""), ("Your name", "Ana B."), ("Keep them?", ""), ("Your user name", ""))
    answered(again, ("Which", "1"), ("Password (not shown, or Enter for the one that is kept)", ""))
    shown = again.see("Write this?")
    again.type("y\n")
    assert again.end() == 0
    assert 'name = "Ana B."   (was "Ana Berg")' in shown
    assert "host =" not in shown.partition("What changes in")[2]

    gone = desk("--remove")
    assert "The password is taken out of your keyring" in gone.see("Remove this?")
    gone.type("y\n")
    assert gone.end() == 0
    assert config.read_text() == before
    nothing = desk("--remove")
    assert nothing.end() == 0
    assert "no account is set up in [mail]" in nothing.text


def test_what_was_set_before_is_the_usual_answer_and_a_password_without_use_goes(
    desk: Callable[..., Screen], strict: Accounts, post: RecordingSmtp, config: Path, tmp_path: Path
):
    word, person = tmp_path / "word", strict.person()
    word.write_text(WORD)
    screen = desk()
    answered(screen, *servers(*plain(strict, post), address=person), *by_password(WORD), ("Write this?", "y"))
    assert screen.end() == 0

    other = desk()
    answered(other, ("Your mail address", ""), ("Your name", ""), ("Keep them?", ""), ("Your user name", ""))
    answered(other, *by_program("cat", str(word)))
    shown = other.see("Write this?")
    other.type("y\n")
    assert other.end() == 0
    assert f"The password of before is removed from it (“sayso mail {HERE}”, {person})" in shown

    again = desk()
    answered(again, ("Your mail address", ""), ("Your name", ""), ("Keep them?", ""), ("Your user name", ""))
    answered(again, ("Which", ""), ("Program and arguments", ""))
    assert again.end() == 0
    assert "the settings say all of this already" in again.text
    assert "taken out of your keyring" not in _removing(desk)


@pytest.mark.thorough
def test_saying_no_or_leaving_changes_nothing(
    desk: Callable[..., Screen], strict: Accounts, post: RecordingSmtp, config: Path
):
    before = config.read_text()
    refusing, leaving = desk(), desk()
    answered(refusing, *servers(*plain(strict, post)), *by_password(WORD), ("Write this?", ""))
    answered(leaving, *servers(*plain(strict, post)), ("Which", "1"))
    leaving.see("Password (not shown)")
    leaving.type("\x03")

    assert (refusing.end(), leaving.end()) == (3, 3)
    assert "nothing was changed" in refusing.text
    assert "Left; nothing was changed." in leaving.text
    assert config.read_text() == before
    assert "The password is taken out" not in _removing(desk)


def _removing(desk: Callable[..., Screen]) -> str:
    """Return what would be removed, without removing it."""
    screen = desk("--remove")
    shown = screen.until(lambda text: "Remove this?" in text or "no account is set up" in text)
    if "Remove this?" in shown:
        screen.type("\x04")
    screen.end()
    return screen.text


@pytest.mark.thorough
@pytest.mark.req("AU-04")
def test_a_wrong_password_is_told_and_may_be_typed_again(
    desk: Callable[..., Screen], safe: Accounts, safe_post: RecordingSmtp, config: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(safe.session.home / "cert.pem"))
    screen = desk()
    answered(
        screen,
        *servers(("localhost", safe.port, "starttls"), ("localhost", safe_post.port, "starttls")),
        *by_password(WRONG),
    )
    shown = screen.see("p: the password")
    screen.type("p\n")
    answered(screen, ("Your user name", ""), *by_password(WORD), ("Write this?", "y"))

    assert screen.end() == 0
    assert "did not let ana@example.test in: the user name or the password is wrong" in shown
    assert WRONG.encode() not in screen.raw
    assert WRONG not in config.read_text()


FAULTS = {
    "app password": (WRONG, "it wants an app password, one made for this program alone"),
    "self-signed": (WORD, "signed by itself or by nobody this computer trusts"),
    "another name": (WORD, "its certificate is for another name than “127.0.0.1”"),
    "unknown host": (WORD, "there is no server called “imap.nowhere.invalid”"),
    "nothing listens": (WORD, "nothing listens there"),
    "silence": (WORD, "it does not answer"),
    "no TLS there": (WORD, "does not speak TLS as it should"),
    "no STARTTLS": (WORD, "offers no STARTTLS, so no password was sent"),
}


@pytest.fixture
def silent() -> Iterator[int]:
    """Return a port at which nobody says a word."""
    with socket.create_server((HERE, 0)) as there:
        yield there.getsockname()[1]


@pytest.fixture(params=FAULTS)
def fault(
    request: pytest.FixtureRequest, strict: Accounts, safe: Accounts, silent: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[tuple[str, int, str], str, str]:
    """Return a server with a fault, what is typed for a password, and what is said."""
    if request.param == "another name":
        monkeypatch.setenv("SSL_CERT_FILE", str(safe.session.home / "cert.pem"))
    there = {
        "app password": (HERE, strict.port, "none"),
        "self-signed": ("localhost", safe.tls_port, "tls"),
        "another name": (HERE, safe.tls_port, "tls"),
        "unknown host": ("imap.nowhere.invalid", 1993, "tls"),
        "nothing listens": (HERE, free_port(), "tls"),
        "silence": (HERE, silent, "tls"),
        "no TLS there": (HERE, strict.port, "tls"),
        "no STARTTLS": (NOT_KNOWN_AS_HERE, strict.port, "starttls"),
    }[request.param]
    return there, *FAULTS[request.param]


@pytest.mark.thorough
@pytest.mark.req("AU-04", "ML-10")
def test_each_fault_of_reading_has_a_sentence_of_its_own(
    desk: Callable[..., Screen], post: RecordingSmtp, config: Path, fault: tuple[tuple[str, int, str], str, str]
):
    there, word, said = fault
    before = config.read_text()
    screen = desk("--seconds", "1")
    answered(screen, *servers(there, (HERE, post.port, there[2])), *by_password(word), ("p: the password", ""))

    assert screen.end() in {1, 2}
    assert said in " ".join(screen.text.split())
    assert word.encode() not in screen.raw
    assert config.read_text() == before
    assert post.heard == []


@pytest.mark.req("AU-04")
def test_a_server_that_takes_no_mail_from_this_password_is_named(
    desk: Callable[..., Screen], strict: Accounts, config: Path
):
    with smtp(login=True, word="another") as post:
        screen = desk()
        answered(screen, *servers(*plain(strict, post)), *by_password(WORD), ("p: the password", ""))

    assert screen.end() == 2
    assert "✓ mail can be read" in screen.text
    assert f"{HERE} did not take the password of ana@example.test (535)" in screen.text
    assert "kind" not in config.read_text()


def test_what_is_found_is_shown_with_where_and_with_what_the_provider_wants_before_it_is_used(
    desk: Callable[..., Screen],
):
    screen = desk()
    answered(screen, ("Your mail address", "ana@gmail.com"), ("Your name", ""), ("Look for them? [Y/n]", ""))
    shown = screen.see("Use these? [Y/n]")
    screen.type("n\n")
    answered(screen, ("Server to read from", "\x03"))

    assert screen.end() == 3
    assert "Nobody is told your address." in shown
    assert "Found (known of Google):" in shown
    assert "to read:  imap.gmail.com:993, TLS" in shown
    assert "https://myaccount.google.com/apppasswords" in shown


def test_what_would_go_in_the_open_to_another_computer_is_refused(
    desk: Callable[..., Screen], strict: Accounts, post: RecordingSmtp
):
    screen = desk()
    answered(screen, *servers((NOT_KNOWN_AS_HERE, strict.port, "none"), (HERE, post.port, "none"))[:4])

    assert "sayso config set mail.tls false" in " ".join(screen.see("only done on this very computer").split())
    screen.type("\x03")
    assert screen.end() == 3


def test_where_there_is_no_keyring_a_program_prints_the_password(
    sit: Sit, strict: Accounts, post: RecordingSmtp, config: Path, tmp_path: Path
):
    word = tmp_path / "word"
    word.write_text(f"{WORD}\n")
    screen = sit("config", "mail", columns=240)
    answered(screen, *servers(*plain(strict, post)), *by_program("false"))
    assert "(false) ended with 1 and printed no password" in screen.see("✗")
    answered(screen, *by_program("cat", str(word)), ("Write this?", "y"))

    assert screen.end() == 0
    assert "A password cannot be kept: there is no keyring in this session" in screen.text
    assert f'password_command = ["cat", "{word}"]' in config.read_text()
    assert "goes into your keyring" not in screen.text


def test_a_locked_keyring_is_told_of_before_a_password_is_typed(
    sit: Sit, strict: Accounts, post: RecordingSmtp, config: Path, monkeypatch: pytest.MonkeyPatch
):
    with secret_service() as locked:
        for name, value in locked.environ.items():
            monkeypatch.setenv(name, value)
        locked.lock()
        screen = sit("config", "mail", columns=240)
        answered(screen, *servers(*plain(strict, post)), ("Which", "1"))

        screen.until(lambda text: "Which [1]:" in text.partition("is locked; unlock it")[2])
        screen.type("\x04")
        assert screen.end() == 3


def test_a_program_is_told_that_it_is_for_the_person_alone(config: Path):
    before = config.read_text()

    for words in ("mail", "mail --remove", "mail --json", "calendar", "calendar --remove"):
        run = sayso("config", *words.split())
        assert run.code == 3
        assert "sayso config" in run.err
    assert sayso("config", "get", "--remove").code == 2
    assert config.read_text() == before


ADDRESS = "ana@x.org"
SMTP = ("to send by", b"\n")
USUAL = MailEndpoint("smtp.x.org", 465, "tls")


def ground(**settings: Json) -> BackendContext:
    return BackendContext(settings, "/h", "/h/s", (), FakeClock(), RandomIds())


@pytest.mark.parametrize(
    ("said", "way"),
    [
        ("", MailEndpoint("imap.x.org", 993, "tls")),
        ("in.x.org", MailEndpoint("in.x.org", 993, "tls")),
        ("in.x.org:143", MailEndpoint("in.x.org", 143, "starttls")),
        ("[::1]:993", MailEndpoint("::1", 993, "tls")),
        ("::1", MailEndpoint("::1", 993, "tls")),
    ],
)
def test_a_name_with_or_without_port_is_a_server(typist: Typist, said: str, way: MailEndpoint):
    thread = typist.types(("to read from", f"{said}\n".encode()), SMTP)

    assert ask_for_servers(typist.interview, ground(), ADDRESS) == MailServers(way, USUAL)
    thread.join(10)


@pytest.mark.parametrize("said", ["a b", "in.x.org:0", "in.x.org:70000", "in.x.org:x", "https://in.x.org"])
def test_what_is_no_server_is_asked_for_again(typist: Typist, said: str):
    thread = typist.types(
        ("to read from", f"{said}\n".encode()), ("That is no name", b""), ("to read from", b"\n"), SMTP
    )

    assert ask_for_servers(typist.interview, ground(), ADDRESS).imap == MailEndpoint("imap.x.org", 993, "tls")
    thread.join(10)


def test_only_here_or_where_it_is_set_may_a_way_be_open(typist: Typist):
    port = "How is port 1143 protected"
    refused = typist.types(
        ("to read from", b"in.x.org:1143\n"),
        (port, b"none\n"),
        ("Without encryption", b""),
        (port, b"\n"),
        SMTP,
    )
    assert ask_for_servers(typist.interview, ground(), ADDRESS).imap == MailEndpoint("in.x.org", 1143, "tls")
    refused.join(10)

    allowed = typist.types(
        ("to read from", b"in.x.org:143\n"), ("How is port 143", b"none\n"), SMTP, ("How is port 465", b"tls\n")
    )
    assert ask_for_servers(typist.interview, ground(tls=False), ADDRESS).imap == MailEndpoint("in.x.org", 143, "none")
    allowed.join(10)


def test_servers_that_are_set_may_be_kept(typist: Typist):
    settings: dict[str, Json] = {"host": "in.x.org", "user": "ana", "smtp_host": "out.x.org", "address": ADDRESS}
    thread = typist.types(("Keep them? [Y/n]", b"\n"), ("Keep them? [Y/n]", b"n\n"))

    keeping = now_set(typist.interview, ground(**settings))
    other = now_set(typist.interview, ground(**settings))

    thread.join(10)
    assert keeping == MailServers(MailEndpoint("in.x.org", 993, "tls"), MailEndpoint("out.x.org", 465, "tls"))
    assert other is None
    assert now_set(typist.interview, ground(host="in.x.org")) is None
