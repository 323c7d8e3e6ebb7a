"""The interfaces through which one package uses another without importing it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from datetime import datetime
from functools import cache
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from msgspec import Struct, field

from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.grant import Grant
from sayso.core.plan import Applied, ChangeRef, Fact, Facts, Settlement
from sayso.core.provider import Capability
from sayso.core.record import LARGEST, Exposure, Record, State

KillPoint = Callable[[str], None]
"""Called with a label wherever sayso must survive a crash; it does nothing unless a test injects one that crashes."""


def no_kill_point(label: str) -> None:
    """Do nothing; this is the default outside crash tests."""


class Clock(Protocol):
    """Tells the time; tests can replace it (X-12)."""

    def now(self) -> datetime:
        """Return the time in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        ...


class Ids(Protocol):
    """Makes unique ids; tests can replace it (X-12)."""

    def key(self) -> int:
        """Return a new time-ordered integer, larger than any before in this process."""
        ...

    def token(self) -> str:
        """Return at least 16 characters of `a-z0-9` that nobody can guess."""
        ...


class Backend(Protocol):
    """Serves one store on this machine: it does steps, and operations read the store through the object `reads`.

    `imagine` returns an object that reads the store as it would be after `step`. It is never called when `imagines` is
    False: later actions of a batch are then planned only when their turn comes.
    """

    name: str
    """The backend's name in the journal, such as `local`, `memory` or `imap:ana@example.org`."""
    reads: Any
    imagines: bool
    note: str
    """Text added to the report of a completed step; the simulated desktop adds "recorded, not shown"."""

    async def apply(self, step: Any, expects: Facts) -> Applied:
        """Do `step` if all facts in `expects` are still true. Raises `ProviderError`, `Refused` or `Uncertain`."""
        ...

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """After a crash, find out whether a step that had begun was completed. Never starts a step."""
        ...

    def imagine(self, seen: Any, step: Any, ref: ChangeRef) -> Any:
        """Return an object that reads the store as it would be after `step`.

        Facts that the step changes are references (`ResultRef`) to the change `ref`.
        """
        ...


Offered = TypeVar("Offered")


def offers(value: object, protocol: type[Offered]) -> TypeGuard[Offered]:
    """Return whether a value has the members of a protocol; the answer is cached for each class."""
    return _class_offers(type(value), protocol)


@cache
def _class_offers(cls: type, protocol: type) -> bool:
    return issubclass(cls, protocol)


@runtime_checkable
class NumberedItems(Protocol):
    """The `reads` of a store with numbered items; a number in a proposal means the item shown to the model (T-97)."""

    def as_shown(self, shown: Facts) -> "NumberedItems":
        """Return a copy that numbers the items as in `shown`, which the model saw."""
        ...


@runtime_checkable
class ExactNames(Protocol):
    """The `reads` of a store that finds items by name; the dialect decides whether near names are accepted (T-98)."""

    def exactly(self) -> "ExactNames":
        """Return a copy that accepts only names that match letter for letter."""
        ...


@runtime_checkable
class UsesUserText(Protocol):
    """The `reads` of a store that trusts text which the person wrote: sending it cannot leak what a model knows."""

    def as_written(self, words: str) -> "UsesUserText":
        """Return a copy that takes `words` as the text that the person wrote."""
        ...


@runtime_checkable
class InSession(Protocol):
    """The `reads` of a store whose answers depend on the session that asks."""

    def in_session(self, session: str) -> "InSession":
        """Return a copy that answers for this session."""
        ...


@runtime_checkable
class ChecksFacts(Protocol):
    """A backend that can say, without doing anything, whether facts of its own kinds are still true.

    It is asked about the facts that steps of other stores expect: at the claim, and again right before such a step.
    """

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` or `Refused` for the first of these facts that is no longer true or cannot be checked.

        All of them are of the kinds that this store owns.
        """
        ...


@runtime_checkable
class Prunes(Protocol):
    """A backend that keeps data for undo and can remove old data."""

    def prune(self) -> int:
        """Remove undo data beyond the age and amount that the settings allow; return how many entries were removed."""
        ...


@runtime_checkable
class Closes(Protocol):
    """A backend with open resources, which are released when its home is closed."""

    def close(self) -> None:
        """Release the resources. Completed steps are not affected."""
        ...


@runtime_checkable
class Copies(Protocol):
    """A backend whose whole store can be copied into one file, for a backup."""

    def copy(self, target: str) -> bool:
        """Copy the store into a new private file; return whether there is anything to copy. Raises `SetupError`."""
        ...


class TreeEntry(Struct, frozen=True):
    """One thing in the tree of a folder: its kind (file, folder or link), identity, size and time of change.

    `kept` is the name under which its content is kept; empty if it is not.
    """

    kind: str
    device: int
    inode: int
    size: int = 0
    mtime_ns: int = 0
    kept: str = ""


class TreeSurvey(Struct, frozen=True):
    """What was found in the tree of a folder, by absolute path; `whole` is False if limits left something out."""

    entries: Mapping[str, TreeEntry]
    whole: bool = True


@runtime_checkable
class WatchesFiles(Protocol):
    """A files backend that keeps copies of what another program is about to change, and sees what it changed."""

    async def keep_copy(self, path: str, token: str) -> Fact:
        """Keep a copy of the file at `path` under `token`, and return the fact about it. Raises `SaysoError`."""
        ...

    async def kept_copy(self, path: str, token: str) -> Fact | None:
        """Return the fact about what is kept of `path` under `token`, or None."""
        ...

    async def content_at(self, path: str) -> Fact | None:
        """Return the fact about the content of the file at `path`; None if there is none, or it is too large."""
        ...

    async def survey(self, path: str, *, keep: bool) -> TreeSurvey:
        """Return what is in the tree of a folder; with `keep`, small files are copied first. Raises `SaysoError`."""
        ...


@runtime_checkable
class ReportsResult(Protocol):
    """A backend whose application or server may do a step differently than asked, and that reports the difference."""

    def tells(self, step: Any, left: Applied) -> str:
        """Return part of a sentence for the person if the result differs from what was asked for, else an empty one."""
        ...


@runtime_checkable
class DescribesUndoLoss(Protocol):
    """A backend that warns, before a step, when undo could not restore everything."""

    def foretells(self, step: Any) -> str:
        """Return a part of a sentence for the person about what undo would not restore; empty if that is nothing."""
        ...


@runtime_checkable
class DelaysSending(Protocol):
    """A backend that delays steps that cannot be undone, so that the person can still stop them."""

    def holds(self, step: Any) -> float:
        """Return the delay in seconds; 0 for a step that begins at once."""
        ...


@runtime_checkable
class Diagnoses(Protocol):
    """A backend with parts that work only on some machines; `sayso doctor` lists them."""

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether each part works here. Changes nothing."""
        ...


@runtime_checkable
class RunsActions(Protocol):
    """A backend in whose home the person's own actions are run by what their handlers request."""

    def runs_actions(self) -> bool:
        """Return True."""
        ...


class QuestionAnswerer(Protocol):
    """Answers a question in words, from what this computer knows, without doing anything (T-100)."""

    async def answer(self, question: str, session: str) -> str:
        """Return the answer; a question may refer to earlier ones of the same session."""
        ...


def nobody_hosts() -> bool:
    """Return False: no process hosts triggers."""
    return False


class BackendContext(Struct, frozen=True):
    """What a backend is built from: settings, folders, clock, ids and kill points."""

    settings: Mapping[str, Json]
    """This store's section of the settings."""
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
    """sayso's own folders and files outside `own`, both as named and with links resolved."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """The environment variables that lead to the person's desktop session: screen, message bus, sound, programs."""
    answers: QuestionAnswerer | None = None
    """Answers questions; used by the store that serves `talk`."""
    hosted: Callable[[], bool] = nobody_hosts
    """Says whether a process hosts triggers now, which also rings reminders."""
    talk: Callable[[], object] | None = None
    """Returns what the store that serves `talk` uses of its home: a `TalkHome` of `providers/talk/store.py`."""


class Approver(Protocol):
    """Who can answer a question now (X-09)."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the person's decision, or None when nobody can answer now; the actions then wait."""
        ...


class Locks(Protocol):
    """One lock per store, across processes."""

    def hold(self, stores: Iterable[str]) -> AbstractAsyncContextManager[None]:
        """Hold the locks of these stores, taken in the order of their names; wait until other holders release them."""
        ...

    def attempt(self, stores: Iterable[str]) -> AbstractAsyncContextManager[bool]:
        """Hold the locks if all are free now, without waiting; the value says whether they are held."""
        ...

    def asking(self, name: str) -> AbstractContextManager[Callable[[], bytes]]:
        """Make `anybody` return True for this name, in every process, until the context ends.

        Yields what returns the latest that any process gave to `answer`; nothing at first.
        """
        ...

    def answer(self, name: str, said: bytes) -> None:
        """Tell whoever is inside `asking` with this name, if anybody is."""
        ...

    def anybody(self, name: str) -> bool:
        """Return whether any process is inside `asking` with this name."""
        ...

    def alone(self, name: str) -> AbstractContextManager[bool]:
        """Say whether nobody else is inside `alone` with this name, in any process, and keep others out meanwhile."""
        ...


class InsertRecord(Struct, frozen=True):
    """Write a new row."""

    record: Record


class UpdateRecord(Struct, frozen=True):
    """Replace a row, only if its turn in the journal is one less than the record's.

    Usually only its state and times change. Its content changes too when the action was planned only after earlier ones
    were done, was judged again by the policy, or has ended and is redacted.
    """

    record: Record


class CountGrantUse(Struct, frozen=True):
    """Count one use of a standing permission; the commit raises `Spent` if it is revoked or used up."""

    grant: str
    at: str
    """The time of the use in ISO 8601."""


class NoteExposure(Struct, frozen=True):
    """Write down that a principal was shown text of strangers, such as parts of a prompt."""

    principal: str
    session: str
    """Empty if there is no session."""
    sources: tuple[str, ...]


JournalChange = InsertRecord | UpdateRecord | CountGrantUse | NoteExposure


class RecordQuery(Struct, frozen=True):
    """Which rows to show, newest first; if `before` is given, only rows with a smaller key."""

    limit: int = 50
    before: int | None = None
    operation: str | None = None
    """A glob pattern for operation ids."""
    states: frozenset[State] = frozenset()
    since: str | None = None
    until: str | None = None
    """Only what was proposed before this time."""
    run: str | None = None
    session: str | None = None


class Journal(Protocol):
    """The log of what was proposed, decided and done. No action runs if the log cannot be written."""

    async def commit(self, *changes: JournalChange, event: str) -> None:
        """Write all changes and one audit row in one durable commit, or none of them.

        With an action that is done and whose result may contain text of strangers (`Record.outside`), the same commit
        writes that its principal is exposed.

        Raises `Stale` if a row was changed since it was read, `Spent` if a standing permission has no use left, and
        `SetupError` if the journal cannot be written.
        """
        ...

    async def get(self, id: str) -> Record | None:  # noqa: A002 - the word of the interface
        """Return one record, or None if there is none with this id."""
        ...

    async def of_run(self, run: str) -> list[Record]:
        """Return the records of a run, in order."""
        ...

    async def query(self, query: RecordQuery) -> list[Record]:
        """Return a page of records, newest first."""
        ...

    async def in_state(self, *states: State) -> list[Record]:
        """Return all records in these states (such as waiting, running or unknown), oldest first."""
        ...

    async def count(self, *states: State) -> int:
        """Return how many records are in these states, without reading them."""
        ...

    async def lapsed(self, now: str, since: str) -> list[Record]:
        """Return waiting records that expired by `now`, or whose recorded time is after `since`, oldest first.

        Records whose times have a different format may be included, so the caller must check.
        """
        ...

    async def last_undoable(self, before: int = LARGEST) -> Record | None:
        """Return the newest record that can be undone: done or partly done, not itself an undo, and not undone yet.

        Only records with a smaller key than `before` count.
        """
        ...

    async def exposed(self, principal: str, session: str, since: str) -> tuple[str, ...]:
        """Return the sources of strangers' text that may influence what a principal proposes, sorted.

        They are those that it has read since this time (ISO 8601), in any session, and at any time in this session.
        """
        ...

    async def exposures(self) -> list[Exposure]:
        """Return all that principals have read of strangers' text, sorted by principal and time."""
        ...

    async def clear_exposures(self, principal: str | None = None) -> list[Exposure]:
        """Forget what a principal, or every principal, has read, with an audit row; return what was forgotten."""
        ...

    async def grants(self, *, revoked: bool = False) -> list[Grant]:
        """Return the standing permissions that are not revoked, oldest first; if `revoked` is true, the others too."""
        ...

    async def put_grant(self, grant: Grant) -> None:
        """Write a new standing permission, or a change of its use count or revocation, with an audit row."""
        ...
