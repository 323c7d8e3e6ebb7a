"""Sessions and the state of triggers, kept in the journal's database."""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec

from sayso.core.conversation import Exchange, Session, TriggerState, UserNote, name_session
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import NoteExposure
from sayso.journal.rows import decode_json, encode_json, iso, parse_moment

T = TypeVar("T")
_SESSION = """SELECT id, name, entry, begun, last, (SELECT count(*) FROM exchange WHERE session = id) FROM session"""
_LAST = (
    "SELECT * FROM (SELECT number, body FROM exchange WHERE session = ? ORDER BY number DESC LIMIT ?) ORDER BY number"
)
_LEFT_OUT = (("message", ""), ("shown", None), ("began", ""), ("attached", ()), ("ended", True))
"""Members that are not stored if they have these values, as in exchanges of older versions."""
_LOOKS_AT = 10
"""Among how many exchanges of a session the one is looked for that has not ended."""
_OF_RUN = "SELECT body FROM exchange JOIN exchange_run USING (number) WHERE run = ?"


class SessionsDatabase(Protocol):
    """The part of the open journal database that this module uses."""

    def look(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """Call `read` with the connection and return its result."""
        ...

    def written(
        self, write: Callable[[sqlite3.Connection], T], event: str, exposures: Sequence[NoteExposure] = ()
    ) -> Awaitable[T]:
        """Call `write` in one durable transaction, with an audit row about what changed, and return the result."""
        ...


def list_sessions(file: sqlite3.Connection, limit: int) -> list[Session]:
    """Return up to `limit` sessions, the most recently used first."""
    return [_session(row) for row in file.execute(f"{_SESSION} ORDER BY last DESC, id LIMIT ?", (limit,))]


def find_session(file: sqlite3.Connection, session: str) -> Session | None:
    """Return one session, or None."""
    row = file.execute(f"{_SESSION} WHERE id = ?", (session,)).fetchone()
    return None if row is None else _session(row)


def list_exchanges(file: sqlite3.Connection, session: str, limit: int, *, begun: bool = False) -> list[Exchange]:
    """Return the last exchanges of a session, oldest first; with `begun`, also those that have not ended."""
    found = [_exchange(body) for _, body in file.execute(_LAST, (session, limit))]
    return [one for one in found if one.ended or begun]


def _known(file: sqlite3.Connection, exchange: Exchange) -> tuple[int, Exchange] | None:
    """Return the exchange with the same message and its number, as it is stored now; None if there is none."""
    last = file.execute(_LAST, (exchange.session, _LOOKS_AT)).fetchall() if exchange.message else []
    known = [(number, _exchange(body)) for number, body in last]
    same = [(number, one) for number, one in known if one.message == exchange.message]
    return min(same, key=lambda row: row[1].ended, default=None)


def exchange_of_run(file: sqlite3.Connection, run: str) -> Exchange | None:
    """Return the exchange that started a run, or None."""
    row = file.execute(_OF_RUN, (run,)).fetchone()
    return None if row is None else _exchange(row[0])


class SqliteSessions:
    """Stores sessions and notes in the tables of `sessions.sql`."""

    def __init__(self, file: SessionsDatabase) -> None:
        self._file = file

    async def keep(self, exchange: Exchange, exposed: NoteExposure | None = None) -> None:
        """Store an exchange, its session if that is new, and what its prompt contained of strangers' text."""
        time = parse_moment(exchange.time)
        members = cast("dict[str, Json]", msgspec.to_builtins(exchange))
        body = encode_json({name: value for name, value in members.items() if (name, value) not in _LEFT_OUT})

        def write(file: sqlite3.Connection) -> None:
            known = _known(file, exchange)
            if known is not None and known[1].ended and not exchange.ended:
                return
            new = (exchange.session, name_session(exchange.words), exchange.entry, time, time)
            file.execute(
                "INSERT INTO session VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET last = excluded.last", new
            )
            number = None
            if known is not None and not known[1].ended:
                number, before = known
                named = (name_session(exchange.words), exchange.session, name_session(before.words))
                file.execute("UPDATE session SET name = ? WHERE id = ? AND name = ?", named)
            said = file.execute(
                "INSERT OR REPLACE INTO exchange VALUES (?, ?, ?, ?)", (number, exchange.session, time, body)
            )
            runs = [(run, said.lastrowid) for run in exchange.runs]
            file.executemany("INSERT OR REPLACE INTO exchange_run VALUES (?, ?)", runs)

        await self._file.written(write, "exchange", [] if exposed is None else [exposed])

    async def all(self, limit: int = 50) -> list[Session]:
        """Return up to `limit` sessions, the most recently used first."""
        return self._file.look(lambda file: list_sessions(file, limit))

    async def session(self, session: str) -> Session | None:
        """Return one session, or None."""
        return self._file.look(lambda file: find_session(file, session))

    async def exchanges(self, session: str, limit: int = 50, *, begun: bool = False) -> list[Exchange]:
        """Return the last exchanges of a session, oldest first; with `begun`, also those that have not ended."""
        return self._file.look(lambda file: list_exchanges(file, session, limit, begun=begun))

    async def of_run(self, run: str) -> Exchange | None:
        """Return the exchange that started a run, or None."""
        return self._file.look(lambda file: exchange_of_run(file, run))

    async def give_name(self, session: str, name: str) -> bool:
        """Rename a session; return whether it exists."""
        return await self._run_change("session renamed", "UPDATE session SET name = ? WHERE id = ?", name, session)

    async def delete(self, session: str) -> bool:
        """Delete a session with all its exchanges; return whether it existed."""

        def write(file: sqlite3.Connection) -> bool:
            there = file.execute("DELETE FROM session WHERE id = ?", (session,)).rowcount > 0
            file.execute("DELETE FROM exchange WHERE session = ?", (session,))
            file.execute("DELETE FROM message WHERE session = ?", (session,))
            _without_exchange(file)
            return there

        return await self._file.written(write, "session deleted")

    async def told(self) -> list[UserNote]:
        """Return the notes that the person or a program gave sayso for models, sorted by name."""
        rows = self._file.look(lambda file: file.execute("SELECT name, value, time FROM told ORDER BY name").fetchall())
        return [UserNote(name, decode_json(value), iso(time)) for name, value, time in rows]

    async def tell(self, told: UserNote) -> None:
        """Store a note, in place of one with the same name."""
        row = (told.name, encode_json(told.value), parse_moment(told.time))
        await self._run_change("told", "INSERT OR REPLACE INTO told VALUES (?, ?, ?)", *row)

    async def forget(self, name: str) -> bool:
        """Delete the note with this name; return whether there was one."""
        return await self._run_change("told no longer", "DELETE FROM told WHERE name = ?", name)

    async def _run_change(self, event: str, statement: str, *values: str | int) -> bool:
        return await self._file.written(lambda file: file.execute(statement, values).rowcount > 0, event)


def forget_before(file: sqlite3.Connection, moment: int) -> None:
    """Delete all exchanges and messages before a time, and the sessions without exchanges, in the open transaction."""
    file.execute("DELETE FROM exchange WHERE time < ?", (moment,))
    file.execute("DELETE FROM message WHERE time < ?", (moment,))
    file.execute("DELETE FROM session WHERE last < ? AND id NOT IN (SELECT session FROM exchange)", (moment,))
    _without_exchange(file)


def _without_exchange(file: sqlite3.Connection) -> None:
    file.execute("DELETE FROM exchange_run WHERE number NOT IN (SELECT number FROM exchange)")


def _session(row: Sequence[Any]) -> Session:
    id_, name, entry, begun, last, exchanges = row
    return Session(id_, name, entry, iso(begun), iso(last), exchanges)


def _exchange(body: str) -> Exchange:
    try:
        return msgspec.convert(decode_json(body), Exchange)
    except (ValueError, TypeError, msgspec.MsgspecError) as damaged:
        raise SetupError(
            "a stored session is damaged; delete it with `sayso sessions delete`", "sessions.damaged"
        ) from damaged


class SqliteTriggers:
    """Stores the state of triggers in the table of `triggers.sql`."""

    def __init__(self, file: SessionsDatabase) -> None:
        self._file = file

    async def of(self, name: str) -> TriggerState:
        """Return the stored state of a trigger, or a new state if none is stored."""
        rows = self._file.look(
            lambda file: file.execute("SELECT turn, body FROM trigger_state WHERE name = ?", (name,)).fetchall()
        )
        if not rows:
            return TriggerState(name)
        turn, body = rows[0]
        try:
            return msgspec.convert({**_members(body), "name": name, "turn": turn}, TriggerState)
        except (ValueError, TypeError, msgspec.MsgspecError) as damaged:
            raise SetupError(
                f"the stored state of the trigger “{name}” is damaged; put back a copy made with `sayso backup`, or "
                "give the trigger another name",
                "triggers.damaged",
            ) from damaged

    async def move(self, to: TriggerState) -> bool:
        """Store a trigger's state if its stored turn is still `to.turn`; return whether it was stored."""
        members = cast("dict[str, Json]", msgspec.to_builtins(to))
        body = encode_json({name: value for name, value in members.items() if name not in {"name", "turn"}})

        def write(file: sqlite3.Connection) -> bool:
            if to.turn:
                moved = file.execute(
                    "UPDATE trigger_state SET turn = turn + 1, body = ? WHERE name = ? AND turn = ?",
                    (body, to.name, to.turn),
                )
            else:
                moved = file.execute(
                    "INSERT INTO trigger_state VALUES (?, 1, ?) ON CONFLICT DO NOTHING", (to.name, body)
                )
            return moved.rowcount > 0

        return await self._file.written(write, "trigger")


def _members(body: str) -> dict[str, Json]:
    return cast("dict[str, Json]", decode_json(body))
