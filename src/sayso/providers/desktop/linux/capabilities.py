"""Say of each part of the desktop what serves it here, why that, and what to do where nothing does."""

from collections.abc import Awaitable, Callable

from sayso.core.errors import SaysoError
from sayso.core.ports import Capability
from sayso.core.values import dataclass
from sayso.providers.bus.session import Bus
from sayso.providers.desktop.linux.clipboards import clipboard
from sayso.providers.desktop.linux.notices import service
from sayso.providers.desktop.linux.opening import Opening
from sayso.providers.desktop.linux.shortcuts import Shortcuts
from sayso.providers.desktop.linux.silence import Silence
from sayso.providers.desktop.linux.voice import Voice
from sayso.providers.desktop.linux.volume import Loudness
from sayso.providers.programs.running import Runner

CLIPBOARDS = {
    "wl-paste": "WAYLAND_DISPLAY names a Wayland session, and wl-clipboard is installed",
    "xclip": "DISPLAY names an X11 session, and xclip is installed",
    "xsel": "DISPLAY names an X11 session, and xclip is not; xsel knows text only, surely when it is short",
}


@dataclass(frozen=True)
class Parts:
    """The parts of a desktop."""

    runner: Runner
    bus: Bus
    loudness: Loudness
    silence: Silence
    voice: Voice
    opening: Opening
    shortcuts: Shortcuts

    async def capabilities(self) -> tuple[Capability, ...]:
        """Look at each part."""
        looks = {
            "clipboard": self._clipboard,
            "notifications": self._notifications,
            "speech": self._speech,
            "volume": self._volume,
            "quiet": self._quiet,
            "opening files": self._files,
            "shortcuts": self._shortcuts,
        }
        return tuple([await _looked(name, look) for name, look in looks.items()])

    async def _clipboard(self) -> tuple[str, str]:
        board = clipboard(self.runner)
        await board.types()
        return board.name, CLIPBOARDS[board.name]

    async def _notifications(self) -> tuple[str, str]:
        name, _, version, _ = await self.bus.call(service("GetServerInformation"))
        (can,) = await self.bus.call(service("GetCapabilities"))
        return f"{name} {version}", "it answers on D-Bus" + ("" if "sound" in can else "; it plays no sounds")

    async def _speech(self) -> tuple[str, str]:
        return self.voice.speaker().program, "it is installed"

    async def _volume(self) -> tuple[str, str]:
        output = await self.loudness.output()
        return "pactl", f"the sound server answers; its output is {output.name}"

    async def _quiet(self) -> tuple[str, str]:
        return (await self.silence.switch()).name, "that is the switch of this session"

    async def _files(self) -> tuple[str, str]:
        return self.opening.opener()[0], "it is installed"

    async def _shortcuts(self) -> tuple[str, str]:
        return "config.toml", ", ".join(self.shortcuts.known) or "it has no [shortcuts.NAME] yet"


async def _looked(name: str, look: Callable[[], Awaitable[tuple[str, str]]]) -> Capability:
    try:
        served, why = await look()
    except SaysoError as problem:
        says, _, fix = str(problem).partition("; ")
        return Capability(name, "", says, fix)
    return Capability(name, served, why)
