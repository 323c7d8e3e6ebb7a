"""A plan: the changes that an operation would make, what each change expects to find, and how to undo it."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from msgspec import Struct, field

from sayso.core.encoding import Json


class Step(Struct, frozen=True):
    """One request to a backend: a flat, frozen value with a stable name, so that it survives a restart.

    Fields are texts, numbers, booleans, None and tuples of these. `store` names the store whose backend does the step.
    `paths` and `apps` list the fields that policy must check; `only_read` lists the path fields whose target the step
    does not change.
    """

    step: ClassVar[str] = ""
    store: ClassVar[str] = ""
    paths: ClassVar[tuple[str, ...]] = ()
    only_read: ClassVar[tuple[str, ...]] = ()
    apps: ClassVar[tuple[str, ...]] = ()


class Fact(Struct, frozen=True):
    """One observation about the computer, such as a file's content; `about` names the thing that was observed."""

    fact: ClassVar[str] = ""
    about: str

    @property
    def key(self) -> tuple[str, str]:
        """Return the kind of fact and the thing it is about; a later fact with the same key replaces this one."""
        return (self.fact, self.about)


Facts = tuple[Fact, ...]


class ResultRef(Fact, frozen=True):
    """A placeholder for a fact that an earlier change will leave: of kind `of`, about the thing `about`.

    `change` is the index of that change in its plan, and `action` the index of its action in the run. If `action` is
    None, the change is an earlier one of the same plan.
    """

    fact: ClassVar[str] = "as_left"
    of: str
    change: int
    action: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return the key of the fact that this placeholder is for."""
        return (self.of, self.about)


class CannotUndo(Struct, frozen=True):
    """Why a change cannot be undone, in one sentence; the person reads it before they approve."""

    why: str


class Change(Struct, frozen=True):
    """One step, the step that undoes it, and the facts that must be true at the moment when the step is done."""

    do: Step
    undo: Step | CannotUndo
    expects: Facts = ()


OnFailure = Literal["undo", "go on"]


class Plan(Struct, frozen=True):
    """What an operation would do. A plan without changes says in its summary why there is nothing to do.

    `loses` lists content that would be lost, and `sends` lists what leaves this machine and to whom; both can only make
    the verdict stricter. `warns` are other sentences that the person should read. `preview` is a text for the card,
    such as a diff. `data` becomes the result's `data` once the plan is done. `warns`, `preview` and `data` are only
    shown and are not part of the digest.
    """

    summary: str
    changes: tuple[Change, ...] = ()
    said_when_done: str = ""
    loses: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    on_failure: OnFailure = "undo"
    asks: bool = False
    """Whether the operation wants a question in every mode; `warns` says why."""
    warns: tuple[str, ...] = ()
    preview: str = ""
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])


class Answer(Struct, frozen=True):
    """The result of an operation that only reads. `summary` is journaled; `text` and `data` are not."""

    summary: str
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    text: str = ""
    shown: Facts = ()
    """The things that the numbers in the answer refer to, in order; later numbers of the session mean them (T-97)."""


class Applied(Struct, frozen=True):
    """The facts and new ids after a completed step: journaled with its `done`, and expected by its undo."""

    facts: Facts = ()


class NotDone(Struct, frozen=True):
    """The result of a lookup after a crash: the step did not happen."""

    why: str = ""


class CannotTell(Struct, frozen=True):
    """The result of a lookup after a crash: nothing shows whether the step happened."""

    why: str = ""


Settlement = Applied | NotDone | CannotTell


class ChangeRef(Struct, frozen=True):
    """A reference to change `change` of action `action` of a run, used when a preview imagines its result."""

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
