"""The state of a desktop, the facts about it, and the steps with their effects on it.

The memory backend and the simulated desktop of a batch do a step by running its `execute` on a state of their own. The
real backend makes the same change in the session.
"""

import hashlib
from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.plan import NOTHING, CannotUndo, Fact, Facts, OpenFile, Reach, RevealFile, Step, unchecked, unknown
from sayso.core.quotes import quoted
from sayso.providers.desktop.store import FocusMode, VolumeLevel

CLIPBOARD, OUTPUT, FOCUS = "text", "output", "focus"
"""What the facts about the clipboard, the simulated output and do-not-disturb have as their `about`."""


class DesktopState(Struct, frozen=True):
    """A desktop at one moment; what the session does not report has its default."""

    clipboard: str = ""
    volume: int = 50
    muted: bool = False
    do_not_disturb: bool | None = False
    """None when the system does not report it."""
    until: str = ""
    """When do-not-disturb ends by itself, in the format of the system; empty when it does not."""
    shortcuts: tuple[str, ...] | None = None
    """The names of the shortcuts; None when they cannot be listed and any name works."""
    failing: Mapping[str, str] = field(default_factory=dict[str, str])
    """Shortcuts that fail, with their error text."""
    stash: Mapping[str, str] = field(default_factory=dict[str, str])
    """Former texts of the clipboard, by the name under which each is kept."""
    speaking: frozenset[str] = frozenset()
    """The tokens of the texts that are being spoken."""
    recorded: tuple[Step, ...] = ()
    """Every step that was done, in order."""


class DesktopFact(Fact, frozen=True):
    """A fact about the desktop."""

    owner: ClassVar[str] = "desktop"
    changed: ClassVar[str] = "the desktop is no longer as it was"

    def holds(self, state: DesktopState) -> bool:
        """Return whether the fact is true in this state. Raises `Refused` if no state shows it."""
        raise unchecked(self)

    def describe_change(self) -> str:
        """Return the part of a message that says that the fact is no longer true."""
        return self.changed


class ClipboardText(DesktopFact, frozen=True):
    """The clipboard holds the text with this SHA-256; a fact never contains the text itself."""

    fact: ClassVar[str] = "clipboard"
    changed: ClassVar[str] = "the clipboard holds something else by now"
    sha256: str

    def holds(self, state: DesktopState) -> bool:
        return clipboard_fact(state.clipboard) == self


class OutputVolume(DesktopFact, frozen=True):
    """The output named by `about` has this level, 0 to 100; a muted output keeps its level and is silent.

    `channels` are the volumes of the channels, which include the balance between left and right; empty where the system
    does not report them.
    """

    fact: ClassVar[str] = "volume"
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()

    def holds(self, state: DesktopState) -> bool:
        return (state.volume, state.muted) == (self.level, self.muted)

    def describe_change(self) -> str:
        return f"the volume is no longer {self.level}{' and muted' if self.muted else ''}"

    def matches(self, other: Fact) -> bool:
        """Return whether two facts agree; channels are compared only when both facts have them."""
        if isinstance(other, OutputVolume) and not (self.channels and other.channels):
            return (self.about, self.level, self.muted) == (other.about, other.level, other.muted)
        return self == other


class DoNotDisturb(DesktopFact, frozen=True):
    """Do-not-disturb is on, or off."""

    fact: ClassVar[str] = "do_not_disturb"
    on: bool

    def holds(self, state: DesktopState) -> bool:
        return state.do_not_disturb == self.on

    def describe_change(self) -> str:
        return f"do not disturb is no longer {'on' if self.on else 'off'}"


class SpeechRunning(DesktopFact, frozen=True):
    """The text of this token is still being spoken."""

    fact: ClassVar[str] = "speaking"
    changed: ClassVar[str] = "nothing of this is being said any more"

    def holds(self, state: DesktopState) -> bool:
        return self.about in state.speaking


class NotificationShown(DesktopFact, frozen=True):
    """The notification of this token was shown, and the notification service gave it this number."""

    fact: ClassVar[str] = "shown"
    number: int = 0


def clipboard_fact(text: str) -> ClipboardText:
    """Return the fact that the clipboard holds this text."""
    return ClipboardText(CLIPBOARD, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def describe_change(fact: Fact) -> str:
    """Return the part of a message that says that a fact is no longer true."""
    return fact.describe_change() if isinstance(fact, DesktopFact) else DesktopFact.changed


class DesktopStep(Step, frozen=True):
    """A step of the desktop store."""

    store: ClassVar[str] = "desktop"

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        """Return the desktop after this step, and the facts that result from the step."""
        return state, ()

    def refusal(self, state: DesktopState) -> str | None:
        """Return why this desktop cannot do the step, or None."""
        return None


class SetClipboard(DesktopStep, frozen=True):
    """Replace the content of the clipboard with this text.

    The former content is kept in private under the name `kept`, as far as it can be kept. No plan or record contains
    it.
    """

    step: ClassVar[str] = "clipboard.set"
    reach: ClassVar[Reach] = NOTHING
    text: str
    kept: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        stash = {**state.stash, self.kept: state.clipboard}
        return replace(state, clipboard=self.text, stash=stash), (clipboard_fact(self.text),)

    def way_back(self) -> "RestoreClipboard":
        """Return the step that restores the former content."""
        return RestoreClipboard(self.kept)


class RestoreClipboard(DesktopStep, frozen=True):
    """Restore the content of the clipboard that is kept under `kept`."""

    step: ClassVar[str] = "clipboard.restore"
    reach: ClassVar[Reach] = NOTHING
    kept: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        text = state.stash.get(self.kept, "")
        stash = {name: former for name, former in state.stash.items() if name != self.kept}
        return replace(state, clipboard=text, stash=stash), (clipboard_fact(text),)

    def refusal(self, state: DesktopState) -> str | None:
        return None if self.kept in state.stash else "what the clipboard held before is no longer kept"


class ShowNotification(DesktopStep, frozen=True):
    """Show a notification at once; its own id `token` keeps it from replacing another."""

    step: ClassVar[str] = "notify.show"
    reach: ClassVar[Reach] = NOTHING
    token: str
    title: str
    message: str
    sound: str | None = None
    priority: str = "normal"
    type: str = "info"

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return state, (NotificationShown(self.token),)

    def way_back(self) -> CannotUndo:
        return CannotUndo("a notification that was shown cannot be taken back")


class Speak(DesktopStep, frozen=True):
    """Begin to speak a text aloud, and return without waiting for its end."""

    step: ClassVar[str] = "speech.say"
    reach: ClassVar[Reach] = NOTHING
    text: str
    token: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return replace(state, speaking=state.speaking | {self.token}), (SpeechRunning(self.token),)

    def way_back(self) -> "StopSpeaking":
        """Return the step that stops this speech."""
        return StopSpeaking(self.token)


class StopSpeaking(DesktopStep, frozen=True):
    """Stop speaking the text of this token."""

    step: ClassVar[str] = "speech.stop"
    reach: ClassVar[Reach] = NOTHING
    token: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return replace(state, speaking=state.speaking - {self.token}), ()


class SetVolume(DesktopStep, frozen=True):
    """Set the output volume, 0 to 100, and mute or unmute the output.

    `channels` are volumes for the individual channels, in the numbers of the sound server. Undo uses them to restore
    the balance too.
    """

    step: ClassVar[str] = "sound.set_volume"
    reach: ClassVar[Reach] = NOTHING
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        after = replace(state, volume=self.level, muted=self.muted)
        return after, (OutputVolume(OUTPUT, self.level, self.muted),)

    def way_back(self, before: VolumeLevel) -> "SetVolume":
        """Return the step that restores the former volume and balance."""
        return SetVolume(before.level, before.muted, before.channels)


class SetDoNotDisturb(DesktopStep, frozen=True):
    """Turn do-not-disturb on or off.

    `until` is when do-not-disturb ends by itself, in the format of the system. Undo uses it to restore the former end.
    """

    step: ClassVar[str] = "focus.set"
    reach: ClassVar[Reach] = NOTHING
    on: bool
    until: str = ""

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return replace(state, do_not_disturb=self.on, until=self.until), (DoNotDisturb(FOCUS, self.on),)

    def way_back(self, before: FocusMode | None) -> "SetDoNotDisturb | CannotUndo":
        """Return the step that restores the former state, or why there is no undo when that state is not known."""
        if before is None:
            return CannotUndo("this system does not tell whether do-not-disturb was on before")
        return SetDoNotDisturb(before.on, before.until)


class RunShortcut(DesktopStep, frozen=True):
    """Run the shortcut of this name, and wait up to `seconds` for its end; `input` is the text that it gets, if any.

    An exit code other than zero is an error with the shortcut's error text. A shortcut that runs too long is ended with
    its child processes. A time limit in the settings of the shortcut replaces `seconds`.
    """

    step: ClassVar[str] = "shortcut.run"
    reach: ClassVar[Reach] = unknown("whatever the shortcut sends")
    hands_over: ClassVar[tuple[str, ...]] = ("input",)
    name: str
    input: str | None = None
    seconds: int = 120

    def refusal(self, state: DesktopState) -> str | None:
        why = state.failing.get(self.name)
        return None if why is None else f"the shortcut {quoted(self.name)} failed: {why}"

    def way_back(self) -> CannotUndo:
        return CannotUndo("what a shortcut did is known only to the shortcut")


Steps = (
    SetClipboard
    | RestoreClipboard
    | ShowNotification
    | Speak
    | StopSpeaking
    | SetVolume
    | SetDoNotDisturb
    | RunShortcut
    | OpenFile
    | RevealFile
)
