"""The outbox: a message is sent once, and after a crash it is known whether it was."""

import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from email.utils import parseaddr
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, Protocol

from anyio import to_thread
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.lazy import load
from sayso.core.plan import Applied, CannotTell, NotDone, Settlement
from sayso.core.ports import Clock, KillPoint, no_kill_point
from sayso.providers.mail.model import MailSent, SendMessage

Protection = Literal["tls", "starttls", "none"]
TLS_PORT, SUBMISSION_PORT = 465, 587
SECONDS, LAST_SECONDS = 60.0, 300.0
NOT_SET = (
    "mail cannot be sent yet: a server that takes it or your address is not set (mail.smtp_host, mail.address); "
    "“sayso config mail” asks for both"
)
_PROTECTIONS: Mapping[str, Protection] = {"tls": "tls", "implicit": "tls", "starttls": "starttls", "none": "none"}


class Server(Struct, frozen=True):
    """An SMTP server, how the way to it is protected, and who signs in there; nobody where `user` is empty."""

    host: str
    port: int
    protection: Protection
    user: str = ""
    by_token: bool = False
    """What is asked for is a token (XOAUTH2) and no password."""
    seconds: float = SECONDS
    """How long each answer may take."""
    last_seconds: float = LAST_SECONDS
    """How long the answer to a whole message may take; servers look at what is in it first."""


def read_server(settings: Mapping[str, Json]) -> Server:
    """Return the server of `[mail]`. Raises `SetupError` where none is set, or none that can be."""
    host = str(settings.get("smtp_host") or "")
    if not host or not settings.get("address"):
        raise SetupError(NOT_SET, "mail.smtp_missing")
    port = settings.get("smtp_port")
    protection = _protection(settings.get("tls"), host, port)
    number = port if isinstance(port, int) else TLS_PORT if protection == "tls" else SUBMISSION_PORT
    by_token = "oauth" in str(settings.get("auth") or "").lower()
    return Server(host, number, protection, str(settings.get("user") or ""), by_token)


def is_here(host: str) -> bool:
    """Say whether a server is this very machine, so that nobody can listen on the way."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _protection(tls: Json, host: str, port: Json) -> Protection:
    if tls is False:
        return "none"
    if isinstance(tls, str) and tls:
        if tls.lower() not in _PROTECTIONS:
            raise SetupError(f"“tls” in [mail] must be “tls”, “starttls” or “none”; found “{tls[:40]}”", "config.value")
        return _PROTECTIONS[tls.lower()]
    if port in {TLS_PORT, None}:
        return "tls"
    return "none" if tls is None and is_here(host) else "starttls"


KEPT = timedelta(days=90)
AGAIN = "this very mail was handed over before; it is not sent twice"
Stage = Literal["going", "sent"]


class Outbox(Struct, frozen=True):
    """A folder of sayso's own with one small file for each message that a server was handed, named after its stage.

    A file holds the Message-ID and nothing else.
    """

    folder: Path

    def stage(self, message_id: str) -> Stage | None:
        """Return how far a message has come; None for one that no server was told a byte of."""
        for stage in ("sent", "going"):
            if self._file(message_id, stage).exists():
                return stage
        return None

    def going(self, message_id: str, now: datetime) -> None:
        """Write down that a server is about to be told a message. Raises `Uncertain` if one was before."""
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

    def sent(self, message_id: str) -> None:
        """Write down that the server took it."""
        self._file(message_id, "going").rename(self._file(message_id, "sent"))
        self._flush()

    def refused(self, message_id: str) -> None:
        """Write down that the server said no, so that nothing is known of it."""
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


class Sent(Protocol):
    """The mailbox of sent messages."""

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there. Raises `ProviderError` where that cannot be seen."""
        ...

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read. Raises `ProviderError` where that cannot be done."""
        ...


class Post(Struct, frozen=True):
    """What sends for one account."""

    server: Server
    password: Callable[[], Awaitable[str]]
    outbox: Outbox
    clock: Clock
    kill: KillPoint = no_kill_point

    async def send(self, step: SendMessage, sent: Sent) -> Applied:
        """Send; what could go wrong up to the last byte is a plain no."""
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
            await hand_over(self.server, self.password, whole, lambda: self._going(step))
        except Uncertain:
            raise
        except SaysoError as no:
            await to_thread.run_sync(self.outbox.refused, step.message_id)
            raise no if isinstance(no, ProviderError) else ProviderError(str(no), no.code) from no
        await to_thread.run_sync(self.outbox.sent, step.message_id)
        self.kill("mail.send.taken")
        return await self._keep_copy(step, message, sent)

    async def settle(self, step: SendMessage, sent: Sent) -> Settlement:
        """Say what became of a message: what was not handed over, and is not among the sent ones, was not sent."""
        stage = await to_thread.run_sync(self.outbox.stage, step.message_id)
        if stage == "sent":
            return await self._keep_copy(step, step.raw.encode("ascii"), sent)
        try:
            there = await sent.holds(step.message_id)
        except SaysoError as silent:
            there, why = False, str(silent)
        else:
            why = "it is not among the sent ones"
        if there:
            return Applied((MailSent(step.message_id),))
        if stage is None:
            return NotDone("no server was told of it")
        return CannotTell(f"the connection ended while the mail was handed over, and {why}")

    async def _going(self, step: SendMessage) -> None:
        await to_thread.run_sync(self.outbox.going, step.message_id, self.clock.now())
        self.kill("mail.send.going")

    async def _keep_copy(self, step: SendMessage, message: bytes, sent: Sent) -> Applied:
        """Keep a copy unless the server did; that it was sent stays true where none can be kept."""
        try:
            if not await sent.holds(step.message_id):
                await sent.keep(message)
        except SaysoError:
            return Applied((MailSent(step.message_id, kept=False),))
        return Applied((MailSent(step.message_id),))


_HANDING = "sayso.providers.mail.smtp.transport"


def recipients(step: SendMessage) -> tuple[str, ...]:
    """Return everybody a message goes to, each once, hidden ones too."""
    return tuple(dict.fromkeys(bare(one) for one in (*step.to, *step.cc, *step.bcc)))


def bare(person: str) -> str:
    """Return the address in `Name <address>`."""
    return parseaddr(person)[1]
