"""Send mail over SMTP at most once, and find out after a crash whether a message was sent."""

import os
import re
from asyncio import WriteTransport
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from email.utils import parseaddr
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPException,
    SMTPNotSupported,
    SMTPResponse,
    SMTPResponseException,
)
from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.lazy import load
from sayso.core.plan import Applied, CannotTell, NotDone, Settlement
from sayso.core.ports import Clock, KillPoint, no_kill_point
from sayso.providers.accounts.errors import speaks_no_tls, why_not_believed, why_not_let_in, why_not_reached
from sayso.providers.mail.account import SmtpServer
from sayso.providers.mail.model import MailSent, SendMessage

KEPT = timedelta(days=90)
AGAIN = "this very mail was handed over before; it is not sent twice"
Stage = Literal["going", "sent"]


class Outbox(Struct, frozen=True):
    """A private folder with one small file for each message that sayso began to send; its name tells the stage.

    The file contains only the Message-ID.
    """

    folder: Path

    def stage(self, message_id: str) -> Stage | None:
        """Return how far the sending of a message got; None if no byte of it was sent to a server."""
        for stage in ("sent", "going"):
            if self._file(message_id, stage).exists():
                return stage
        return None

    def mark_going(self, message_id: str, now: datetime) -> None:
        """Record that a message is about to be sent to a server. Raises `Uncertain` if it was sent before."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._forget(now)
        if self.stage(message_id) is not None:
            raise Uncertain(AGAIN, "mail.sent_before")
        handle = os.open(self._file(message_id, "going"), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(message_id.encode())
            file.flush()
            os.fsync(handle)
        self._flush()

    def mark_sent(self, message_id: str) -> None:
        """Record that the server took the message."""
        self._file(message_id, "going").rename(self._file(message_id, "sent"))
        self._flush()

    def mark_refused(self, message_id: str) -> None:
        """Record that the server refused the message, so that it may be sent again."""
        if self._file(message_id, "going").exists():
            self._file(message_id, "going").unlink()
            self._flush()

    def _forget(self, now: datetime) -> None:
        for file in self.folder.glob("*.sent"):
            if file.stat().st_mtime < (now - KEPT).timestamp():
                file.unlink(missing_ok=True)

    def _file(self, message_id: str, stage: Stage) -> Path:
        return self.folder / f"{sha256(message_id.encode()).hexdigest()[:40]}.{stage}"

    def _flush(self) -> None:
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


NO_EXTRA = "mail is sent with aiosmtplib, which is not installed; pip install 'sayso[mail]'"


class SentMailbox(Protocol):
    """The mailbox of sent messages."""

    async def holds(self, message_id: str) -> bool:
        """Return whether the mailbox has a message with this Message-ID. Raises `ProviderError` if it cannot tell."""
        ...

    async def keep(self, message: bytes) -> None:
        """Add a message to the mailbox, marked as read. Raises `ProviderError` when that fails."""
        ...


class Delivery(Struct, frozen=True):
    """Sends mail for one account, each message once."""

    server: SmtpServer
    password: Callable[[], Awaitable[str]]
    outbox: Outbox
    clock: Clock
    kill: KillPoint = no_kill_point

    async def send(self, step: SendMessage, sent: SentMailbox) -> Applied:
        """Send the message. An error before its last byte means that nothing was sent."""
        try:
            envelope, hand_over = load(f"{_HANDING}:Envelope"), load(f"{_HANDING}:hand_over")
        except ImportError:
            raise ProviderError(NO_EXTRA, "mail.extra") from None
        if await to_thread.run_sync(self.outbox.stage, step.message_id) is not None:
            raise Uncertain(AGAIN, "mail.sent_before")
        self.kill("mail.send.before")
        message = step.raw.encode("ascii")
        try:
            whole = envelope(bare(step.sender), recipients(step), message)
            await hand_over(self.server, self.password, whole, lambda: self._mark_going(step))
        except Uncertain:
            raise
        except SaysoError as no:
            await to_thread.run_sync(self.outbox.mark_refused, step.message_id)
            raise no if isinstance(no, ProviderError) else ProviderError(str(no), no.code) from no
        await to_thread.run_sync(self.outbox.mark_sent, step.message_id)
        self.kill("mail.send.taken")
        return await self._keep_copy(step, message, sent)

    async def settle(self, step: SendMessage, sent: SentMailbox) -> Settlement:
        """Return whether a message was sent; not if it is neither handed over nor in the mailbox of sent mail."""
        stage = await to_thread.run_sync(self.outbox.stage, step.message_id)
        if stage == "sent":
            return await self._keep_copy(step, step.raw.encode("ascii"), sent)
        try:
            there = await sent.holds(step.message_id)
        except SaysoError as silent:
            there, why = False, str(silent)
        else:
            why = "it is not in the mailbox of sent mail"
        if there:
            return Applied((MailSent(step.message_id),))
        if stage is None:
            return NotDone("no server was told of it")
        return CannotTell(f"the connection ended while the mail was handed over, and {why}")

    async def _mark_going(self, step: SendMessage) -> None:
        await to_thread.run_sync(self.outbox.mark_going, step.message_id, self.clock.now())
        self.kill("mail.send.going")

    async def _keep_copy(self, step: SendMessage, message: bytes, sent: SentMailbox) -> Applied:
        """Keep a copy among the sent messages unless the server did. If that fails, the message still counts."""
        try:
            if not await sent.holds(step.message_id):
                await sent.keep(message)
        except SaysoError:
            return Applied((MailSent(step.message_id, kept=False),))
        return Applied((MailSent(step.message_id),))


_HANDING = "sayso.providers.mail.smtp"


def recipients(step: SendMessage) -> tuple[str, ...]:
    """Return each address the message goes to, once, including hidden recipients (Bcc)."""
    return tuple(dict.fromkeys(bare(one) for one in (*step.to, *step.cc, *step.bcc)))


def bare(person: str) -> str:
    """Return the address in `Name <address>`."""
    return parseaddr(person)[1]


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

    `last` is called when the server is ready for the message, before its first byte is sent. Raises
    `ProviderError` or `SetupError` when nothing was sent, and `Uncertain` when the connection broke before the
    server confirmed the message.
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
        return SetupError(f"{where} could not prove that it is {server.host}, and was told nothing: {disbelieved}", TLS)
    if speaks_no_tls(error):
        return SetupError(f"{where} does not speak TLS as it should; look at smtp_port and tls in [mail]", TLS)
    if server.protection == "starttls" and "STARTTLS" in str(error):
        return SetupError(f"{where} offers no encryption (STARTTLS), so it was told no password and no mail", TLS)
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
                f"{server.host} takes mail only from who signs in, as “sayso config mail” sets it up; {NOTHING}",
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
            f"{server.host} does not take mail for {_list_refused(refused)}; {NOTHING}, to nobody",
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
