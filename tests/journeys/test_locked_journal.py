"""While another program holds the journal nothing is done, and nothing is lost: what was asked can be asked again."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

import sayso
from sayso.journal.sqlite import SqliteJournal
from tests.journeys.ground import Ground, a_ground, in_mode, only, states, yes

WRITE = 'WRITE_FILE ~/Documents/new.txt "x"'


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Return a home whose journal gives up soon."""
    monkeypatch.setattr("sayso.assembly.wiring.SqliteJournal", partial(SqliteJournal, patience=0.3))
    return a_ground(tmp_path, in_mode("always"))


@pytest.fixture
def rival(ground: Ground) -> Iterator[sqlite3.Connection]:
    """Return another program's connection to the journal, which does not exist yet."""
    with closing(sqlite3.connect(ground.own / "sayso.db", isolation_level=None)) as connection:
        yield connection


async def tried(home: sayso.Home, approver: sayso.Client | None = None) -> list[str]:
    """Run it and return the states; none where it could not even be written down."""
    with suppress(sayso.SetupError):
        return states(await home.run(WRITE, approver=approver or yes()))
    return []


@pytest.mark.req("CR-03")
async def test_nothing_is_done_while_the_journal_is_locked(ground: Ground, rival: sqlite3.Connection):
    async with ground.opened() as home:
        rival.execute("BEGIN IMMEDIATE")

        found = await tried(home)

        assert "done" not in found
        assert not (ground.documents / "new.txt").exists()
        rival.execute("ROLLBACK")
        assert await tried(home) == ["done"]
        assert (await home.journal.verify()).ok
    assert (ground.documents / "new.txt").read_text() == "x"


@pytest.mark.req("CR-03", "AU-05")
async def test_a_yes_that_cannot_be_written_down_does_nothing(ground: Ground, rival: sqlite3.Connection):
    def lock_and_say_yes(question: object) -> bool:
        rival.execute("BEGIN IMMEDIATE")
        return True

    async with ground.opened() as home:
        found = await tried(home, sayso.Client(lock_and_say_yes))

        assert "done" not in found
        assert not (ground.documents / "new.txt").exists()
        rival.execute("ROLLBACK")
        again = await home.run(WRITE, approver=yes())
        assert only(again).record.state.value == "done"
        assert (await home.journal.verify()).ok
