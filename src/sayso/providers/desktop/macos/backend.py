"""The backend for the desktop of a Mac, put together from its parts."""

from pathlib import Path
from typing import assert_never

from msgspec import Struct

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
from sayso.core.quotes import quoted
from sayso.providers.desktop.backend import DesktopBackend, focus_shortcuts, settle_fact
from sayso.providers.desktop.macos.clipboard import MacClipboard
from sayso.providers.desktop.macos.opening import OPEN, MacOpener
from sayso.providers.desktop.macos.shortcuts import SHORTCUTS, MacShortcuts, require_focus_shortcuts
from sayso.providers.desktop.macos.sound import SAY, MacSound, MacSpeech
from sayso.providers.desktop.model import (
    OUTPUT,
    ClipboardText,
    NotificationShown,
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
from sayso.providers.macos.applications import InstalledApps
from sayso.providers.macos.engine import OSASCRIPT, ScriptEngine, build_engine
from sayso.providers.programs.run import ProgramRunner

SOUNDS = (
    *("Basso", "Blow", "Bottle", "Frog", "Funk", "Glass", "Hero"),
    *("Morse", "Ping", "Pop", "Purr", "Sosumi", "Submarine", "Tink"),
)
"""The sounds of macOS; a person's own are files in Library/Sounds."""


class MacDesktopReads(Struct, frozen=True):
    """Implements `Desktop` on this Mac."""

    board: MacClipboard
    sound: MacSound
    own_shortcuts: MacShortcuts
    focus_shortcuts: dict[bool, str]
    home: str
    ids: Ids

    async def clipboard(self) -> str:
        return await self.board.text()

    async def clipboard_loses(self) -> str:
        """Return what undo could not restore to the clipboard."""
        return await self.board.loses()

    async def sound_loses(self, sound: str) -> str:
        """Return that there is no sound of this name; empty if there is one."""
        own = Path(self.home) / "Library" / "Sounds"
        names = {*SOUNDS, *(file.stem for file in own.iterdir())} if own.is_dir() else {*SOUNDS}
        return "" if sound in names else f"no sound is called {quoted(sound)}; there are {', '.join(sorted(names))}"

    async def volume(self) -> VolumeLevel:
        """Return the volume of the output in use."""
        return await self.sound.level()

    async def focus(self) -> FocusMode | None:
        """Return None: macOS does not tell. Raises `SetupError` if no shortcuts are named for it."""
        require_focus_shortcuts(self.focus_shortcuts)
        return None

    async def shortcuts(self) -> tuple[str, ...]:
        """Return the names of the person's shortcuts."""
        return await self.own_shortcuts.names()

    def token(self) -> str:
        """Return a new token."""
        return self.ids.token()


def build(context: BackendContext) -> "MacDesktop":
    """Return the backend for the desktop of this Mac."""
    return MacDesktop(context, build_engine(context))


class MacDesktop(DesktopBackend):
    """The desktop backend of a Mac."""

    name = "macos"

    def __init__(self, context: BackendContext, engine: ScriptEngine) -> None:
        runner, own = ProgramRunner(context.environ, context.ids), str(Path(context.own) / "tmp")
        self._engine, self._runner = engine, runner
        defined = read_shortcuts(context.settings.get("shortcuts"))
        self._shortcuts = MacShortcuts(
            runner, Shortcuts(runner, defined, own, context.home, context.ids), own, context.ids
        )
        stash = ClipboardStash(context.own)
        super().__init__(context, stash)
        self._clipboard = MacClipboard(engine, stash)
        self._sound, self._speech = MacSound(engine), MacSpeech(runner, context.own)
        self._opener = MacOpener(runner, InstalledApps(engine, context.home, context.roots))
        self._focus = focus_shortcuts(context.settings)
        self.reads = MacDesktopReads(
            self._clipboard, self._sound, self._shortcuts, self._focus, context.home, context.ids
        )

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        match step:
            case SetClipboard() | RestoreClipboard():
                return await self._clipboard.settle(step)
            case SetVolume(level, muted):
                return settle_fact((await self._sound.level()).fact, OutputVolume(OUTPUT, level, muted), expects)
            case Speak(_, token):
                return await self._speech.settle(token)
            case StopSpeaking(token):
                speaking = await self._speech.is_speaking(token)
                return NotDone("it is still being said") if speaking else Applied()
            case ShowNotification() | RunShortcut() | OpenFile() | RevealFile() | SetDoNotDisturb():
                return CannotTell("what was begun leaves no trace that could be looked at")
            case _:
                assert_never(step)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return which program serves each part of the desktop."""
        parts = (("clipboard, notifications and volume", OSASCRIPT), ("speech", SAY), ("files", OPEN))
        focus = Capability("do not disturb", SHORTCUTS, "your shortcuts of the settings switch it")
        if len(self._focus) < len((True, False)):
            focus = Capability("do not disturb", "", "no shortcuts are named for it", "sayso config set desktop.dnd_on")
        return (*(self._capability(name, program) for name, program in (*parts, (SHORTCUTS, SHORTCUTS))), focus)

    def tells(self, step: Steps, left: Applied) -> str:
        """Return what of the clipboard was not restored; empty if that is nothing."""
        return self._clipboard.take_report(step.kept) if isinstance(step, RestoreClipboard) else ""

    def _capability(self, name: str, program: str) -> Capability:
        if self._runner.find(program):
            return Capability(name, program, "it is part of macOS")
        return Capability(name, "", f"{program} is not on the PATH", "start sayso with /usr/bin on the PATH")

    async def do_step(self, step: Steps) -> Applied:
        match step:
            case SetClipboard() | RestoreClipboard():
                return await self._clipboard.do(step)
            case SetVolume():
                return await self._sound.set(step)
            case SetDoNotDisturb(on):
                require_focus_shortcuts(self._focus)
                return await self._shortcuts.run(self._focus[on], None)
            case ShowNotification():
                return await self._show(step)
            case Speak() | StopSpeaking():
                return await self._speech.do(step)
            case RunShortcut(name, given, seconds):
                return await self._shortcuts.run(name, given, seconds)
            case OpenFile() | RevealFile():
                return await self._opener.do(step)
            case _:
                assert_never(step)

    async def _show(self, step: ShowNotification) -> Applied:
        data = {"title": step.title, "message": step.message, "sound": step.sound}
        await self._engine.run_script("notify", data, app="notifications", changes=True)
        return Applied((NotificationShown(step.token),))

    async def is_true(self, fact: Fact) -> bool:
        match fact:
            case ClipboardText():
                return await self._clipboard.holds(fact)
            case OutputVolume():
                return fact.matches((await self._sound.level()).fact)
            case SpeechRunning(token):
                return await self._speech.is_speaking(token)
            case _:
                raise unchecked(fact)
