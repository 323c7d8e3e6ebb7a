"""Send each message at most once, and find out after a crash whether it was sent."""

import os
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from email.utils import parseaddr
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.lazy import load
from sayso.core.plan import Applied, CannotTell, NotDone, Settlement
from sayso.core.ports import Clock, KillPoint, no_kill_point
from sayso.core.provider import add_extra
from sayso.providers.mail.account import SmtpServer
from sayso.providers.mail.model import MailSent, SendMessage

KEPT = timedelta(days=90)
AGAIN = "this very mail was handed over before; it is not sent twice"
Stage = Literal["going", "sent"]


class Outbox(Struct, frozen=True):
    """A private folder with one small file for each message that sayso began to send; the file name shows the stage.

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


_HANDING = "sayso.providers.mail.smtp"
"""The module that sends a message. It needs aiosmtplib, and is imported only when a message is sent."""


def no_extra() -> str:
    """Return what is missing for sending mail, and what installs it."""
    return f"mail is sent with aiosmtplib, which is not installed; {add_extra('mail')}"


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
        """Send the message. Raises `ProviderError` if nothing was sent, and `Uncertain` if that cannot be known."""
        try:
            envelope, hand_over = load(f"{_HANDING}:Envelope"), load(f"{_HANDING}:hand_over")
        except ImportError:
            raise ProviderError(no_extra(), "mail.extra") from None
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
        """Return whether a message was sent. It was not if its sending never began and the sent mail has no copy."""
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
        """Keep a copy among the sent messages unless the server did.

        If that fails, the message still counts as sent.
        """
        try:
            if not await sent.holds(step.message_id):
                await sent.keep(message)
        except SaysoError:
            return Applied((MailSent(step.message_id, kept=False),))
        return Applied((MailSent(step.message_id),))


def recipients(step: SendMessage) -> tuple[str, ...]:
    """Return each address the message goes to, once, including hidden recipients (Bcc)."""
    return tuple(dict.fromkeys(bare(one) for one in (*step.to, *step.cc, *step.bcc)))


def bare(person: str) -> str:
    """Return the address in `Name <address>`."""
    return parseaddr(person)[1]
