"""Say of each part of the desktop what serves it here, why that and nothing else, and what to do where nothing does."""

from collections.abc import Awaitable, Callable

from anyio import create_task_group

from sayso.core.capability import Capability
from sayso.core.errors import SaysoError
from sayso.core.values import dataclass
from sayso.providers.bus.session import Bus
from sayso.providers.desktop.linux.clipboards import clipboard
from sayso.providers.desktop.linux.notices import plays, service
from sayso.providers.desktop.linux.opening import Opening
from sayso.providers.desktop.linux.passed_over import boards, openers, speakers, switches
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
        found: dict[str, Capability] = {}

        async def looked(name: str, look: Callable[[], Awaitable[Capability]]) -> None:
            found[name] = await _looked(name, look)

        # Each may wait for somebody who does not answer.
        async with create_task_group() as together:
            for name, look in looks.items():
                together.start_soon(looked, name, look)
        return tuple(found[name] for name in looks)

    async def _clipboard(self) -> Capability:
        board = clipboard(self.runner)
        await board.types()
        return Capability("", board.name, CLIPBOARDS[board.name], others=boards(self.runner, board.name))

    async def _notifications(self) -> Capability:
        name, _, version, _ = await self.bus.call(service("GetServerInformation"))
        (can,) = await self.bus.call(service("GetCapabilities"))
        return Capability("", f"{name} {version}", f"it answers on D-Bus; {plays(can)}")

    async def _speech(self) -> Capability:
        speaker = self.voice.speaker().program
        return Capability("", speaker, "it is installed", others=speakers(self.runner, speaker))

    async def _volume(self) -> Capability:
        output = await self.loudness.output()
        return Capability("", "pactl", f"the sound server answers; its output is {output.name}")

    async def _quiet(self) -> Capability:
        switch = (await self.silence.switch()).name
        return Capability("", switch, "that is the switch of this session", others=switches(switch))

    async def _files(self) -> Capability:
        opener = self.opening.opener()[0]
        return Capability("", opener, "it is installed", others=openers(self.runner, opener))

    async def _shortcuts(self) -> Capability:
        return Capability("", "config.toml", ", ".join(self.shortcuts.known) or "it has no [shortcuts.NAME] yet")


async def _looked(name: str, look: Callable[[], Awaitable[Capability]]) -> Capability:
    try:
        found = await look()
    except SaysoError as problem:
        says, _, fix = str(problem).partition("; ")
        return Capability(name, "", says, fix)
    return Capability(name, found.served, found.why, others=found.others)
