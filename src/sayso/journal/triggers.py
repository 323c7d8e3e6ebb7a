"""What is kept of triggers, in the journal's SQLite file."""

import sqlite3
from typing import cast

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.triggers import TriggerState
from sayso.journal.rows import decoded, encoded
from sayso.journal.sessions import File


class SqliteTriggers:
    """Keeps it in the table of `triggers.sql`."""

    def __init__(self, file: File) -> None:
        self._file = file

    async def of(self, name: str) -> TriggerState:
        """Return what is kept of one."""
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
                f"what was kept of the trigger “{name}” is damaged; put back a copy made with `sayso backup`, or give "
                "the trigger another name",
                "triggers.damaged",
            ) from damaged

    async def move(self, to: TriggerState) -> bool:
        """Write it, if nobody moved it on since it was read."""
        members = cast("dict[str, Json]", msgspec.to_builtins(to))
        body = encoded({name: value for name, value in members.items() if name not in {"name", "turn"}})

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

        return await self._file.written(write)


def _members(body: str) -> dict[str, Json]:
    return cast("dict[str, Json]", decoded(body))
