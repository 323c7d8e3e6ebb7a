"""Hand a message over to an SMTP server, to all of its recipients or to none."""

import re
from asyncio import WriteTransport
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPException,
    SMTPNotSupported,
    SMTPResponse,
    SMTPResponseException,
)
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.providers.accounts.errors import speaks_no_tls, why_not_believed, why_not_let_in, why_not_reached
from sayso.providers.mail.account import SmtpServer

_ODD = re.compile(r"[^\x20-\x7e\xa0-\U0010ffff]+")
_DOTS = re.compile(rb"^\.", re.MULTILINE)
_GREETING = "[127.0.0.1]"
"""The name this computer gives to servers; it does not identify the computer."""
MOST_SAID, MOST_NAMED = 200, 5
AUTH_WANTED = 530
GOODBYE_SECONDS = 5.0
NOTHING = "nothing was sent"


class Envelope(Struct, frozen=True):
    """One message: its sender, all its recipients, and its bytes with CR LF line ends."""

    sender: str
    recipients: tuple[str, ...]
    message: bytes


async def hand_over(
    server: SmtpServer,
    password: Callable[[], Awaitable[str]],
    envelope: Envelope,
    before_data: Callable[[], Awaitable[None]],
) -> None:
    """Send a message to all of its recipients or to none.

    `before_data` is called when the server is ready for the message, before its first byte is sent. Raises
    `ProviderError` or `SetupError` if nothing was sent, and `Uncertain` if the connection broke before the server
    confirmed the message.
    """
    async with _connect(server) as client:
        await _sign_in(client, server, password)
        await _send_envelope(client, server, envelope)
        await before_data()
        await _send_data(client, server, envelope.message)


async def sign_in_and_check(server: SmtpServer, password: Callable[[], Awaitable[str]], sender: str) -> None:
    """Sign in and have the server accept the sender, but send no mail. Raises `ProviderError` or `SetupError`."""
    async with _connect(server) as client:
        await _sign_in(client, server, password)
        await _sender(client, server, sender)


@asynccontextmanager
async def _connect(server: SmtpServer) -> AsyncGenerator[SMTP]:
    client = SMTP(
        hostname=server.host,
        port=server.port,
        use_tls=server.protection == "tls",
        start_tls=server.protection == "starttls",
        local_hostname=_GREETING,
        timeout=server.seconds,
    )
    where = f"{server.host}:{server.port}"
    try:
        await client.connect()
    except (SMTPException, OSError, ValueError) as error:
        raise _connection_error(error, server, where) from None
    try:
        yield client
    finally:
        await _quit_session(client)


TLS = "mail.smtp_tls"


def _connection_error(error: Exception, server: SmtpServer, where: str) -> ProviderError | SetupError:
    disbelieved = why_not_believed(error, server.host)
    if disbelieved:
        return SetupError(
            f"{where} could not prove that it is {server.host}, and nothing was sent to it: {disbelieved}", TLS
        )
    if speaks_no_tls(error):
        return SetupError(f"{where} does not speak TLS as it should; look at smtp_port and tls in [mail]", TLS)
    if server.protection == "starttls" and "STARTTLS" in str(error):
        return SetupError(
            f"{where} offers no encryption (STARTTLS), so neither a password nor the mail was sent to it", TLS
        )
    why = why_not_reached(error, server.host) or _reason(error)
    return ProviderError(f"the mail server {where} cannot be reached ({why}); {NOTHING}", "mail.smtp_reach")


async def _sign_in(client: SMTP, server: SmtpServer, password: Callable[[], Awaitable[str]]) -> None:
    if not server.user:
        return
    secret = await password()
    try:
        await (client.auth_xoauth2 if server.by_token else client.login)(server.user, secret)
    except SMTPAuthenticationError as no:
        kind = "token" if server.by_token else "password"
        why = why_not_let_in(no.message, by_token=server.by_token)
        raise SetupError(
            f"{server.host} did not take the {kind} of {server.user} ({no.code}): {why}", "mail.smtp_login"
        ) from None
    except SMTPNotSupported:
        raise SetupError(
            f"{server.host} offers no way to sign in that is known here; look at smtp_port and tls in [mail], or "
            "leave “user” empty",
            "mail.smtp_login",
        ) from None
    except (SMTPException, OSError) as error:
        raise _broken_connection(server, error) from None


async def _sender(client: SMTP, server: SmtpServer, sender: str) -> None:
    try:
        await client.mail(sender)
    except SMTPResponseException as no:
        if no.code == AUTH_WANTED and not server.user:
            raise SetupError(
                f"{server.host} takes mail only from those who sign in, as “sayso config mail” sets it up; {NOTHING}",
                "mail.smtp_login",
            ) from None
        raise ProviderError(
            f"{server.host} takes no mail from {sender} ({_answer(no)}); {NOTHING}", "mail.smtp_sender"
        ) from None
    except (SMTPException, OSError, ValueError) as error:
        raise _broken_connection(server, error) from None


async def _send_envelope(client: SMTP, server: SmtpServer, envelope: Envelope) -> None:
    await _sender(client, server, envelope.sender)
    refused = [no for one in envelope.recipients if (no := await _recipient(client, server, one))]
    if refused:
        raise ProviderError(
            f"{server.host} does not take mail for {_list_refused(refused)}; {NOTHING} to anybody",
            "mail.smtp_recipient",
        )
    try:
        ready = await client.execute_command(b"DATA")
    except (SMTPException, OSError) as error:
        raise _broken_connection(server, error) from None
    if ready.code != WAITS:
        raise _refusal_error(server, ready)


async def _recipient(client: SMTP, server: SmtpServer, recipient: str) -> str:
    """Name a recipient to the server; return the address and reason if it is refused, else an empty string."""
    try:
        await client.rcpt(recipient)
    except SMTPResponseException as no:
        return f"{recipient} ({_answer(no)})"
    except (SMTPException, OSError, ValueError) as error:
        raise _broken_connection(server, error) from None
    return ""


WAITS, TAKEN, NO = 354, 2, (4, 5)
"""The first digit of an answer tells success from failure (RFC 5321, 4.2.1); the other digits vary between servers."""


async def _send_data(client: SMTP, server: SmtpServer, message: bytes) -> None:
    if not isinstance(client.transport, WriteTransport):
        raise _broken_connection(server, ConnectionError("the connection was closed"))
    ended = message if message.endswith(b"\r\n") else message + b"\r\n"
    client.transport.write(_DOTS.sub(b"..", ended))
    try:
        answer = await client.execute_command(b".", timeout=server.last_seconds)
    except (SMTPException, OSError) as error:
        raise Uncertain(
            f"the connection to {server.host} broke before it said whether it took the mail ({_reason(error)})",
            "mail.smtp_uncertain",
        ) from None
    if answer.code // 100 == TAKEN:
        return
    if answer.code // 100 not in NO:
        raise Uncertain(
            f"{server.host} did not say whether it took the mail ({answer.code} {_clean(answer.message)})",
            "mail.smtp_uncertain",
        )
    raise _refusal_error(server, answer)


async def _quit_session(client: SMTP) -> None:
    # The message is already sent or refused, so the answer to QUIT does not matter.
    with suppress(SMTPException, OSError):
        if client.is_connected:
            await client.quit(timeout=GOODBYE_SECONDS)
    client.close()


def _broken_connection(server: SmtpServer, error: Exception) -> ProviderError:
    return ProviderError(
        f"the connection to {server.host} broke before the mail was handed over ({_reason(error)}); {NOTHING}",
        "mail.smtp_broke",
    )


def _refusal_error(server: SmtpServer, answer: SMTPResponse) -> ProviderError:
    text = f"{answer.code} {_clean(answer.message)}".strip()
    return ProviderError(f"{server.host} refused the mail ({text}); {NOTHING}", "mail.smtp_refused")


def _answer(no: SMTPResponseException) -> str:
    return f"{no.code} {_clean(no.message)}".strip()


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return _clean(str(error)) or type(error).__name__


def _clean(text: str) -> str:
    return _ODD.sub(" ", text).strip()[:MOST_SAID]


def _list_refused(refused: Sequence[str]) -> str:
    more = f" and {len(refused) - MOST_NAMED} more" if len(refused) > MOST_NAMED else ""
    return ", ".join(refused[:MOST_NAMED]) + more
