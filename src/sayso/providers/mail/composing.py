"""Open a mail in the window of the person's own mail program, filled and not sent."""

from urllib.parse import quote

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Left
from sayso.providers.mail.addresses import read_addresses
from sayso.providers.mail.facts import MailComposed
from sayso.providers.mail.steps import ComposeMessage
from sayso.providers.programs.call import Call
from sayso.providers.programs.running import Runner

HANDLER = "x-scheme-handler/mailto"
OPENERS = (("gio", ("open",)), ("xdg-open", ()))
LONGEST = 8_000
"""Characters of a mail that every mail program takes this way; a longer one is saved as a draft instead."""


class Composer:
    """Opens windows on this desktop, where there is one with a mail program."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def opens(self, length: int) -> bool:
        """Say whether there is a screen, a program that the desktop chose for mail, and room for so much text."""
        environ = self._runner.environ
        if length > LONGEST or not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")) or self._opener() is None:
            return False
        try:
            chosen = await self._runner.told(Call("xdg-mime", ("query", "default", HANDLER), whole=True))
        except (ProviderError, SetupError):
            return False
        return bool(chosen.strip())

    async def open(self, step: ComposeMessage) -> Left:
        """Open a window with this mail. Raises `ProviderError` where none was opened."""
        opener = self._opener()
        if opener is None:
            raise ProviderError("there is nothing to open a mail with any more; no window was opened", "mail.compose")
        program, words = opener
        done = await self._runner.run(Call(program, words, (mailto(step),), silent=True, whole=True))
        if done.code:
            raise ProviderError(f"no window was opened: {done.name} ended with {done.code}", "mail.compose")
        return Left((MailComposed(step.message_id),))

    def _opener(self) -> tuple[str, tuple[str, ...]] | None:
        return next(((program, words) for program, words in OPENERS if self._runner.find(program)), None)


def mailto(step: ComposeMessage) -> str:
    """Return a mail as an address that mail programs take (RFC 6068)."""
    to = [one.address for person in step.to for one in read_addresses(person, "to")]
    body = "\r\n".join(step.body.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    fields = [("subject", step.subject), ("body", body)]
    written = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields if value)
    return f"mailto:{','.join(quote(one, safe='@') for one in to)}" + (f"?{written}" if written else "")
