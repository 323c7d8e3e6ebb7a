"""What sends for an account, as its settings say it: nobody is reached before something is sent."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Left, Settled, Step
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.mail.composing import Composer
from sayso.providers.mail.facts import MailSent
from sayso.providers.mail.smtp.outbox import Outbox
from sayso.providers.mail.smtp.post import Post, Sent
from sayso.providers.mail.smtp.server import read_server
from sayso.providers.mail.steps import SendMessage

HOLD = 10.0
"""Seconds for which a mail is held back where the settings do not say."""


@dataclass(frozen=True)
class Outgoing:
    """Sends, and keeps copies among the sent ones."""

    ground: Ground
    sent: Sent
    password: Callable[[Ground], Awaitable[str]]
    composer: Composer

    async def keeps_draft(self, length: int) -> bool:
        """Say whether composing a mail of so many characters saves a draft; else it opens a window."""
        return not await self.composer.opens(length)

    def check(self) -> None:
        """Return if mail can be sent. Raises `SetupError` that says what is to be set."""
        read_server(self.ground.settings)

    def holds(self, step: Step) -> float:
        """Return for how many seconds a step is held back."""
        if not isinstance(step, SendMessage):
            return 0
        seconds = self.ground.settings.get("hold_seconds")
        return float(seconds) if isinstance(seconds, int | float) else HOLD

    async def send(self, step: SendMessage) -> Left:
        """Send. Raises `ProviderError` when nothing was sent, and `Uncertain`."""
        try:
            post = self._post()
        except SetupError as missing:
            raise ProviderError(f"{missing}; nothing was sent", missing.code) from missing
        return await post.send(step, self.sent)

    async def settle(self, step: SendMessage) -> Settled:
        """Say what became of a message, as far as can be seen."""
        return await self._post().settle(step, self.sent)

    def tells(self, step: Step, left: Left) -> str:
        """Say that no copy could be kept, where that is so."""
        gone = any(isinstance(fact, MailSent) and not fact.kept for fact in left.facts)
        return "no copy could be put among the sent ones" if gone else ""

    def _post(self) -> Post:
        ground = self.ground
        server = read_server(ground.settings)
        outbox = Outbox(Path(ground.own) / "outbox")
        return Post(server, lambda: self.password(ground), outbox, ground.clock, ground.kill)
