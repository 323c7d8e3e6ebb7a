"""A real IMAP server on a free port of this machine, for one person or as many as are asked for."""

import grp
import imaplib
import os
import pwd
import signal
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.desktop_env.fixtures import session
from tests.desktop_env.ports import free_port
from tests.desktop_env.session import NOBODY, Session, wait_for
from tests.mail_env.certificates import certificate_of

USER, PASSWORD = "ana@example.test", "open sesame"
BOXES = ("Archive", "Sent", "Drafts", "Trash", "Junk")
BOX = "  mailbox {name} {{\n    auto = subscribe\n    special_use = \\{name}\n  }}\n"
CONFIGURATION = """
base_dir = {home}/dovecot/run
state_dir = {home}/dovecot/state
log_path = {home}/dovecot/log
protocols = imap
listen = 127.0.0.1
ssl = {ssl}
disable_plaintext_auth = no
auth_mechanisms = plain login
default_login_user = {user}
default_internal_user = {user}
default_internal_group = {group}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:{home}/mail/%u
mail_fsync = never
mail_max_userip_connections = 100
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
  }}
}}
auth_failure_delay = 0
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
passdb {{
  driver = passwd-file
  args = {home}/dovecot/passwd
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}/mail/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
{boxes}}}
{more}
"""


class Dovecot:
    """An IMAP server in a session of its own; `port` speaks plainly."""

    def __init__(self, session: Session, *, zone: str = "UTC", more: str = "") -> None:
        self.session = session
        self.port = free_port()
        self.folder = session.home / "dovecot"
        for name in ("run", "state"):
            (self.folder / name).mkdir(parents=True)
        (session.home / "mail").mkdir()
        (self.folder / "passwd").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
        owner = pwd.getpwnam(session.user) if session.user else pwd.getpwuid(os.geteuid())
        boxes = "".join(BOX.format(name=name) for name in BOXES)
        self.configuration = self.folder / "dovecot.conf"
        self.configuration.write_text(
            CONFIGURATION.format(
                home=session.home,
                ssl="no",
                user=owner.pw_name,
                group=group_of(owner.pw_gid),
                port=self.port,
                tls_port=0,
                uid=owner.pw_uid,
                gid=owner.pw_gid,
                boxes=boxes,
                more=more,
            )
        )
        session.own()
        self.process = session.start("dovecot", "-F", "-c", self.configuration, TZ=zone)
        wait_for(self._answers, "the IMAP server")

    @property
    def maildir(self) -> Path:
        """Return the folder in which the server keeps the mail."""
        return self.session.home / "mail" / USER

    @property
    def log(self) -> str:
        """Return what the server has written down."""
        return (self.folder / "log").read_text(errors="replace")

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as there:
                there.settimeout(5)
                return there.recv(4).startswith(b"* OK")
        except OSError:
            return False


def group_of(gid: int) -> str:
    """Return the name of a group."""
    return grp.getgrgid(gid).gr_name


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    """Return a real IMAP server whose clock stands far from the person's."""
    with session("dovecot", user=NOBODY) as made:
        yield Dovecot(made, zone="Asia/Tokyo")


WORD = "s3cret-of-the-box"
MORE = """
passdb {{
  driver = static
  args = password={secret}
}}
mail_plugins =
{more}
"""
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

    def person(self, letters: Sequence[tuple[bytes, int, str]] = (), mailbox: str = "INBOX") -> str:
        """Return a new person of this server, to whom these messages came."""
        self._people += 1
        person = f"person{self._people}@example.test"
        if letters:
            self.put(person, letters, mailbox)
        return person

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
        certificate_of(name, made.home)
        port = free_port()
        yield Accounts(made, TLS.format(folder=made.home, port=port), port)
