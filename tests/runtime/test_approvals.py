"""What waits is decided once, for exactly what was shown, in the process where the yes falls."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProposalError
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.core.verdict import Decision, Question
from sayso.runtime.answering import Nobody
from sayso.testing.fakes import Says
from tests.runtime.given import Call, Given, a_policy, given, only, proposed, states
from tests.runtime.shelf import World

TAKE = ("shelf.take", {"name": "old"})
BURN = ("shelf.burn", {"name": "old"})
PUT = ("shelf.put", {"name": "a", "text": "x"})


def old() -> World:
    return World(texts={"old": ("o", 0)})


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
    async with given(tmp_path, world=replace(old(), texts={"old": ("o", 0), "new": ("n", 0)})) as it:
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
