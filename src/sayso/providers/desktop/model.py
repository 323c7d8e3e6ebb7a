"""What a desktop is like, the facts that may be expected of it, and the steps, which say what they change of it.

The memory backend and the imagined desktop of a batch do a step by running `execute` on a state of their own; a real
backend asks the session for the same.
"""

import hashlib
from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.plan import CannotUndo, Fact, Facts, OpenFile, RevealFile, Step
from sayso.providers.desktop.store import FocusMode, VolumeLevel

CLIPBOARD, OUTPUT, FOCUS = "text", "output", "focus"
"""What the facts of the one clipboard, the one output and the one switch are about."""


class DesktopState(Struct, frozen=True):
    """A desktop at one moment; what the session does not tell of stands at its default."""

    clipboard: str = ""
    volume: int = 50
    muted: bool = False
    do_not_disturb: bool | None = False
    """None: the system does not tell."""
    until: str = ""
    """When do-not-disturb ends by itself, as the system writes that; empty where it does not."""
    shortcuts: tuple[str, ...] | None = None
    """None: they cannot be listed, and each one runs."""
    failing: Mapping[str, str] = field(default_factory=dict[str, str])
    """Shortcuts that fail, with their error text."""
    stash: Mapping[str, str] = field(default_factory=dict[str, str])
    """Former texts of the clipboard, each by the name it is kept under."""
    speaking: frozenset[str] = frozenset()
    """The tokens of what is being said."""
    recorded: tuple[Step, ...] = ()
    """Every step that was done, in order."""


class DesktopFact(Fact, frozen=True):
    """A fact about the desktop."""

    changed: ClassVar[str] = "the desktop is no longer as it was"

    def holds(self, state: DesktopState) -> bool:
        """Say whether it is so in this state."""
        return True

    def describe_change(self) -> str:
        """Say in one clause that it is no longer so."""
        return self.changed


class ClipboardText(DesktopFact, frozen=True):
    """The clipboard holds the text with this SHA-256; texts themselves never stand in a fact."""

    fact: ClassVar[str] = "clipboard"
    changed: ClassVar[str] = "the clipboard holds something else by now"
    sha256: str

    def holds(self, state: DesktopState) -> bool:
        return clipboard_fact(state.clipboard) == self


class OutputVolume(DesktopFact, frozen=True):
    """The output named by `about` is at this level, 0 to 100; a muted one keeps its level and is not heard.

    `channels` is how loud each channel is, where the system tells: the balance between left and right is in them.
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
        """Say whether two facts agree; channels are compared only where both tell of them."""
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
    """What was to be said under this token is still being said."""

    fact: ClassVar[str] = "speaking"
    changed: ClassVar[str] = "nothing of this is being said any more"

    def holds(self, state: DesktopState) -> bool:
        return self.about in state.speaking


class NotificationShown(DesktopFact, frozen=True):
    """The notification of this token was shown, under the number that the notification service gave it."""

    fact: ClassVar[str] = "shown"
    number: int = 0


def clipboard_fact(text: str) -> ClipboardText:
    """Return the fact that the clipboard holds this text."""
    return ClipboardText(CLIPBOARD, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def describe_change(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    return fact.describe_change() if isinstance(fact, DesktopFact) else DesktopFact.changed


class DesktopStep(Step, frozen=True):
    """A step of the desktop store."""

    store: ClassVar[str] = "desktop"

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        """Return the desktop after this step, and the facts it leaves."""
        return state, ()

    def refusal(self, state: DesktopState) -> str | None:
        """Return why this desktop would not do it; None where it would."""
        return None


class SetClipboard(DesktopStep, frozen=True):
    """Empty the clipboard and put this text on it.

    What it held is kept, complete and private, under `kept`, so that it need not stand in any plan or record.
    """

    step: ClassVar[str] = "clipboard.set"
    text: str
    kept: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        stash = {**state.stash, self.kept: state.clipboard}
        return replace(state, clipboard=self.text, stash=stash), (clipboard_fact(self.text),)

    def way_back(self) -> "RestoreClipboard":
        """Return the step that puts the former content back."""
        return RestoreClipboard(self.kept)


class RestoreClipboard(DesktopStep, frozen=True):
    """Put back on the clipboard what is kept under `kept`."""

    step: ClassVar[str] = "clipboard.restore"
    kept: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        text = state.stash.get(self.kept, "")
        stash = {name: former for name, former in state.stash.items() if name != self.kept}
        return replace(state, clipboard=text, stash=stash), (clipboard_fact(text),)

    def refusal(self, state: DesktopState) -> str | None:
        return None if self.kept in state.stash else "what the clipboard held before is no longer kept"


class ShowNotification(DesktopStep, frozen=True):
    """Show a notification at once; `token` is its own id, so that it replaces no other."""

    step: ClassVar[str] = "notify.show"
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
    """Begin to speak a text aloud and return without waiting for its end."""

    step: ClassVar[str] = "speech.say"
    text: str
    token: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return replace(state, speaking=state.speaking | {self.token}), (SpeechRunning(self.token),)

    def way_back(self) -> "StopSpeaking":
        """Return the step that makes it stop."""
        return StopSpeaking(self.token)


class StopSpeaking(DesktopStep, frozen=True):
    """Stop what is being said under `token`."""

    step: ClassVar[str] = "speech.stop"
    token: str

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return replace(state, speaking=state.speaking - {self.token}), ()


class SetVolume(DesktopStep, frozen=True):
    """Set the output volume, 0 to 100, to be heard unless it is `muted`.

    With `channels` each channel gets the loudness that it had, in the numbers of the sound server, so that the
    balance comes back too.
    """

    step: ClassVar[str] = "sound.set_volume"
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        after = replace(state, volume=self.level, muted=self.muted)
        return after, (OutputVolume(OUTPUT, self.level, self.muted),)

    def way_back(self, before: VolumeLevel) -> "SetVolume":
        """Return the step that gives the output its former volume and balance."""
        return SetVolume(before.level, before.muted, before.channels)


class SetDoNotDisturb(DesktopStep, frozen=True):
    """Turn do-not-disturb on or off.

    With `until`, as the system writes it, it ends by itself at the time at which it was to end before.
    """

    step: ClassVar[str] = "focus.set"
    on: bool
    until: str = ""

    def execute(self, state: DesktopState) -> tuple[DesktopState, Facts]:
        return replace(state, do_not_disturb=self.on, until=self.until), (DoNotDisturb(FOCUS, self.on),)

    def way_back(self, before: FocusMode | None) -> "SetDoNotDisturb | CannotUndo":
        """Return the step that turns it back; without knowing how it was there is none."""
        if before is None:
            return CannotUndo("this system does not tell whether do-not-disturb was on before")
        return SetDoNotDisturb(before.on, before.until)


class RunShortcut(DesktopStep, frozen=True):
    """Run the shortcut of this name, with `input` as text when there is any, and wait up to `seconds` for it.

    An exit code other than zero is a failure with the shortcut's error text; one that runs too long is ended with
    its children. A limit that the settings give for the shortcut comes before `seconds`.
    """

    step: ClassVar[str] = "shortcut.run"
    name: str
    input: str | None = None
    seconds: int = 120

    def refusal(self, state: DesktopState) -> str | None:
        why = state.failing.get(self.name)
        return None if why is None else f"the shortcut “{self.name}” failed: {why}"

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
