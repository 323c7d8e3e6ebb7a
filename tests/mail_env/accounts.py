"""A real IMAP server with as many people as are asked for, each of whom begins with empty mailboxes."""

import imaplib
import os
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.desktop_env.fixtures import session
from tests.desktop_env.ports import free_port
from tests.desktop_env.session import NOBODY, Session
from tests.mail_env.dovecot import Dovecot

WORD = "s3cret-of-the-box"
MORE = """
passdb {{
  driver = static
  args = password={secret}
}}
mail_plugins =
{more}
"""
SIGN = [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    "key.pem",
    "-out",
    "cert.pem",
]
TLS = """
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
service imap-login {{
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
"""


class Accounts(Dovecot):
    """One server; each test signs in as a person of its own."""

    def __init__(self, session: Session, more: str = "", tls_port: int = 0) -> None:
        self.tls_port = tls_port
        self._people = 0
        super().__init__(session, more=MORE.format(secret=WORD, more=more))

    def person(self) -> str:
        """Return a new person of this server."""
        self._people += 1
        return f"person{self._people}@example.test"

    def root(self, person: str) -> Path:
        """Return the Maildir of a person, made as the server makes it."""
        client = self.signed_in(person)
        client.select("INBOX")
        client.logout()
        return self.session.home / "mail" / person

    def signed_in(self, person: str) -> imaplib.IMAP4:
        """Return a connection of the standard library."""
        client = imaplib.IMAP4("127.0.0.1", self.port)
        client.login(person, WORD)
        return client

    def put(self, person: str, letters: Sequence[tuple[bytes, int, str]], mailbox: str = "INBOX") -> None:
        """Deliver messages, each with the second in which it came and the letters of its flags."""
        client = self.signed_in(person)
        for data, seconds, flags in letters:
            seen = r"\Seen" if "S" in flags else ""
            said, why = client.append(mailbox, seen, imaplib.Time2Internaldate(seconds), data)
            assert said == "OK", why
        client.logout()

    def cut(self) -> None:
        """Cut every connection, as a network that goes away does."""
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdecimal() and (entry / "comm").read_text().strip() == "imap" and self._ours(entry):
                    os.kill(int(entry.name), signal.SIGKILL)

    def _ours(self, entry: Path) -> bool:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == self.process.pid


@contextmanager
def accounts(more: str = "") -> Generator[Accounts]:
    """Give a server that speaks plainly, and that ends afterwards."""
    with session("dovecot", user=NOBODY) as made:
        yield Accounts(made, more)


@contextmanager
def guarded(name: str) -> Generator[Accounts]:
    """Give a server that also speaks TLS, with a certificate for `name` that it signed itself (`cert.pem`)."""
    with session("dovecot", "openssl", user=NOBODY) as made:
        files = ("-keyout", made.home / "key.pem", "-out", made.home / "cert.pem")
        names = ("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
        subprocess.run([*SIGN, *names, *files], check=True, capture_output=True)
        port = free_port()
        yield Accounts(made, TLS.format(folder=made.home, port=port), port)
