"""A plan: what would be done, change by change, what each expects to find, and its way back."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from msgspec import Struct, field

from sayso.core.encoding import Json


class Step(Struct, frozen=True):
    """One exchange with a backend: a flat, frozen value with a stable name, so that it survives a restart.

    Fields are texts, numbers, booleans, None and tuples of these. `store` names the backend that
    carries it out. `paths` and `apps` name the fields that policy must look at, `only_read` those of
    the paths at which the step changes nothing.
    """

    step: ClassVar[str] = ""
    store: ClassVar[str] = ""
    paths: ClassVar[tuple[str, ...]] = ()
    only_read: ClassVar[tuple[str, ...]] = ()
    apps: ClassVar[tuple[str, ...]] = ()


class Fact(Struct, frozen=True):
    """One thing that was so when somebody looked; `about` names the one thing it is about."""

    fact: ClassVar[str] = ""
    about: str

    @property
    def key(self) -> tuple[str, str]:
        """Return which fact about which thing this is; a later fact with the same key replaces it."""
        return (self.fact, self.about)


Facts = tuple[Fact, ...]


class ResultRef(Fact, frozen=True):
    """The fact `of` about `about`, as change `change` of action `action` left it.

    `action` is the index in the run; None means an earlier change of the same plan.
    """

    fact: ClassVar[str] = "as_left"
    of: str
    change: int
    action: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return the key of the fact this one stands for."""
        return (self.of, self.about)


class CannotUndo(Struct, frozen=True):
    """There is no way back, and this sentence says why; it is shown before the click."""

    why: str


class Change(Struct, frozen=True):
    """One step, its way back, and the facts that must still hold when it is done."""

    do: Step
    undo: Step | CannotUndo
    expects: Facts = ()


OnFailure = Literal["undo", "go on"]


class Plan(Struct, frozen=True):
    """What an operation would do. A plan without changes says in its summary why nothing is to be done.

    `loses` names content that would be gone, `sends` what leaves this machine and to whom; both can
    only raise what policy asks. `warns` are sentences for the person that are no loss. `preview` is a
    text for the card, such as a diff, made by the operation from what it saw. `data` is what the
    result's `data` holds once done. These last three are for showing and not part of the digest.
    """

    summary: str
    changes: tuple[Change, ...] = ()
    said_when_done: str = ""
    loses: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    on_failure: OnFailure = "undo"
    asks: bool = False
    """The operation found a reason to ask whatever the mode says, named in `warns`."""
    warns: tuple[str, ...] = ()
    preview: str = ""
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])


class Answer(Struct, frozen=True):
    """What an operation that only reads found. `summary` is journaled, `text` and `data` are not."""

    summary: str
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    text: str = ""
    shown: Facts = ()
    """What the numbers in it stand for, in their order: later numbers of the session mean these things (T-97)."""


class Applied(Struct, frozen=True):
    """What is there now, and the ids the world gave: journaled with the done mark, expected by the undo."""

    facts: Facts = ()


class NotDone(Struct, frozen=True):
    """The world shows that the step did not happen."""

    why: str = ""


class CannotTell(Struct, frozen=True):
    """The world cannot show whether the step happened."""

    why: str = ""


Settlement = Applied | NotDone | CannotTell


class ChangeRef(Struct, frozen=True):
    """Change `change` of action `action` of a run, for what an overlay imagines to be there."""

    action: int
    change: int


class OpenFile(Step, frozen=True):
    """Open the file or folder at `path` with the application `app`; an empty `app` means the default one."""

    step: ClassVar[str] = "desktop.open_file"
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    apps: ClassVar[tuple[str, ...]] = ("app",)
    path: str
    app: str = ""


class RevealFile(Step, frozen=True):
    """Show the file or folder at `path`, selected, in the file manager."""

    step: ClassVar[str] = "desktop.reveal_file"
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str


HANDED_OVER: tuple[type[Step], ...] = (OpenFile, RevealFile)
