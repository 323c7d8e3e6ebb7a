"""Try the servers of a mail account: whether they answer, and whether signing in works."""

import socket
import ssl
from dataclasses import replace

import httpx

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Ground
from sayso.providers.accounts.dns import Names
from sayso.providers.mail.imap.client import LOST, account_of, closed, connected
from sayso.providers.mail.setup.autoconfig import MOST, Way
from sayso.providers.mail.setup.discovery import Net
from sayso.providers.mail.smtp.outbox import read_server
from sayso.providers.mail.smtp.transport import introduced

SECONDS = 4.0

_OK = 200

_GREETINGS = (b"220", b"* OK")


def the_net() -> Net:
    """Return the net that this computer is on."""
    return Net(Names(), text_at, answers)


def text_at(url: str) -> bytes:
    """Return what stands at an address; nothing where that cannot be had, or is somewhere else."""
    try:
        with (
            httpx.Client(timeout=SECONDS, trust_env=False, verify=ssl.create_default_context()) as client,
            client.stream("GET", url, headers={"User-Agent": "sayso", "Accept-Encoding": "identity"}) as answer,
        ):
            if answer.status_code != _OK:
                return b""
            data = b""
            for piece in answer.iter_bytes():
                data += piece
                if len(data) > MOST:
                    return b""
            return data
    except (httpx.HTTPError, httpx.InvalidURL, OSError):
        return b""


def answers(way: Way) -> bool:
    """Say whether a server is there that can prove its name or, where it begins plainly, that greets as one of mail."""
    try:
        with socket.create_connection((way.host, way.port), SECONDS) as plain:
            if way.protection != "tls":
                return plain.recv(512).startswith(_GREETINGS)
            with ssl.create_default_context().wrap_socket(plain, server_hostname=way.host):
                return True
    except (OSError, UnicodeError):
        return False


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
