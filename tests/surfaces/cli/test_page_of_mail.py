"""What the page shows of setting mail up is what a terminal shows, with real servers and a real keyring."""

import re
import ssl
from pathlib import Path

import pytest

from tests.docs.transcripts import is_as_shown
from tests.house import ROOT
from tests.mail_env.dovecot import WORD, Accounts, guarded
from tests.mail_env.keyrings import secret_service
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered

PAGE = ROOT / "docs" / "how-to" / "connect-your-mail.md"
pytestmark = [
    pytest.mark.needs("dovecot", "dbus-daemon", "dbus-send", "gnome-keyring-daemon", "openssl"),
    pytest.mark.thorough,
]
NAME = "mail.berg.internal"
ANSWER = re.compile(
    r"^(Your mail address|Your name|Server to|Your user name|Which|Password|Write this\?).*?(?:: ?|\] )([^:\]]*)$"
)


def shown_on_the_page() -> str:
    (block,) = re.findall(r"^```text\n\$ sayso config mail\n(.*?)\n```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return block


def test_setting_up_goes_as_the_page_shows(sit: Sit, scratch_home: Path, monkeypatch: pytest.MonkeyPatch):
    with guarded("localhost") as server, secret_service() as keyring:
        certificate = server.session.home / "cert.pem"
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, server.session.home / "key.pem")
        for name, value in {**keyring.environ, "SSL_CERT_FILE": str(certificate), "NO_COLOR": "1"}.items():
            monkeypatch.setenv(name, value)
        with smtp(login=True, word=WORD, tls=context) as post:
            screen = sit("config", "mail", columns=160)
            answered(screen, *typed_on_the_page(server, post))
            assert screen.end() == 0

    shown, printed = as_on_the_page(screen.text, server, post), joined(shown_on_the_page())
    assert is_as_shown(shown, printed), f"{shown}\n\nand the page says:\n{printed}"


def typed_on_the_page(server: Accounts, post: RecordingSmtp) -> list[tuple[str, str]]:
    """Return what is typed; the servers of a test have ports of their own, so their protection is asked for too."""
    answers: list[tuple[str, str]] = []
    for line in shown_on_the_page().split("\n"):
        found = ANSWER.match(line)
        if found is None:
            continue
        question, typed = found[1], WORD if found[1] == "Password" else found[2]
        if question == "Server to":
            reading = "IMAP" in line
            port = server.tls_port if reading else post.port
            answers += [(f"Server to {'read' if reading else 'send'}", f"localhost:{port}"), ("How is port", "tls")]
        else:
            answers.append((question, typed))
    return answers


def as_on_the_page(text: str, server: Accounts, post: RecordingSmtp) -> str:
    """Return what stands on the screen with the names and ports of the page."""
    whole = joined(text)
    for port, usual in ((server.tls_port, 993), (post.port, 465)):
        whole = whole.replace(f"localhost:{port}", f"{NAME}:{usual}").replace(f"port = {port}", f"port = {usual}")
    whole = re.sub(r" How is port \d+ protected: tls, starttls or none \[none\]: tls", "", whole)
    return (
        whole.replace(' tls = "tls"', "")
        .replace("localhost", NAME)
        .replace(f"]: {NAME}:993", f"]: {NAME}")
        .replace(f"]: {NAME}:465", f"]: {NAME}")
    )


def joined(text: str) -> str:
    """Return a text on one line: where it is broken depends on how long names are."""
    return " ".join(text.split())
