"""A journal with a row of each kind, always the same to the byte, and the records that are in it."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sayso.core.conversation import Exchange, TriggerState, UserNote
from sayso.core.decision import Verdict
from sayso.core.grant import Grant, GrantPath, Scope, VariableArgument
from sayso.core.ports import CountGrantUse, InsertRecord, NoteExposure, UpdateRecord
from sayso.core.record import Owner, Progress, Record, State, StepOutcome, StepRecord, action_id, run_id
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock

ORIGIN = "sayso/0011223344556677"
NOW = "2026-03-14T12:00:00.000Z"
PLAN: dict[str, Any] = {
    "summary": "Move “~/a.txt” to “~/b.txt”", "loses": ["b.txt"], "sends": [], "on_failure": "go on",
    "changes": [
        {
            "do": {"step": "file.rename", "source": "/home/ana/a.txt", "destination": "/home/ana/b.txt"},
            "undo": {"step": "file.rename", "source": "/home/ana/b.txt", "destination": "/home/ana/a.txt"},
            "expects": {
                "unchanged": {
                    "/home/ana/a.txt": {
                        "kind": "file", "device": 1, "inode": 2**60, "size": 3, "mtime_ns": 4, "sha256": "0e",
                        "entries": 0, "tree": "",
                    },
                },
                "free": {"/home/ana/b.txt": {}},
            },
        },
        {"do": {"step": "app.activate", "name": "Mail"}, "undo": {"cannot": "it is in front"}, "expects": {}},
    ],
    "said_when_done": "Moved file", "asks": True, "warns": ["mind it"], "preview": "-a\n+b", "data": {"path": "/b"},
}  # fmt: skip
ODD = 'tab \t quote " back \\ half \ud800 party 🎉 \x01\x05\x1f'
"""Characters that JSON, SQLite or the journal's own shorthand could stumble over."""

ARGUMENTS: dict[str, Any] = {"text": ODD, "number": 2**70, "deep": [{"": {}}, None, True, 0.1]}

BARE = Record(
    key=7, id=action_id(7), run=run_id(7), index=0, time=NOW, dialect="lines", entry="cli", session=run_id(7),
    operation=None, arguments={}, marks=Progress(State.INVALID, error="Unknown command", code="operation.unknown"),
    said="NOTHING",
)  # fmt: skip
WAITING = Record(
    key=2**40, id=action_id(2**40), run=run_id(2**40), index=0, time=NOW, dialect="lines", entry="cli", session="ask_1",
    operation="file.move", arguments={"source": "~/a.txt", "destination": "~/b.txt"}, marks=Progress(State.WAITING),
    said="MOVE_FILE ~/a.txt ~/b.txt", label="Move it", plan=PLAN,
    verdict=Verdict("ask", "moving asks first", "mode", "mode"), digest="sha256:" + "0a" * 32,
    policy="sha256:" + "0b" * 32, backends={"files": "local", "apps": "memory"}, expires="2026-03-15T12:00:00.000Z",
)  # fmt: skip
FULL = Record(
    key=2**41, id=action_id(2**41), run="run_of another make", index=3, time=NOW, dialect="actions", entry="mcp",
    session="", operation="mail.send", arguments=ARGUMENTS,
    marks=Progress(
        State.RUNNING, 0, approved_by="terminal", decided_at=NOW, begun=1, undoing=0,
        changes=(StepRecord(StepOutcome.DONE, {"free": {ODD: {}}}), StepRecord(StepOutcome.UNKNOWN),
        StepRecord(StepOutcome.NOT_DONE, {})),
        owner=Owner("host", "boot", 12, 34),
    ),
    said=ODD, label=ODD, label_by_us=True, plan={"summary": "of another make"}, dry_run=True, code_hash="c0de",
    verdict=Verdict("allow", "a grant covers it", "grants", "none", "code", "grant:g1"), digest="md5:12",
    undo_of=action_id(2**40), edit_of=action_id(7), template_id="remind", exposed=("page.text", ODD),
)  # fmt: skip
DONE = WAITING.moved(
    state=State.DONE, message="Moved file", approved_by="terminal", decided_at=NOW, ended_at=NOW, duration_ms=5,
    changes=(StepRecord(StepOutcome.DONE, {"free": {"/home/ana/a.txt": {}}}), StepRecord(StepOutcome.DONE, {})),
    undone_by=action_id(9),
)  # fmt: skip
GRANT = Grant(
    "grant_000000000001", "file.move", {"source": "~/a.txt"}, "2026-04-14T12:00:00.000Z", NOW,
    (VariableArgument("destination", "folder", "/home/ana", ".txt"),),
    Scope(
        ("file.rename",), (GrantPath("file.rename", "source", "/home/ana/a.txt"),), ("Mail",), ("bo@example.org",),
        ("unchanged file",), loses=True, changes=1, backends={"files": "local"},
    ),
    definition="v1 sha256:0c", handler="sha256:0d", home="/home/ana/.sayso", policy="sha256:0b",
    learnt_from=action_id(2**40), given_by="terminal", entry="cli", most_uses=3,
)  # fmt: skip
EXCHANGE = Exchange(
    "ask_1", "commands", "2026-03-16T12:00:00.000Z", "Move it", "MOVE_FILE ~/a.txt ~/b.txt", asked_back=True,
    runs=(run_id(2**40),), trace={"context": "", "commands": []},
)  # fmt: skip
TOLD = UserNote("mood", {"is": "calm"}, NOW)
TRIGGER = TriggerState(
    "wrap-up", off=True, when="daily 18:00", seen=NOW, known=("/a",), fired=NOW, run=run_id(7), said="Done"
)


async def make(file: Path, *, beside: bool = True) -> None:
    """Make the journal, with rows beside the actions or without them, as where there were none yet."""
    clock = FakeClock()
    journal = SqliteJournal(str(file), clock=clock)
    await journal.open()
    await journal.close()
    with closing(sqlite3.connect(file)) as plain:  # its name is made by chance otherwise
        plain.execute("UPDATE meta SET value = ? WHERE name = 'origin'", (ORIGIN,))
        plain.execute("UPDATE anchor SET hash = ?", (hashlib.sha256(ORIGIN.encode()).digest(),))
        plain.commit()
    await journal.open()
    await journal.commit(InsertRecord(BARE), event="asked")
    clock.advance(days=2)
    await journal.commit(InsertRecord(WAITING), event="asked")
    await journal.commit(InsertRecord(FULL), event="asked")
    await journal.put_grant(GRANT)
    await journal.commit(UpdateRecord(DONE), CountGrantUse(GRANT.id, NOW), event="done")
    if beside:
        await journal.sessions.keep(EXCHANGE)
        await journal.sessions.tell(TOLD)
        await journal.triggers.move(TRIGGER)
        await journal.commit(NoteExposure("mcp:notes", "", ("mail.inbox",)), event="exposed")
    await journal.prune("2026-03-15T12:00:00.000Z")
    await journal.close()
