"""The closed union of what a desktop backend can do, with the two steps that the files domain hands over."""

from typing import ClassVar

from sayso.core.handover import HANDED_OVER, OpenFile, RevealFile
from sayso.core.plan import Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class DesktopStep(Step):
    """A step of the desktop store."""

    store: ClassVar[str] = "desktop"


@dataclass(frozen=True, slots=True)
class SetClipboard(DesktopStep):
    """Empty the clipboard and put this text on it.

    What it held is kept, whole and private, under `kept`, so that it need not stand in any plan or record.
    """

    step: ClassVar[str] = "clipboard.set"
    text: str
    kept: str


@dataclass(frozen=True, slots=True)
class RestoreClipboard(DesktopStep):
    """Put back on the clipboard what is kept under `kept`."""

    step: ClassVar[str] = "clipboard.restore"
    kept: str


@dataclass(frozen=True, slots=True)
class Notify(DesktopStep):
    """Show a notification at once; `token` is its own id, so that it replaces no other."""

    step: ClassVar[str] = "notify.show"
    token: str
    title: str
    message: str
    sound: str | None = None
    priority: str = "normal"
    type: str = "info"


@dataclass(frozen=True, slots=True)
class Say(DesktopStep):
    """Begin to speak a text aloud and return without waiting for its end. Leaves `Speaking`."""

    step: ClassVar[str] = "speech.say"
    text: str
    token: str


@dataclass(frozen=True, slots=True)
class StopSpeaking(DesktopStep):
    """Stop what is being said under `token`."""

    step: ClassVar[str] = "speech.stop"
    token: str


@dataclass(frozen=True, slots=True)
class SetVolume(DesktopStep):
    """Set the output volume, 0 to 100, to be heard unless it is `muted`.

    With `channels` each channel is as loud as it was, as the sound server counts, so that the balance comes back too.
    """

    step: ClassVar[str] = "sound.set_volume"
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SetQuiet(DesktopStep):
    """Turn do-not-disturb on or off.

    With `until`, as the system writes it, it ends by itself then, as it was to before.
    """

    step: ClassVar[str] = "focus.set"
    on: bool
    until: str = ""


@dataclass(frozen=True, slots=True)
class RunShortcut(DesktopStep):
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
    | Notify
    | Say
    | StopSpeaking
    | SetVolume
    | SetQuiet
    | RunShortcut
    | OpenFile
    | RevealFile
)
STEPS: tuple[type[Step], ...] = (
    SetClipboard, RestoreClipboard, Notify, Say, StopSpeaking, SetVolume, SetQuiet, RunShortcut, *HANDED_OVER,
)  # fmt: skip
