"""The journal in SQLite: it holds what every journal must hold, and survives crashes, rivals and full disks."""

import hashlib
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord, Journal, RecordQuery, UpdateRecord
from sayso.core.record import Record, State, StepOutcome, StepRecord, run_id
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.journal import PLAN, JournalSuite, a_record, as_done
from tests.journal.given import a_journal, rows
from tests.patience import patience

LOCKED = r"has kept the journal .* locked for too long"
WRITES, RACES = (str(Path(__file__).parent / "children" / name) for name in ("writes.py", "races.py"))


class TestSqlite(JournalSuite):
    """The shipped suite, on a real file."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._path = tmp_path / "sayso.db"

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Journal]:
        """Open an empty one."""
        async with a_journal(self._path) as journal:
            yield journal


def child(program: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start a program of ours that talks in lines."""
    return subprocess.Popen(
        [sys.executable, program, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip


@pytest.mark.req("S0-82", "X-14")
async def test_every_attempt_is_a_row_with_what_it_was_and_what_became_of_it(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        for key, state in enumerate(State, 1):
            await journal.commit(InsertRecord(a_record(key, state=state)), event=state.value)

    found = rows(
        tmp_path / "sayso.db",
        "SELECT state, operation, session, time, json_extract(origin, '$.dialect'), "
        "json_extract(body, '$.arguments.source') FROM history",
    )
    fixed = ("file.move", "chat", "2026-03-14T12:00:00.000Z", "lines", "~/a.txt")
    assert found == [(state.value, *fixed) for state in State]


async def test_the_history_reads_as_json_with_plain_sqlite(tmp_path: Path):
    record = as_done(a_record(1, undo_of="do_0000000000002"))
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="done")

    found = rows(
        tmp_path / "sayso.db",
        "SELECT id, run, undo_of, digest, json_extract(body, '$.plan.changes[0].do.source'), "
        "json_extract(marks, '$.changes[0].left.unchanged') FROM history",
    )
    left = '{"/home/ana/b.txt":{"kind":"file","device":1,"inode":2}}'
    assert found == [(record.id, record.run, record.undo_of, record.digest, "/home/ana/a.txt", left)]


@pytest.mark.thorough
@pytest.mark.timeout(240)
@pytest.mark.req("X-17", "AU-03")
async def test_what_was_acknowledged_survives_thirty_kills(tmp_path: Path):
    path = tmp_path / "sayso.db"
    acknowledged: dict[int, int] = {}

    for life in range(30):
        writer = child(WRITES, path, 1 + life * 1000, 1000, 0)
        assert writer.stdout
        assert writer.stdout.readline() == "open\n"
        for _ in range(1 + life * 7 % 23):
            key, turn = writer.stdout.readline().split()
            acknowledged[int(key)] = int(turn)
        writer.kill()
        with writer:
            for line in writer.stdout:  # `communicate` would forget what was read ahead of the lines
                key, _, turn = line.partition(" ")
                acknowledged[int(key)] = int(turn or 0)

        kept = dict(rows(path, "SELECT key, turn FROM action"))
        assert all(kept[key] >= turn for key, turn in acknowledged.items())
        # Besides what was acknowledged there is at most the one commit that nobody was told of.
        assert sum(kept.values()) + len(kept) <= sum(acknowledged.values()) + len(acknowledged) + life + 1
        async with a_journal(path) as journal:
            assert (await journal.verify()).ok
    assert len(acknowledged) > 60


@pytest.mark.req("CR-02")
async def test_of_two_processes_one_wins_each_of_200_rounds(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
    racers = {name: child(RACES, path, name) for name in ("ana", "ben")}

    for turn in range(1, 201):
        for racer in racers.values():
            assert racer.stdin
            racer.stdin.write(f"{turn}\n")
            racer.stdin.flush()
        said = {name: racer.stdout.readline().strip() for name, racer in racers.items() if racer.stdout}
        winners = [name for name, word in said.items() if word == "won"]
        assert sorted(said.values()) == ["lost", "won"]
        kept = rows(path, "SELECT turn, json_extract(marks, '$.message') FROM history")
        assert kept == [(turn, winners[0])]
    for racer in racers.values():
        racer.communicate(timeout=patience())

    assert rows(path, "SELECT count(*) FROM audit WHERE event <> 'noted'") == [(201,)]
    async with a_journal(path) as journal:
        assert (await journal.verify()).ok


@pytest.mark.req("CR-02")
async def test_two_open_journals_go_on_with_one_chain(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as one, a_journal(tmp_path / "sayso.db") as other:
        await one.commit(InsertRecord(a_record(1)), event="asked")
        await other.commit(InsertRecord(a_record(2)), event="asked")
        await one.commit(UpdateRecord(as_done(a_record(2))), event="done")
        seen = await other.get(a_record(2).id)

        assert seen == as_done(a_record(2))
        assert (await one.verify()).rows == 3
        assert (await other.verify()).ok


@pytest.mark.req("CR-04")
async def test_on_a_full_disk_nothing_is_said_to_be_done_that_is_not(tmp_path: Path):
    path = tmp_path / "sayso.db"
    writer = child(WRITES, path, 1, 1000, 400_000)

    said = writer.communicate(timeout=patience())[0].splitlines()

    assert said[0] == "open"
    assert said[-1] in {"refused journal.unwritable", "refused journal.full"}
    acknowledged = {int(key): int(turn) for key, turn in map(str.split, said[1:-1])}
    assert dict(rows(path, "SELECT key, turn FROM action")) == acknowledged
    async with a_journal(path) as journal:
        assert (await journal.verify()).ok


async def test_a_journal_that_stays_locked_refuses_and_meanwhile_others_run(tmp_path: Path):
    path = tmp_path / "sayso.db"
    ticks: list[None] = []

    async def tick() -> None:
        while True:
            ticks.append(None)
            await anyio.sleep(0.01)

    async with a_journal(path, patience=0.5) as journal:
        with closing(sqlite3.connect(path)) as rival:
            rival.execute("BEGIN IMMEDIATE")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(tick)
                with pytest.raises(SetupError, match=LOCKED) as refused:
                    await journal.commit(InsertRecord(a_record(1)), event="asked")
                assert refused.value.code == "journal.locked"
                tasks.cancel_scope.cancel()
        assert len(ticks) > 3
        assert await journal.query(RecordQuery()) == []

        await journal.commit(InsertRecord(a_record(1)), event="asked")
        assert (await journal.verify()).ok


async def put(journal: Journal) -> None:
    """Write one row."""
    await journal.commit(InsertRecord(a_record(1)), event="asked")


async def test_a_caller_waits_for_another_process_that_is_soon_through(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        with closing(sqlite3.connect(path)) as rival:
            rival.execute("BEGIN IMMEDIATE")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(put, journal)
                await anyio.wait_all_tasks_blocked()
                rival.rollback()

        assert await journal.get(a_record(1).id) == a_record(1)


@pytest.mark.parametrize(("label", "written"), [("journal.before_commit", 0), ("journal.after_commit", 1)])
async def test_dying_around_a_commit_leaves_all_or_nothing(tmp_path: Path, label: str, written: int):
    path = tmp_path / "sayso.db"
    async with a_journal(path, kill=KillAt(label)) as journal:
        with pytest.raises(Killed):
            await journal.commit(InsertRecord(a_record(1)), InsertRecord(a_record(2)), event="asked")

        assert rows(path, "SELECT count(*), (SELECT count(*) FROM audit) FROM action") == [(2 * written, written)]
        await journal.commit(InsertRecord(a_record(3)), event="asked")
        assert (await journal.verify()).ok


@pytest.mark.req("T-92", "AU-04")
async def test_a_redacted_value_is_in_no_byte_once_the_action_has_ended(tmp_path: Path):
    body = "canary-4711 " * 1000
    plan = {**PLAN, "changes": [{**PLAN["changes"][0], "do": {"step": "mail.send", "body": body}}], "preview": body}
    record = a_record(1, operation="mail.send", arguments={"to": "ben", "body": body}, said=f"SEND {body}", plan=plan)
    path = tmp_path / "sayso.db"
    async with a_journal(path, redact=("mail.send.body",)) as journal:
        await journal.commit(InsertRecord(record), event="asked")
        waiting = await journal.get(record.id)
        assert waiting == record  # it must be able to run
        await journal.commit(UpdateRecord(as_done(record).marked(message=f"sent {body}")), event="done")

        assert not [file.name for file in tmp_path.iterdir() if b"canary" in file.read_bytes()]
        ended = await journal.get(record.id)
        assert ended
        assert ended.arguments == {"to": "ben", "body": "[redacted]"}
        assert (ended.digest, ended.said) == (record.digest, "[redacted]")
        assert (await journal.verify()).ok


@pytest.mark.req("T-92", "AU-04")
@pytest.mark.parametrize(
    ("operation", "arguments", "derived"),
    [
        ("mail.send", {"to": "ana@e.org, Canary@e.org"}, "canary@e.org"),
        ("task.add_all", {"texts": ["a canary sings", "b"], "levels": [0, 0]}, "Canary"),
        ("file.delete", {"path": "~/link"}, "/home/ana/canary"),
        ("web.request", {"url": "https://x.example/%63anary"}, "canary"),
    ],
)
async def test_what_comes_from_a_redacted_value_is_in_no_byte_once_the_action_has_ended(
    tmp_path: Path, operation: str, arguments: dict[str, Any], derived: str
):
    step = {"step": "file.rename", "source": derived, "destination": "/b"}
    change = {"do": step, "undo": step, "expects": {"free": {derived: {"x": derived}}}}
    texts = {name: [derived] for name in ("sends", "loses", "warns")}
    said = dict.fromkeys(("summary", "said_when_done", "preview"), derived)
    plan = {**PLAN, **texts, **said, "changes": [change], "data": {"a": derived}}
    record = a_record(
        1, operation=operation, arguments=arguments, plan=plan, label=derived, warns=(derived,),
        verdict=Verdict("ask", derived, "sends"),
    )  # fmt: skip
    left = (StepRecord(StepOutcome.DONE, {"free": {derived: {"x": derived}}}),)
    async with a_journal(tmp_path / "sayso.db", redact=("to", "texts", "path", "url")) as journal:
        await journal.commit(InsertRecord(record), event="asked")
        failed = as_done(record).marked(state=State.FAILED, message=derived, error=derived, code="x", changes=left)
        await journal.commit(UpdateRecord(failed), event="failed")

        assert not [file.name for file in tmp_path.iterdir() if b"canary" in file.read_bytes().lower()]
        ended = await journal.get(record.id)
        assert ended
        assert (ended.digest, ended.marks.code, ended.marks.error) == (record.digest, "x", "[redacted]")
        assert (await journal.verify()).ok
        assert await journal.last_undoable() is None


async def test_a_redacted_action_can_still_be_taken_back(tmp_path: Path):
    record = a_record(1, label="a canary")
    record = replace(record, arguments={**record.arguments, "note": "canary"})
    async with a_journal(tmp_path / "sayso.db", redact=("*.note",)) as journal:
        await journal.commit(InsertRecord(record), event="asked")
        await journal.commit(UpdateRecord(as_done(record)), event="done")
        seen = await journal.last_undoable()
        assert seen
        kept: dict[str, Any] = {**PLAN["changes"][0], "expects": {}}
        assert (seen.label, seen.plan and seen.plan["changes"]) == ("[redacted]", [kept])

        await journal.commit(UpdateRecord(seen.moved(state=State.UNDONE)), event="undone")
        await journal.commit(UpdateRecord(seen.moved(state=State.UNDONE).moved(message="again")), event="undone")

        assert (await journal.verify()).ok


async def test_a_closed_journal_says_so(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.open()  # a second time does nothing
    await journal.close()

    for trying in (journal.commit(event="x"), journal.get("do_0000000000001"), journal.query(RecordQuery())):
        with pytest.raises(SetupError, match="not open"):
            await trying


@pytest.mark.needs("strace")
def test_a_commit_is_one_sync_of_the_disk(tmp_path: Path):
    def syncs(count: int) -> int:
        log = tmp_path / f"{count}.log"
        command = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(log), sys.executable, WRITES]
        subprocess.run([*command, str(tmp_path / f"{count}.db"), "1", str(count), "0"], check=True, capture_output=True)
        return len(re.findall(r"f(?:data)?sync\(", log.read_text()))

    assert syncs(20) - syncs(10) == 30


def a_move(key: int) -> Record:
    """Return a move as the path plans it, with paths and hashes of a usual length."""
    source, destination = f"~/Downloads/report-{key:06}.pdf", f"~/Documents/report-{key:06}.pdf"
    real, other = f"/home/ana{source[1:]}", f"/home/ana{destination[1:]}"
    rename = {"step": "file.rename", "source": real, "destination": other}
    back = {"step": "file.rename", "source": other, "destination": real}
    expects: dict[str, Any] = {
        "unchanged": {real: seen(key)}, "free": {other: {}},
        "same_folder": {"/home/ana/Documents": {"device": 66306, "inode": 123456}},
    }  # fmt: skip
    change = {"do": rename, "undo": back, "expects": expects}
    return a_record(
        ((key * 30_000 + 89_000_000_000) << 22) + key * 7919,
        run=run_id(((key * 30_000 + 88_999_999_999) << 22) + key),
        session="",
        arguments={"source": source, "destination": destination},
        said=f"MOVE_FILE {source} {destination}",
        plan={**PLAN, "summary": f"Move “{source}” to “{destination}”", "changes": [change]},
        verdict=Verdict("ask", "moving asks first in the mode “destructive”", "mode.destructive", "mode"),
        digest="sha256:" + hashlib.sha256(f"digest {key}".encode()).hexdigest(),
    )


def seen(key: int) -> dict[str, object]:
    """Return what was seen of a file."""
    sha256 = hashlib.sha256(str(key).encode()).hexdigest()
    return {
        "kind": "file", "device": 66306, "inode": 1234567 + key, "size": 12345 + key,
        "mtime_ns": 1_736_159_445_123_456_789 + key * 7919, "sha256": sha256, "entries": 0,
    }  # fmt: skip


def marks_of(key: int) -> tuple[StepRecord, ...]:
    """Return what the move left."""
    real, other = (f"/home/ana/{folder}/report-{key:06}.pdf" for folder in ("Downloads", "Documents"))
    return (StepRecord(StepOutcome.DONE, {"unchanged": {other: seen(key)}, "free": {real: {}}}),)


async def test_a_moved_file_takes_at_most_1200_bytes(tmp_path: Path):
    path, count = tmp_path / "sayso.db", 400
    async with a_journal(path):
        pass
    empty = path.stat().st_size
    async with a_journal(path) as journal:
        for key in range(1, count + 1):
            record = a_move(key)
            await journal.commit(InsertRecord(record), event="asked")
            running = record.moved(state=State.RUNNING, approved_by="terminal", decided_at=record.time, begun=0)
            await journal.commit(UpdateRecord(running), event="approved")
            await journal.commit(UpdateRecord(as_done(running).marked(begun=None, changes=marks_of(key))), event="done")

    assert (path.stat().st_size - empty) / count <= 1200
