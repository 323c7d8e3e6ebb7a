"""What waits is listed, decided and let expire with words and marks that say so."""

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.record import Record, State
from sayso.testing.fakes import Edits, Says
from tests.runtime.given import Given, a_policy, given, only, proposed, states
from tests.runtime.shelf import World

TAKE = ("shelf.take", {"name": "old"})
PUT = ("shelf.put", {"name": "a", "text": "x"})
PUT_Z = ("shelf.put", {"name": "z"})
TAKE_A = ("shelf.take", {"name": "a"})
LATE = "nobody answered in time; propose it again"


def old() -> World:
    return World(texts={"old": ("o", 0), "older": ("o", 0)})


def events(folder: Path) -> list[str]:
    """Return the words of the trail."""
    rows = sqlite3.connect(folder / "sayso.db").execute("SELECT event FROM audit ORDER BY seq").fetchall()
    return [event for (event,) in rows]


async def one_over_and_two_waiting(it: Given) -> tuple[str, str, str]:
    """Let three runs wait, of which the first has just expired."""
    first = await it.run(TAKE)
    it.clock.advance(hours=23)
    second, third = await it.run(TAKE), await it.run(TAKE)
    it.clock.advance(hours=1)
    return first.run, second.run, third.run


async def test_what_waits_is_listed_newest_first_without_what_is_over(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        first, second, third = await one_over_and_two_waiting(it)
        listed = await it.approvals.waiting()
        (gone,) = await it.tools.journal.of_run(first)

    assert [record.run for record in listed] == [third, second]
    assert (gone.state, gone.marks.error, gone.marks.code) == (State.EXPIRED, LATE, "expired")
    assert gone.marks.ended_at == "2026-03-15T12:00:00.000Z"
    assert events(tmp_path)[-1] == "expired"


async def test_of_several_that_are_over_one_that_was_just_decided_keeps_none_from_expiring(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        runs = [(await it.run(TAKE)).run for _ in range(3)]
        (decided,) = await it.tools.journal.of_run(runs[0])
        it.clock.advance(hours=24)
        journal = it.tools.journal

        class Behind:
            """A journal in which somebody has already declined the first one, though it was still listed."""

            def __getattr__(self, name: str) -> object:
                return getattr(journal, name)

            async def in_state(self, state: State) -> list[Record]:
                return [replace(decided, marks=replace(decided.marks, turn=7)), *(await journal.in_state(state))[1:]]

        behind = type(it.approvals)(replace(it.tools, journal=Behind()), it.path)
        assert await behind.waiting() == []
        ended = [(await journal.of_run(run))[0].state for run in runs]

    assert ended == [State.WAITING, State.EXPIRED, State.EXPIRED]


async def test_many_are_asked_about_run_by_run_each_in_its_order(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        one, other = await it.run(PUT, TAKE_A), await it.run(("shelf.put", {"name": "b"}))
        first, second = (outcome.record.id for outcome in one.outcomes)
        reports = await it.approvals.approve_all([second, other.run, first, other.run], says)

    assert [report.run for report in reports] == [one.run, other.run]
    assert [states(report) for report in reports] == [["done", "done"], ["done"]]
    assert [[card.id for card in question.cards][:1] for question in says.questions] == [
        [first],
        [only(other).record.id],
    ]
    assert it.world.done == ["shelf.put a", "shelf.take a", "shelf.put b"]


async def test_many_are_asked_about_only_when_all_of_them_wait(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, world=old()) as it:
        one = await it.run(TAKE)
        with pytest.raises(ProposalError):
            await it.approvals.approve_all([one.run, "do_none"], says)

    assert says.questions == []


async def test_what_is_over_is_told_as_that_beside_what_is_asked(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, world=old()) as it:
        first, second, _ = await one_over_and_two_waiting(it)
        reports = await it.approvals.approve_all([first, second], says)

    assert [states(report) for report in reports] == [["expired"], ["done"]]
    assert [report.dialect for report in reports] == ["lines", "lines"]
    assert len(says.questions) == 1


async def test_what_is_approved_says_by_whom_in_which_dialect_and_session(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, session="s7")
        approved = await it.approvals.approve(report.run, Says(True, by="click"))

    record = only(approved).record
    assert (approved.run, approved.dialect) == (report.run, "lines")
    assert (record.entry, record.session, record.marks.approved_by) == ("test", "s7", "click")


async def test_a_no_is_told_with_its_word_and_written_down_once(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        report = await it.run(PUT, TAKE)
        declined = await it.approvals.decline(report.run, "terminal")
        kept = await it.again(report)

    assert (declined.run, declined.dialect) == (report.run, "lines")
    for record in (*kept, *(outcome.record for outcome in declined.outcomes)):
        assert (record.state, record.marks.error, record.marks.code) == (State.DECLINED, "you said no", "declined")
        assert (record.marks.approved_by, record.marks.ended_at) == ("terminal", "2026-03-14T12:00:00.000Z")
    assert events(tmp_path)[-1] == "declined"


async def test_one_action_of_a_run_is_declined_alone(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        report = await it.run(PUT, TAKE)
        declined = await it.approvals.decline(report.outcomes[1].record.id, "terminal")

    assert [outcome.record.index for outcome in declined.outcomes] == [1]


@pytest.mark.parametrize(
    ("ref", "code", "said"),
    [
        ("do_none", "action.unknown", "there is no action or run “do_none”"),
        ("run_none", "action.unknown", "there is no action or run “run_none”"),
    ],
)
async def test_what_there_is_not_cannot_be_decided(tmp_path: Path, ref: str, code: str, said: str) -> None:
    async with given(tmp_path) as it:
        for deed in (it.approvals.approve(ref, Says(True)), it.approvals.decline(ref, "terminal")):
            with pytest.raises(ProposalError) as told:
                await deed
            assert (told.value.code, str(told.value)) == (code, said)


async def test_what_is_decided_or_over_cannot_be_decided_again_and_says_how_it_stands(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        done = await it.run(("shelf.put", {"name": "b"}))
        over, *_ = await one_over_and_two_waiting(it)
        with pytest.raises(ProposalError) as decided:
            await it.approvals.approve(done.run, Says(True))
        with pytest.raises(ProposalError) as late:
            await it.approvals.question(over)

    assert (decided.value.code, str(decided.value)) == (
        "action.not_waiting",
        f"nothing waits under “{done.run}”: it is done already",
    )
    assert (late.value.code, str(late.value)) == (
        "action.not_waiting",
        f"nothing waits under “{over}”: its time is over",
    )


async def test_what_stands_on_a_later_step_names_the_first_it_stands_on_and_the_run(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        report = await it.run(("shelf.put", {"name": "z"}), PUT, TAKE_A)
        first, second, third = (outcome.record.id for outcome in report.outcomes)
        with pytest.raises(ProposalError) as told:
            await it.approvals.approve(third, Says(True))
        alone = await it.approvals.approve(first, Says(True))

    assert told.value.code == "action.stands_on_waiting"
    assert str(told.value) == f"“{third}” stands on step 2 of its run, which still waits; approve {report.run}"
    assert (states(alone), second != third) == (["done"], True)


async def test_what_the_person_made_of_what_waited_is_told_with_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        it.tightened(mode="destructive")
        waiting = await it.run(TAKE)
        edit = Edits(tuple(proposed(("shelf.put", {"name": "b", "text": "x"}))))
        report = await it.approvals.approve(waiting.run, Says(edit, True))

    assert [states(made) for made in report.edits] == [["done"]]
    assert states(report) == ["declined"]


async def test_what_stands_on_two_waiting_steps_names_the_first_of_them(tmp_path: Path) -> None:
    world = World(texts={"a": ("1", 0), "b": ("2", 0)})
    async with given(tmp_path, world=world, policy=a_policy(mode="always")) as it:
        report = await it.run(
            PUT_Z,
            ("shelf.take", {"name": "a"}),
            ("shelf.take", {"name": "b"}),
            ("shelf.pair", {"one": "a", "other": "b"}),
        )
        with pytest.raises(ProposalError, match=r"stands on step 2 of its run, which still waits"):
            await it.approvals.approve(report.outcomes[3].record.id, Says(True))


async def test_of_a_run_that_is_over_in_part_the_rest_is_asked_about(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run, there = (await it.run(TAKE, ("shelf.take", {"name": "older"}))).run, it.tools.journal.of_run

        async def of_run(run: str) -> list[Record]:
            first, second = await there(run)
            return [replace(first, marks=replace(first.marks, state=State.EXPIRED)), second]

        it.tools.journal.of_run = of_run
        question = await it.approvals.question(run)

    assert [card.index for card in question.cards] == [1]


@pytest.mark.req("TO-01")
async def test_a_plan_that_can_no_longer_be_read_is_refused_and_nobody_is_asked(tmp_path: Path) -> None:
    eaten: dict[str, Json] = {"summary": "Take it", "changes": [{"do": {"step": "shelf.eat"}}]}
    async with given(tmp_path, world=old()) as it:
        run, there = (await it.run(TAKE)).run, it.tools.journal.of_run

        async def of_run(run: str) -> list[Record]:
            return [replace(record, plan=eaten) for record in await there(run)]

        says = Says(True)
        it.tools.journal.of_run = of_run
        report = await it.approvals.approve(run, says)
        it.tools.journal.of_run = there
        (kept,) = await it.again(report)

    assert (states(report), states([kept]), says.questions) == (["refused"], ["refused"], [])
    assert (kept.marks.approved_by, kept.marks.owner, kept.marks.ended_at) == (None, None, "2026-03-14T12:00:00.000Z")
    assert "shelf.eat" in (kept.marks.error or "")
    assert it.world.done == []
