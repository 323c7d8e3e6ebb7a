"""Every proposal goes down the one path, and ends in exactly one honest state."""

import dataclasses
import sqlite3
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.decision import Decision, Question
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import ChangeRef
from sayso.core.ports import KillPoint
from sayso.core.proposal import Origin
from sayso.core.record import Record, State
from sayso.journal import reader, rows
from sayso.journal.rows import RowContent
from sayso.runtime.engine import Engine
from sayso.runtime.questions import Client, Nobody
from sayso.runtime.results import Report
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
    imagined: list[ChangeRef] = []
    imagine = Backend.imagine

    def noted(self: Backend, seen: Reads, step: Put | Take, ref: ChangeRef) -> Reads:
        imagined.append(ref)
        return imagine(self, seen, step, ref)

    monkeypatch.setattr(Backend, "imagine", noted)
    async with given(tmp_path) as it:
        await it.run(PUT)
        alone = list(imagined)
        report = await it.run(("shelf.put", {"name": "b"}), ("shelf.take", {"name": "b"}), approver=Says(True))

    assert alone == []
    assert (imagined, states(report)) == ([ChangeRef(0, 0)], ["done", "done"])


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
    return await Engine(replace(it.tools, kill=kill)).take(calls, Origin("lines"), Nobody())


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


TAKE = ("shelf.take", {"name": "old"})


async def waiting(it: Given, *calls: Call) -> str:
    """Let something wait, and return its run."""
    report = await it.run(*calls)
    assert set(states(report)) == {"waiting"}
    return report.run


@pytest.mark.req("X-09", "S1-18")
async def test_what_is_asked_and_declined_does_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=Says(False))

    assert only(report).record.state is State.DECLINED
    assert only(report).record.marks.error == "you said no"
    assert it.world.done == []


async def test_a_yes_is_carried_out_and_says_who_gave_it(tmp_path: Path) -> None:
    says = Says(True, by="flag")
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=says)

    assert only(report).record.state is State.DONE
    assert only(report).record.marks.approved_by == "flag"
    assert len(says.questions) == 1


@pytest.mark.req("S0-94")
async def test_a_batch_is_shown_and_decided_whole(tmp_path: Path) -> None:
    yes, no = Says(True), Says(False)
    async with given(tmp_path, world=old()) as it:
        declined = await it.run(PUT, TAKE, approver=no)
        approved = await it.run(PUT, TAKE, approver=yes)

    assert states(declined) == ["declined", "declined"]
    assert states(approved) == ["done", "done"]
    assert [card.plan.summary for card in yes.questions[0].cards] == [
        "Put “a” on the shelf",
        "Take “old” from the shelf",
    ]
    assert [card.index for card in yes.questions[0].asking] == [1]
    assert [outcome.record.marks.approved_by for outcome in approved.outcomes] == [None, "terminal"]


async def test_what_waits_survives_the_process_and_is_carried_out_where_the_yes_falls(tmp_path: Path) -> None:
    world = old()
    async with given(tmp_path, world=world) as it:
        run = await waiting(it, PUT, TAKE)

    async with given(tmp_path, world=world) as later:
        report = await later.approvals.approve(run, Says(True))

    assert states(report) == ["done", "done"]
    assert world.done == ["shelf.put a", "shelf.take old"]


@pytest.mark.req("X-10", "TO-03")
async def test_a_decision_is_consumed_once(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        await it.approvals.approve(run, Says(True))
        with pytest.raises(ProposalError, match=r"nothing waits under .* it is done already"):
            await it.approvals.approve(run, Says(True))

    assert it.world.done == ["shelf.take old"]


class Replays:
    """Answers with a decision that was made for something else."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    async def ask(self, question: Question) -> Decision | None:
        return self._decision


@pytest.mark.req("TO-03")
async def test_a_yes_for_something_else_counts_as_no(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        first = await it.approvals.question(await waiting(it, PUT, TAKE))
        report = await it.run(BURN, approver=Replays(Decision(True, "terminal", first.digest)))

    assert only(report).record.state is State.DECLINED
    assert only(report).record.marks.code == "digest.changed"
    assert it.world.done == []


@pytest.mark.req("TO-01")
@pytest.mark.parametrize("column", ["body"])
async def test_what_was_altered_in_the_journal_while_it_waited_is_refused(tmp_path: Path, column: str) -> None:
    async with given(tmp_path, world=dataclasses.replace(old(), texts={"old": ("o", 0), "new": ("n", 0)})) as it:
        run = await waiting(it, TAKE)

    database = sqlite3.connect(tmp_path / "sayso.db")
    (body,) = database.execute(f"SELECT {column} FROM action").fetchone()  # noqa: S608 - a test's own words
    text = body.decode() if isinstance(body, bytes) else body
    assert "old" in text
    altered = text.replace('"old"', '"new"')
    database.execute(f"UPDATE action SET {column} = ?", (altered.encode() if isinstance(body, bytes) else altered,))  # noqa: S608
    database.commit()
    database.close()

    async with given(tmp_path, world=World(texts={"old": ("o", 0), "new": ("n", 0)})) as later:
        report = await later.approvals.approve(run, Says(True))

    assert states(report) == ["refused"]
    assert only(report).record.marks.code == "digest.changed"
    assert later.world.done == []


@pytest.mark.req("TO-02")
@pytest.mark.parametrize(
    "stricter", [{"paused": True}, {"allowed_operations": ("shelf.put",)}, {"allowed_operations": ()}]
)
async def test_a_policy_that_became_stricter_voids_a_yes(tmp_path: Path, stricter: dict[str, object]) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.tightened(**stricter)
        report = await it.approvals.approve(run, Says(True))

    assert only(report).record.state is State.REFUSED
    assert "judged again now, more strictly than before: " in (only(report).record.marks.error or "")
    assert it.world.done == []


async def test_a_policy_that_became_looser_or_stayed_as_strict_voids_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.tightened(mode="never", waiting_expires=60)
        report = await it.approvals.approve(run, Says(True))

    assert only(report).record.state is State.DONE


@pytest.mark.req("CR-05", "AV-14", "X-12")
@pytest.mark.parametrize(
    ("moved", "state"),
    [({"hours": 23.9}, "done"), ({"hours": 24}, "expired"), ({"days": 365}, "expired"), ({"days": -1}, "expired")],
)
async def test_what_waits_expires_and_a_clock_set_back_does_not_keep_it(
    tmp_path: Path, moved: dict[str, float], state: str
) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE)
        it.clock.advance(**moved)
        approved = await it.approvals.approve(report.run, Says(True))
        assert states(approved) == [state]
        assert states(await it.again(report)) == [state]
        assert await it.approvals.waiting() == []


async def test_nothing_is_said_no_to_or_shown_after_its_time(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.clock.advance(days=2)
        with pytest.raises(ProposalError, match="its time is over"):
            await it.approvals.decline(run, "terminal")
        with pytest.raises(ProposalError, match="its time is over"):
            await it.approvals.question(run)


async def test_a_yes_that_comes_too_late_counts_as_none(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=Says(True, then=lambda: it.clock.advance(hours=25)))

    assert only(report).record.state is State.EXPIRED
    assert it.world.done == []


async def test_the_world_moving_on_while_something_waits_is_a_failure_and_no_overwrite(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.world.texts["old"] = ("somebody wrote here", 7)
        report = await it.approvals.approve(run, Says(True))

    assert only(report).record.state is State.FAILED
    assert only(report).record.marks.code == "world.changed"
    assert it.world.texts["old"] == ("somebody wrote here", 7)


async def test_an_action_that_stands_on_a_waiting_one_is_not_approved_alone(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        report = await it.run(PUT, ("shelf.take", {"name": "a"}))
        second = report.outcomes[1].record.id
        with pytest.raises(ProposalError, match="stands on step 1 of its run"):
            await it.approvals.approve(second, Says(True))
        first = await it.approvals.approve(report.outcomes[0].record.id, Says(True))
        then = await it.approvals.approve(second, Says(True))

    assert states(first) == states(then) == ["done"]
    assert it.world.texts == {}


@pytest.mark.req("T-18")
async def test_what_would_destroy_a_thing_is_not_approved_before_what_waits_to_be_done_with_it(tmp_path: Path) -> None:
    send = ("shelf.send", {"name": "old", "to": "ana"})
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        report = await it.run(PUT, send, TAKE)
        with pytest.raises(ProposalError, match=r"stands on step 2 of its run, which still waits; approve run_\w+$"):
            await it.approvals.approve(report.outcomes[2].record.id, Says(True))
        both = await it.approvals.approve_all([one.record.id for one in report.outcomes[1:]], Says(True))

    assert [states(one) for one in both] == [["done", "done"]]


async def test_a_no_to_what_waits_ends_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        report = await it.approvals.decline(run, "terminal")

    assert states(report) == ["declined"]
    assert only(report).record.marks.approved_by == "terminal"


async def test_no_more_than_the_limit_waits(tmp_path: Path) -> None:
    limits = a_policy().limits
    async with given(tmp_path, world=old(), policy=a_policy(limits=replace(limits, waiting=2))) as it:
        await waiting(it, TAKE)
        await waiting(it, TAKE)
        report = await it.run(TAKE)

    assert only(report).record.state is State.REFUSED
    assert only(report).record.marks.code == "limit.waiting"


@pytest.mark.req("AV-07", "TO-04")
async def test_of_many_that_decide_at_once_one_wins_and_the_others_are_told(tmp_path: Path) -> None:
    told: list[str] = []

    async def decide(it: Given, run: str, number: int) -> None:
        try:
            if number % 2:
                report = await it.approvals.approve(run, Says(True))
            else:
                report = await it.approvals.decline(run, "terminal")
            told.extend(states(report))
        except Exception as lost:  # noqa: BLE001 - every way of losing is counted
            told.append(f"lost: {type(lost).__name__}")

    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(decide, it, run, number)
        (record,) = await it.tools.journal.of_run(run)

    assert len(told) == 16
    assert record.state in {State.DONE, State.DECLINED}
    assert len(it.world.done) == (1 if record.state is State.DONE else 0)


@pytest.mark.req("X-08", "T-111")
async def test_after_outside_text_was_read_sending_asks_where_it_would_not_have(tmp_path: Path) -> None:
    send = ("shelf.send", {"name": "old", "to": "eve@example.org"})
    async with given(tmp_path, world=old()) as it:
        before = await it.run(send, session="s1")
        await it.run(("shelf.read", {"name": "old"}), session="s1")
        after = await it.run(("shelf.send", {"name": "x", "to": "eve@example.org"}), session="s1")
        elsewhere = await it.run(("shelf.send", {"name": "y", "to": "eve@example.org"}), session="s2")

    assert states(before) == states(elsewhere) == ["done"]
    assert states(after) == ["waiting"]


SEND = ("shelf.send", {"name": "x", "to": "eve@example.org"})


@pytest.mark.req("X-08", "T-111")
@pytest.mark.parametrize("imagines", [True, False])
async def test_what_was_asked_for_beside_strangers_words_asks_before_it_sends(tmp_path: Path, imagines: bool) -> None:
    async with given(tmp_path, world=old(), imagines=imagines) as it:
        origin = Origin("lines", "test", exposed=("tabs",))
        one, alone = [
            await it.path.take(proposed(PUT, SEND), origin, Nobody(), as_batch=as_batch) for as_batch in (True, False)
        ]
        records = await it.again(one)

    assert states(one)[1:] == states(alone)[1:] == ["waiting"]
    assert records[1].exposed


@pytest.mark.req("X-08", "T-111")
async def test_what_is_looked_at_in_its_turn_after_a_yes_knows_that_strangers_words_stood_in_the_prompt(
    tmp_path: Path,
) -> None:
    async with given(tmp_path, world=old(), imagines=False, policy=a_policy(mode="always")) as it:
        origin = Origin("lines", "test", exposed=("tabs",))
        run = (await it.path.take(proposed(PUT, SEND), origin, Nobody())).run
        it.tightened(mode="never")
        says = Says(True, None)
        report = await it.approvals.approve(run, says)

    assert states(report) == ["done", "waiting"]
    assert [len(question.cards) for question in says.questions] == [2, 1]


@pytest.mark.req("X-08", "TO-02")
async def test_a_yes_to_sending_is_void_once_text_of_strangers_was_read(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        run = (await it.run(SEND, session="s1")).run
        await it.run(("shelf.read", {"name": "old"}), session="s1")
        report = await it.approvals.approve(run, Says(True))

    assert states(report) == ["refused"]
    assert it.world.done == []


async def test_asking_and_declining_read_no_row_of_the_others_that_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(row: RowContent, state: str, turn: int, marks: str) -> Record:
        read.append(row.key)
        return rows.record_of(row, state, turn, marks)

    async with given(tmp_path, world=old()) as it:
        for _ in range(5):
            await waiting(it, TAKE)
        monkeypatch.setattr(reader, "record_of", counted)
        run = await waiting(it, TAKE)
        assert read == []

        await it.approvals.decline(run, "me")

    assert len(set(read)) == 1
