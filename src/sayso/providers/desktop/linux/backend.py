"""The backend for the desktop of a Linux session, put together from its parts."""

from pathlib import Path
from typing import assert_never

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import (
    Applied,
    CannotTell,
    Fact,
    Facts,
    NotDone,
    OpenFile,
    RevealFile,
    Settlement,
    unchecked,
)
from sayso.core.ports import BackendContext, Ids
from sayso.core.provider import Capability
from sayso.providers.dbus.session import SECONDS, SessionBus
from sayso.providers.desktop.backend import DesktopBackend, focus_shortcuts, settle_fact
from sayso.providers.desktop.linux.capabilities import DesktopCapabilities
from sayso.providers.desktop.linux.clipboard import SessionClipboard
from sayso.providers.desktop.linux.launch import FileOpener
from sayso.providers.desktop.linux.notifications import DoNotDisturbSwitches, Notifications
from sayso.providers.desktop.linux.sound import SoundOutput, SoundServer, Speech
from sayso.providers.desktop.model import (
    FOCUS,
    ClipboardText,
    DoNotDisturb,
    OutputVolume,
    RestoreClipboard,
    RunShortcut,
    SetClipboard,
    SetDoNotDisturb,
    SetVolume,
    ShowNotification,
    Speak,
    SpeechRunning,
    Steps,
    StopSpeaking,
)
from sayso.providers.desktop.shortcuts import Shortcuts, read_shortcuts
from sayso.providers.desktop.stash import ClipboardStash
from sayso.providers.desktop.store import FocusMode, VolumeLevel
from sayso.providers.desktop_entries import ApplicationFolders
from sayso.providers.programs.run import ProgramRunner


class LinuxDesktopReads(Struct, frozen=True):
    """Implements `Desktop` in this session."""

    board: SessionClipboard
    sound: SoundServer
    notifications: Notifications
    switches: DoNotDisturbSwitches
    own_shortcuts: Shortcuts
    ids: Ids

    async def clipboard(self) -> str:
        return await self.board.text()

    async def clipboard_loses(self) -> str:
        """Return what undo could not restore to the clipboard."""
        return await self.board.loses()

    async def sound_loses(self, sound: str) -> str:
        """Return why a sound would not be heard."""
        return await self.notifications.loses(sound)

    async def volume(self) -> VolumeLevel:
        """Return the volume of the output in use."""
        return await self.sound.level()

    async def focus(self) -> FocusMode | None:
        """Return whether do-not-disturb is on; None where the switch does not report it."""
        switch = await self.switches.switch()
        on = await switch.on()
        return None if on is None else FocusMode(on, DoNotDisturb(FOCUS, on), await switch.until() if on else "")

    async def shortcuts(self) -> tuple[str, ...]:
        """Return the names of the person's shortcuts."""
        return tuple(self.own_shortcuts.by_name)

    def token(self) -> str:
        """Return a new token."""
        return self.ids.token()


def build(context: BackendContext) -> "LinuxDesktop":
    """Return the backend for the session that sayso runs in."""
    return LinuxDesktop(context)


class LinuxDesktop(DesktopBackend):
    """The desktop backend for the session that sayso runs in."""

    name = "linux"

    def __init__(self, context: BackendContext, bus_seconds: float = SECONDS) -> None:
        runner, bus = ProgramRunner(context.environ, context.ids), SessionBus(context.environ, bus_seconds)
        self._shortcuts = Shortcuts(
            runner,
            read_shortcuts(context.settings.get("shortcuts")),
            str(Path(context.own) / "tmp"),
            context.home,
            context.ids,
        )
        stash = ClipboardStash(context.own)
        super().__init__(context, stash)
        self._clipboard = SessionClipboard(runner, stash)
        self._sound, self._speech = SoundServer(runner), Speech(runner, str(context.settings.get("speech", "auto")))
        self._notifications = Notifications(bus)
        self._opener = FileOpener(runner, bus, ApplicationFolders(context.environ, context.home, context.roots))
        chosen = focus_shortcuts(context.settings)
        self._switches = DoNotDisturbSwitches(runner, bus, self._shortcuts, chosen, context.clock)
        self._capabilities = DesktopCapabilities(
            runner, bus, self._sound, self._switches, self._speech, self._opener, self._shortcuts
        )
        self.reads = LinuxDesktopReads(
            self._clipboard, self._sound, self._notifications, self._switches, self._shortcuts, context.ids
        )

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        match step:
            case SetClipboard() | RestoreClipboard():
                return await self._clipboard.settle(step)
            case SetVolume():
                return _settle_volume(await self._sound.output(), step, expects)
            case SetDoNotDisturb(on):
                state = await (await self._switches.switch()).on()
                now = DoNotDisturb(FOCUS, on=state) if state is not None else None
                return settle_fact(now, DoNotDisturb(FOCUS, on=on), expects)
            case Speak(_, token):
                return self._speech.settle(token)
            case StopSpeaking(token):
                return NotDone("it is still being said") if self._speech.is_speaking(token) else Applied()
            case ShowNotification() | RunShortcut() | OpenFile() | RevealFile():
                return CannotTell("what was begun leaves no trace that could be looked at")
            case _:
                assert_never(step)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return which program serves each part of the desktop."""
        return await self._capabilities.capabilities()

    def tells(self, step: Steps, left: Applied) -> str:
        """Return what differs from what was asked: a sound that was not played, or clipboard types that are missing."""
        match step:
            case ShowNotification(token):
                return self._notifications.take_report(token)
            case RestoreClipboard(kept):
                return self._clipboard.take_report(kept)
            case _:
                return ""

    async def do_step(self, step: Steps) -> Applied:
        match step:
            case SetClipboard() | RestoreClipboard():
                return await self._clipboard.do(step)
            case SetVolume():
                return await self._sound.set(step)
            case SetDoNotDisturb():
                return await self._set_do_not_disturb(step)
            case ShowNotification():
                return await self._notifications.show(step)
            case Speak() | StopSpeaking():
                return await self._speech.do(step)
            case RunShortcut(name, given, seconds):
                return await self._shortcuts.run(name, given, seconds)
            case OpenFile() | RevealFile():
                return await self._opener.do(step)
            case _:
                assert_never(step)

    async def _set_do_not_disturb(self, step: SetDoNotDisturb) -> Applied:
        switch = await self._switches.switch()
        await switch.turn(on=step.on, until=step.until)
        now = await switch.on()
        if now is None:
            return Applied()
        if now != step.on:
            raise ProviderError(f"do not disturb stayed {'on' if now else 'off'}", "dnd.unchanged")
        return Applied((DoNotDisturb(FOCUS, on=now),))

    async def is_true(self, fact: Fact) -> bool:
        match fact:
            case ClipboardText():
                return await self._clipboard.holds(fact)
            case OutputVolume():
                return fact.matches((await self._sound.output()).fact)
            case DoNotDisturb(_, on):
                return await (await self._switches.switch()).on() == on
            case SpeechRunning(token):
                return self._speech.is_speaking(token)
            case _:
                raise unchecked(fact)


def _settle_volume(now: SoundOutput, step: SetVolume, expects: Facts) -> Settlement:
    if now.muted == step.muted and now.is_close_to(now.channels_for(step)):
        return Applied((now.fact,))
    if any(isinstance(fact, OutputVolume) and fact.matches(now.fact) for fact in expects):
        return NotDone("it is still as it was")
    return CannotTell("it is neither as it was before nor as it was meant to become")
