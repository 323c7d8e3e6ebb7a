"""The steps that a desktop backend can do, and the facts that may be expected of it."""

import hashlib
from typing import ClassVar

from sayso.core.plan import HANDED_OVER, Fact, OpenFile, RevealFile, Step


class DesktopStep(Step, frozen=True):
    """A step of the desktop store."""

    store: ClassVar[str] = "desktop"


class SetClipboard(DesktopStep, frozen=True):
    """Empty the clipboard and put this text on it.

    What it held is kept, whole and private, under `kept`, so that it need not stand in any plan or record.
    """

    step: ClassVar[str] = "clipboard.set"
    text: str
    kept: str


class RestoreClipboard(DesktopStep, frozen=True):
    """Put back on the clipboard what is kept under `kept`."""

    step: ClassVar[str] = "clipboard.restore"
    kept: str


class ShowNotification(DesktopStep, frozen=True):
    """Show a notification at once; `token` is its own id, so that it replaces no other."""

    step: ClassVar[str] = "notify.show"
    token: str
    title: str
    message: str
    sound: str | None = None
    priority: str = "normal"
    type: str = "info"


class Speak(DesktopStep, frozen=True):
    """Begin to speak a text aloud and return without waiting for its end. Leaves `SpeechRunning`."""

    step: ClassVar[str] = "speech.say"
    text: str
    token: str


class StopSpeaking(DesktopStep, frozen=True):
    """Stop what is being said under `token`."""

    step: ClassVar[str] = "speech.stop"
    token: str


class SetVolume(DesktopStep, frozen=True):
    """Set the output volume, 0 to 100, to be heard unless it is `muted`.

    With `channels` each channel is as loud as it was, as the sound server counts, so that the balance comes back too.
    """

    step: ClassVar[str] = "sound.set_volume"
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()


class SetDoNotDisturb(DesktopStep, frozen=True):
    """Turn do-not-disturb on or off.

    With `until`, as the system writes it, it ends by itself then, as it was to before.
    """

    step: ClassVar[str] = "focus.set"
    on: bool
    until: str = ""


class RunShortcut(DesktopStep, frozen=True):
    """Run the shortcut of this name, with `input` as text when there is any, and wait up to `seconds` for it.

    A non-zero end is a failure with its error text; what runs too long is ended with its children. A shortcut
    whose own limit stands in the settings ends by that.
    """

    step: ClassVar[str] = "shortcut.run"
    name: str
    input: str | None = None
    seconds: int = 120


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
STEPS: tuple[type[Step], ...] = (
    SetClipboard, RestoreClipboard, ShowNotification, Speak, StopSpeaking, SetVolume, SetDoNotDisturb, RunShortcut,
    *HANDED_OVER,
)  # fmt: skip


class ClipboardText(Fact, frozen=True):
    """The clipboard holds the text with this SHA-256; texts themselves never stand in a fact."""

    fact: ClassVar[str] = "clipboard"
    sha256: str


class OutputVolume(Fact, frozen=True):
    """The output named by `about` is at this level, 0 to 100; a muted one keeps its level and is not heard.

    `channels` is how loud each channel is, where that is told: the balance is theirs.
    """

    fact: ClassVar[str] = "volume"
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()

    def tells(self, other: Fact) -> bool:
        """Say whether another fact tells the same; what one of them does not tell of channels is not compared."""
        if isinstance(other, OutputVolume) and not (self.channels and other.channels):
            return (self.about, self.level, self.muted) == (other.about, other.level, other.muted)
        return self == other


class DoNotDisturb(Fact, frozen=True):
    """Do-not-disturb is on, or off."""

    fact: ClassVar[str] = "do_not_disturb"
    on: bool


class SpeechRunning(Fact, frozen=True):
    """What was to be said under this token is still being said."""

    fact: ClassVar[str] = "speaking"


class NotificationShown(Fact, frozen=True):
    """The notification of this token was shown, under the number that the notification service gave it."""

    fact: ClassVar[str] = "shown"
    number: int = 0


CLIPBOARD, OUTPUT, FOCUS = "text", "output", "focus"
"""What the facts of the one clipboard, the one output and the one switch are about."""

FACTS: tuple[type[Fact], ...] = (ClipboardText, OutputVolume, DoNotDisturb, SpeechRunning, NotificationShown)


def clipboard_fact(text: str) -> ClipboardText:
    """Return the fact that the clipboard holds this text."""
    return ClipboardText(CLIPBOARD, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def describe_change(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    match fact:
        case ClipboardText():
            return "the clipboard holds something else by now"
        case OutputVolume(_, level, muted, _):
            return f"the volume is no longer {level}{' and muted' if muted else ''}"
        case DoNotDisturb(_, on):
            return f"do not disturb is no longer {'on' if on else 'off'}"
        case SpeechRunning():
            return "nothing of this is being said any more"
        case _:
            return "the desktop is no longer as it was"
