"""The backend over the servers of the tests, and the three messages that they begin with."""

from collections.abc import Mapping

from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import Imap, build
from sayso.providers.mail.store import Criteria, DatedCriteria
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.mail import reads
from tests.mail_env.dovecot import WORD, Accounts
from tests.mail_env.gmail import Gmail

opened: list[Imap] = []
"""What was opened in this test, and ends with it."""


def over(
    server: Accounts,
    person: str,
    kill: KillPoint = no_kill_point,
    environ: Mapping[str, str] | None = None,
    home: str = "/home/ana",
    **settings: object,
) -> Imap:
    """Return the backend for a person of this server."""
    known: dict[str, object] = {"host": "127.0.0.1", "port": server.port, "user": person, "address": person}
    given = environ if environ is not None else {VARIABLE: WORD}
    ground = BackendContext(
        {**known, **settings}, home, f"{home}/.sayso", (home,), FakeClock(), NumberedIds(), kill, environ=given
    )
    opened.append(build(ground))
    return opened[-1]


ONE, TWO, OLDEST = "<1@x.test>", "<2@x.test>", "<3@x.test>"


def planted(server: Gmail) -> None:
    """Deliver them, with labels."""
    server.put(letter(ONE), "\\Inbox", "\\Important", "Two words")
    server.put(letter(TWO), "\\Inbox", "Gr&APwA3w-e")
    server.put(letter(OLDEST), "2024")


def letter(id_: str) -> bytes:
    """Return a message."""
    return f"From: bo@x.test\r\nTo: ana@x.test\r\nSubject: About {id_[1]}\r\nMessage-ID: {id_}\r\n\r\ntext\r\n".encode()


async def places(trial: Trial) -> dict[str, str]:
    """Return where each message is that a search finds."""
    found = await reads(trial).search(DatedCriteria(Criteria()))
    return {one.message_id: one.mailbox for one in found}
