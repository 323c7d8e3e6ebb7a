"""A real Dovecot of the tests' own, on free loopback ports, that keeps its mail in a throw-away home."""

import imaplib
import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.desktop_env.session import Session, wait_for

NOBODY = "nobody"
SECRET = "s3cret-of-the-box"  # noqa: S105 - made up
TOKEN = "t0ken-of-the-box"  # noqa: S105 - made up
SPECIAL = ("Archive", "Sent", "Drafts", "Trash", "Junk")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Dovecot:
    """One server; each test signs in as a person of its own, who has empty mailboxes then."""

    def __init__(self, extra: str = "", *, tls: tuple[Path, Path] | None = None, special: bool = True) -> None:
        self.session = Session()
        self.home = self.session.home
        self.port, self.tls_port = free_port(), free_port()
        self._people = 0
        self._write(extra, tls, special=special)
        self.process = self._start()
        wait_for(self._answers, "Dovecot")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def person(self) -> str:
        """Return a new person of this server."""
        self._people += 1
        return f"ana{self._people}@example.test"

    def root(self, person: str) -> Path:
        """Return the Maildir of a person, made as Dovecot makes it."""
        self.signed_in(person).logout()
        return self.home / "mail" / person

    def signed_in(self, person: str) -> imaplib.IMAP4:
        """Return a connection of the standard library."""
        client = imaplib.IMAP4("127.0.0.1", self.port)
        client.login(person, SECRET)
        return client

    def put(self, person: str, letters: Sequence[tuple[bytes, int, str]], mailbox: str = "INBOX") -> None:
        """Deliver messages, each with the second in which it came and the letters of its flags."""
        client = self.signed_in(person)
        for data, seconds, flags in letters:
            said, why = client.append(
                mailbox, r"\Seen" if "S" in flags else "", imaplib.Time2Internaldate(seconds), data
            )
            assert said == "OK", why
        client.logout()

    def own(self, path: Path) -> None:
        """Give what was put into its home to the user it runs as."""
        who = pwd.getpwnam(NOBODY)
        if os.geteuid() == 0:
            for one in (path, *path.rglob("*")):
                os.chown(one, who.pw_uid, who.pw_gid)

    def log(self) -> str:
        """Return what it wrote down of what happened."""
        return (self.home / "log").read_text(errors="replace")

    def raw(self) -> str:
        """Return everything that went over the wire, in both directions, where that is recorded."""
        return "\n".join(
            one.read_text(errors="replace") for one in sorted((self.home / "raw").rglob("*")) if one.is_file()
        )

    def drop(self) -> None:
        """Cut every connection."""
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdecimal() and _parent(entry) == self.process.pid and _named(entry) == "imap":
                    os.kill(int(entry.name), signal.SIGKILL)

    def close(self) -> None:
        """End it."""
        self.session.end(self.process)
        shutil.rmtree(self.home, ignore_errors=True)
        self.session.close()

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as found:
            return found.recv(20).startswith(b"* OK")
        return False

    def _start(self) -> subprocess.Popen[bytes]:
        self.own(self.home)
        root = os.geteuid() == 0
        return subprocess.Popen(
            ["/usr/sbin/dovecot", "-F", "-c", str(self.home / "dovecot.conf")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=NOBODY if root else None,
            group="nogroup" if root else None,
            extra_groups=[] if root else None,
        )

    def _write(self, extra: str, tls: tuple[Path, Path] | None, *, special: bool) -> None:
        for part in ("run", "state", "mail", "raw"):
            (self.home / part).mkdir(exist_ok=True)
        who = pwd.getpwnam(NOBODY) if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        boxes = "".join(f"  mailbox {name} {{\n auto=subscribe\n special_use=\\{name}\n }}\n" for name in SPECIAL)
        user = NOBODY if os.geteuid() == 0 else who.pw_name
        safe = f"ssl=yes\nssl_cert=<{tls[0]}\nssl_key=<{tls[1]}\n" if tls else "ssl=no\n"
        (self.home / "dovecot.conf").write_text(f"""
base_dir={self.home}/run
state_dir={self.home}/state
log_path={self.home}/log
protocols=imap
listen=127.0.0.1
{safe}
disable_plaintext_auth=no
default_login_user={user}
default_internal_user={user}
default_internal_group={"nogroup" if user == NOBODY else who.pw_gid}
first_valid_uid=1
first_valid_gid=1
mail_location=maildir:{self.home}/mail/%u
mail_fsync=never
mail_max_userip_connections=100
auth_mechanisms=plain login
service imap-login {{
  chroot=
  inet_listener imap {{
    port={self.port}
  }}
  inet_listener imaps {{
    port={self.tls_port if tls else 0}
  }}
}}
service anvil {{
  chroot=
}}
service stats {{
  chroot=
}}
passdb {{
  driver=static
  args=password={SECRET}
}}
userdb {{
  driver=static
  args=uid={who.pw_uid} gid={who.pw_gid} home={self.home}/mail/%u
}}
namespace inbox {{
  inbox=yes
  separator=/
{boxes if special else ""}}}
{extra}
""")


def _parent(entry: Path) -> int:
    return int((entry / "stat").read_text().rpartition(")")[2].split()[1])


def _named(entry: Path) -> str:
    return (entry / "comm").read_text().strip()
