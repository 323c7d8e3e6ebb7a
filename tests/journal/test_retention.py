"""What is old goes, what still needs somebody stays, and the chain holds from the anchor on."""

from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.core.ports import InsertRecord, NoteExposure, UpdateRecord
from sayso.core.record import State, action_id
from sayso.journal.hash_chain import Checkpoint, PruneResult
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import a_grant, a_record, as_done
from tests.journal.given import a_journal, rows, tamper

LATER = "2026-04-01"


async def aged(path: Path, clock: FakeClock) -> None:
    """One old action of every state, an old one undone since, and a new one."""
    async with a_journal(path, clock=clock) as journal:
        for key, state in enumerate(State, 1):
            await journal.commit(InsertRecord(a_record(key, state=state)), event=state.value)
        await journal.put_grant(a_grant())
        old = a_record(50)
        await journal.commit(InsertRecord(old), event="asked")
        await journal.commit(UpdateRecord(as_done(old)), event="done")
        clock.advance(days=100)
        await journal.commit(
            UpdateRecord(as_done(old).moved(state=State.UNDONE, undone_by=action_id(60))), event="undone"
        )
        await journal.commit(InsertRecord(a_record(60)), event="asked")


@pytest.mark.req("T-92")
async def test_what_ended_long_ago_is_removed_and_the_rest_stays(tmp_path: Path):
    clock = FakeClock()
    await aged(tmp_path / "sayso.db", clock)

    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        removed = await journal.prune(LATER)
        found = await journal.verify()

    live = [key for key, state in enumerate(State, 1) if state in {State.WAITING, State.RUNNING, State.UNKNOWN}]
    assert removed == PruneResult(len(State) - 3, len(State) + 3)
    assert [key for (key,) in rows(tmp_path / "sayso.db", "SELECT key FROM action")] == [*live, 50, 60]
    assert (found.problem, found.rows, found.actions) == (None, 3, 5)
    assert rows(tmp_path / "sayso.db", "SELECT seq, removed FROM anchor") == [(0, 0), (16, 10)]


async def test_removing_again_and_going_on_keeps_the_chain(tmp_path: Path):
    clock = FakeClock()
    await aged(tmp_path / "sayso.db", clock)

    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        await journal.prune(LATER)
        assert await journal.prune(LATER) == PruneResult(0, 0)
        clock.advance(days=100)
        assert await journal.prune("2026-09-01") == PruneResult(1, 3)  # the undone one; even all of the chain may go
        await journal.commit(UpdateRecord(a_record(60).moved(state=State.EXPIRED)), event="expired")
        found = await journal.verify()

    assert found.ok
    assert found.rows == 2


async def test_nothing_old_is_nothing_to_do(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        assert await journal.prune(LATER) == PruneResult(0, 0)
        await journal.commit(InsertRecord(a_record(1)), event="asked")
        assert await journal.prune("2026-01-01") == PruneResult(0, 0)
        with pytest.raises(ProposalError):
            await journal.prune("long ago")
        await journal.commit(InsertRecord(a_record(2)), event="asked")


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE anchor SET hash = zeroblob(32) WHERE seq > 0",
        "DELETE FROM anchor WHERE seq > 0",
        "INSERT INTO anchor SELECT 17, hash, 0, 0 FROM audit WHERE seq = 17",
        "UPDATE anchor SET removed = 9 WHERE seq > 0",
        "UPDATE anchor SET time = time + 1 WHERE seq > 0",
        "UPDATE anchor SET removed = 9 WHERE seq = 0",
        "DELETE FROM anchor WHERE seq = 0",
        "UPDATE anchor SET time = time + 1 WHERE seq = 0",
        "UPDATE meta SET value = value + 1 WHERE name = 'created'",
    ],
)
async def test_a_forged_anchor_is_found(tmp_path: Path, forgery: str):
    clock = FakeClock()
    await aged(tmp_path / "sayso.db", clock)
    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        await journal.prune(LATER)

    tamper(tmp_path / "sayso.db", forgery)

    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        assert not (await journal.verify()).ok


@pytest.mark.req("AU-01")
async def test_what_was_read_is_under_the_chain_after_any_number_of_removals(tmp_path: Path):
    clock, path = FakeClock(), tmp_path / "sayso.db"
    async with a_journal(path, clock=clock) as journal:
        await journal.commit(NoteExposure("mcp", "", ("mail",)), event="exposed")
    await aged(path, clock)
    async with a_journal(path, clock=clock) as journal:
        await journal.prune(LATER, "2000-01-01")
        assert (await journal.verify()).ok
        clock.advance(days=200)
        await journal.prune("2026-12-01", "2000-01-01")
        assert (await journal.verify()).problem is None
        assert [one.source for one in await journal.exposures()] == ["mail"]

    tamper(path, "DELETE FROM exposure")

    async with a_journal(path, clock=clock) as journal:
        assert "“exposure” is missing" in str((await journal.verify()).problem)


async def test_what_was_read_too_long_ago_is_removed_with_the_old_rows(tmp_path: Path):
    clock, path = FakeClock(), tmp_path / "sayso.db"
    async with a_journal(path, clock=clock) as journal:
        await journal.commit(NoteExposure("mcp", "", ("mail",)), event="exposed")
    await aged(path, clock)
    async with a_journal(path, clock=clock) as journal:
        await journal.commit(NoteExposure("mcp", "", ("tabs",)), event="exposed")

        await journal.prune(LATER)

        assert [one.source for one in await journal.exposures()] == ["tabs"]
        assert (await journal.verify()).ok


@pytest.mark.req("AU-01")
@pytest.mark.parametrize("forgery", ["UPDATE anchor SET removed = 11", "UPDATE anchor SET time = time + 1"])
async def test_an_anchor_that_another_one_followed_is_still_held(tmp_path: Path, forgery: str):
    clock, path = FakeClock(), tmp_path / "sayso.db"
    await aged(path, clock)
    async with a_journal(path, clock=clock) as journal:
        await journal.prune(LATER)
        clock.advance(days=100)
        await journal.prune("2026-09-01")
        assert (await journal.verify()).ok

    tamper(path, forgery + " WHERE seq = 16")

    async with a_journal(path, clock=clock) as journal:
        assert not (await journal.verify()).ok


@pytest.mark.req("AU-01")
async def test_a_forged_removal_that_cuts_rows_away_is_found(tmp_path: Path):
    clock = FakeClock()
    await aged(tmp_path / "sayso.db", clock)

    tamper(
        tmp_path / "sayso.db",
        "INSERT INTO anchor SELECT seq, hash, 0, 0 FROM audit WHERE seq = 16",
        "DELETE FROM audit WHERE seq <= 16",
    )

    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        assert "the start of the log" in str((await journal.verify()).problem)


async def test_a_checkpoint_from_before_says_that_it_is_too_old(tmp_path: Path):
    clock, lines = FakeClock(), list[str]()
    path = tmp_path / "sayso.db"
    async with a_journal(path, clock=clock) as journal:
        await journal.commit(InsertRecord(a_record(1, state=State.DECLINED)), event="declined")
        await journal.export(lines.append)
        await journal.commit(InsertRecord(a_record(2, state=State.DECLINED)), event="declined")
        clock.advance(days=100)
        await journal.prune(LATER)

        found = await journal.verify(Checkpoint.read(lines[-1]))

    assert "was removed because of its age" in str(found.problem)


@pytest.mark.req("T-92")
async def test_what_was_removed_is_in_no_byte_of_the_file(tmp_path: Path):
    clock = FakeClock()
    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        await journal.commit(InsertRecord(a_record(1, state=State.DONE, said="canary" * 3000)), event="done")
        clock.advance(days=100)
        await journal.prune(LATER)

        assert not [file for file in tmp_path.iterdir() if b"canarycanary" in file.read_bytes()]
