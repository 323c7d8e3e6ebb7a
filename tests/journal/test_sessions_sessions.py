"""Sessions in the journal's file hold what all must hold, are private with it, and go when they are old."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sayso.core.conversation import Sessions
from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord
from sayso.core.record import State
from sayso.testing.journal import SessionsSuite, a_record, an_exchange
from tests.journal.given import a_journal, make_older, rows, tamper


class TestSessions(SessionsSuite):
    """The shipped suite."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "sayso.db"

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Sessions]:
        """Open an empty one."""
        async with a_journal(self.path) as journal:
            yield journal.sessions


async def test_what_was_said_survives_the_process(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.sessions.keep(an_exchange())

    async with a_journal(tmp_path / "sayso.db") as journal:
        assert await journal.sessions.exchanges("s1") == [an_exchange()]
        assert (await journal.verify()).ok


async def test_what_is_older_than_is_kept_goes_with_the_actions_of_its_time(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(a_record(1, state=State.DONE)), event="done")
        await journal.sessions.keep(an_exchange("old", runs=("run_a",)))
        await journal.sessions.keep(an_exchange("both"))
        await journal.sessions.keep(an_exchange("both", second=30))

        await journal.prune("2026-03-14T12:00:15Z")

        assert [session.id for session in await journal.sessions.all()] == ["both"]
        assert [said.time for said in await journal.sessions.exchanges("both")] == ["2026-03-14T12:00:30.000Z"]
        assert await journal.sessions.of_run("run_a") is None
        assert (await journal.verify()).ok


async def test_a_journal_of_before_gets_its_tables_and_keeps_its_actions(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
    make_older(path, 1)

    async with a_journal(path) as journal:
        await journal.sessions.keep(an_exchange())

        assert (await journal.get(a_record(1).id)) == a_record(1)
        assert (await journal.verify()).ok
    assert rows(path, "SELECT count(*) FROM exchange") == [(1,)]


async def test_a_row_that_was_damaged_is_one_sentence(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.sessions.keep(an_exchange())
        tamper(tmp_path / "sayso.db", "UPDATE exchange SET body = '{'")

        with pytest.raises(SetupError, match="a stored session is damaged"):
            await journal.sessions.exchanges("s1")


async def test_what_cannot_be_written_leaves_nothing_half_done(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        tamper(tmp_path / "sayso.db", "DROP TABLE exchange_run")

        with pytest.raises(SetupError):
            await journal.sessions.keep(an_exchange(runs=("run_a",)))
        await journal.commit(InsertRecord(a_record(1)), event="asked")

        assert await journal.sessions.all() == []
