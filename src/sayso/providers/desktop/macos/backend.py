"""The backend for the desktop of a Mac, put together from its parts; and the programs `open` and `shortcuts`."""

from pathlib import Path
from typing import assert_never

from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
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
from sayso.providers.desktop.backend import DesktopBackend, focus_shortcuts, require_path, settle_fact
from sayso.providers.desktop.macos.clipboard import MacClipboard
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
from sayso.providers.desktop.shortcuts import USUAL_SECONDS, Shortcuts, read_shortcuts
from sayso.providers.desktop.stash import ClipboardStash
from sayso.providers.desktop.store import FocusMode, VolumeLevel
from sayso.providers.macos.applications import InstalledApps
from sayso.providers.macos.engine import OSASCRIPT, ScriptEngine, build_engine
from sayso.providers.programs.run import ProgramCall, ProgramRunner

OPEN = "open"


class MacOpener:
    """Opens files with the application that macOS or the person chose, and shows them in Finder."""

    def __init__(self, runner: ProgramRunner, apps: InstalledApps) -> None:
        self._runner = runner
        self._apps = apps

    async def do(self, step: OpenFile | RevealFile) -> Applied:
        """Open a file with an application, or show it, selected, in Finder."""
        require_path(step.path)
        match step:
            case OpenFile(app=app) if app:
                words = ("-a", (await self._apps.find(app)).path)
            case OpenFile():
                words = ()
            case RevealFile():
                words = ("-R",)
        done = await self._runner.run(ProgramCall(OPEN, words, (step.path,)))
        if done.code:
            raise ProviderError(f"{quoted(step.path)} could not be opened: {quoted(done.complaint)}", "open.failed")
        return Applied()


SHORTCUTS = "shortcuts"
HOW_TO_FOCUS = (
    "macOS lets no program switch do-not-disturb; in the Shortcuts application, make one shortcut with the action “Set "
    "Focus” that turns Do Not Disturb on and one that turns it off, and name them with `sayso config set "
    "desktop.dnd_on NAME` and `sayso config set desktop.dnd_off NAME`"
)


class MacShortcuts:
    """Runs a shortcut of the settings, else one of the Shortcuts application."""

    def __init__(self, runner: ProgramRunner, own: Shortcuts, folder: str, ids: Ids) -> None:
        self._runner = runner
        self._own = own
        self._folder = Path(folder)
        self._ids = ids

    async def names(self) -> tuple[str, ...]:
        """Return the names of all shortcuts."""
        listed = await self._runner.run_for_text(ProgramCall(SHORTCUTS, ("list",)))
        return tuple(dict.fromkeys((*self._own.by_name, *filter(None, listed.splitlines()))))

    async def run(self, name: str, given: str | None, seconds: int = USUAL_SECONDS) -> Applied:
        """Run a shortcut to its end. Raises `ProviderError` if the shortcut fails or takes too long (T-25).

        The input is a private file, because `--input-path` takes a path and not a text (T-24).
        """
        if name in self._own.by_name:
            return await self._own.run(name, given, seconds)
        done = await self._runner.run(self._call(name, given, seconds))
        if done.code:
            raise ProviderError(f"the shortcut {quoted(name)} failed: {quoted(done.complaint)}", "shortcut.failed")
        return Applied()

    def _call(self, name: str, given: str | None, seconds: int) -> ProgramCall:
        if given is None:
            return ProgramCall(SHORTCUTS, ("run",), (name,), seconds=seconds, kept=True)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = str(self._folder / f"shortcut-{self._ids.token()}.txt")
        return ProgramCall(
            SHORTCUTS,
            ("run", "--input-path", file),
            (name,),
            seconds=seconds,
            kept=True,
            file=file,
            filed=given.encode("utf-8", "replace"),
        )


def require_focus_shortcuts(chosen: dict[bool, str]) -> None:
    """Raise `SetupError` with instructions unless the settings name a shortcut for on and one for off (T-38)."""
    if len(chosen) < len((True, False)):
        raise SetupError(HOW_TO_FOCUS, "dnd.missing")


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
