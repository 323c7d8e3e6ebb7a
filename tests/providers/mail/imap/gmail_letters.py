"""Three messages on the server that speaks as Gmail does: two in its inbox, one that was archived."""

from sayso.providers.mail.store import Criteria, DatedCriteria
from sayso.testing.harness import Trial
from sayso.testing.mail import reads
from tests.mail_env.gmail import Gmail

ONE, TWO, OLD = "<1@x.test>", "<2@x.test>", "<3@x.test>"


def planted(server: Gmail) -> None:
    """Deliver them, with labels."""
    server.put(letter(ONE), "\\Inbox", "\\Important", "Two words")
    server.put(letter(TWO), "\\Inbox", "Gr&APwA3w-e")
    server.put(letter(OLD), "2024")


def letter(id_: str) -> bytes:
    """Return a message."""
    return f"From: bo@x.test\r\nTo: ana@x.test\r\nSubject: About {id_[1]}\r\nMessage-ID: {id_}\r\n\r\ntext\r\n".encode()


async def places(trial: Trial) -> dict[str, str]:
    """Return where each message is that a search finds."""
    found = await reads(trial).search(DatedCriteria(Criteria()))
    return {one.message_id: one.mailbox for one in found}
