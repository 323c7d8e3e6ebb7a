"""The state of triggers in the journal's file holds what all must hold, also between processes."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.conversation import TriggerState, TriggerStates
from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord
from sayso.testing.journal import TriggerStatesSuite, a_record
from tests.journal.given import a_journal, make_older, tamper

CLAIM = """
import sys, anyio
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.system import SystemClock
from sayso.core.conversation import TriggerState

async def claim():
    journal = SqliteJournal(sys.argv[1], clock=SystemClock())
    await journal.open()
    print(sum([await journal.triggers.move(TriggerState("t", turn=turn)) for turn in range(20)]))
    await journal.close()

anyio.run(claim)
"""


class TestTriggers(TriggerStatesSuite):
    """The shipped suite."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "sayso.db"

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TriggerStates]:
        """Open an empty one."""
        async with a_journal(self.path) as journal:
            yield journal.triggers


@pytest.mark.req("T-54")
async def test_what_is_kept_survives_the_process_and_stands_outside_the_chain(tmp_path: Path):
    kept = TriggerState("t", fired="2026-03-14T12:00:00+00:00", known=("a",))
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.triggers.move(kept)

    async with a_journal(tmp_path / "sayso.db") as journal:
        assert await journal.triggers.of("t") == replace(kept, turn=1)
        assert (await journal.verify()).ok


async def test_a_journal_of_before_gets_its_table(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
    make_older(path, 2)

    async with a_journal(path) as journal:
        assert await journal.triggers.move(TriggerState("t"))
        assert (await journal.get(a_record(1).id)) == a_record(1)


async def test_a_row_that_was_damaged_is_one_sentence(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.triggers.move(TriggerState("t"))
        tamper(tmp_path / "sayso.db", """UPDATE trigger_state SET body = '{"off": 3}'""")

        with pytest.raises(SetupError, match="the stored state of the trigger “t” is damaged"):
            await journal.triggers.of("t")


async def test_of_several_processes_one_wins_each_turn(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path):
        pass
    won: list[int] = []

    async def claim() -> None:
        done = await anyio.run_process([sys.executable, "-c", CLAIM, str(path)])
        won.append(int(done.stdout))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(claim)

    async with a_journal(path) as journal:
        assert (await journal.triggers.of("t")).turn == sum(won) == 20
