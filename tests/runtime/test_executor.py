"""What cannot be called back is held first: nothing of it has begun until the hold is over."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import ClassVar, Literal

import pytest
from msgspec.structs import replace

from sayso.core.decision import Ruling, Verdict
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.grant import Grant
from sayso.core.plan import NOTHING, CannotUndo, Change, Plan, Reach, Step
from sayso.core.ports import Locks, RecordQuery
from sayso.core.proposal import Origin
from sayso.core.record import Record, State
from sayso.runtime.engine import Approvals, Engine
from sayso.runtime.executor import STOPPED, TAKEN_BACK, DelayGate, is_held, on_other_grounds, seconds_of
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report
from sayso.runtime.services import DelayedActions, Services, stamp
from sayso.runtime.system import SystemClock
from sayso.runtime.undo import Undo, UndoCandidate
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Given, a_dead_owner, a_policy, events, given, only, permitted, proposed, states, taken
from tests.runtime.shelf import JOT, JOT_B, PUT, PUT_B, READ, TAKE, Call, Put, World, old


@dataclass
class Meanwhile:
    """Does something while a hold lasts, and remembers what was held."""

    then: Callable[[DelayedActions], object] = lambda held: None
    held: list[DelayedActions] = field(default_factory=list[DelayedActions])
    over: list[bool] = field(default_factory=list[bool])

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        self.held.append(held)
        came_to = self.then(held)
        if isawaitable(came_to):
            await came_to
        self.over.append(await over())


def holding(it: Given, waits: Meanwhile, stopped: list[bool] | None = None) -> Given:
    stopping = bool if stopped is None else lambda: bool(stopped)
    return Given(replace(it.tools, waits=waits, stopping=stopping), it.world, it.clock, it.policy)


async def test_it_goes_once_the_time_is_up_and_not_before(tmp_path: Path) -> None:
    done: list[list[str]] = []
    async with given(tmp_path, world=World(held=10)) as it:
        waits = Meanwhile(lambda held: done.append([*it.world.done]))
        report = await holding(it, waits).run(PUT)

    assert states(report) == ["done"]
    assert (done, it.world.done) == ([[]], ["shelf.put a"])
    assert (waits.held[0].seconds, waits.held[0].ids) == (10, (only(report).record.id,))
    assert waits.over == [False]


async def test_what_is_not_held_is_not_waited_for(tmp_path: Path) -> None:
    waits = Meanwhile()
    async with given(tmp_path, world=World(held=0)) as it:
        await holding(it, waits).run(PUT)

    assert waits.held == []


async def test_what_comes_before_is_done_first_and_all_that_is_held_waits_together(tmp_path: Path) -> None:
    done: list[list[str]] = []
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), policy=a_policy(mode="never")) as it:
        waits = Meanwhile(lambda held: done.append([*it.world.done]))
        report = await holding(it, waits).run(TAKE, PUT, PUT_B)

    assert states(report) == ["done", "done", "done"]
    assert done == [["shelf.take old"]]
    assert len(waits.held[0].what) == 2


async def test_what_goes_along_with_what_is_held_is_not_held_itself(tmp_path: Path) -> None:
    stopped: list[bool] = []
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), policy=a_policy(mode="never")) as it:
        waits = Meanwhile(lambda held: stopped.append(True))
        report = await holding(it, waits, stopped).run(PUT, TAKE)

    assert states(report) == ["declined", "skipped"]
    assert [(held.what, held.ids) for held in waits.held] == [
        (("Put “a” on the shelf",), (report.outcomes[0].record.id,))
    ]


async def test_what_is_refused_at_the_claim_is_not_waited_for(tmp_path: Path) -> None:
    waits = Meanwhile()
    async with given(tmp_path, world=World(held=5), policy=a_policy(mode="always")) as it:
        says = Says(True, then=lambda: it.tightened(allowed_operations=("shelf.take",)))
        report = await holding(it, waits).run(PUT, PUT_B, approver=says)

    assert (states(report), waits.held) == (["refused", "refused"], [])


async def test_where_nobody_shows_it_the_hold_is_waited_out_in_silence(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=0.01)) as it:
        tools = replace(it.tools, clock=SystemClock())
        report = await Given(tools, it.world, it.clock, it.policy).run(PUT)

    assert states(report) == ["done"]


async def test_whoever_stops_the_run_meanwhile_has_kept_it_here(tmp_path: Path) -> None:
    stopped: list[bool] = []
    async with given(tmp_path, world=World(held=5)) as it:
        waits = Meanwhile(lambda held: stopped.append(True))
        report = await holding(it, waits, stopped).run(PUT, PUT_B)
        again = await it.again(report)

    assert states(report) == states(again) == ["declined", "declined"]
    assert {(row.marks.error, row.marks.code) for row in again} == {(STOPPED, "held.stopped")}
    assert it.world.done == []
    assert waits.over == [True]


async def test_undo_takes_it_back_while_it_is_held(tmp_path: Path) -> None:
    backs: list[Report] = []
    async with given(tmp_path, world=World(held=5)) as it:

        async def take_back(held: DelayedActions) -> None:
            backs.append(await it.undone(held.ids[0]))

        waits = Meanwhile(take_back)
        report = await holding(it, waits).run(PUT)
        (row,) = await it.again(report)

    assert states(report) == ["undone"]
    marks, now = row.marks, stamp(it.clock.now())
    assert (row.state, marks.message, marks.undone_by) == (State.UNDONE, TAKEN_BACK, only(backs[0]).record.id)
    assert (marks.owner, marks.ended_at) == (None, now)
    back = only(backs[0]).record
    assert (back.state, back.marks.message) == (State.DONE, "Took back before it began: Put “a” on the shelf")
    assert (back.marks.approved_by, back.marks.decided_at, back.marks.ended_at) == ("command", now, now)
    assert events(tmp_path)[-1] == "undone"
    assert it.world.done == []
    assert waits.over == [True]


async def test_undo_of_nothing_in_particular_means_what_is_held_and_not_what_was_done_before(tmp_path: Path) -> None:
    backs: list[Report] = []
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), policy=a_policy(mode="never")) as it:

        async def take_back(held: DelayedActions) -> None:
            backs.append(await it.undone())

        report = await holding(it, Meanwhile(take_back)).run(TAKE, PUT)

    assert states(report) == ["done", "undone"]
    assert only(backs[0]).record.undo_of == report.outcomes[1].record.id
    assert it.world.done == ["shelf.take old"]


async def test_what_has_gone_is_taken_back_in_the_usual_way(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        await holding(it, Meanwhile()).run(PUT)
        back = only(await it.undone()).record

    assert (back.state, back.marks.message) == (State.DONE, "Took back: Put “a” on the shelf")
    assert it.world.done == ["shelf.put a", "shelf.take a"]


async def test_what_is_about_to_begin_and_is_not_held_has_no_way_back_yet(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:

        async def find(held: DelayedActions) -> None:
            it.world.held = 0
            with pytest.raises(ProposalError, match="changed nothing: it is running"):
                await it.undo.find(held.ids[0])

        waits = Meanwhile(find)
        await holding(it, waits).run(PUT)

    assert len(waits.over) == 1


@dataclass
class Watched:
    """Locks that remember what was held."""

    locks: Locks
    held: list[str] = field(default_factory=list[str])

    def hold(self, stores: Iterable[str]) -> AbstractAsyncContextManager[None]:
        wanted = [*stores]
        self.held += wanted
        return self.locks.hold(wanted)

    def attempt(self, stores: Iterable[str]) -> AbstractAsyncContextManager[bool]:
        return self.locks.attempt(stores)


async def test_nothing_can_begin_while_it_is_being_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        locks = Watched(it.tools.locks)

        async def take_back(held: DelayedActions) -> None:
            found = await it.undo.find(held.ids[0])
            await Undo(replace(it.tools, locks=locks)).take_back(found, Origin("", "undo"), "command")

        await holding(it, Meanwhile(take_back)).run(PUT)

    assert locks.held == ["shelf"]


async def test_what_is_looked_at_in_its_turn_is_held_and_can_be_taken_back_too(tmp_path: Path) -> None:
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), imagines=False) as it:
        waits = Meanwhile(lambda held: it.undone(held.ids[0]))
        report = await holding(it, waits).run(("shelf.put", {"name": "c", "text": "z"}), PUT)
        left = Meanwhile()
        went = await holding(it, left).run(("shelf.put", {"name": "c", "text": "z"}), PUT)

    assert events(tmp_path).count("held") == 2
    assert [len(held.ids) for held in waits.held] == [1, 1]
    assert states(report) == ["undone", "undone"]
    assert [len(held.ids) for held in left.held] == [1, 1]
    assert states(went) == ["done", "done"]
    assert it.world.done == ["shelf.put c", "shelf.put a"]


async def test_one_of_two_that_are_held_can_be_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        waits = Meanwhile(lambda held: it.undone(held.ids[0]))
        report = await holding(it, waits).run(PUT, PUT_B)

    assert states(report) == ["undone", "done"]
    assert waits.over == [False]
    assert it.world.done == ["shelf.put b"]


async def test_once_it_has_gone_it_is_not_held_any_more(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        found: list[UndoCandidate] = []

        async def find(held: DelayedActions) -> None:
            found.extend(await it.undo.find(held.ids[0]))

        await holding(it, Meanwhile(find)).run(PUT)
        gone = [replace(back, original=replace(back.original, id="do_gone")) for back in found]
        for backs in (found, gone):
            with pytest.raises(ProposalError, match="not held back any more") as said:
                await it.undo.take_back(backs, Origin("", "undo"), "command")

            assert said.value.code == "undo.too_late"


@pytest.mark.req("ML-06")
@pytest.mark.parametrize("moment", ["path.holding", "path.held"])
async def test_who_dies_in_the_hold_has_done_nothing_and_never_will(tmp_path: Path, moment: str) -> None:
    world = World(held=5)
    with pytest.raises(Killed):
        async with given(tmp_path, world=world, kill=KillAt(moment), owner=a_dead_owner) as it:
            await holding(it, Meanwhile()).run(PUT)
    async with given(tmp_path, world=world) as it:
        settled = await it.recovered()
        (row,) = await it.tools.journal.in_state(State.FAILED)
        again = await it.recovered()

    assert (settled, again) == (1, 0)
    assert row.marks.error == "interrupted before it began; nothing was changed"
    assert world.done == []
    assert world.asked == []


class Elsewhere(Step, frozen=True):
    """A step that nothing serves."""

    step: ClassVar[str] = "elsewhere.do"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "elsewhere"


async def test_what_nothing_serves_here_is_not_held_and_what_comes_with_it_is(tmp_path: Path) -> None:
    steps = (Elsewhere(), Put("a", "x"), Elsewhere())
    changes = tuple(Change(step, CannotUndo("it is a test")) for step in steps)
    async with given(tmp_path, world=World(held=5)) as it:
        found = [seconds_of(it.tools, Plan("Do it", some)) for some in (changes, changes[:1], ())]
        nothing = DelayGate(it.tools).seconds()

    assert (found, nothing) == ([5, 0, 0], 0)


async def test_what_is_claimed_is_held_until_anything_of_it_begins_or_it_ends(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (record,) = await it.again(await it.run(PUT))
    held = record.marked(state=State.RUNNING, begun=None, undoing=None, changes=())
    others = [
        held.marked(state=State.DECLINED),
        held.marked(begun=0),
        held.marked(undoing=0),
        held.marked(changes=record.marks.changes),
        replace(held, plan=None),
    ]

    assert is_held(held)
    assert [is_held(other) for other in others] == [False] * 5


async def taken_down(tools: Services, *calls: Call) -> list[str]:
    report = await Engine(tools).take(proposed(*calls), Origin("lines"), Nobody())
    return states(report)


async def test_what_could_not_even_be_claimed_is_told_as_it_is_and_nothing_was_done(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        impatient = replace(it.tools, locks=FileLocks(tmp_path / "locks", patience=0.01))
        async with it.tools.locks.hold(["shelf"]):
            with pytest.raises(SetupError, match=r"try again when it has ended$"):
                await taken_down(impatient, PUT)

    assert it.world.texts == {}


async def test_a_run_that_was_stopped_before_its_claim_begins_nothing(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        ends = await taken_down(replace(it.tools, stopping=lambda: True), PUT, PUT_B)
        written = [record.state.value for record in await it.tools.journal.query(RecordQuery())]

    assert (ends, written) == (["skipped", "skipped"], ["skipped", "skipped"])
    assert it.world.done == []


@pytest.mark.req("TO-02")
async def test_a_yes_to_what_nothing_here_knows_any_more_is_refused(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = (await it.run(TAKE)).run
        tools = replace(it.tools, catalogue={})
        report = await Approvals(tools, Engine(tools)).approve(run, Says(True))

    record = only(report).record
    assert (record.state, record.marks.code) == (State.REFUSED, "operation.unknown")
    assert (record.marks.approved_by, record.marks.owner) == ("terminal", None)
    assert record.marks.ended_at is not None
    assert it.world.done == []


@pytest.mark.req("TO-01")
async def test_what_lost_its_verdict_in_the_journal_is_not_carried_out(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run, there = (await it.run(TAKE)).run, it.tools.journal.of_run

        async def of_run(run: str) -> list[Record]:
            return [replace(record, verdict=None) for record in await there(run)]

        it.tools.journal.of_run = of_run
        report = await it.approvals.approve(run, Says(True))

    assert states(report) == ["refused"]
    assert it.world.done == []


async def test_of_a_batch_whose_permission_ended_just_now_the_whole_is_asked(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=1)
        it.tightened(mode="destructive")

        def gone(label: str) -> None:
            assert label != "path.claimed"

        async def ended(*, revoked: bool = False):
            found = await looked(revoked=revoked)
            calls.append(len(found))
            return [] if len(calls) > 1 else found

        calls: list[int] = []
        looked = it.tools.journal.grants
        it.tools.journal.grants = ended
        path = Engine(replace(it.tools, kill=gone))
        report = await path.take(proposed(PUT, TAKE), Origin("lines"), Nobody())

    assert states(report) == ["waiting", "waiting"]
    assert it.world.done == ["shelf.take old"]


async def test_what_is_refused_at_the_claim_uses_no_permission(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0), "new": ("n", 1)})) as it:
        await permitted(it, await taken(it), uses=1)
        run = (await it.run(TAKE, ("shelf.take", {"name": "new"}))).run
        it.tightened(allowed_operations=("shelf.put",))
        report = await it.approvals.approve(run, Says(True))
        (kept,) = await it.grants.all()

    assert states(report) == ["refused", "refused"]
    assert kept.uses == 0


async def test_what_is_skipped_after_a_yes_says_who_gave_it_and_when_it_ended(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(stop_on_error=True, mode="always")) as it:
        it.world.faults["before:a"] = ValueError("x")
        report = await it.run(PUT, PUT_B, approver=Says(True))

    assert states(report) == ["failed", "skipped"]
    assert report.outcomes[1].record.marks.error == "skipped because step 1 failed"
    assert report.outcomes[1].record.marks.approved_by == "terminal"
    assert report.outcomes[1].record.marks.ended_at is not None


@pytest.mark.req("TO-02")
async def test_a_read_that_was_forbidden_while_it_waited_with_the_rest_is_not_answered(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0), "new": ("n", 1)})) as it:
        run = (await it.run(TAKE, ("shelf.read", {"name": "new"}))).run
        it.tightened(allowed_operations=("shelf.take",))
        report = await it.approvals.approve(run, Says(True))

    assert states(report) == ["done", "refused"]
    assert report.outcomes[1].data == {}


@pytest.mark.req("TO-01")
async def test_what_is_not_what_was_shown_is_denied_by_its_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0), "new": ("n", 1)})) as it:
        run, there = (await it.run(TAKE)).run, it.tools.journal.of_run

        async def of_run(run: str) -> list[Record]:
            return [replace(record, arguments={"name": "new"}) for record in await there(run)]

        it.tools.journal.of_run = of_run
        verdict = only(await it.approvals.approve(run, Says(True))).record.verdict

    assert verdict is not None
    assert (verdict.ruling, verdict.rule, verdict.code) == ("deny", "digest", "digest.changed")
    assert it.world.done == []


async def test_two_actions_do_not_count_on_the_same_last_use_of_a_permission(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await permitted(it, await taken(it, JOT), vary=("text",), uses=2)
        looks: list[list[int]] = []
        there = it.tools.journal.grants

        async def one_less(*, revoked: bool = False) -> list[Grant]:
            found = [replace(grant, uses=min(len(looks), 1)) for grant in await there(revoked=revoked)]
            looks.append([grant.uses for grant in found])
            return found

        it.tools.journal.grants = one_less
        report = await it.run(JOT, JOT_B)

    assert looks == [[0], [1]]
    assert states(report) == ["waiting", "waiting"]
    rulings = [outcome.record.verdict.ruling for outcome in report.outcomes if outcome.record.verdict]
    assert rulings == ["allow", "ask"]


@pytest.mark.req("TO-02")
async def test_what_needed_no_question_and_does_now_was_not_answered_by_the_yes_to_the_rest(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        it.tightened(mode="destructive")
        says = Says(True, then=lambda: it.tightened(mode="always"))
        report = await it.run(PUT, TAKE, approver=says)

    assert states(report) == ["refused", "done"]
    record = report.outcomes[0].record
    assert record.marks.code == "policy.stricter"
    assert "judged again now, more strictly than before: " in (record.marks.error or "")


@pytest.mark.req("TO-02", "T-53")
@pytest.mark.parametrize(
    ("stricter", "code"),
    [({"allowed_operations": ("shelf.put",)}, "policy.operation_off")],
)
async def test_what_is_refused_at_the_claim_has_the_word_of_the_rule_that_refuses(
    tmp_path: Path, stricter: dict[str, object], code: str
) -> None:
    async with given(tmp_path, world=old()) as it:
        run = (await it.run(TAKE)).run
        it.tightened(**stricter)
        record = only(await it.approvals.approve(run, Says(True))).record

    assert (record.state, record.marks.code) == (State.REFUSED, code)


@pytest.mark.req("CR-01")
@pytest.mark.parametrize("asks", [False, True])
async def test_the_claim_says_who_acts_who_allowed_it_and_that_the_first_has_begun(tmp_path: Path, asks: bool) -> None:
    async with given(tmp_path, world=old(), kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(*((TAKE, PUT) if asks else (PUT, PUT_B)), approver=Says(True))
        first, second = sorted(await it.tools.journal.in_state(State.RUNNING), key=lambda record: record.index)

    assert (first.marks.owner, second.marks.owner) == (it.tools.owner, it.tools.owner)
    assert (first.marks.begun, second.marks.begun) == (0, None)
    assert first.marks.approved_by == ("terminal" if asks else None)
    assert first.marks.decided_at == (it.tools.now() if asks else None)
    assert (second.marks.approved_by, second.marks.decided_at) == (None, None)
    assert events(tmp_path)[-1] == ("approved" if asks else "begun")


async def test_a_read_that_comes_first_has_not_begun_anything(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(READ, PUT)
        first, second = sorted(await it.tools.journal.in_state(State.RUNNING), key=lambda record: record.index)

    assert (first.marks.begun, second.marks.begun) == (None, None)


@pytest.mark.parametrize(
    ("then", "now", "found", "fresh", "told"),
    [
        (None, "grant:g", ("allow", "mode"), True, False),
        ("grant:g", "grant:g", ("allow", "mode"), True, False),
        ("grant:g", None, ("allow", "mode"), False, True),
        ("grant:g", "grant:h", ("allow", "mode"), False, True),
        ("grant:g", None, ("ask", "floor"), True, True),
        ("grant:g", None, ("ask", "mode"), False, True),
        ("grant:g", None, ("ask", "floor"), False, False),
        ("grant:g", None, ("deny", "mode"), True, False),
    ],
)
def test_what_a_permission_answered_stands_on_other_grounds_where_that_one_answers_no_more(
    then: str | None, now: str | None, found: tuple[Ruling, Literal["mode", "floor"]], fresh: bool, told: bool
) -> None:
    was = Verdict("allow", "", "grants", approved_by=then)
    ruling, level = found

    assert on_other_grounds(Verdict(ruling, "", "mode", level, approved_by=now), was, fresh=fresh) is told


async def coded(it: Given, *calls: Call, asked: Says | None = None, known: bool = True) -> Report:
    """Take down the path what code of the person's own asked for, which is known still or is not."""

    def knows(code: str) -> bool:
        return known and code == "sha256:1"

    tools = replace(it.tools, knows_code=knows)
    return await Engine(tools).take(proposed(*calls), Origin("lines", code="sha256:1"), asked or Nobody())


@pytest.mark.req("TP-04")
@pytest.mark.parametrize("known", [True, False])
async def test_what_code_of_your_own_asked_for_is_done_only_while_it_is_that_code(tmp_path: Path, known: bool) -> None:
    async with given(tmp_path) as it:
        report = await coded(it, PUT, PUT_B, known=known)
        gone = await Engine(it.tools).take(
            proposed(("shelf.put", {"name": "c"})), Origin("lines", code="sha256:1"), Nobody()
        )

    because = "the code of your action that asked for this has changed since; run it again"
    void = Verdict("deny", because, "template", code="template.changed")
    assert states(report) == (["done", "done"] if known else ["refused", "refused"])
    assert [outcome.record.verdict == void for outcome in report.outcomes] == [not known, not known]
    assert only(gone).record.marks.code == "template.changed"
    assert it.world.done == (["shelf.put a", "shelf.put b"] if known else [])


async def test_of_what_code_of_your_own_asked_for_a_failure_stops_the_rest_and_the_question_says_so(
    tmp_path: Path,
) -> None:
    says = Says(True)
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        it.world.faults["before:a"] = ProviderError("no", "world.no")
        report = await coded(it, PUT, PUT_B, asked=says)
        other = await it.run(PUT, PUT_B, approver=says)
        it.tightened(stop_on_error=True)
        strict = await it.run(PUT, ("shelf.put", {"name": "c"}), approver=says)

    assert (states(report), states(other)) == (["failed", "skipped"], ["failed", "done"])
    assert states(strict) == ["failed", "skipped"]
    assert [question.stops for question in says.questions] == [True, False, True]
