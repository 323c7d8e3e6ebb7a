"""What waits is listed, asked about, decided once and lets expire, with words and marks that say so."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, Refused
from sayso.core.ports import JournalChange
from sayso.core.record import Record, State
from sayso.journal import reader, rows
from sayso.journal.rows import RowContent
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Outcome
from sayso.testing.fakes import Edits, Says
from tests.runtime.given import Given, a_policy, events, given, only, proposed, states
from tests.runtime.shelf import BURN, NOON, PUT, PUT_B, READ, SEND, TAKE, Call, World, old

PUT_Z: Call = ("shelf.put", {"name": "z"})
TAKE_A: Call = ("shelf.take", {"name": "a"})
TAKE_OLDER: Call = ("shelf.take", {"name": "older"})
STRICTER = "judged again now, more strictly than before: "
ALWAYS = a_policy(mode="always")


def two() -> World:
    return World(texts={"old": ("o", 0), "older": ("o", 0)})


async def waiting(it: Given, *calls: Call, **how: Any) -> str:
    """Let something wait, and return its run."""
    report = await it.run(*calls, **how)
    assert set(states(report)) == {"waiting"}
    return report.run


async def why_not(it: Given, ref: str, *, decline: bool = False) -> tuple[str, str]:
    """Return the word and the sentence with which nothing is decided."""
    with pytest.raises(ProposalError) as said:
        await (it.approvals.decline(ref, "terminal") if decline else it.approvals.approve(ref, Says(True)))
    return said.value.code, str(said.value)


async def one_over_and_two_waiting(it: Given) -> list[str]:
    """Let three runs wait, of which the first has just expired."""
    first = await waiting(it, TAKE)
    it.clock.advance(hours=23)
    runs = [first, await waiting(it, TAKE), await waiting(it, TAKE)]
    it.clock.advance(hours=1)
    return runs


async def test_what_waits_survives_the_process_and_is_done_where_the_yes_falls(tmp_path: Path) -> None:
    world = old()
    async with given(tmp_path, world=world) as it:
        run = await waiting(it, PUT, TAKE, session="s7")

    async with given(tmp_path, world=world) as later:
        report = await later.approvals.approve(run, Says(True, by="click"))

    record = report.outcomes[1].record
    assert (states(report), world.done) == (["done", "done"], ["shelf.put a", "shelf.take old"])
    assert (report.run, report.dialect) == (run, "lines")
    assert (record.entry, record.session, record.marks.approved_by) == ("test", "s7", "click")


async def test_a_no_is_told_with_its_word_and_written_down_once(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=ALWAYS) as it:
        report = await it.run(PUT, TAKE)
        declined = await it.approvals.decline(report.run, "terminal")
        kept = await it.again(report)

    assert (declined.run, declined.dialect) == (report.run, "lines")
    for record in (*kept, *(outcome.record for outcome in declined.outcomes)):
        assert (record.state, record.marks.error, record.marks.code) == (State.DECLINED, "you said no", "declined")
        assert (record.marks.approved_by, record.marks.ended_at) == ("terminal", NOON)
    assert (events(tmp_path)[-1], it.world.done) == ("declined", [])


async def test_one_action_of_a_run_is_declined_alone(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=ALWAYS) as it:
        report = await it.run(PUT, TAKE)
        declined = await it.approvals.decline(report.outcomes[1].record.id, "terminal")
        kept = await it.again(report)

    assert ([outcome.record.index for outcome in declined.outcomes], states(kept)) == ([1], ["waiting", "declined"])


@pytest.mark.req("X-10", "TO-03")
async def test_a_decision_is_consumed_once_and_what_there_is_not_or_is_over_cannot_be_decided(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        over, run, _ = await one_over_and_two_waiting(it)
        await it.approvals.approve(run, Says(True))
        found = {
            (ref, decline): await why_not(it, ref, decline=decline)
            for ref in (run, over, "do_none", "run_none")
            for decline in (False, True)
            if (ref, decline) != (over, False)
        }
        with pytest.raises(ProposalError) as late:
            await it.approvals.question(over)

    too_late = ("action.not_waiting", f"nothing waits under “{over}”: its time is over")
    for decline in (False, True):
        assert found[run, decline] == ("action.not_waiting", f"nothing waits under “{run}”: it is done already")
        for ref in ("do_none", "run_none"):
            assert found[ref, decline] == ("action.unknown", f"there is no action or run “{ref}”")
    assert found[over, True] == (late.value.code, str(late.value)) == too_late
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
        record = only(await it.run(BURN, approver=Replays(Decision(True, "terminal", first.digest)))).record

    assert (record.state, record.marks.code, it.world.done) == (State.DECLINED, "digest.changed", [])


@pytest.mark.req("TO-01")
async def test_what_was_altered_in_the_journal_while_it_waited_is_refused(tmp_path: Path) -> None:
    async with given(tmp_path, world=two()) as it:
        run = await waiting(it, TAKE)

    database = sqlite3.connect(tmp_path / "sayso.db")
    (body,) = database.execute("SELECT body FROM action").fetchone()
    text = body.decode() if isinstance(body, bytes) else body
    assert '"old"' in text
    altered = text.replace('"old"', '"older"')
    database.execute("UPDATE action SET body = ?", (altered.encode() if isinstance(body, bytes) else altered,))
    database.commit()
    database.close()

    async with given(tmp_path, world=two()) as later:
        record = only(await later.approvals.approve(run, Says(True))).record

    assert (record.state, record.marks.code, later.world.done) == (State.REFUSED, "digest.changed", [])


def damage(it: Given, plan: dict[str, Json]) -> Callable[[], None]:
    """Let the plan of what waits first in each run be this one; return how to mend it."""
    of_run = it.tools.journal.of_run

    async def damaged(run: str) -> list[Record]:
        first, *others = await of_run(run)
        return [replace(first, plan=plan) if first.state is State.WAITING else first, *others]

    def mend() -> None:
        it.tools.journal.of_run = of_run

    it.tools.journal.of_run = damaged
    return mend


EATEN: dict[str, Json] = {"summary": "Take it", "changes": [{"do": {"step": "shelf.eat"}}]}


@pytest.mark.req("T-18", "TO-01")
@pytest.mark.parametrize(("rest", "ends"), [((), []), ((TAKE,), ["skipped"]), ((PUT,), ["done"])])
async def test_of_what_waited_the_part_that_cannot_be_read_any_more_is_refused(
    tmp_path: Path, rest: tuple[Call, ...], ends: list[str]
) -> None:
    says = Says(True)
    async with given(tmp_path, world=old(), policy=ALWAYS) as it:
        run = await waiting(it, SEND, *rest)
        mend = damage(it, EATEN)
        before = len(events(tmp_path))
        report = await it.approvals.approve(run, says)
        mend()
        (kept, *_) = await it.again(report)

    assert states(report) == ["refused", *ends]
    assert [[card.index for card in question.cards] for question in says.questions] == ([[1]] if rest else [])
    assert (kept.state, kept.marks.approved_by, kept.marks.owner, kept.marks.ended_at) == (
        State.REFUSED, None, None, NOON,
    )  # fmt: skip
    assert "shelf.eat" in (kept.marks.error or "")
    assert events(tmp_path)[before] == "refused"
    assert it.world.texts.keys() == {"old", *(["a"] if "done" in ends else [])}


@pytest.mark.req("TO-02")
@pytest.mark.parametrize("stricter", [{"allowed_operations": ("shelf.put",)}, {"allowed_operations": ()}])
async def test_a_policy_that_became_stricter_voids_a_yes(tmp_path: Path, stricter: dict[str, object]) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.tightened(**stricter)
        record = only(await it.approvals.approve(run, Says(True))).record

    assert (record.state, STRICTER in (record.marks.error or ""), it.world.done) == (State.REFUSED, True, [])


@pytest.mark.parametrize(
    ("paused", "why"),
    [
        ({"paused": True}, "everything is paused; “sayso resume” lets sayso go on"),
        (
            {"paused": True, "unreadable": "config.toml is not TOML"},
            "everything is paused until the settings can be read again: config.toml is not TOML",
        ),
    ],
)
async def test_while_everything_is_paused_nobody_is_asked_and_what_waits_goes_on_waiting(
    tmp_path: Path, paused: dict[str, object], why: str
) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.tightened(**paused)
        asked = Says(True)

        for answer in (it.approvals.approve(run, asked), it.approvals.approve_all([run], asked)):
            with pytest.raises(Refused) as no:
                await answer
            assert (str(no.value), no.value.code) == (why, "policy.paused")
        still = [record.state for record in await it.approvals.waiting()]
        it.tightened(paused=False, unreadable="")
        done = states(await it.approvals.approve(run, Says(True)))

    assert (asked.questions, still, done) == ([], [State.WAITING], ["done"])


async def test_while_everything_is_paused_a_no_counts(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.tightened(paused=True)

        assert states(await it.approvals.decline(run, "command")) == ["declined"]


async def test_a_policy_that_became_looser_or_stayed_as_strict_voids_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.tightened(mode="never", waiting_expires=60)

        assert states(await it.approvals.approve(run, Says(True))) == ["done"]


@pytest.mark.req("X-08", "TO-02")
async def test_a_yes_to_sending_is_void_once_text_of_strangers_was_read(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=ALWAYS) as it:
        run = await waiting(it, SEND, session="s1")
        await it.run(READ, session="s1")
        report = await it.approvals.approve(run, Says(True))

    assert (states(report), it.world.done) == (["refused"], [])


async def test_the_world_moving_on_while_something_waits_is_a_failure_and_no_overwrite(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, TAKE)
        it.world.texts["old"] = ("somebody wrote here", 7)
        record = only(await it.approvals.approve(run, Says(True))).record

    assert (record.state, record.marks.code) == (State.FAILED, "world.changed")
    assert it.world.texts["old"] == ("somebody wrote here", 7)


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
        assert states(approved) == states(await it.again(report)) == [state]
        assert await it.approvals.waiting() == []


async def test_a_yes_that_comes_too_late_counts_as_none(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=Says(True, then=lambda: it.clock.advance(hours=25)))

    assert (states(report), it.world.done) == (["expired"], [])


async def test_what_waits_is_listed_newest_first_without_what_is_over(tmp_path: Path) -> None:
    async with given(tmp_path, world=two()) as it:
        first, second, third = await one_over_and_two_waiting(it)
        listed = await it.approvals.waiting()
        (gone,) = await it.tools.journal.of_run(first)

    assert [record.run for record in listed] == [third, second]
    assert (gone.state, gone.marks.code) == (State.EXPIRED, "expired")
    assert gone.marks.error == "nobody answered in time; propose it again"
    assert gone.marks.ended_at == "2026-03-15T12:00:00.000Z"
    assert events(tmp_path)[-1] == "expired"


async def test_of_several_that_are_over_one_that_was_just_decided_keeps_none_from_expiring(tmp_path: Path) -> None:
    async with given(tmp_path, world=two()) as it:
        runs = [await waiting(it, TAKE) for _ in range(3)]
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


async def test_what_is_over_is_told_as_that_beside_what_is_asked(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, world=two()) as it:
        first, second, _ = await one_over_and_two_waiting(it)
        reports = await it.approvals.approve_all([first, second], says)

    assert [(states(report), report.dialect) for report in reports] == [(["expired"], "lines"), (["done"], "lines")]
    assert len(says.questions) == 1


async def test_of_a_run_that_is_over_in_part_the_rest_is_asked_about(tmp_path: Path) -> None:
    async with given(tmp_path, world=two()) as it:
        run, there = await waiting(it, TAKE, TAKE_OLDER), it.tools.journal.of_run

        async def of_run(run: str) -> list[Record]:
            first, second = await there(run)
            return [first.marked(state=State.EXPIRED), second]

        it.tools.journal.of_run = of_run
        question = await it.approvals.question(run)

    assert [card.index for card in question.cards] == [1]


async def test_many_are_asked_about_run_by_run_each_in_its_order_and_only_when_all_of_them_wait(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, policy=ALWAYS) as it:
        one, other = await it.run(PUT, TAKE_A), await it.run(PUT_B)
        first, second = (outcome.record.id for outcome in one.outcomes)
        with pytest.raises(ProposalError):
            await it.approvals.approve_all([one.run, "do_none"], says)
        assert says.questions == []
        reports = await it.approvals.approve_all([second, other.run, first, other.run], says)

    assert [(report.run, states(report)) for report in reports] == [(one.run, ["done"] * 2), (other.run, ["done"])]
    assert [question.cards[0].id for question in says.questions] == [first, only(other).record.id]
    assert it.world.done == ["shelf.put a", "shelf.take a", "shelf.put b"]


@pytest.mark.req("T-18")
@pytest.mark.parametrize(
    ("calls", "step"),
    [
        ((PUT, TAKE_A), 1),
        ((PUT_Z, PUT, TAKE_A), 2),
        ((PUT_Z, SEND, TAKE), 2),
        ((PUT_Z, TAKE, TAKE_OLDER, ("shelf.pair", {"one": "old", "other": "older"})), 2),
    ],
)
async def test_what_stands_on_waiting_steps_names_the_first_of_them_and_is_done_after_it_or_with_it(
    tmp_path: Path, calls: tuple[Call, ...], step: int
) -> None:
    async with given(tmp_path, world=two(), policy=ALWAYS) as it:
        report = await it.run(*calls)
        ids = [outcome.record.id for outcome in report.outcomes]
        code, said = await why_not(it, ids[-1])
        for id_ in ids[:-2]:
            assert states(await it.approvals.approve(id_, Says(True))) == ["done"]
        (last,) = await it.approvals.approve_all(ids[-2:], Says(True))

    assert code == "action.stands_on_waiting"
    assert said == f"“{ids[-1]}” needs step {step} of its run, which still waits; approve {report.run}"
    assert states(last) == ["done", "done"]


async def test_what_an_action_stands_on_may_have_been_done_by_an_earlier_yes(tmp_path: Path) -> None:
    async with given(tmp_path, policy=ALWAYS) as it:
        first, second = (one.record.id for one in (await it.run(PUT, TAKE_A)).outcomes)
        await it.approvals.approve(first, Says(True))

        assert states(await it.approvals.approve(second, Says(True))) == ["done"]
    assert it.world.texts == {}


async def test_what_the_person_made_of_what_waited_is_told_with_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=two(), policy=a_policy(mode="destructive")) as it:
        run = await waiting(it, TAKE)
        report = await it.approvals.approve(run, Says(Edits(tuple(proposed(PUT_B))), True))

    assert [states(made) for made in report.edits] == [["done"]]
    assert states(report) == ["declined"]


async def test_what_nobody_answers_is_left_as_it_waits(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = await waiting(it, PUT, TAKE)
        before, trail = await it.tools.journal.of_run(run), events(tmp_path)
        again = await it.approvals.approve(run, Nobody())

        assert states(again) == ["waiting", "waiting"]
        assert (await it.tools.journal.of_run(run), events(tmp_path)) == (before, trail)


@pytest.mark.parametrize(
    ("most", "calls", "ends"),
    [
        (2, [(TAKE,), (TAKE,), (TAKE,)], [["waiting"], ["waiting"], ["refused"]]),
        (1, [(PUT, PUT_B), (PUT_Z,)], [["waiting", "waiting"], ["refused"]]),
    ],
)
async def test_no_more_wait_than_may_but_for_a_batch_where_nothing_else_does(
    tmp_path: Path, most: int, calls: list[tuple[Call, ...]], ends: list[list[str]]
) -> None:
    limits = replace(a_policy().limits, waiting=most)
    async with given(tmp_path, world=old(), policy=a_policy(mode="always", limits=limits)) as it:
        reports = [await it.run(*each) for each in calls]

    assert [states(report) for report in reports] == ends
    record = only(reports[-1]).record
    assert (record.marks.code, events(tmp_path)[-1]) == ("limit.waiting", "refused")
    assert record.verdict is not None
    assert (record.verdict.ruling, record.verdict.rule, record.verdict.code) == ("deny", "limits", "limit.waiting")


@pytest.mark.parametrize("gone", [False, True])
async def test_what_somebody_else_decided_meanwhile_is_told_as_they_left_it_or_as_it_was(
    tmp_path: Path, gone: bool
) -> None:
    async with given(tmp_path, world=old()) as it:
        commit, get = it.tools.journal.commit, it.tools.journal.get

        async def beaten(*changes: JournalChange, event: str) -> None:
            if event == "approved":
                it.tools.journal.commit = commit
                (waiting,) = await it.tools.journal.in_state(State.WAITING)
                await it.approvals.decline(waiting.run, "page")
            await commit(*changes, event=event)

        async def lost(*words: Any, **named: Any) -> None:
            assert await get(*words, **named)

        it.tools.journal.commit, it.tools.journal.get = beaten, (lost if gone else get)
        record = only(await it.run(BURN, approver=Says(True))).record

    assert (record.state, it.world.done) == (State.WAITING if gone else State.DECLINED, [])
    assert record.marks.approved_by == (None if gone else "page")


@pytest.mark.req("AV-07", "TO-04")
async def test_of_many_that_decide_at_once_one_wins_and_the_others_are_told(tmp_path: Path) -> None:
    told: list[str] = []
    counted: list[Outcome] = []

    async def decide(it: Given, run: str, number: int) -> None:
        try:
            if number % 2:
                report = await it.approvals.approve(run, Says(True))
                counted.extend(outcome for outcome in report.outcomes if not outcome.elsewhere)
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
    assert sum(one.record.state is State.DONE for one in counted) == (1 if record.state is State.DONE else 0)
    assert record.state in {State.DONE, State.DECLINED}
    assert len(it.world.done) == (1 if record.state is State.DONE else 0)


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
