"""Every question is answered through a key or an index, however large the journal is."""

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sayso.core.ports import InsertRecord, RecordQuery
from sayso.core.record import State, run_id
from sayso.journal.database import open_journal
from sayso.journal.reader import JournalReader
from sayso.journal.rows import fixed_columns, shorthand_of
from sayso.testing.journal import a_record
from tests.journal.given import a_journal, rows

COUNT = 20_000
STEPS = 1000
"""SQLite counts its work in steps of its virtual machine; a look at every row would take hundreds of thousands."""


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """Return a journal of many rows, put there with plain SQL."""
    opened = open_journal(str(tmp_path_factory.mktemp("large") / "sayso.db"), 0)
    row = fixed_columns(a_record(1))
    operations, states = (
        ["file.move", "file.find", "mail.send", ""],
        [state.value for state in State if state != "waiting"],
    )
    with closing(opened):
        opened.execute("BEGIN")
        opened.execute("INSERT INTO shared VALUES (1, ?)", (row.origin,))
        for key in range(1, COUNT + 1):
            state = "declined" if key == 77 else "waiting" if key in {99, 15_000} else states[key % 4 + 1]
            back = -1 if state == "waiting" else int(key == 55)
            columns = (
                key,
                key // 10,
                key % 10,
                state,
                0,
                back,
                operations[key % 4],
                1_000_000 * key,
                1,
                f"chat{key // 100}",
            )
            opened.execute(
                "INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*columns, None, None, None, "{}", None, None, None, None, row.body),
            )
        opened.execute("INSERT INTO meta VALUES ('noted', ?)", (COUNT,))
        opened.execute("COMMIT")
        yield opened


@pytest.mark.parametrize(
    "query",
    [
        RecordQuery(), RecordQuery(before=500), RecordQuery(operation="file.*"), RecordQuery(operation="file.*",
        before=100),
        RecordQuery(states=frozenset({State.DECLINED})), RecordQuery(states=frozenset({State.WAITING})),
        RecordQuery(operation="mail.*", states=frozenset({State.DECLINED, State.WAITING})),
        RecordQuery(run="run_0000000000007"),
        RecordQuery(session="chat3"), RecordQuery(session="chat3", states=frozenset({State.DECLINED})),
        RecordQuery(since="1970-01-02T12:00:00Z", operation="file.find"), RecordQuery(since="2000-01-01"),
    ],
    ids=range(12),
)  # fmt: skip
def test_a_page_of_the_history_looks_at_little_more_than_the_page(connection: sqlite3.Connection, query: RecordQuery):
    with counted(connection) as steps:
        JournalReader(connection, shorthand_of(connection)).query(query)

    assert len(steps) < 30, "in thousands of steps"


def test_counting_what_waits_and_finding_what_waited_too_long_looks_at_what_waits_alone(
    connection: sqlite3.Connection,
):
    reading = JournalReader(connection, shorthand_of(connection))
    with counted(connection) as steps:
        assert reading.count([State.WAITING]) == 2
        assert reading.lapsed(0, COUNT * 1_000_000) == []
        assert [record.key for record in reading.lapsed(0, 15_000 * 1_000_000 - 1)] == [15_000]

    assert steps == [], "in thousands of steps"


def test_what_waits_and_what_can_go_back_is_found_at_once(connection: sqlite3.Connection):
    reading = JournalReader(connection, shorthand_of(connection))

    with counted(connection) as steps:
        waiting = reading.in_state([State.WAITING])
        declined = reading.in_state([State.DECLINED])
        undoable = reading.last_undoable()
        run = reading.of_run("run_0000000000009")

    assert [record.key for record in waiting] == [99, 15_000]
    assert [record.key for record in declined] == [77]
    assert undoable
    assert undoable.key == 55
    assert [record.key for record in run] == list(range(90, 100))
    assert len(steps) < 10


@contextmanager
def counted(connection: sqlite3.Connection) -> Generator[list[None]]:
    """Count thousands of steps of SQLite's virtual machine."""
    steps: list[None] = []
    connection.set_progress_handler(lambda: steps.append(None), STEPS)
    yield steps
    connection.set_progress_handler(None, 0)


async def test_a_run_is_found_whole_though_its_first_action_has_the_runs_own_number(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        for key, run in ((7, 7), (8, 7), (9, 9), (10, 7)):
            await journal.commit(
                InsertRecord(a_record(key, run=run_id(run), session=run_id(run), index=key)), event="asked"
            )

        found = await journal.of_run(run_id(7))
        page = await journal.query(RecordQuery(run=run_id(7), limit=2))
        of_session = await journal.query(RecordQuery(session=run_id(7)))

    assert [record.key for record in found] == [7, 8, 10]
    assert [record.key for record in page] == [10, 8]
    assert [record.key for record in of_session] == [10, 8, 7]
    assert {record.session for record in found} == {run_id(7)}


async def test_what_a_run_read_counts_for_its_principal_without_a_session_of_its_own(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        read = a_record(
            7, run=run_id(7), session=run_id(7), operation="page.read", state=State.DONE, entry="cli", outside=True
        )
        await journal.commit(InsertRecord(read), event="ended")

        assert await journal.exposed("terminal", run_id(8), "2000-01-01") == ("page.read",)
        assert (await journal.verify()).ok

    assert rows(tmp_path / "sayso.db", "SELECT principal, session, source FROM exposure") == [
        ("terminal", "", "page.read")
    ]
    assert rows(tmp_path / "sayso.db", "SELECT session FROM history") == [(run_id(7),)]
