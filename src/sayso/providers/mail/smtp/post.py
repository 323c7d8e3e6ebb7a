"""Send a message once: handed over, kept among the sent ones, and looked for there when it is not known."""

from collections.abc import Awaitable, Callable
from email.utils import parseaddr
from typing import Protocol

from anyio import to_thread

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.loading import load
from sayso.core.plan import CannotTell, Left, NotDone, Settled
from sayso.core.ports import Clock, KillPoint, no_kill_point
from sayso.core.values import dataclass
from sayso.providers.mail.facts import MailSent
from sayso.providers.mail.smtp.outbox import AGAIN, Outbox
from sayso.providers.mail.smtp.server import Server
from sayso.providers.mail.steps import SendMessage

NO_EXTRA = "mail is sent with aiosmtplib, which is not installed; pip install 'sayso[mail]'"


class Sent(Protocol):
    """The mailbox of sent messages."""

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there. Raises `ProviderError` where that cannot be seen."""
        ...

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read. Raises `ProviderError` where that cannot be done."""
        ...


@dataclass(frozen=True)
class Post:
    """What sends for one account."""

    server: Server
    password: Callable[[], Awaitable[str]]
    outbox: Outbox
    clock: Clock
    kill: KillPoint = no_kill_point

    async def send(self, step: SendMessage, sent: Sent) -> Left:
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
        return await self._kept(step, message, sent)

    async def settle(self, step: SendMessage, sent: Sent) -> Settled:
        """Say what became of a message: what was not handed over, and is not among the sent ones, was not sent."""
        stage = await to_thread.run_sync(self.outbox.stage, step.message_id)
        if stage == "sent":
            return await self._kept(step, step.raw.encode("ascii"), sent)
        try:
            there = await sent.holds(step.message_id)
        except SaysoError as silent:
            there, why = False, str(silent)
        else:
            why = "it is not among the sent ones"
        if there:
            return Left((MailSent(step.message_id),))
        if stage is None:
            return NotDone("no server was told of it")
        return CannotTell(f"the connection ended while the mail was handed over, and {why}")

    async def _going(self, step: SendMessage) -> None:
        await to_thread.run_sync(self.outbox.going, step.message_id, self.clock.now())
        self.kill("mail.send.going")

    async def _kept(self, step: SendMessage, message: bytes, sent: Sent) -> Left:
        """Keep a copy unless the server did; that it was sent stays true where none can be kept."""
        try:
            if not await sent.holds(step.message_id):
                await sent.keep(message)
        except SaysoError:
            return Left((MailSent(step.message_id, kept=False),))
        return Left((MailSent(step.message_id),))


_HANDING = "sayso.providers.mail.smtp.handing"


def recipients(step: SendMessage) -> tuple[str, ...]:
    """Return everybody a message goes to, each once, hidden ones too."""
    return tuple(dict.fromkeys(bare(one) for one in (*step.to, *step.cc, *step.bcc)))


def bare(person: str) -> str:
    """Return the address in `Name <address>`."""
    return parseaddr(person)[1]
