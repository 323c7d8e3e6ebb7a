"""The journal in one SQLite file, with durable commits; concurrent callers share a commit."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import anyio
from anyio.lowlevel import checkpoint
from anyio.lowlevel import checkpoint as let_others_run
from anyio.to_thread import run_sync
from msgspec import Struct

from sayso.core.conversation import Sessions, TriggerStates
from sayso.core.errors import SetupError
from sayso.core.grant import Grant
from sayso.core.instances import Instances
from sayso.core.lazy import load
from sayso.core.ports import Clock, JournalChange, KillPoint, NoteExposure, RecordQuery, no_kill_point
from sayso.core.record import LARGEST, Exposure, Record, State
from sayso.journal.database import (
    PATIENCE,
    as_setup,
    connect_to_look,
    explain_errors,
    is_busy,
    migrations,
    open_journal,
)
from sayso.journal.hash_chain import Checkpoint, PruneResult, VerificationResult
from sayso.journal.reader import JournalReader
from sayso.journal.rows import micros, parse_moment, shorthand_of
from sayso.journal.writer import CommitRequest, RecordWriter, work_of

Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _PendingCommit(Generic[Result]):
    work: Result
    failure: BaseException | None = None
    settled: bool = False
    turn: anyio.Event | None = None
    """Set when the commit is finished or this caller must lead the next one; None if the caller did not wait."""


class _Begins(Protocol):
    def __call__(self, *, lasting: bool) -> Awaitable[None]: ...


class GroupCommit(Generic[Result]):
    """Combines the writes of concurrent callers into one commit.

    The first caller leads: it writes its own work and that of all callers that joined meanwhile. Of the callers that
    came later, the first leads the next commit. `begin` opens a transaction and may wait for other processes; it is
    told whether some work in it must outlast a loss of power, which `lasts` says of each. `write` writes all works,
    commits, and returns the error of each work, or None.
    """

    def __init__(
        self,
        begin: _Begins,
        write: Callable[[Sequence[Result]], Sequence[BaseException | None]],
        lasts: Callable[[Result], bool],
    ) -> None:
        self._begin = begin
        self._lasts = lasts
        self._write = write
        self._waiting: list[_PendingCommit[Result]] = []
        self._led = False
        self._last: int | None = None
        self._crowd = False

    async def take(self, work: Result) -> None:
        """Write `work` and return when it is committed; raise its error if it failed."""
        wish = _PendingCommit(work)
        self._waiting.append(wish)
        if self._led:
            await self._follow(wish)
        else:
            self._led = True
            await self._lead(wish)
        if wish.failure is not None:
            raise wish.failure

    async def _follow(self, wish: _PendingCommit[Result]) -> None:
        wish.turn = anyio.Event()
        try:
            await wish.turn.wait()
        except BaseException:
            if not wish.settled:
                mine = self._waiting[:1] == [wish] and wish.turn.is_set()
                self._waiting.remove(wish)
                if mine:
                    self._hand_on()
            raise
        if not wish.settled:
            await self._lead(wish)

    async def _lead(self, wish: _PendingCommit[Result]) -> None:
        try:
            await self._gather()
            lasting = any(self._lasts(each.work) for each in self._waiting)
            await self._begin(lasting=lasting)
            self._settle(self._cut(lasting=lasting))
        except SetupError as failure:
            # No transaction could be opened, so the works of all waiting callers fail.
            for each in self._cut(lasting=True):
                self._tell(each, SetupError(str(failure), failure.code))
        except BaseException as broken:
            if wish in self._waiting:
                self._waiting.remove(wish)  # cancelled before anything was written
                raise
            wish.failure = broken
        finally:
            self._hand_on()

    async def _gather(self) -> None:
        """Let concurrent callers join, if there were any recently; a single caller does not wait."""
        task = _this_task()
        others = self._crowd or self._last not in {None, task}
        self._last = task
        if others:
            seen = 0
            while len(self._waiting) > seen:
                seen = len(self._waiting)
                await checkpoint()

    def _cut(self, *, lasting: bool) -> list[_PendingCommit[Result]]:
        """Take the works that the open transaction can hold; one that must last may have come while it was opened."""
        wishes = [wish for wish in self._waiting if lasting or not self._lasts(wish.work)]
        self._waiting = [] if lasting else [wish for wish in self._waiting if self._lasts(wish.work)]
        self._crowd = len(wishes) > 1
        return wishes

    def _settle(self, wishes: list[_PendingCommit[Result]]) -> None:
        try:
            failures = self._write([wish.work for wish in wishes])
        except BaseException as broken:
            for wish in wishes:
                self._tell(wish, broken)
            raise
        for wish, failure in zip(wishes, failures, strict=True):
            self._tell(wish, failure)

    def _tell(self, wish: _PendingCommit[Result], failure: BaseException | None) -> None:
        wish.settled, wish.failure = True, failure
        if wish.turn is not None:
            wish.turn.set()

    def _hand_on(self) -> None:
        self._led = bool(self._waiting)
        if self._waiting and self._waiting[0].turn is not None:
            self._waiting[0].turn.set()


def _this_task() -> int:
    """Return a number that no other running task has; anyio's function is slower, because it describes the task."""
    try:
        return id(asyncio.current_task())
    except RuntimeError:  # the event loop is not asyncio's
        return anyio.get_current_task().id


T = TypeVar("T")
_FIRST_WAIT, _LONGEST_WAIT = 0.002, 0.1
_LINES_AT_ONCE = 256


class _OpenJournal(Struct, frozen=True):
    connection: sqlite3.Connection
    writer: RecordWriter
    reader: JournalReader


class SqliteJournal:
    """The journal in the file at `path`; call `open` before use and `close` after.

    `redact` names arguments (`password`, `mail.send.body`) whose values are removed when an action has ended. Every
    method raises `SetupError` if the file cannot be used; then nothing was written.
    """

    def __init__(
        self,
        path: str,
        *,
        clock: Clock,
        redact: tuple[str, ...] = (),
        kill: KillPoint = no_kill_point,
        patience: float = PATIENCE,
    ) -> None:
        self.path = path
        self._clock = clock
        self._redact = redact
        self._kill = kill
        self._patience = patience
        self._opened: _OpenJournal | None = None
        self._lasting = True
        self._together: GroupCommit[CommitRequest] = GroupCommit(self._begin, self._write, lambda work: work.lasts)
        self.committed = anyio.Event()
        """Set at the next commit of this process, and then replaced."""

    @property
    def sessions(self) -> Sessions:
        """Return the stored conversations."""
        return load("sayso.journal.sessions:SqliteSessions")(self)

    @property
    def instances(self) -> Instances:
        """Return the stored offers of the person's own actions, and what actions added to chats."""
        return load("sayso.journal.instances:SqliteInstances")(self, self._clock)

    @property
    def triggers(self) -> TriggerStates:
        """Return the stored states of triggers."""
        return load("sayso.journal.sessions:SqliteTriggers")(self)

    async def open(self) -> None:
        """Open the file, or create it."""
        if self._opened is not None:
            return
        now = micros(self._clock.now())
        connection = open_journal(
            self.path,
            now,
            secure=bool(self._redact),
            patience=self._patience,
            migrations=migrations(),
        )
        try:
            with explain_errors(self.path):
                shorthand = shorthand_of(connection)
        except SetupError:
            connection.close()
            raise
        writer = RecordWriter(connection, self.path, shorthand, self._clock, self._kill)
        self._opened = _OpenJournal(connection, writer, JournalReader(connection, shorthand))

    async def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.connection.close()
            self._opened, self._lasting = None, True

    # --- writing -----------------------------------------------------------------------------------------

    async def commit(self, *changes: JournalChange, event: str) -> None:
        """Write all changes and one audit row in one commit, or none.

        The commit is durable, except that a loss of power may undo one that says only that something was read: no
        effect can be forgotten with it. Raises `Stale`, `Spent` or `SetupError`.
        """
        work = work_of(changes, event, self._redact)
        if work.redacts:
            self._forget_words([line.record.key for line in work.lines if line.redacts])
        await self._together.take(work)
        self.committed.set()
        self.committed = anyio.Event()
        if work.redacts:
            self._forget_old_pages()

    async def put_grant(self, grant: Grant) -> None:
        """Write a new standing permission, or its use count or revocation.

        The use count never decreases, and a revocation is never withdrawn.
        """
        await self._together.take(CommitRequest("permission revoked" if grant.revoked else "permission", grant=grant))

    async def clear_exposures(self, principal: str | None = None) -> list[Exposure]:
        """Forget what a principal, or every principal, has read, with an audit row; return what was forgotten."""

        def clear(connection: sqlite3.Connection) -> list[Exposure]:
            there = [one for one in self._file().reader.exposures() if principal in {None, one.principal}]
            connection.execute("DELETE FROM exposure WHERE principal = ?1 OR ?1 IS NULL", (principal,))
            return there

        return await self.written(clear, "exposure cleared")

    async def prune(self, before: str, unexposed: str | None = None) -> PruneResult:
        """Remove what ended before this time (ISO 8601), and record the removal in an anchor.

        Actions that are waiting, running or unknown are kept. What principals have read of strangers' text is removed
        if that was before `unexposed`, by default the same time.
        """
        moment, read = parse_moment(before), parse_moment(unexposed or before)
        await self._begin()
        opened = self._file()
        opened.connection.execute("PRAGMA secure_delete = ON")
        try:
            with explain_errors(self.path):
                removed: PruneResult = load("sayso.journal.retention:prune")(opened.writer, moment, read)
                if removed.actions:
                    self._forget_words(None)
                opened.writer.finish()
        except BaseException:
            opened.writer.give_up()
            raise
        self._forget_old_pages()
        return removed

    async def written(
        self, write: Callable[[sqlite3.Connection], T], event: str, exposures: Sequence[NoteExposure] = ()
    ) -> T:
        """Call `write` in one durable transaction and return its result.

        What principals were shown is written with it, and an audit row about all rows that changed.
        """
        await self._begin()
        opened = self._file()
        try:
            with explain_errors(self.path):
                load("sayso.journal.sealed_tables:watch")(opened.connection)
                out = write(opened.connection)
                opened.writer.seal(event, exposures)
                opened.writer.finish()
        except BaseException:
            opened.writer.give_up()
            raise
        return out

    async def _begin(self, *, lasting: bool = True) -> None:
        """Open a transaction. While another process writes, this task waits and other tasks run.

        With `lasting`, its commit waits until the disk has it, and all commits before it.
        """
        connection = self._file().connection
        if lasting is not self._lasting:
            connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            self._lasting = lasting
        wait, left = _FIRST_WAIT, self._patience
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                if not is_busy(error) or left <= 0:
                    raise as_setup(error, self.path) from error
            else:
                return
            await anyio.sleep(wait)
            left -= wait + connection.execute("PRAGMA busy_timeout").fetchone()[0] / 1000
            wait = min(2 * wait, _LONGEST_WAIT)

    def _write(self, works: Sequence[CommitRequest]) -> Sequence[BaseException | None]:
        return self._file().writer.write(works)

    def _forget_words(self, keys: Sequence[int] | None) -> None:
        """Take out of the index of words what is about to be redacted or, if `keys` is None, is being removed."""
        load("sayso.journal.word_index:forget_in")(self.path, self._file().connection, keys)

    def _forget_old_pages(self) -> None:
        # The write-ahead log still contains the old pages. If a reader keeps it open, a later call truncates it.
        with explain_errors(self.path):
            self._file().connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    # --- reading -----------------------------------------------------------------------------------------

    async def get(self, id: str) -> Record | None:  # noqa: A002 - the word of the interface
        """Return one record, or None."""
        return self.read(lambda reader: reader.find(id))

    async def of_run(self, run: str) -> list[Record]:
        """Return the records of a run, in order."""
        return self.read(lambda reader: reader.of_run(run))

    async def query(self, query: RecordQuery) -> list[Record]:
        """Return a page of records, newest first."""
        return self.read(lambda reader: reader.query(query))

    async def in_state(self, *states: State) -> list[Record]:
        """Return all records in these states, oldest first."""
        return self.read(lambda reader: reader.in_state(states))

    async def count(self, *states: State) -> int:
        """Return how many records are in these states, without reading them."""
        return self.read(lambda reader: reader.count(states))

    async def lapsed(self, now: str, since: str) -> list[Record]:
        """Return waiting records that expired by `now`, or whose recorded time is after `since`, oldest first.

        Records whose times have a different format may be included.
        """
        return self.read(lambda reader: reader.lapsed(parse_moment(now), parse_moment(since)))

    async def last_undoable(self, before: int = LARGEST) -> Record | None:
        """Return the newest record that can be undone: done or partly done, not itself an undo, and not undone yet.

        Only records with a smaller key than `before` count.
        """
        return self.read(lambda reader: reader.last_undoable(before))

    def newest_key(self) -> int:
        """Return the largest key of a record; 0 if there is none, or none can be read."""
        try:
            return self.read(lambda reader: reader.newest_key())
        except SetupError:
            return 0  # whatever is wrong is told when something is to be written

    async def exposed(self, principal: str, session: str, since: str) -> tuple[str, ...]:
        """Return what a principal has read of strangers' text since this time, and at any time in this session."""
        return self.read(lambda reader: reader.exposed(principal, session, parse_moment(since)))

    async def exposures(self) -> list[Exposure]:
        """Return all that principals have read of strangers' text, sorted by principal and time."""
        return self.read(lambda reader: reader.exposures())

    async def grants(self, *, revoked: bool = False) -> list[Grant]:
        """Return the standing permissions that are not revoked, oldest first; if `revoked` is true, the others too."""
        return self.read(lambda reader: reader.grants(revoked=revoked))

    async def read_words(self) -> bool:
        """Read some of the journal into the index of words that `search` uses; return whether there may be more."""
        with explain_errors(self.path):
            return await run_sync(load("sayso.journal.word_updates:read_on"), self.path)

    def read(self, read: Callable[[JournalReader], T]) -> T:
        """Return the result of `read`. Raises `SetupError` if SQLite fails."""
        try:
            return read(self._file().reader)
        except sqlite3.Error as error:
            raise as_setup(error, self.path) from error

    def look(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of `read`, called with the open connection. Raises `SetupError` if SQLite fails."""
        with explain_errors(self.path):
            return read(self._file().connection)

    def has_offers(self) -> bool:
        """Return whether any offer of the person's own actions is stored; `instances` is not imported for this."""
        return self.look(lambda file: file.execute("SELECT 1 FROM instance LIMIT 1").fetchone()) is not None

    # --- proof and copies --------------------------------------------------------------------------------

    async def verify(self, checkpoint: Checkpoint | None = None) -> VerificationResult:
        """Check the hash chain and every action, and compare the chain with an exported checkpoint."""
        return await run_sync(load("sayso.journal.verify:verify"), self.path, checkpoint)

    async def export(self, write: Callable[[str], object]) -> None:
        """Call `write` with each line of an export, including its line break; the last line is the checkpoint."""
        async for text in self.export_lines():
            write(text)

    async def export_lines(self) -> AsyncIterator[str]:
        """Yield each line of an export, including its line break; the last line is the checkpoint."""
        with explain_errors(self.path), closing(connect_to_look(self.path)) as connection:
            for number, text in enumerate(load("sayso.journal.export:export_lines")(connection, self.path)):
                yield text + "\n"
                if number % _LINES_AT_ONCE == 0:
                    await let_others_run()

    async def backup(self, target: str) -> None:
        """Write a verified copy of the journal to a new private file."""
        await run_sync(partial(load("sayso.journal.export:backup"), self.path, target))

    def _file(self) -> _OpenJournal:
        if self._opened is None:
            raise SetupError("the journal is not open", "journal.closed")
        return self._opened
