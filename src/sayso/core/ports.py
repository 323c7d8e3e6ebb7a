"""The sockets: what a room must offer so that the others can use it without knowing it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import cache
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from msgspec import Struct, field

from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.grant import Grant
from sayso.core.plan import Applied, ChangeRef, Facts, Settlement
from sayso.core.provider import Capability
from sayso.core.record import Record, State

KillPoint = Callable[[str], None]
"""Called with a label at each place where a crash must be survived; empty unless a test injects one."""


def no_kill_point(label: str) -> None:
    """Do nothing: what runs when nobody tests crashes."""


class Clock(Protocol):
    """Where the time comes from, so that tests can set it (X-12)."""

    def now(self) -> datetime:
        """Return the time in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        ...


class Ids(Protocol):
    """Where names that must not repeat come from (X-12)."""

    def key(self) -> int:
        """Return a new time-ordered integer, larger than any before in this process."""
        ...

    def token(self) -> str:
        """Return at least 16 characters of `a-z0-9` that nobody can guess."""
        ...


class Backend(Protocol):
    """What serves one store on this machine: three verbs, and the reads that operations are given.

    `imagine` returns the reads as they would be once `step` was done; a backend with `imagines`
    False is never asked to, and its actions are planned when their turn comes.
    """

    name: str
    """What the journal names: `local`, `memory`, `imap:ana@example.org`."""
    reads: Any
    imagines: bool
    note: str
    """Added to what is said when a step was done; the memory desktop says "recorded, not shown"."""

    async def apply(self, step: Any, expects: Facts) -> Applied:
        """Do `step` if `expects` still holds, checked in the act. Raises `ProviderError`, `Refused`, `Uncertain`."""
        ...

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """Ask the world whether `step`, which had begun when its process died, was done. Starts nothing."""
        ...

    def imagine(self, seen: Any, step: Any, ref: ChangeRef) -> Any:
        """Return reads in which `step` has been done; what it makes or changes is expected as `ref` left it."""
        ...


Offered = TypeVar("Offered")


def offers(value: object, protocol: type[Offered]) -> TypeGuard[Offered]:
    """Say whether a value has the methods that a protocol names; looked up once for each class."""
    return _class_offers(type(value), protocol)


@cache
def _class_offers(cls: type, protocol: type) -> bool:
    return issubclass(cls, protocol)


@runtime_checkable
class NumberedItems(Protocol):
    """Reads of a store that numbers its things: a model's numbers mean what it was shown (T-97)."""

    def as_shown(self, shown: Facts) -> "NumberedItems":
        """Return the same reads with the numbers of what the model was shown."""
        ...


@runtime_checkable
class ExactNames(Protocol):
    """Reads of a store that finds things by name, as lenient as the dialect is that names them (T-98)."""

    def exactly(self) -> "ExactNames":
        """Return the same reads for a dialect in which a name is taken letter for letter."""
        ...


@runtime_checkable
class UsesUserText(Protocol):
    """Reads of a store in which it matters what the person wrote themselves: that carries nothing of a model's out."""

    def as_written(self, words: str) -> "UsesUserText":
        """Return the same reads for what is asked by a person who wrote these words."""
        ...


@runtime_checkable
class InSession(Protocol):
    """Reads of a store whose answers depend on who asks."""

    def in_session(self, session: str) -> "InSession":
        """Return the same reads for what is asked in this session."""
        ...


@runtime_checkable
class Private(Protocol):
    """A backend whose world lies in this process alone; it needs no lock, for it does each step in one go.

    One go: it checks what a step expects and does it without letting another task run in between.
    """

    private: bool


@runtime_checkable
class Prunes(Protocol):
    """A backend that keeps what is needed for ways back, and lets old ones go."""

    def prune(self) -> int:
        """Remove what is kept longer, or is more, than the settings say; return how much that was."""
        ...


@runtime_checkable
class Closes(Protocol):
    """A backend that holds something open, and lets go of it when its home is closed."""

    def close(self) -> None:
        """Let go; what was done stays done."""
        ...


@runtime_checkable
class Copies(Protocol):
    """A backend whose whole store can be copied into one file, for a backup."""

    def copy(self, target: str) -> bool:
        """Copy it into a new private file; return whether there is anything to copy. Raises `SetupError`."""
        ...


@runtime_checkable
class ReportsResult(Protocol):
    """A backend whose world may do a step in another way than it was asked to, and says what came of it."""

    def tells(self, step: Any, left: Applied) -> str:
        """Return one clause for the person when what is there is not what was asked for; else nothing."""
        ...


@runtime_checkable
class DescribesUndoLoss(Protocol):
    """A backend some of whose ways back bring back less than there was, and says so before."""

    def foretells(self, step: Any) -> str:
        """Return one clause for the person about what a way back would not bring back; else nothing."""
        ...


@runtime_checkable
class DelaysSending(Protocol):
    """A backend some of whose steps cannot be called back and are held back for a while before they begin."""

    def holds(self, step: Any) -> float:
        """Return for how many seconds; 0 for a step that begins at once."""
        ...


@runtime_checkable
class Diagnoses(Protocol):
    """A backend of several parts, each of which works on some machines and not on others; for `doctor`."""

    async def capabilities(self) -> tuple[Capability, ...]:
        """Look at each part, without changing anything."""
        ...


class QuestionAnswerer(Protocol):
    """What answers a question from what is known here, in words and without doing anything (T-100)."""

    async def answer(self, question: str, session: str) -> str:
        """Return the answer; questions of a session may follow on each other."""
        ...


class BackendContext(Struct, frozen=True):
    """What a backend is built on: settings, places, and injected time, names and kill points."""

    settings: Mapping[str, Json]
    """The section of the settings that is for this store."""
    home: str
    """The person's home folder, absolute."""
    own: str
    """sayso's own folder, absolute."""
    roots: tuple[str, ...]
    """The folders that file operations may reach, absolute."""
    clock: Clock
    ids: Ids
    kill: KillPoint = no_kill_point
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Settings of `[policy]` that a backend honours: `append_missing`, `confirm_sites`, `undo_keep_seconds`, …"""
    also_own: tuple[str, ...] = ()
    """Further folders and files of sayso's own that stand outside of `own`, links resolved and not."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """The environment that leads to the person's session: screen, bus, sound, programs."""
    answers: QuestionAnswerer | None = None
    """What answers questions, for the store that they are put to."""


class Approver(Protocol):
    """Who can answer a question now (X-09)."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the person's decision, or None when nobody can answer now (what is asked then waits)."""
        ...


class Locks(Protocol):
    """One lock per store, across processes."""

    def hold(self, stores: Iterable[str]) -> AbstractAsyncContextManager[None]:
        """Hold the locks of these stores, taken in the order of their names; wait for who has them."""
        ...

    def attempt(self, stores: Iterable[str]) -> AbstractAsyncContextManager[bool]:
        """Hold the locks if all are free now; the value says whether they are held."""
        ...


class InsertRecord(Struct, frozen=True):
    """Write a new row."""

    record: Record


class UpdateRecord(Struct, frozen=True):
    """Move a row on; only if its turn in the journal is one less than the record's.

    As a rule only its marks change. Its content may be written anew too: when it was planned only in
    its turn, was judged again, or has ended and is redacted.
    """

    record: Record


class CountGrantUse(Struct, frozen=True):
    """Count one use of a standing permission; only if it is not revoked and has a use left (else `Spent`)."""

    grant: str
    at: str
    """When, in ISO 8601."""


class RecordQuery(Struct, frozen=True):
    """Which rows to show, newest first. `before` is the key to continue below."""

    limit: int = 50
    before: int | None = None
    operation: str | None = None
    """A glob over operation ids."""
    states: frozenset[State] = frozenset()
    since: str | None = None
    run: str | None = None
    session: str | None = None


class Journal(Protocol):
    """What was proposed, decided and done. If it cannot be written, nothing runs."""

    async def commit(self, *changes: InsertRecord | UpdateRecord | CountGrantUse, event: str) -> None:
        """Write all changes and one audit row in one durable commit, or none.

        Raises `Stale` when a row has moved on since it was read, `Spent` when a standing permission has no
        use left, `SetupError` when the journal cannot be written.
        """
        ...

    async def get(self, id: str) -> Record | None:  # noqa: A002 - the word of the interface
        """Return one record."""
        ...

    async def of_run(self, run: str) -> list[Record]:
        """Return the records of a run, in order."""
        ...

    async def query(self, query: RecordQuery) -> list[Record]:
        """Return a page of records, newest first."""
        ...

    async def in_state(self, *states: State) -> list[Record]:
        """Return all records in these states (waiting, running, unknown), oldest first."""
        ...

    async def count(self, *states: State) -> int:
        """Return how many records are in these states, without reading them."""
        ...

    async def lapsed(self, now: str, since: str) -> list[Record]:
        """Return what waits but expires at `now` or before, or says that it was proposed after `since`; oldest first.

        A record with a time of another make than the journal's may be among them.
        """
        ...

    async def last_undoable(self) -> Record | None:
        """Return the newest record that is done, or failed part-done, is no undo, and is not undone."""
        ...

    async def heard(self, session: str) -> frozenset[str]:
        """Return the ids of the operations done in this session: the text of some may steer the model now."""
        ...

    async def grants(self, *, revoked: bool = False) -> list[Grant]:
        """Return the standing permissions that are not revoked, oldest first; with `revoked` all of them."""
        ...

    async def put_grant(self, grant: Grant) -> None:
        """Write a new standing permission, or its new use count or revocation; audited."""
        ...
