"""The reads of the desktop store on a Linux session."""

from sayso.core.ports import Ids
from sayso.core.values import dataclass
from sayso.providers.desktop.facts import FOCUS, Quiet
from sayso.providers.desktop.linux.copying import Copying
from sayso.providers.desktop.linux.notices import Notices
from sayso.providers.desktop.linux.shortcuts import Shortcuts
from sayso.providers.desktop.linux.silence import Silence
from sayso.providers.desktop.linux.volume import Loudness
from sayso.providers.desktop.store import Focus, Level


@dataclass(frozen=True)
class Reads:
    """What operations may look at."""

    copying: Copying
    loudness: Loudness
    notices: Notices
    silence: Silence
    known: Shortcuts
    ids: Ids

    async def clipboard(self) -> str:
        """Return the clipboard's text, empty when it holds none."""
        return await self.copying.text()

    async def clipboard_loses(self) -> str:
        """Say what of the clipboard would not come back."""
        return await self.copying.loses()

    async def sound_loses(self, sound: str) -> str:
        """Say that a sound would not be heard."""
        return await self.notices.loses(sound)

    async def volume(self) -> Level:
        """Return the volume of the output that is used now."""
        return await self.loudness.level()

    async def focus(self) -> Focus | None:
        """Return whether do-not-disturb is on; None where the switch does not tell."""
        switch = await self.silence.switch()
        on = await switch.on()
        return None if on is None else Focus(on, Quiet(FOCUS, on), await switch.until() if on else "")

    async def shortcuts(self) -> tuple[str, ...]:
        """Return the names of the person's shortcuts."""
        return tuple(self.known.known)

    def token(self) -> str:
        """Return a new name."""
        return self.ids.token()
