"""A journal that is locked, and homes side by side."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

import sayso
from sayso.core.decision import Decision, Question
from sayso.core.grant import Wish
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import Says
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


@pytest.fixture
def ana(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path / "ana", in_mode("always"))
    ground.file("a.txt")
    return ground


@pytest.fixture
def ben(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path / "ben", in_mode("never", 'allowed_operations = ["file.copy"]\n'))
    ground.file("a.txt")
    return ground


COPY = "COPY_FILE ~/Documents/a.txt ~/Documents/b.txt"
MOVE = "MOVE_FILE ~/Documents/a.txt ~/Documents/c.txt"


async def test_about_ten_lines_read_show_decide_do_and_take_back(ana: Ground):
    shown: list[str] = []

    def ask_my_person(question: Question) -> bool:
        shown.extend(card.plan.summary for card in question.cards)
        return True

    async with sayso.open_home(str(ana.own), environ={"HOME": str(ana.home)}) as home:
        report = await home.run(MOVE, approver=sayso.Client(ask_my_person))
        there = (ana.documents / "c.txt").exists()
        undone = await home.undo(report.run)

    assert shown == ["Move “~/Documents/a.txt” to “~/Documents/c.txt”"]
    assert there
    assert states(report) == states(undone) == ["done"]
    assert (ana.documents / "a.txt").exists()


@pytest.mark.req("S0-79", "S0-81")
async def test_each_home_judges_by_its_own_policy(ana: Ground, ben: Ground):
    async with ana.opened() as hers, ben.opened() as his:
        at_hers, at_his = await hers.run(f"{COPY}\n{MOVE}"), await his.run(f"{COPY}\n{MOVE}")

    assert states(at_hers) == ["waiting", "waiting"]
    assert states(at_his) == ["done", "refused"]
    assert [row.state for row in ana.rows()] == ["waiting", "waiting"]
    assert [row.state for row in ben.rows()] == ["done", "refused"]


async def test_a_standing_permission_of_one_does_not_hold_in_the_other(ana: Ground, tmp_path: Path):
    other = a_ground(tmp_path / "other", in_mode("always"))
    other.file("a.txt")
    async with ana.opened() as hers, other.opened() as his:
        done = await hers.run(COPY, approver=Says(True))
        offer = await hers.grants.offer(Wish(done.outcomes[0].record.id))
        await hers.grants.give(offer, Decision(True, "terminal", offer.digest))
        (ana.documents / "b.txt").unlink()

        at_hers, at_his = await hers.run(COPY), await his.run(COPY)
        permissions = await his.grants.all()

    assert states(at_hers) == ["done"]
    assert states(at_his) == ["waiting"]
    assert permissions == []
    assert not (other.documents / "b.txt").exists()


@pytest.mark.req("TO-03")
async def test_what_waits_in_one_cannot_be_decided_in_the_other(ana: Ground, tmp_path: Path):
    other = a_ground(tmp_path / "other", in_mode("always"))
    async with ana.opened() as hers, other.opened() as his:
        waiting = await hers.run(MOVE)

        for ref in (waiting.run, waiting.outcomes[0].record.id):
            with pytest.raises(sayso.ProposalError, match="there is no action or run"):
                await his.approve(ref, yes())
            with pytest.raises(sayso.ProposalError, match="there is no action or run"):
                await his.decline(ref)

        assert [record.id for record in await hers.pending()] == [waiting.outcomes[0].record.id]
    assert (ana.documents / "a.txt").exists()


@pytest.mark.req("UN-05")
async def test_what_one_did_the_other_cannot_take_back(ana: Ground, ben: Ground):
    async with ana.opened() as hers, ben.opened() as his:
        report = await his.run(COPY)

        with pytest.raises(sayso.ProposalError):
            await hers.undo(report.run)
        undone = await his.undo(report.run)

    assert states(undone) == ["done"]
    assert [row.undo_of for row in ben.rows()] == [None, report.outcomes[0].record.id]
