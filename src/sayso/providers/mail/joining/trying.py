"""Sign in once to read and once to send, and say what a server cannot do; nothing is changed or sent."""

from dataclasses import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Ground
from sayso.providers.mail.imap.account import account_of
from sayso.providers.mail.imap.wire import LOST, closed, connected
from sayso.providers.mail.smtp.handing import introduced
from sayso.providers.mail.smtp.server import read_server

NO_IDLE = (
    "this server does not say by itself that mail has come (no IDLE), so sayso asks it now and then; all else works"
)


def try_reading(ground: Ground, secret: str, seconds: float) -> tuple[str, ...]:
    """Sign in to the IMAP server and look at the inbox. Returns what else is to be known of it.

    Raises `SetupError` and `ProviderError` with one sentence.
    """
    account = replace(account_of(ground), seconds=seconds)
    wire = connected(account, secret)
    try:
        wire.select_folder("INBOX", readonly=True)
        return () if wire.has_capability("IDLE") else (NO_IDLE,)
    except LOST:
        raise ProviderError(f"the mail server {account.named} ended the connection", "mail.unreachable") from None
    except wire.Error:
        raise SetupError(f"the mail server {account.named} lets you in, and shows no inbox", "mail.inbox") from None
    finally:
        closed(wire)


async def try_sending(ground: Ground, secret: str, seconds: float) -> None:
    """Sign in to the SMTP server and go as far as a mail that is not sent.

    Raises `SetupError` and `ProviderError` with one sentence.
    """

    async def given() -> str:
        return secret

    settings = ground.settings
    server = replace(read_server(settings), seconds=seconds)
    await introduced(server, given, str(settings.get("address") or ""))
