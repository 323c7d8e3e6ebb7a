"""The backend over the database of the lists: each step one transaction, with its own token in it (X-17)."""

import json
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from sayso.core.codec import Codec, facts_json, step_json
from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement
from sayso.core.ports import BackendContext, Clock, Ids
from sayso.providers.tasks.model import (
    FACTS,
    STEPS,
    HabitThere,
    MakingHabits,
    MakingTasks,
    MovingTasks,
    PlacingTasks,
    Steps,
    token_of,
)
from sayso.providers.tasks.sqlite import habits, rows, tasks
from sayso.providers.tasks.sqlite.database import (
    GLANCE,
    as_said,
    copy,
    empty_copy,
    explain_errors,
    is_busy,
    open_lists,
    prune,
)
from sayso.providers.tasks.sqlite.rows import must_hold
from sayso.providers.tasks.store import MOST_FOUND, Done, Habit, Task, Tasks, state_of

Place = tuple[tuple[float, str, str], ...]


@dataclass(frozen=True)
class Reads(Tasks):
    """The reads over one connection; `as_left` are the facts that earlier steps of the batch change."""

    look: Callable[[], sqlite3.Connection]
    clock: Clock
    ids: Ids
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    async def task(self, item_id: str) -> Task | None:
        return rows.task_of(self.look(), item_id)

    async def find_active(self, text: str) -> tuple[Task, ...]:
        return self._find_tasks(rows.ACTIVE, text)

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        return self._find_tasks(rows.COMPLETED, text)

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        return rows.near(self.look(), rows.COMPLETED if completed else rows.ACTIVE, text)

    async def all_tasks(self) -> tuple[Task, ...]:
        return in_order(rows.all_tasks(self.look()), None)

    async def subtree(self, item_id: str) -> tuple[Task, ...]:
        found = rows.subtree(self.look(), item_id)
        root = [task for task in found if task.id == item_id]
        return (*root, *in_order(found, item_id))

    async def children(self, item_id: str | None) -> tuple[Task, ...]:
        return tuple(rows.children(self.look(), item_id))

    def task_fact(self, task: Task) -> Fact:
        return self._fact(state_of(task))

    async def habit(self, item_id: str) -> Habit | None:
        return rows.habit_of(self.look(), item_id)

    async def find_habits(self, text: str) -> tuple[Habit, ...]:
        connection = self.look()
        ids = rows.matching(connection, rows.HABITS, text, MOST_FOUND)
        found = [habit for each in ids if (habit := rows.habit_of(connection, each)) is not None]
        return tuple(sorted(found, key=lambda habit: habit.created_at))

    async def near_habits(self, text: str) -> tuple[str, ...]:
        return rows.near(self.look(), rows.HABITS, text)

    async def all_habits(self) -> tuple[Habit, ...]:
        return tuple(rows.all_habits(self.look()))

    async def habit_history(self, item_id: str) -> tuple[Done, ...]:
        return tuple(rows.times_of(self.look(), item_id))

    def habit_fact(self, habit: Habit) -> Fact:
        return self._fact(HabitThere(habit.id))

    def new_id(self) -> str:
        return self.ids.token()

    def now(self) -> datetime:
        return self.clock.now()

    def _fact(self, fact: Fact) -> Fact:
        return self.as_left.get(fact.key, fact)

    def _find_tasks(self, which: str, text: str) -> tuple[Task, ...]:
        connection = self.look()
        found = rows.tasks_of(connection, rows.matching(connection, which, text, MOST_FOUND))
        places = Places(connection)
        return tuple(sorted(found, key=places.of))


class Places:
    """Where tasks stand in the whole list; what stands above them is looked up once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, Place] = {}

    def of(self, task: Task) -> Place:
        """Return what sorts a task into list order: the places of all above it, and its own."""
        way = [task]
        while (above := way[-1].parent_id) is not None and above not in self._known:
            parent = rows.task_of(self._connection, above)
            if parent is None:
                break
            way.append(parent)
        for each in reversed(way):
            before = self._known.get(each.parent_id or "", ())
            self._known[each.id] = (*before, (each.position, each.created_at, each.id))
        return self._known[task.id]


def in_order(tasks: Iterable[Task], root: str | None) -> tuple[Task, ...]:
    """Return those of the tasks that stand below `root`, in list order: each before its subtasks."""
    below: dict[str | None, list[Task]] = {}
    for task in sorted(tasks, key=lambda task: (task.position, task.created_at, task.id), reverse=True):
        below.setdefault(task.parent_id, []).append(task)
    found: list[Task] = []
    waiting = list(below.get(root, ()))
    while waiting:
        task = waiting.pop()
        found.append(task)
        waiting += below.get(task.id, ())
    return tuple(found)


FILE = "tasks.db"
PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
_WAIT = 0.02


def build(ground: BackendContext) -> "Lists":
    """Build it over the lists in sayso's own folder; nothing is opened before it is needed."""
    return Lists(f"{ground.own.rstrip('/')}/{FILE}", ground)


@dataclass
class Copy:
    """A copy of the lists in memory, on which the steps of a batch are done as they are planned."""

    connection: sqlite3.Connection
    done: list[Steps] = field(default_factory=list[Steps])

    def has_done(self, steps: tuple[Steps, ...]) -> bool:
        """Say whether it is as these steps leave it, and no other."""
        return len(self.done) == len(steps) and (not steps or self.done[-1] is steps[-1])


@dataclass(frozen=True)
class Imagining(Reads):
    """The reads of lists that are only imagined: as `steps` would leave them."""

    steps: tuple[Steps, ...] = ()
    copy: Copy | None = None


class Lists:
    """The person's tasks and habits in the database at `path`."""

    name = "sqlite"
    imagines = True
    note = ""

    def __init__(self, path: str, ground: BackendContext) -> None:
        self.path = path
        self._ground = ground
        self._open: sqlite3.Connection | None = None
        self._codec = Codec(STEPS, FACTS)
        self.reads = Reads(self._open_for_reading, ground.clock, ground.ids)

    def close(self) -> None:
        """Let go of the database."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def copy(self, target: str) -> bool:
        """Copy the lists into a new private file; return whether there are any."""
        if not Path(self.path).exists():
            return False
        copy(self._open_for_reading(), self.path, target)
        return True

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step in one transaction, if it was not done before and `expects` holds within it."""
        token = token_of(step)
        async with self._writing() as connection:
            if connection.execute("SELECT 1 FROM steps WHERE token = ?", (token,)).fetchone():
                raise ProviderError("this very step was done before; nothing was done twice", "world.changed")
            for fact in expects:
                must_hold(connection, fact)
            self._ground.kill(f"{step.step}.before")
            facts = execute_step(connection, step, expects, self._now())
            written = (token, json.dumps(step_json(step)), json.dumps(facts_json(facts)), self._now())
            connection.execute("INSERT INTO steps VALUES (?, ?, ?, ?)", written)
            self._ground.kill(f"{step.step}.written")
        self._ground.kill(f"{step.step}.after")
        return Applied(facts)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Say what became of a step: its token is there exactly when all of it was done."""
        with explain_errors(self.path):
            asked = self._connection().execute("SELECT step, left FROM steps WHERE token = ?", (token_of(step),))
            found = asked.fetchone()
        if found is None:
            return NotDone("the lists have no record of it")
        wrote, left = found
        if wrote is None or left is None:
            return CannotTell("it was done so long ago that what it left is no longer known")
        if self._codec.step(json.loads(wrote)) != step:
            return NotDone("what the lists have a record of is another step")
        return self._codec.left(json.loads(left))

    def imagine(self, seen: Reads, step: Steps, ref: ChangeRef) -> Imagining:
        """Return reads of a copy in memory on which the step was done; the lists themselves are not touched."""
        before: tuple[Steps, ...] = seen.steps if isinstance(seen, Imagining) else ()
        base = self._copy(seen.copy if isinstance(seen, Imagining) else None, before)
        facts = execute_step(base.connection, step, (), self._now())
        base.done.append(step)
        steps = (*before, step)
        left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
        ground = self._ground
        return Imagining(
            lambda: self._copy(base, steps).connection,
            ground.clock,
            ground.ids,
            {**seen.as_left, **left},
            steps,
            base,
        )

    def prune(self) -> int:
        """Let go of what was deleted longer ago than ways back are kept; completed tasks stay in the history."""
        keep = self._ground.options.get("undo_keep_seconds")
        if not isinstance(keep, int | float) or not Path(self.path).exists():
            return 0
        before = _write_time(self._ground.clock.now() - timedelta(seconds=keep))
        with explain_errors(self.path):
            return prune(self._connection(), before)

    def _copy(self, base: Copy | None, steps: tuple[Steps, ...]) -> Copy:
        """Return the copy if it is as these steps leave it, else a new one on which they were done."""
        if base is not None and base.has_done(steps):
            return base
        with explain_errors(self.path):
            new = Copy(empty_copy())
            self._connection().backup(new.connection)
        for step in steps:
            execute_step(new.connection, step, (), self._now())
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
        """Give a connection with a transaction that is committed at the end, or rolled back whole."""
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
            raise Uncertain(str(as_said(error, self.path)), "lists.unwritable") from error

    def _now(self) -> str:
        return _write_time(self._ground.clock.now())


def execute_step(connection: sqlite3.Connection, step: Steps, expects: Facts, now: str) -> Facts:
    """Do a step within the open transaction, and return what it left."""
    if isinstance(step, MakingTasks):
        return tasks.make(connection, step, expects, now)
    if isinstance(step, MovingTasks):
        return tasks.move(connection, step, now)
    if isinstance(step, PlacingTasks):
        return tasks.place(connection, step, expects, now)
    if isinstance(step, MakingHabits):
        return habits.make(connection, step, expects, now)
    return habits.move(connection, step, expects, now)


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
    with suppress(sqlite3.Error):  # what cannot be rolled back now is when the file is opened again
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _write_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
