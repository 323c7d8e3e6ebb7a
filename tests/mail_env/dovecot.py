"""A real IMAP server on a free port of this machine, with mailboxes of its own."""

import grp
import os
import pwd
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop_env.fixtures import session
from tests.desktop_env.ports import free_port
from tests.desktop_env.session import NOBODY, Session, wait_for

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
