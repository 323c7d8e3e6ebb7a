"""Every proposal goes down the one path, and ends in exactly one honest state."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Ref
from sayso.core.ports import KillPoint
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.core.verdict import Question
from sayso.runtime.answering import Client, Nobody
from sayso.runtime.outcome import Report
from sayso.runtime.path import Path as OnePath
from sayso.testing.fakes import Says
from tests.runtime.given import Call, Given, a_policy, given, only, proposed, states
from tests.runtime.shelf import Backend, Put, Reads, Take, World

PUT = ("shelf.put", {"name": "a", "text": "x"})
BURN = ("shelf.burn", {"name": "old"})


def old() -> World:
    return World(texts={"old": ("o", 0)})


@pytest.mark.req("S0-82", "X-02")
async def test_an_allowed_action_is_done_and_written_down(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT)

    assert it.world.texts == {"a": ("x", 1)}
    record = only(report).record
    assert (record.state, record.marks.message, record.marks.approved_by) == (State.DONE, "Put it there", None)
    rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT operation FROM action").fetchall()
    assert rows == [("shelf.put",)]


@pytest.mark.req("S0-60", "S0-61", "S0-62", "C-07")
async def test_each_proposal_has_one_result_in_order_whatever_becomes_of_it(tmp_path: Path) -> None:
    calls: list[Call] = [("!FLY x", {}), PUT]
    calls += [("shelf.put", {"nam": "b"}), ("shelf.take", {"name": "none"}), ("shelf.fault", {})]

    async with given(tmp_path) as it:
        report = await it.run(*calls)

    assert states(report) == ["invalid", "done", "invalid", "failed", "failed"]
    assert [outcome.record.index for outcome in report.outcomes] == [0, 1, 2, 3, 4]
    assert report.outcomes[0].record.marks.error == "Unknown command: FLY x"
    assert report.outcomes[3].record.marks.error == "there is no “none”"
    assert "a secret" not in str(report)


async def test_a_dry_run_changes_nothing_and_says_where_it_would_ask(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(PUT, BURN, ("shelf.take", {"name": "none"}), dry_run=True)

    assert it.world.texts == {"old": ("o", 0)}
    assert states(report) == ["planned", "planned", "failed"]
    assert report.outcomes[0].record.marks.message == "Would put “a” on the shelf"
    assert report.outcomes[1].record.marks.message == "Would burn “old” (you would be asked)"


@pytest.mark.req("X-14")
async def test_every_attempt_is_in_the_journal(tmp_path: Path) -> None:
    policy = a_policy(allowed_operations=("shelf.[!k]*",))
    async with given(tmp_path, world=old(), policy=policy) as it:
        await it.run(PUT, dry_run=True)
        await it.run(("!x", {}))
        await it.run(("shelf.keep", {"name": "old"}))
        await it.run(BURN, approver=Says(False))
        await it.run(PUT)
        await it.undone()

    rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT state FROM action ORDER BY key").fetchall()
    assert [state for (state,) in rows] == ["planned", "invalid", "refused", "declined", "undone", "done"]


async def test_what_is_so_already_is_unchanged_and_says_why(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(("shelf.keep", {"name": "old"}))

    assert only(report).record.state is State.UNCHANGED
    assert only(report).record.marks.message == "“old” is kept already"


async def test_a_read_answers_and_its_answer_is_not_journaled(tmp_path: Path) -> None:
    world = World(texts={"old": ("canary-1", 0)})
    async with given(tmp_path, world=world) as it:
        report = await it.run(("shelf.read", {"name": "old"}))

    assert only(report).data == {"text": "canary-1"}
    assert only(report).record.marks.message == "Read “old”"
    assert b"canary-1" not in b"".join(file.read_bytes() for file in tmp_path.glob("sayso.db*"))


async def test_a_read_in_a_batch_sees_what_earlier_steps_did(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT, ("shelf.read", {"name": "a"}))

    assert states(report) == ["done", "done"]
    assert report.outcomes[1].data == {"text": "x"}


@pytest.mark.req("S0-22")
async def test_a_batch_is_planned_on_the_world_as_its_earlier_steps_would_leave_it(tmp_path: Path) -> None:
    calls = [PUT, ("shelf.take", {"name": "a"}), ("shelf.put", {"name": "a", "text": "y"})]
    async with given(tmp_path, policy=a_policy(mode="never")) as it:
        report = await it.run(*calls)

    assert states(report) == ["done", "done", "done"]
    assert it.world.done == ["shelf.put a", "shelf.take a", "shelf.put a"]


async def test_what_stands_on_a_step_that_did_not_happen_is_skipped(tmp_path: Path) -> None:
    world = World()
    async with given(tmp_path, world=world, policy=a_policy(mode="never")) as it:
        says = Says(True)
        report = await it.run(PUT, ("shelf.burn", {"name": "a"}), approver=Says(True, then=lambda: _taken(world)))

    assert says.questions == []
    assert states(report) == ["failed", "skipped"]
    assert report.outcomes[1].record.marks.error == "skipped because step 1 failed"


def _taken(world: World) -> None:
    world.texts["a"] = ("somebody else's", 99)


@pytest.mark.req("T-18", "S0-63")
async def test_nothing_is_destroyed_after_a_failure_on_the_same_thing(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="never")) as it:
        report = await it.run(
            ("shelf.put", {"name": "old"}), ("shelf.take", {"name": "old"}), ("shelf.put", {"name": "b"})
        )

    assert states(report) == ["failed", "skipped", "done"]
    assert report.outcomes[1].record.marks.error == "skipped because step 1 failed"
    assert "old" in it.world.texts


@pytest.mark.req("T-18")
async def test_stop_on_error_ends_the_batch_at_its_first_failure(tmp_path: Path) -> None:
    policy = a_policy(stop_on_error=True)
    async with given(tmp_path, policy=policy) as it:
        planning = await it.run(PUT, ("shelf.take", {"name": "none"}), ("shelf.put", {"name": "c"}))
        it.world.faults["before:d"] = ValueError("x")
        it.world.blind.add("d")
        doing = await it.run(("shelf.put", {"name": "d"}), ("shelf.put", {"name": "e"}))

    assert states(planning) == ["done", "failed", "skipped"]
    assert states(doing) == ["unknown", "skipped"]


@pytest.mark.req("T-103")
async def test_one_invalid_command_keeps_the_rest_of_a_whole_request_from_running(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT, ("shelf.put", {}), whole_or_none=True)

    assert states(report) == ["skipped", "invalid"]
    assert it.world.texts == {}


async def test_a_plan_that_fails_half_way_takes_back_what_it_did(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = _no()
        report = await it.run(("shelf.pair", {"one": "a", "other": "b"}))

    record = only(report).record
    assert it.world.texts == {}
    assert record.state is State.FAILED
    assert record.marks.error == "no; what had been done of it was taken back"
    assert [mark.outcome.value for mark in record.marks.changes] == ["undone", "not_done"]


async def test_a_plan_that_goes_on_says_how_much_was_done_and_keeps_its_way_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = _no()
        report = await it.run(("shelf.spread", {"one": "a", "other": "b"}))
        it.world.faults.clear()
        undone = await it.undone(only(report).record.id)

    assert only(report).record.state is State.FAILED
    assert only(report).record.marks.error == "1 of 2 changes were made, then: no"
    assert states(undone) == ["done"]
    assert it.world.texts == {}


async def test_a_fault_after_the_effect_is_told_as_what_the_world_shows(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults |= {"after:a": RuntimeError("boom"), "before:b": RuntimeError("boom")}
        report = await it.run(("shelf.put", {"name": "a"}), ("shelf.put", {"name": "b"}))

    assert states(report) == ["done", "failed"]
    assert list(it.world.texts) == ["a"]


async def test_what_nobody_can_tell_is_unknown_and_settled_by_the_person_alone(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["after:a"] = RuntimeError("boom")
        it.world.blind.add("a")
        report = await it.run(("shelf.put", {"name": "a"}))
        await it.recovered()
        (still,) = await it.again(report)

    assert only(report).record.state is State.UNKNOWN
    assert still.state is State.UNKNOWN


@pytest.mark.req("S0-64")
async def test_changes_of_two_runs_are_not_interleaved(tmp_path: Path) -> None:
    async with given(tmp_path) as it, anyio.create_task_group() as tasks:
        for name in "abcdefgh":
            tasks.start_soon(it.run, ("shelf.put", {"name": f"{name}1"}), ("shelf.put", {"name": f"{name}2"}))

    order = [entry.removeprefix("shelf.put ") for entry in it.world.done]
    assert len(order) == 16
    assert all(order[place][0] == order[place + 1][0] for place in range(0, 16, 2))


@pytest.mark.req("AU-05", "CR-04")
async def test_nothing_is_done_when_the_journal_cannot_be_written(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        sqlite3.connect(tmp_path / "sayso.db").execute("DROP TABLE audit").connection.commit()
        with pytest.raises(Exception, match="journal"):
            await it.run(PUT)

    assert it.world.texts == {}


async def test_only_what_a_later_action_looks_at_is_imagined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imagined: list[Ref] = []
    imagine = Backend.imagine

    def noted(self: Backend, seen: Reads, step: Put | Take, ref: Ref) -> Reads:
        imagined.append(ref)
        return imagine(self, seen, step, ref)

    monkeypatch.setattr(Backend, "imagine", noted)
    async with given(tmp_path) as it:
        await it.run(PUT)
        alone = list(imagined)
        report = await it.run(("shelf.put", {"name": "b"}), ("shelf.take", {"name": "b"}), approver=Says(True))

    assert alone == []
    assert (imagined, states(report)) == ([Ref(0, 0)], ["done", "done"])


async def test_a_store_that_cannot_imagine_is_planned_when_its_turn_comes(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False) as it:
        report = await it.run(PUT, ("shelf.put", {"name": "a"}), ("shelf.take", {"name": "a"}), approver=Says(True))

    assert states(report) == ["done", "failed", "skipped"]


@pytest.mark.req("PA-09")
async def test_over_the_limit_the_whole_run_is_refused(tmp_path: Path) -> None:
    limits = a_policy().limits
    policy = a_policy(limits=type(limits)(actions_per_run=2))
    async with given(tmp_path, policy=policy) as it:
        report = await it.run(*(("shelf.put", {"name": name}) for name in "abc"))

    assert states(report) == ["refused"] * 3
    assert {outcome.record.marks.code for outcome in report.outcomes} == {"limit.actions"}
    assert [outcome.record.index for outcome in report.outcomes] == [0, 1, 2]
    assert it.world.texts == {}
    assert sqlite3.connect(tmp_path / "sayso.db").execute("SELECT count(*) FROM action").fetchone() == (1,)


def _no() -> Exception:
    return ProviderError("no", "world.no")


async def test_a_dry_run_hands_out_nothing_that_was_read(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("from outside", 0)})) as it:
        report = await it.run(("shelf.read", {"name": "old"}), dry_run=True, session="s1")
        after = await it.run(("shelf.send", {"name": "x", "to": "eve@example.org"}), session="s1")

    assert (only(report).data, only(report).text) == ({}, "")
    assert only(report).record.marks.message == "Would read a text: “old”"
    assert states(after) == ["done"]


@pytest.mark.req("T-53", "TO-02")
async def test_the_brake_stops_a_run_after_the_change_it_is_at(tmp_path: Path) -> None:
    async with given(tmp_path) as it:

        def pulls(label: str) -> None:
            if label == "path.acted":
                it.tightened(paused=True)

        report = await three(it, pulls)

    assert states(report) == ["done", "skipped", "skipped"]
    assert report.outcomes[1].record.marks.error == "skipped because sayso was paused"
    assert list(it.world.texts) == ["a"]


async def test_a_journal_that_fails_in_mid_run_says_how_much_was_done(tmp_path: Path) -> None:
    async with given(tmp_path) as it:

        def breaks(label: str) -> None:
            if label == "path.acted" and len(it.world.done) == 2:
                sqlite3.connect(tmp_path / "sayso.db").execute("DROP TABLE audit").connection.commit()

        with pytest.raises(SetupError, match=r"2 of 3 actions of run_\w+ had been done by then"):
            await three(it, breaks)


async def three(it: Given, kill: KillPoint) -> Report:
    """Put three texts on the shelf, with something happening at the kill points."""
    calls = proposed(*(("shelf.put", {"name": name}) for name in "abc"))
    return await OnePath(replace(it.tools, kill=kill)).take(calls, Origin("lines"), Nobody())


@pytest.mark.req("TO-02")
@pytest.mark.parametrize("stricter", [{"paused": True}, {"allowed_operations": ("shelf.put",)}])
async def test_a_policy_that_became_stricter_while_the_person_looked_voids_their_yes(
    tmp_path: Path, stricter: dict[str, object]
) -> None:
    async with given(tmp_path, world=old()) as it:

        def tightens(question: Question) -> bool:
            it.tightened(**stricter)
            return True

        report = await it.run(BURN, approver=Client(tightens))

    assert states(report) == ["refused"]
    assert "judged again now, more strictly than before: " in (only(report).record.marks.error or "")
    assert it.world.done == []


async def test_a_store_of_this_process_alone_needs_no_lock_and_a_shared_one_does(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        shared = sorted(path.name for path in (tmp_path / "locks").iterdir())
        it.tools.backends["shelf"].__dict__["private"] = True
        (tmp_path / "locks" / shared[0]).unlink()
        report = await it.run(("shelf.put", {"name": "b", "text": "y"}))

    assert states(report) == ["done"]
    assert len(shared) == 1
    assert list((tmp_path / "locks").iterdir()) == []
