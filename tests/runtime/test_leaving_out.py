"""A person may leave out a part of what is asked; what needs that part does not happen either, and says so."""

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from sayso.core.plan import Plan
from sayso.core.record import State
from sayso.core.verdict import Card, Decision, Question, Verdict, run_digest
from sayso.testing.fakes import Only, Says
from tests.runtime.given import a_policy, given, states
from tests.runtime.shelf import World

PUT = ("shelf.put", {"name": "a", "text": "x"})
TAKE_A = ("shelf.take", {"name": "a"})
TAKE = ("shelf.take", {"name": "old"})
BURN = ("shelf.burn", {"name": "other"})


def full() -> World:
    return World(texts={"old": ("o", 0), "other": ("p", 0)})


@pytest.mark.req("S0-94", "X-09")
async def test_only_what_is_ticked_is_done_and_the_rest_is_declined(tmp_path: Path) -> None:
    async with given(tmp_path, world=full()) as it:
        report = await it.run(PUT, TAKE, BURN, approver=Says(Only((0, 2))))

    assert states(report) == ["done", "declined", "done"]
    assert it.world.done == ["shelf.put a", "shelf.take other"]
    left_out = report.outcomes[1].record
    assert (left_out.marks.error, left_out.marks.code) == ("you left this out", "step.left_out")
    assert left_out.marks.approved_by == "terminal"


async def test_what_needs_an_action_that_was_left_out_is_skipped_and_says_which(tmp_path: Path) -> None:
    async with given(tmp_path, world=full(), policy=a_policy(mode="always")) as it:
        says = Says(Only((1, 2)))
        report = await it.run(PUT, TAKE_A, TAKE, approver=says)

    assert [card.needs for card in says.questions[0].cards] == [(), (0,), ()]
    assert states(report) == ["declined", "skipped", "done"]
    kept_back = report.outcomes[1].record.marks
    assert (kept_back.error, kept_back.code) == (
        "skipped because it needs step 1, which you left out",
        "step.needs_left_out",
    )


@pytest.mark.req("T-18")
async def test_nothing_is_destroyed_after_a_step_on_the_same_thing_was_left_out(tmp_path: Path) -> None:
    send = ("shelf.send", {"name": "old", "to": "ana@example.org"})
    async with given(tmp_path, world=full(), policy=a_policy(mode="always")) as it:
        says = Says(Only((1,)))
        report = await it.run(send, TAKE, approver=says)

    assert [card.needs for card in says.questions[0].cards] == [(), (0,)]
    assert states(report) == ["declined", "skipped"]
    assert it.world.done == []


async def test_what_was_left_out_is_no_failure_that_stops_the_rest(tmp_path: Path) -> None:
    async with given(tmp_path, world=full(), policy=a_policy(stop_on_error=True)) as it:
        says = Says(Only((1,)))
        report = await it.run(TAKE, BURN, approver=says)

    assert states(report) == ["declined", "done"]
    assert says.questions[0].stops


async def test_a_yes_to_nothing_does_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=full()) as it:
        report = await it.run(PUT, TAKE, approver=Says(Only(())))

    assert states(report) == ["declined", "declined"]
    assert it.world.done == []


@pytest.mark.req("X-10", "TO-03")
async def test_a_yes_to_a_part_does_not_count_for_another_part(tmp_path: Path) -> None:
    class Swaps:
        async def ask(self, question: Question) -> Decision | None:
            first, second = question.cards
            return Decision(True, "client", question.only([first.id]).digest, ticked=(second.id,))

    class Widens:
        async def ask(self, question: Question) -> Decision | None:
            return Decision(True, "client", question.only([question.cards[0].id]).digest)

    async with given(tmp_path, world=full()) as it:
        reports = [await it.run(TAKE, BURN, approver=approver) for approver in (Swaps(), Widens())]

    for report in reports:
        assert states(report) == ["declined", "declined"]
        assert {outcome.record.marks.code for outcome in report.outcomes} == {"digest.changed"}
    assert it.world.done == []


async def test_all_that_was_shown_is_decided_in_one_commit(tmp_path: Path) -> None:
    async with given(tmp_path, world=full(), policy=a_policy(mode="always")) as it:
        waiting = await it.run(PUT, TAKE_A, TAKE)
        await it.approvals.approve(waiting.run, Says(Only((1, 2))))
        records = await it.again(waiting)

    database = sqlite3.connect(tmp_path / "sayso.db")
    (members,) = database.execute("SELECT members FROM trail WHERE event = 'approved'").fetchone()
    database.close()
    assert [record.state for record in records] == [State.DECLINED, State.SKIPPED, State.DONE]
    assert {action["id"]: action["state"] for action in json.loads(members)["actions"]} == {
        records[0].id: "declined",
        records[1].id: "skipped",
        records[2].id: "running",
    }


@st.composite
def questions(draw: st.DrawFn) -> tuple[Question, set[int]]:
    count = draw(st.integers(1, 12))
    verdict = Verdict("ask", "it asks", "mode", "mode")
    cards = tuple(
        Card(
            f"do_{index}",
            index,
            "x.y",
            {},
            Plan("x"),
            verdict,
            f"sha256:{index}",
            needs=tuple(sorted(draw(st.sets(st.integers(0, index - 1), max_size=3)))) if index else (),
        )
        for index in range(count)
    )
    question = Question("run_1", cards, run_digest(card.digest for card in cards))
    return question, draw(st.sets(st.integers(0, count - 1)))


@examples(questions())
def test_what_is_left_has_everything_it_needs(drawn: tuple[Question, set[int]]) -> None:
    question, left_out = drawn

    lacking = question.lacking(left_out)

    going = {card.index for card in question.cards} - left_out - lacking.keys()
    assert all(set(question.cards[index].needs) <= going for index in going)
    assert not left_out & lacking.keys()
    assert all(missing in left_out or missing in lacking for missing in lacking.values())
    # Nothing is kept back that could happen: walking back from it one comes to what was left out.
    assert all(reaches(question, index, left_out) for index in lacking)


def reaches(question: Question, index: int, left_out: set[int]) -> bool:
    needs = question.cards[index].needs
    return any(need in left_out or reaches(question, need, left_out) for need in needs)
