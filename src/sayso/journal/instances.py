"""Offers of the person's own actions and what actions add to a chat, kept in the journal's database."""

import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeVar, cast

import msgspec

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.instances import LASTS, ChatMessage, Instance
from sayso.core.ports import Clock
from sayso.journal.rows import decode_json, encode_json, iso, micros, parse_moment
from sayso.journal.sessions import SessionsDatabase

Value = TypeVar("Value", Instance, ChatMessage)
_COLUMNS = ("id", "session", "state", "turn", "created", "run")
_ROW = "SELECT id, session, state, turn, created, run, body FROM instance"
_MESSAGE = "SELECT number, id, session, role, time, body FROM message"
_OLD = "FROM instance WHERE created < ? AND state <> 'running'"
_LASTS = LASTS // timedelta(microseconds=1)


class SqliteInstances:
    """Stores offers and messages in the tables of `instances.sql`."""

    def __init__(self, file: SessionsDatabase, clock: Clock) -> None:
        self._file = file
        self._clock = clock

    async def register(self, instance: Instance) -> bool:
        """Store a new offer, and remove those that are too old; return False if its id was used before."""
        row = (instance.id, instance.session, instance.state, 1, parse_moment(instance.created), instance.run)

        def write(file: sqlite3.Connection) -> bool:
            _prune(file, self._eldest)
            statement = "INSERT INTO instance VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            return file.execute(statement, (*row, _body(instance))).rowcount > 0

        return await self._file.written(write, "action offered")

    async def find(self, id_: str, session: str | None = None) -> Instance | None:
        """Return an offer of a session, or of any session if that is None; None if there is no such offer."""
        found = self._one("id = ?", id_)
        return None if found is None or session not in {None, found.session} else found

    async def of_run(self, run: str) -> Instance | None:
        """Return the offer whose handler requested this run."""
        return self._one("run = ? AND run > ''", run)

    async def all(self) -> list[Instance]:
        """Return all offers, oldest first."""
        return self._file.look(list_instances)

    async def move(self, to: Instance, said: ChatMessage | None = None) -> bool:
        """Store an offer with the next turn if its stored turn is `to.turn`, and a message in the same commit."""

        def write(file: sqlite3.Connection) -> bool:
            moved = file.execute(
                "UPDATE instance SET state = ?, turn = turn + 1, run = ?, body = ? WHERE id = ? AND turn = ?",
                (to.state, to.run, _body(to), to.id, to.turn),
            )
            if moved.rowcount and said is not None:
                _say(file, said)
            return moved.rowcount > 0

        return await self._file.written(write, f"action {to.state}")

    async def prune(self) -> int:
        """Remove the offers older than `LASTS` that do not run; return how many there were."""
        if not self._file.look(lambda file: file.execute(f"SELECT 1 {_OLD} LIMIT 1", (self._eldest,)).fetchone()):
            return 0
        return await self._file.written(lambda file: _prune(file, self._eldest), "offers expired")

    @property
    def _eldest(self) -> int:
        return micros(self._clock.now()) - _LASTS

    async def say(self, message: ChatMessage) -> bool:
        """Store a message; return False if one with its id is there already."""
        return await self._file.written(lambda file: _say(file, message), "message")

    async def say_all(self, messages: Sequence[ChatMessage]) -> None:
        """Store messages in one commit; those whose ids are there already stay as they are."""

        def write(file: sqlite3.Connection) -> int:
            return sum(_say(file, message) for message in messages)

        await self._file.written(write, "action logged")

    def lines_of(self, instances: Sequence[str]) -> list[ChatMessage]:
        """Return the lines for the log of these runs of actions, oldest first."""
        where = f"{_MESSAGE} WHERE role = 'log' AND id GLOB ? ORDER BY number"
        return [line for one in instances for line in self._messages(where, f"{one}.*")]

    async def has_said(self, id_: str) -> bool:
        """Return whether a message with this id is stored."""
        return bool(self._file.look(lambda file: file.execute("SELECT 1 FROM message WHERE id = ?", (id_,)).fetchone()))

    async def said(self, session: str, limit: int = 50) -> list[ChatMessage]:
        """Return the last messages of a session, oldest first, without lines for the log."""
        where = f"{_MESSAGE} WHERE session = ? AND role <> 'log' ORDER BY number DESC LIMIT ?"
        return self._messages(where, session, limit)[::-1]

    async def logged(self, limit: int = 50) -> list[ChatMessage]:
        """Return the last lines for the log, newest first."""
        return self._messages(f"{_MESSAGE} WHERE role = 'log' ORDER BY number DESC LIMIT ?", limit)

    def _one(self, where: str, value: str) -> Instance | None:
        row = self._file.look(lambda file: file.execute(f"{_ROW} WHERE {where}", (value,)).fetchone())
        return None if row is None else _instance(row)

    def _messages(self, statement: str, *values: str | int) -> list[ChatMessage]:
        return [_message(row) for row in self._file.look(lambda file: file.execute(statement, values).fetchall())]


def list_instances(file: sqlite3.Connection) -> list[Instance]:
    """Return all offers, oldest first."""
    return [_instance(row) for row in file.execute(f"{_ROW} ORDER BY created, id").fetchall()]


def run_of_instance(file: sqlite3.Connection, id_: str) -> str:
    """Return the run of an offer; empty if there is no such offer, or it has none."""
    row = file.execute("SELECT run FROM instance WHERE id = ?", (id_,)).fetchone()
    return "" if row is None else str(row[0])


def _prune(file: sqlite3.Connection, before: int) -> int:
    return file.execute(f"DELETE {_OLD}", (before,)).rowcount


def _say(file: sqlite3.Connection, message: ChatMessage) -> bool:
    rest = {"content": message.content, "level": message.level, "instance": message.instance}
    row = (message.id, message.session, message.role, parse_moment(message.time), encode_json(rest))
    statement = "INSERT INTO message VALUES (NULL, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    return file.execute(statement, row).rowcount > 0


def _body(instance: Instance) -> str:
    members = cast("dict[str, Json]", msgspec.to_builtins(instance))
    return encode_json({name: value for name, value in members.items() if name not in _COLUMNS})


def _instance(row: Sequence[Any]) -> Instance:
    *columns, body = row
    known = dict(zip(_COLUMNS, columns, strict=True))
    return _read({**known, "created": iso(known["created"])}, body, Instance)


def _message(row: Sequence[Any]) -> ChatMessage:
    number, id_, session, role, time, body = row
    return _read({"number": number, "id": id_, "session": session, "role": role, "time": iso(time)}, body, ChatMessage)


def _read(columns: dict[str, Json], body: str, kind: type[Value]) -> Value:
    try:
        return msgspec.convert({**cast("dict[str, Json]", decode_json(body)), **columns}, kind)
    except (ValueError, TypeError, msgspec.MsgspecError) as damaged:
        raise SetupError(
            f"a stored offer or message ({columns['id']}) is damaged; put back a copy made with `sayso backup`",
            "instances.damaged",
        ) from damaged
