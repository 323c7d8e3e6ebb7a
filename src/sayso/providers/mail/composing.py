"""Open a mail in the window of the person's own mail program, filled and not sent."""

from urllib.parse import quote

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.mail.addresses import read_addresses
from sayso.providers.mail.steps import ComposeMessage
from sayso.providers.programs.call import Call
from sayso.providers.programs.running import Runner

HANDLER = "x-scheme-handler/mailto"
OPENERS = (("gio", ("open",)), ("xdg-open", ()))
LONGEST = 60_000
"""Characters that an address of a window may have; a longer mail is saved as a draft instead."""


class Composer:
    """Opens windows on this desktop, where there is one with a mail program."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def opens(self) -> bool:
        """Say whether there is a screen, and a program that the desktop chose for mail."""
        environ = self._runner.environ
        if not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")) or self._opener() is None:
            return False
        try:
            chosen = await self._runner.told(Call("xdg-mime", ("query", "default", HANDLER), whole=True))
        except (ProviderError, SetupError):
            return False
        return bool(chosen.strip())

    async def open(self, step: ComposeMessage) -> bool:
        """Open a window with this mail; say whether one was. Raises `ProviderError` when it did not answer in time."""
        address = mailto(step)
        opener = self._opener()
        if len(address) > LONGEST or opener is None or not await self.opens():
            return False
        program, words = opener
        done = await self._runner.run(Call(program, words, (address,), silent=True, whole=True))
        return done.code == 0

    def _opener(self) -> tuple[str, tuple[str, ...]] | None:
        return next(((program, words) for program, words in OPENERS if self._runner.find(program)), None)


def mailto(step: ComposeMessage) -> str:
    """Return a mail as an address that mail programs take (RFC 6068)."""
    to = [one.address for person in step.to for one in read_addresses(person, "to")]
    body = "\r\n".join(step.body.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    fields = [("subject", step.subject), ("body", body)]
    written = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields if value)
    return f"mailto:{','.join(quote(one, safe='@') for one in to)}" + (f"?{written}" if written else "")
