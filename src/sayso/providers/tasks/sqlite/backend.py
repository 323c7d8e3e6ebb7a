"""The backend over the lists' database; each step is one transaction, in which its token is recorded too (X-17)."""

import json
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import (
    Applied,
    CannotTell,
    ChangeRef,
    Codec,
    Fact,
    Facts,
    NotDone,
    ResultRef,
    Settlement,
    facts_json,
    step_json,
)
from sayso.core.ports import BackendContext, Clock, Ids
from sayso.providers.tasks.lists import Lists
from sayso.providers.tasks.model import FACTS, STEPS, Steps, must_hold, token_of
from sayso.providers.tasks.sqlite.database import (
    GLANCE,
    copy,
    empty_copy,
    explain_error,
    explain_errors,
    is_busy,
    open_lists,
    prune,
)
from sayso.providers.tasks.sqlite.lists import SqliteLists
from sayso.providers.tasks.store import Tasks


@dataclass(frozen=True)
class SqliteTasks(Tasks):
    """What operations can read over one connection.

    If an earlier step of the batch will change a fact, `as_left` maps the fact to a reference to the result of that
    step.
    """

    clock: Clock
    ids: Ids
    look: Callable[[], sqlite3.Connection]
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    @property
    def lists(self) -> Lists:
        return SqliteLists(self.look())

    def fact(self, fact: Fact) -> Fact:
        return self.as_left.get(fact.key, fact)


FILE = "tasks.db"
PATIENCE = 30.0
"""Seconds to wait while another process is writing."""
_WAIT = 0.02


def build(context: BackendContext) -> "SqliteBackend":
    """Return the backend for the lists in sayso's own folder; the database is opened when it is first used."""
    return SqliteBackend(f"{context.own.rstrip('/')}/{FILE}", context)


@dataclass
class ListsCopy:
    """A copy of the lists in memory; while a batch is planned, its steps are applied to this copy."""

    connection: sqlite3.Connection
    done: list[Steps] = field(default_factory=list[Steps])

    def has_done(self, steps: tuple[Steps, ...]) -> bool:
        """Say whether exactly these steps were applied to the copy."""
        return len(self.done) == len(steps) and (not steps or self.done[-1] is steps[-1])


@dataclass(frozen=True)
class ImaginedTasks(SqliteTasks):
    """What operations can read of a copy of the lists to which `steps` were applied."""

    steps: tuple[Steps, ...] = ()
    copy: ListsCopy | None = None


class SqliteBackend:
    """The person's tasks and habits in the database at `path`."""

    name = "sqlite"
    imagines = True
    note = ""

    def __init__(self, path: str, context: BackendContext) -> None:
        self.path = path
        self._context = context
        self._open: sqlite3.Connection | None = None
        self._codec = Codec(STEPS, FACTS)
        self.reads = SqliteTasks(context.clock, context.ids, self._open_for_reading)

    def close(self) -> None:
        """Close the database."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def copy(self, target: str) -> bool:
        """Copy the lists into a new private file; return False if there are no lists yet."""
        if not Path(self.path).exists():
            return False
        copy(self._open_for_reading(), self.path, target)
        return True

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step in one transaction. Raises `ProviderError` if it was done before, or if `expects` is not true."""
        token = token_of(step)
        async with self._writing() as connection:
            if connection.execute("SELECT 1 FROM steps WHERE token = ?", (token,)).fetchone():
                raise ProviderError("this very step was done before; nothing was done twice", "world.changed")
            lists = SqliteLists(connection)
            for fact in expects:
                must_hold(lists, fact)
            self._context.kill(f"{step.step}.before")
            facts = step.execute(lists, expects, self._now())
            written = (token, json.dumps(step_json(step)), json.dumps(facts_json(facts)), self._now())
            connection.execute("INSERT INTO steps VALUES (?, ?, ?, ?)", written)
            self._context.kill(f"{step.step}.written")
        self._context.kill(f"{step.step}.after")
        return Applied(facts)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Say whether a step was done.

        The token of a step is in the database if and only if the whole step was done.
        """
        with explain_errors(self.path):
            asked = self._connection().execute("SELECT step, left FROM steps WHERE token = ?", (token_of(step),))
            found = asked.fetchone()
        if found is None:
            return NotDone("the lists have no record of it")
        wrote, left = found
        if wrote is None or left is None:
            return CannotTell("it was done so long ago that what it left is no longer known")
        if self._codec.step(json.loads(wrote)) != step:
            return NotDone("the lists have a record of another step instead")
        return self._codec.left(json.loads(left))

    def imagine(self, seen: SqliteTasks, step: Steps, ref: ChangeRef) -> ImaginedTasks:
        """Return what operations can read after this step, which is applied to a copy; the lists stay unchanged."""
        before: tuple[Steps, ...] = seen.steps if isinstance(seen, ImaginedTasks) else ()
        base = self._copy(seen.copy if isinstance(seen, ImaginedTasks) else None, before)
        facts = step.execute(SqliteLists(base.connection), (), self._now())
        base.done.append(step)
        steps = (*before, step)
        left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
        return ImaginedTasks(
            self._context.clock,
            self._context.ids,
            lambda: self._copy(base, steps).connection,
            {**seen.as_left, **left},
            steps,
            base,
        )

    def prune(self) -> int:
        """Remove what was deleted longer ago than undo is kept, and return the number of rows; completed tasks stay."""
        keep = self._context.options.get("undo_keep_seconds")
        if not isinstance(keep, int | float) or not Path(self.path).exists():
            return 0
        before = _write_time(self._context.clock.now() - timedelta(seconds=keep))
        with explain_errors(self.path):
            return prune(self._connection(), before)

    def _copy(self, base: ListsCopy | None, steps: tuple[Steps, ...]) -> ListsCopy:
        """Return this copy if exactly these steps were applied to it, or else a new copy with these steps applied."""
        if base is not None and base.has_done(steps):
            return base
        with explain_errors(self.path):
            new = ListsCopy(empty_copy())
            self._connection().backup(new.connection)
        for step in steps:
            step.execute(SqliteLists(new.connection), (), self._now())
            new.done.append(step)
        return new

    def _open_for_reading(self) -> sqlite3.Connection:
        with explain_errors(self.path):
            return self._connection()

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self._open = open_lists(self.path)
        return self._open

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[sqlite3.Connection]:
        """Yield a connection with an open transaction. It is committed at the end, or rolled back on an error."""
        with explain_errors(self.path):
            connection = self._connection()
            await _begin_transaction(connection)
        try:
            with explain_errors(self.path):
                yield connection
        except BaseException:
            _roll_back(connection)
            raise
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            _roll_back(connection)
            raise Uncertain(str(explain_error(error, self.path)), "lists.unwritable") from error

    def _now(self) -> str:
        return _write_time(self._context.clock.now())


async def _begin_transaction(connection: sqlite3.Connection) -> None:
    for _ in range(int(PATIENCE / (GLANCE + _WAIT))):
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            await anyio.sleep(_WAIT)
        else:
            return
    connection.execute("BEGIN IMMEDIATE")


def _roll_back(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):  # if this fails, SQLite rolls back when the file is opened again
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _write_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
