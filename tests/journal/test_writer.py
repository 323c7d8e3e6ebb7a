"""Work is made ready before its turn: what ended is redacted, and a new row carries its content."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.errors import SetupError, Stale
from sayso.core.ports import InsertRecord, RecordQuery, UpdateRecord, no_kill_point
from sayso.core.record import State
from sayso.journal.database import open_journal
from sayso.journal.redaction import REDACTED
from sayso.journal.rows import shorthand_of
from sayso.journal.verify import verify
from sayso.journal.writer import CommitRequest, RecordWriter, work_of
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import PLAN, a_grant, a_record, as_done
from tests.journal.given import a_journal, rows, tamper

PATTERNS = ("file.move.source",)


def test_a_new_row_carries_what_never_changes():
    (line,) = work_of([InsertRecord(a_record(1))], "asked", ()).lines

    assert (line.before, line.content is None) == (None, False)


def test_an_advance_carries_its_marks_alone():
    work = work_of([UpdateRecord(as_done(a_record(1)))], "done", ())

    assert (work.lines[0].before, work.lines[0].content, work.redacts) == (0, None, False)


def test_what_still_waits_or_runs_keeps_what_it_needs():
    work = work_of([InsertRecord(a_record(1)), UpdateRecord(a_record(2).moved(state=State.RUNNING))], "asked", PATTERNS)

    assert [line.record.arguments["source"] for line in work.lines] == ["~/a.txt", "~/a.txt"]
    assert not work.redacts


def test_what_has_ended_is_redacted():
    work = work_of(
        [UpdateRecord(as_done(a_record(1))), InsertRecord(a_record(2, state=State.REFUSED))], "done", PATTERNS
    )

    assert [line.record.arguments["source"] for line in work.lines] == [REDACTED, REDACTED]
    assert [line.redacts for line in work.lines] == [True, True]
    assert work.redacts


LATER = {**PLAN, "summary": "planned later"}


async def test_content_written_anew_is_told_in_the_audit(tmp_path: Path):
    record = a_record(1, plan=None)
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="asked")
        planned = replace(record, plan=LATER, policy="other", backends={"files": "memory"})
        await journal.commit(UpdateRecord(as_done(planned)), event="done")

        assert await journal.get(record.id) == as_done(planned)
        assert (await journal.verify()).ok
    told = rows(tmp_path / "sayso.db", "SELECT json_extract(members, '$.actions[0].anew') FROM trail")
    assert told == [(None,), (1,)]


async def test_another_process_sees_what_was_planned_later(tmp_path: Path):
    record = a_record(1, plan=None)
    async with a_journal(tmp_path / "sayso.db") as one, a_journal(tmp_path / "sayso.db") as other:
        await one.commit(InsertRecord(record), event="asked")
        await other.commit(UpdateRecord(replace(record, plan=LATER).moved(state=State.RUNNING)), event="approved")
        seen = await one.get(record.id)
        assert seen
        await one.commit(UpdateRecord(as_done(seen)), event="done")

        assert seen.plan == LATER
        assert (await one.verify()).ok


async def test_a_list_that_was_a_tuple_is_no_other_content(tmp_path: Path):
    record = a_record(1, plan={**PLAN, "loses": ("a", "b")})
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="asked")
        seen = await journal.get(record.id)
        assert seen
        await journal.commit(UpdateRecord(as_done(seen)), event="done")

    told = rows(tmp_path / "sayso.db", "SELECT json_extract(members, '$.actions[0].anew') FROM trail")
    assert told == [(None,), (None,)]


@pytest.mark.req("AU-01")
async def test_a_row_that_was_changed_while_it_waited_does_not_move_on(tmp_path: Path):
    record = a_record(1)
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="asked")
        tamper(tmp_path / "sayso.db", "UPDATE action SET body = replace(body, 'moving', 'mowing')")
        seen = await journal.get(record.id)
        assert seen

        with pytest.raises(SetupError, match="was changed in the journal by something other than sayso"):
            await journal.commit(UpdateRecord(seen.moved(state=State.RUNNING)), event="approved")

        assert rows(tmp_path / "sayso.db", "SELECT state, turn FROM action") == [("waiting", 0)]


async def test_a_very_long_row_is_not_held_in_memory_and_moves_on_all_the_same(tmp_path: Path):
    record = a_record(1, arguments={"content": "x" * 100_000})
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="asked")
        await journal.commit(UpdateRecord(as_done(record)), event="done")

        assert await journal.get(record.id) == as_done(record)
        assert (await journal.verify()).ok


@contextmanager
def a_writer(path: Path) -> Generator[RecordWriter]:
    """Open a new journal's writer."""
    connection = open_journal(str(path), 0)
    yield RecordWriter(connection, str(path), shorthand_of(connection), FakeClock(), no_kill_point)
    connection.close()


def put(*keys: int, session: str = "chat") -> CommitRequest:
    """Return the work of putting rows."""
    return work_of([InsertRecord(a_record(key, session=session)) for key in keys], "asked", ())


def test_a_stale_work_in_the_middle_leaves_no_trace(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("BEGIN IMMEDIATE")
        failures = writer.write([put(1), put(2, 3, 1, session="elsewhere"), put(4)])

    assert [type(failure) for failure in failures] == [type(None), Stale, type(None)]
    assert rows(tmp_path / "sayso.db", "SELECT key FROM action") == [(1,), (4,)]
    assert rows(tmp_path / "sayso.db", "SELECT seq, action FROM audit") == [(1, None), (2, 4)]
    assert verify(str(tmp_path / "sayso.db")).ok


def test_when_all_are_stale_nothing_is_committed(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("BEGIN IMMEDIATE")
        failures = writer.write([work_of([UpdateRecord(as_done(a_record(1)))], "done", ()), put(1, 1)])

        assert [type(failure) for failure in failures] == [Stale, Stale]
        assert not writer.connection.in_transaction
    assert rows(tmp_path / "sayso.db", "SELECT count(*) FROM audit") == [(0,)]


def test_what_was_written_is_not_read_back(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("BEGIN IMMEDIATE")
        writer.write([put(1)])
        said: list[str] = []
        writer.connection.set_trace_callback(said.append)
        writer.connection.execute("BEGIN IMMEDIATE")
        writer.write([work_of([UpdateRecord(a_record(1).moved(state=State.RUNNING))], "approved", ())])
        writer.connection.set_trace_callback(None)

    assert [statement for statement in said if "FROM action" in statement] == []


def test_a_commit_that_fails_is_told_to_all(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("PRAGMA query_only = ON")
        writer.connection.execute("BEGIN")
        failures = writer.write([put(1), put(2)])

    assert [failure.code for failure in failures if isinstance(failure, SetupError)] == ["journal.read_only"] * 2


def test_what_is_shared_is_stored_once_also_after_a_rollback(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        for keys in ((1, 1), (1,), (2,)):
            writer.connection.execute("BEGIN IMMEDIATE")
            writer.write([put(*keys)])

    assert rows(tmp_path / "sayso.db", "SELECT count(*) FROM shared") == [(1,)]
    assert rows(tmp_path / "sayso.db", "SELECT count(*) FROM history") == [(2,)]


def test_a_commit_about_several_actions_is_one_row_of_audit(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("BEGIN IMMEDIATE")
        writer.write([put(1, 2, 3)])

    found = rows(tmp_path / "sayso.db", "SELECT json_array_length(members, '$.actions'), event FROM trail")
    assert found == [(3, "asked")]


def test_a_permission_is_in_the_chain(tmp_path: Path):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("BEGIN IMMEDIATE")
        writer.write([CommitRequest("permission", grant=a_grant())])

    found = rows(tmp_path / "sayso.db", "SELECT json_extract(members, '$.grants[0].id'), event FROM trail")
    assert found == [("grant_1", "permission")]
    tamper(tmp_path / "sayso.db", "UPDATE permission SET body = replace(body, 'a.txt', 'b.txt')")
    assert "grant_1" in str(verify(str(tmp_path / "sayso.db")).problem)


@pytest.mark.parametrize("count", [1100])
def test_a_row_written_long_ago_is_read_once_more(tmp_path: Path, count: int):
    with a_writer(tmp_path / "sayso.db") as writer:
        writer.connection.execute("BEGIN IMMEDIATE")
        writer.write([put(*range(1, count + 1))])
        writer.connection.execute("BEGIN IMMEDIATE")
        assert writer.write([work_of([UpdateRecord(as_done(a_record(1)))], "done", ())]) == [None]

    assert verify(str(tmp_path / "sayso.db")).ok


async def test_what_waits_for_long_is_noted_and_found_among_any_number_of_newer_actions(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        waits, runs = a_record(1), a_record(2)
        await journal.commit(InsertRecord(waits), InsertRecord(runs), event="asked")
        for key in range(3, 303):
            await journal.commit(InsertRecord(a_record(key, state=State.DECLINED)), event="ended")
        late = a_record(0)
        await journal.commit(InsertRecord(late), event="asked")
        await journal.commit(UpdateRecord(runs.moved(state=State.RUNNING)), event="approved")

        assert [record.key for record in await journal.in_state(State.WAITING)] == [0, 1]
        assert [record.key for record in await journal.in_state(State.RUNNING)] == [2]
        assert [record.key for record in await journal.query(RecordQuery(states=frozenset({State.WAITING})))] == [1, 0]
        assert (await journal.verify()).ok
        assert rows(path, "SELECT key FROM action WHERE back < 0 ORDER BY key") == [(0,), (1,), (2,)]

        await journal.commit(UpdateRecord(waits.moved(state=State.DECLINED)), event="declined")

        assert [record.key for record in await journal.in_state(State.WAITING)] == [0]
        assert (await journal.verify()).ok
    assert rows(path, "SELECT key FROM action WHERE back < 0 ORDER BY key") == [(0,), (2,)]


def test_noting_what_lasts_looks_at_no_more_rows_in_a_larger_journal(tmp_path: Path):
    steps: list[int] = []
    with a_writer(tmp_path / "sayso.db") as writer:
        for commits in range(1, 4):  # each brings a thousand rows, and the last one what was noted before
            writer.connection.execute("BEGIN IMMEDIATE")
            writer.write([put(*range(commits * 1000, (commits + 1) * 1000))])
            counted: list[None] = []
            for key in range(64):
                writer.connection.execute("BEGIN IMMEDIATE")
                writer.connection.set_progress_handler(lambda told=counted: told.append(None), 10)
                writer.write([put(commits * 1000 + 10_000 + key)])
                writer.connection.set_progress_handler(None, 0)
            steps.append(len(counted))

    assert steps[2] - steps[1] < 50, "in tens of SQLite's steps; a look at all rows would take a thousand more"


async def test_a_large_batch_that_waits_is_noted_at_once(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(*[InsertRecord(a_record(key)) for key in range(200)], event="asked")

        assert len(await journal.in_state(State.WAITING)) == 200
    assert rows(path, "SELECT count(*) FROM action WHERE back < 0") == [(200,)]


@pytest.mark.parametrize(
    "change",
    ["UPDATE action SET back = 0 WHERE key = 1", "UPDATE meta SET value = 500 WHERE name = 'noted'"],
)
async def test_what_waits_and_was_hidden_by_a_change_is_told(tmp_path: Path, change: str):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(*[InsertRecord(a_record(key)) for key in range(200)], event="asked")
        await journal.commit(InsertRecord(a_record(300)), event="asked")
        tamper(path, change)

        assert not (await journal.verify()).ok


NORMAL, FULL = 1, 2
"""What SQLite calls it when a commit does not wait for the disk, and when it does."""
READ = {"operation": "template.list", "plan": None, "state": State.DONE}


@pytest.mark.parametrize(
    ("changed", "level"),
    [
        pytest.param({}, NORMAL, id="an answer"),
        pytest.param({"outside": True}, FULL, id="an answer with words of strangers"),
        pytest.param({"state": State.INVALID}, FULL, id="what was not understood"),
        pytest.param({"state": State.RUNNING}, FULL, id="what begins"),
        pytest.param({"plan": PLAN}, FULL, id="what was done"),
    ],
)
async def test_only_an_answer_may_be_lost_with_the_power(tmp_path: Path, changed: dict[str, Any], level: int):
    levels: list[int] = []

    def note(place: str) -> None:
        if place == "journal.before_commit":
            levels.append(journal.look(lambda one: one.execute("PRAGMA synchronous").fetchone()[0]))

    async with a_journal(tmp_path / "sayso.db", kill=note) as journal:
        for key, record in enumerate((READ, READ | changed, READ), 1):
            await journal.commit(InsertRecord(a_record(key, **record)), event="ended")

    assert levels == [NORMAL, level, NORMAL]
