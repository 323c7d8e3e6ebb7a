"""Find out which program serves each part of the desktop, and why the others are not used."""

from collections.abc import Awaitable, Callable, Iterator, Mapping

from anyio import create_task_group
from msgspec import Struct

from sayso.core.errors import SaysoError
from sayso.core.provider import Alternative, Capability
from sayso.providers.dbus.session import SessionBus
from sayso.providers.desktop.linux.clipboard import WL_COPY, clipboard
from sayso.providers.desktop.linux.launch import OPENERS, FileOpener
from sayso.providers.desktop.linux.notifications import DoNotDisturbSwitches, describe_sounds, service
from sayso.providers.desktop.linux.sound import SPEAKERS, SoundServer, Speech
from sayso.providers.desktop.shortcuts import Shortcuts
from sayso.providers.programs.run import ProgramRunner

CLIPBOARD_PROGRAMS: Mapping[str, tuple[str, str, str]] = {
    "wl-paste": (WL_COPY, "WAYLAND_DISPLAY", "wl-clipboard"),
    "xclip": ("xclip", "DISPLAY", "xclip"),
    "xsel": ("xsel", "DISPLAY", "xsel"),
}
"""For each clipboard program: the program that must be installed, the variable that names a session, and the package.
"""
PACKAGES = {"gio": "libglib2.0-bin", "xdg-open": "xdg-utils", "espeak-ng": "espeak-ng", "spd-say": "speech-dispatcher"}
SWITCHES = ("dunst", "gnome", "kde", "xfce")
"""The names of the switches for do-not-disturb, each named after its notification service."""
OWN_SHORTCUTS = "shortcuts"


def clipboard_alternatives(runner: ProgramRunner, chosen: str) -> tuple[Alternative, ...]:
    """Return the other clipboard programs, and why each is not used."""
    return tuple(_board(runner, name, chosen) for name in CLIPBOARD_PROGRAMS if name != chosen)


def _board(runner: ProgramRunner, name: str, chosen: str) -> Alternative:
    needs, leads, package = CLIPBOARD_PROGRAMS[name]
    if not runner.environ.get(leads):
        return Alternative(name, f"{leads} is not set")
    if runner.find(needs) is None:
        return Alternative(name, "it is not installed", f"install {package}")
    return Alternative(name, f"{chosen} is there, and is looked for first")


def speech_alternatives(runner: ProgramRunner, chosen: str) -> tuple[Alternative, ...]:
    """Return the other speech program, and why it is not used."""
    return tuple(_speakers(runner, chosen))


def _speakers(runner: ProgramRunner, chosen: str) -> Iterator[Alternative]:
    for name, speaker in SPEAKERS.items():
        if speaker.program == chosen:
            continue
        if runner.find(speaker.program) is None:
            yield Alternative(name, "it is not installed", f"install {PACKAGES[speaker.program]}")
        else:
            yield Alternative(name, f"{chosen} was chosen before it", f"sayso config set desktop.speech {name}")


def opener_alternatives(runner: ProgramRunner, chosen: str) -> tuple[Alternative, ...]:
    """Return the other program that opens files, and why it is not used."""
    return tuple(
        Alternative(name, f"{chosen} is there, and is looked for first")
        if runner.find(name)
        else Alternative(name, "it is not installed", f"install {PACKAGES[name]}")
        for name, _ in OPENERS
        if name != chosen
    )


def switch_alternatives(chosen: str) -> tuple[Alternative, ...]:
    """Return the other switches for do-not-disturb, and why each is not used."""
    return tuple(_switches(chosen))


def _switches(chosen: str) -> Iterator[Alternative]:
    if chosen == OWN_SHORTCUTS:
        yield from (
            Alternative(name, "desktop.dnd_on and desktop.dnd_off name shortcuts of your own") for name in SWITCHES
        )
        return
    yield from (Alternative(name, f"the notification service here is {chosen}") for name in SWITCHES if name != chosen)
    yield Alternative(
        OWN_SHORTCUTS, "desktop.dnd_on and desktop.dnd_off name none of your own", "write two, and name them"
    )


CLIPBOARDS = {
    "wl-paste": "WAYLAND_DISPLAY names a Wayland session, and wl-clipboard is installed",
    "xclip": "DISPLAY names an X11 session, and xclip is installed",
    "xsel": "DISPLAY names an X11 session, and xclip is not installed; xsel handles text only, and reliably only "
    "when it is short",
}


class DesktopCapabilities(Struct, frozen=True):
    """Checks each part of the desktop."""

    runner: ProgramRunner
    bus: SessionBus
    sound: SoundServer
    switches: DoNotDisturbSwitches
    speech: Speech
    opener: FileOpener
    shortcuts: Shortcuts

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether each part works, and which program serves it."""
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

        async def check(name: str, look: Callable[[], Awaitable[Capability]]) -> None:
            found[name] = await _check_capability(name, look)

        # The checks run at the same time, because each may wait for a service that does not answer.
        async with create_task_group() as together:
            for name, look in looks.items():
                together.start_soon(check, name, look)
        return tuple(found[name] for name in looks)

    async def _clipboard(self) -> Capability:
        board = clipboard(self.runner)
        await board.types()
        return Capability(
            "", board.name, CLIPBOARDS[board.name], others=clipboard_alternatives(self.runner, board.name)
        )

    async def _notifications(self) -> Capability:
        name, _, version, _ = await self.bus.call(service("GetServerInformation"))
        (can,) = await self.bus.call(service("GetCapabilities"))
        return Capability("", f"{name} {version}", f"it answers on D-Bus; {describe_sounds(can)}")

    async def _speech(self) -> Capability:
        speaker = self.speech.speaker().program
        return Capability("", speaker, "it is installed", others=speech_alternatives(self.runner, speaker))

    async def _volume(self) -> Capability:
        output = await self.sound.output()
        return Capability("", "pactl", f"the sound server answers; its output is {output.name}")

    async def _quiet(self) -> Capability:
        switch = (await self.switches.switch()).name
        return Capability("", switch, "that is the switch of this session", others=switch_alternatives(switch))

    async def _files(self) -> Capability:
        opener = self.opener.opener()[0]
        return Capability("", opener, "it is installed", others=opener_alternatives(self.runner, opener))

    async def _shortcuts(self) -> Capability:
        return Capability("", "config.toml", ", ".join(self.shortcuts.by_name) or "it has no [shortcuts.NAME] yet")


async def _check_capability(name: str, look: Callable[[], Awaitable[Capability]]) -> Capability:
    try:
        found = await look()
    except SaysoError as error:
        says, _, fix = str(error).partition("; ")
        return Capability(name, "", says, fix)
    return Capability(name, found.served, found.why, others=found.others)
