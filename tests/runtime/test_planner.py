"""Every proposal is checked, looked at and judged, on the world as earlier steps would leave it or in its turn."""

from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.errors import Candidate, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import NOTHING, CannotUndo, Change, Plan, Reach, Step
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State, run_id
from sayso.core.schema import Line
from sayso.runtime.engine import Engine
from sayso.runtime.executor import Run
from sayso.runtime.planner import Batch, Planner
from sayso.runtime.proposal_state import CandidateAction, JudgementBasis, Targets
from sayso.runtime.questions import Nobody
from sayso.runtime.services import digest_of
from sayso.testing.fakes import Says
from tests.runtime.given import Given, a_policy, given, only, permitted, proposed, states, taken
from tests.runtime.shelf import KEEP, PUT, PUT_B, READ, TAKE, Backend, Call, Shelf, World, old
from tests.runtime.shelf import Put as PutStep

NAMED = (Candidate("Bread", "t1"),)


async def a_batch(it: Given, *, at_once: int = 1, dry_run: bool = False) -> tuple[Planner, Batch]:
    """Begin a batch as the first of a run."""
    planner = Planner(it.tools)
    run = run_id(it.tools.ids.key())
    begun = Run(it.tools, run, Origin("lines", "test", "s"), Nobody())
    return planner, await planner.batch(begun, at_once, dry_run=dry_run, first=True)


async def prepared(it: Given, *proposals: Proposal) -> list[CandidateAction]:
    """Plan these as one batch."""
    planner, batch = await a_batch(it)
    return [await planner.prepare(proposal, batch) for proposal in proposals]


@pytest.mark.parametrize(
    ("proposal", "code", "sentence"),
    [
        (Proposal(0, "FLY", "no.such"), "operation.unknown", "there is no operation “no.such”"),
        (Proposal(0, "FLY"), "operation.unknown", "there is no operation “None”"),
        (Proposal(0, "FLY", problem="cannot be read", code="line.odd"), "line.odd", "cannot be read"),
        (Proposal(0, "PUT", "shelf.put", {"name": "a"}, problem="odd", code="line.odd"), "line.odd", "odd"),
        (Proposal(0, "PUT", "shelf.put", {"name": "a"}, problem="odd"), "operation.unknown", "odd"),
    ],
)
async def test_what_is_not_understood_or_has_a_problem_is_invalid_with_its_own_words(
    tmp_path: Path, proposal: Proposal, code: str, sentence: str
) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, proposal)

    assert (item.record.state, item.record.marks.code, item.record.marks.error) == (State.INVALID, code, sentence)
    assert (item.alive, item.record.marks.message) == (False, None)
    assert (item.record.said, item.record.policy) == (proposal.said, it.policy[0].hash)


async def test_what_a_dialect_says_may_have_been_meant_goes_with_it(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, Proposal(0, "PUTT", problem="odd", code="line.odd", candidates=NAMED))

    assert item.candidates == NAMED


async def test_all_problems_of_the_arguments_are_told_each_once_and_the_first_gives_the_code(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, Proposal(0, "PUT", "shelf.put", {"nam": "a", "text": 3}))

    marks = item.record.marks
    assert (item.record.state, marks.code) == (State.INVALID, "arguments.unknown")
    assert len((marks.error or "").split("; ")) >= 3


async def test_what_passed_the_door_is_kept_clean_and_without_its_raw_text(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        (item,) = await prepared(it, Proposal(0, "SOME", "shelf.some", {"most": 3.0, "name": "old"}))

    assert item.record.said == ""
    assert isinstance(item.record.arguments["most"], int)


@pytest.mark.parametrize(("length", "kept"), [(4095, 4095), (4096, 4096), (5000, 4096)])
async def test_of_a_text_that_cannot_be_read_the_journal_keeps_the_beginning(
    tmp_path: Path, length: int, kept: int
) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, Proposal(0, "x" * length, problem="odd", code="odd"))

    assert len(item.record.said) == kept


@pytest.mark.req("PA-09")
@pytest.mark.parametrize(("at_once", "state"), [(2, State.PLANNED), (3, State.REFUSED)])
async def test_one_of_more_than_may_be_at_once_is_refused_before_anything_is_looked_at(
    tmp_path: Path, at_once: int, state: State
) -> None:
    limits = replace(a_policy().limits, actions_per_run=2)
    async with given(tmp_path, policy=a_policy(limits=limits)) as it:
        planner, batch = await a_batch(it, at_once=at_once)
        item = await planner.prepare(proposed(PUT)[0], batch)

    assert item.record.state is state
    assert item.alive is (state is State.PLANNED)


async def test_a_row_says_whose_it_is_when_it_ends_and_by_which_settings(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        planner, batch = await a_batch(it, dry_run=True)
        (claimed,) = proposed(TAKE)
        item = await planner.prepare(
            replace(claimed, index=4, label="Clear up", edit_of="do_1", label_by_us=True, template_id="t"), batch
        )
        second = await planner.prepare(proposed(PUT)[0], batch)

    record = item.record
    assert (record.run, record.index, record.dialect, record.entry, record.session) == (
        batch.run,
        4,
        "lines",
        "test",
        "s",
    )
    assert (record.label, record.edit_of, record.dry_run) == ("Clear up", "do_1", True)
    assert (record.label_by_us, second.record.label_by_us) == (True, False)
    assert (record.template_id, second.record.template_id) == ("t", None)
    assert (record.time, record.expires) == ("2026-03-14T12:00:00.000Z", "2026-03-15T12:00:00.000Z")
    assert (record.policy, dict(record.backends)) == (it.policy[0].hash, {"shelf": "memory"})
    assert record.id.removeprefix("do_") == batch.run.removeprefix("run_")
    assert second.record.id != record.id


async def test_a_row_that_nothing_was_done_about_has_no_aim(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        planner, batch = await a_batch(it)
        item = planner.unread(Proposal(0, ""), batch)

    assert (item.aim, item.alive, item.record.operation) == (Targets(), False, None)


@pytest.mark.parametrize(
    ("heard", "known", "exposed"),
    [("shelf.read", True, True), ("shelf.count", True, False), ("shelf.read", False, True), (None, True, False)],
)
async def test_what_a_principal_read_from_outside_may_steer_the_model_in_every_session(
    tmp_path: Path, heard: str | None, known: bool, exposed: bool
) -> None:
    async with given(tmp_path, world=old()) as it:
        if heard is not None:
            await it.run((heard, {"name": "old"}), session="s")
        tools = it.tools if known else replace(it.tools, catalogue={"shelf.send": it.tools.catalogue["shelf.send"]})
        here = await Planner(tools).exposed(Origin("lines", "test", session="s"))
        elsewhere = await Planner(tools).exposed(Origin("lines", "test", session="another", exposed=("tabs",)))
        another = await Planner(tools).exposed(Origin("lines", "test", session="another", principal="trigger:evening"))
        it.clock.advance(days=2)
        day_after = await Planner(tools).exposed(Origin("lines", "test", session="another"))
        _, first = await a_batch(Given(tools, it.world, it.clock, it.policy))
        later = await Planner(tools).batch(Run(tools, "run_1", Origin("lines", "test", "s"), Nobody()))

    wanted = (heard,) if exposed else ()
    assert (here, elsewhere, first.exposed, later.exposed) == (wanted, ("tabs", *wanted), wanted, wanted)
    assert (another, day_after) == ((), ())


@pytest.mark.req("T-18")
async def test_what_would_lose_something_is_skipped_after_a_failure_on_it_whatever_kind_it_is(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="never")) as it:
        put, refill, keep = proposed(
            ("shelf.put", {"name": "old"}), ("shelf.refill", {"name": "old"}), ("shelf.keep", {"name": "old"})
        )
        gone, lost, kept = await prepared(it, put, refill, keep)

    assert [one.record.state for one in (gone, lost, kept)] == [State.FAILED, State.SKIPPED, State.UNCHANGED]
    assert (lost.record.marks.error, lost.record.marks.code) == ("skipped because step 1 failed", "step.failed")
    assert not lost.alive


async def judged(it: Given, call: Call = PUT) -> tuple[CandidateAction, JudgementBasis]:
    """Plan and judge one action as the first of a run."""
    (item,) = await prepared(it, *proposed(call))
    assert item.basis is not None
    return item, item.basis


async def test_where_nothing_has_changed_the_verdict_holds(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        item, basis = await judged(it)

    assert basis.holds(item, it.policy[0], exposed=())


@pytest.mark.req("TO-01", "TO-02")
async def test_whatever_a_verdict_stands_on_and_that_is_another_now_is_judged_again(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        item, basis = await judged(it)
        again, _ = await judged(it)
        policy = it.policy[0]

    record = item.record
    assert not basis.holds(item, a_policy(), exposed=())
    assert not basis.holds(item, policy, exposed=("tabs",))
    assert not basis.holds(replace(item, record=replace(record, digest="another")), policy, exposed=())
    verdict = Verdict("allow", "because", "another")
    assert not basis.holds(replace(item, record=replace(record, verdict=verdict)), policy, exposed=())
    assert not basis.holds(replace(item, plan=again.plan), policy, exposed=())
    assert not basis.holds(replace(item, record=replace(record, plan=dict(record.plan or {}))), policy, exposed=())


async def test_what_a_permission_answered_is_always_judged_again(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it))
        item, basis = await judged(it, TAKE)

    assert basis.verdict.rule == "grants"
    assert not basis.holds(item, it.policy[0], exposed=())


@pytest.mark.req("T-18")
async def test_what_has_a_plan_or_a_turn_is_alive_and_has_missed_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        item, _ = await judged(it)
        planner, batch = await a_batch(it)
        calls = proposed(
            ("shelf.take", {"name": "none"}), ("shelf.keep", {"name": "old"}), ("shelf.read", {"name": "old"})
        )
        missing, kept, read = [await planner.prepare(proposal, batch) for proposal in calls]
        unread = planner.unread(calls[0], batch)

    waiting = replace(item, record=item.record.marked(state=State.WAITING))
    assert [one.alive for one in (item, missing, kept, read)] == [True, False, False, True]
    assert not waiting.missed
    assert [one.missed for one in (item, missing, kept, read)] == [False, True, False, False]
    assert [one.destroys for one in (item, missing, kept, unread)] == [False, True, False, True]
    assert not unread.asks


async def test_what_is_so_only_once_an_earlier_step_was_done_is_looked_at_in_its_turn(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        well = await it.run(PUT, KEEP)
        it.world.faults["before:b"] = ProviderError("no", "world.no")
        badly = await it.run(PUT_B, ("shelf.keep", {"name": "b"}))

    assert (states(well), states(badly)) == (["done", "unchanged"], ["failed", "failed"])
    assert badly.outcomes[1].record.marks.error == "there is no “b”"


@pytest.mark.req("CR-04")
@pytest.mark.parametrize("fails", [False, True])
async def test_what_waits_for_its_turn_is_looked_at_then_also_where_the_yes_comes_from_elsewhere(
    tmp_path: Path, fails: bool
) -> None:
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        run = (await it.run(PUT, KEEP)).run
        it.world.faults |= {"before:a": ProviderError("no", "world.no")} if fails else {}
    async with given(tmp_path, world=it.world, policy=a_policy(mode="always")) as later:
        report = await later.approvals.approve(run, Says(True))

    assert states(report) == (["failed", "failed"] if fails else ["done", "unchanged"])


async def test_what_is_so_already_whatever_comes_before_it_needs_no_turn(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(PUT, ("shelf.keep", {"name": "old"}))
        alone = await it.run(("shelf.keep", {"name": "old"}))
        record = only(alone).record

    assert (states(report), states(alone)) == (["done", "unchanged"], ["unchanged"])
    assert record.verdict is not None
    assert (record.policy, record.digest) == (it.policy[0].hash, digest_of(record, it.tools.catalogue))
    assert record.plan is not None


async def test_a_dry_run_says_what_would_be_so_by_then(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT, KEEP, dry_run=True)

    assert states(report) == ["planned", "unchanged"]
    assert report.outcomes[1].record.marks.message == "“a” is kept already"


@pytest.mark.req("T-18")
async def test_a_dry_run_says_what_would_be_skipped(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(("shelf.put", {"name": "old"}), TAKE, dry_run=True)

    assert states(report) == ["failed", "skipped"]


class ReachFor(Step, frozen=True):
    """Reach for a place."""

    step: ClassVar[str] = "shelf.reach"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "shelf"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str


@operation("shelf.reach", kind="write", asks="mode")
async def reach(shelf: Shelf, name: Line) -> Plan:
    """Reach for what a name leads to."""
    return Plan(f"Reach for “{name}”", (Change(ReachFor(f"/etc/{name}"), CannotUndo("never")),))


@pytest.mark.req("TO-02")
async def test_what_leads_where_it_may_not_is_refused_by_its_plan(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = replace(it.tools, catalogue={**it.tools.catalogue, "shelf.reach": reach})
        report = await Engine(tools).take(proposed(("shelf.reach", {"name": "shadow"})), Origin("lines"), Nobody())

    record = only(report).record
    assert (record.state, record.verdict and record.verdict.ruling) == (State.REFUSED, "deny")
    assert record.plan is not None
    assert it.world.done == []


@operation("shelf.both", kind="write", asks="mode")
async def both(shelf: Shelf, cellar: Shelf, name: Line) -> Plan:
    """Put a text on the shelf if the cellar has it not."""
    if await shelf.holds(name) is not None or await cellar.holds(name) is not None:
        return Plan(f"“{name}” is there already")
    return Plan(f"Put “{name}”", (Change(PutStep(name, ""), CannotUndo("never"), (shelf.empty(name),)),))


@pytest.mark.parametrize("imagines", [False, True])
async def test_what_looks_at_a_store_that_cannot_imagine_has_its_turn_whatever_else_it_looks_at(
    tmp_path: Path, imagines: bool
) -> None:
    async with given(tmp_path, imagines=imagines) as it:
        tools = replace(
            it.tools,
            catalogue={**it.tools.catalogue, "shelf.both": both},
            backends={**it.tools.backends, "cellar": Backend(World())},
        )
        report = await Engine(tools).take(
            proposed(PUT, ("shelf.both", {"name": "b"}), ("shelf.both", {"name": "a"})), Origin("lines"), Nobody()
        )

    assert states(report) == ["done", "done", "unchanged"]
    assert it.world.done == ["shelf.put a", "shelf.put b"]


async def test_what_is_not_so_where_an_earlier_step_failed_is_done_in_its_turn(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = ProviderError("no", "world.no")

        def once(label: str) -> None:
            if label == "path.acted":
                it.world.faults.clear()

        tools = replace(
            it.tools,
            catalogue={**it.tools.catalogue, "shelf.both": both},
            backends={**it.tools.backends, "cellar": Backend(World())},
            kill=once,
        )
        report = await Engine(tools).take(proposed(PUT, ("shelf.both", {"name": "a"})), Origin("lines"), Nobody())

    assert states(report) == ["failed", "done"]


class Fetch(Step, frozen=True):
    """Fetch something from a store that nothing serves."""

    step: ClassVar[str] = "cellar.fetch"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "cellar"
    name: str


@operation("shelf.fetch", kind="write", asks="mode")
async def fetch(shelf: Shelf, name: Line) -> Plan:
    """Fetch a text from the cellar."""
    return Plan(f"Fetch “{name}”", (Change(Fetch(name), CannotUndo("never")),))


@pytest.mark.req("X-05")
async def test_what_a_store_would_be_needed_for_that_nothing_serves_fails_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        tools = replace(it.tools, catalogue={**it.tools.catalogue, "shelf.fetch": fetch})
        report = await Engine(tools).take(proposed(("shelf.fetch", {"name": "a"})), Origin("lines"), Nobody())

    marks = only(report).record.marks
    assert (marks.state, marks.code) == (State.FAILED, "unavailable")


async def test_what_is_planned_in_its_turn_is_judged_by_the_settings_of_that_moment(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False) as it:

        def changes(label: str) -> None:
            if label == "path.acted":
                it.tightened(allowed_apps=())

        tools = replace(it.tools, kill=changes)
        report = await Engine(tools).take(proposed(PUT, PUT_B), Origin("lines"), Nobody())

    first, second = (outcome.record for outcome in report.outcomes)
    assert states(report) == ["done", "done"]
    assert first.policy != second.policy == it.policy[0].hash


async def test_what_waits_for_its_turn_has_a_digest_too(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, READ)
        rows = await it.again(report)

    assert states(rows) == ["waiting", "waiting"]
    assert [row.digest for row in rows] == [digest_of(row, it.tools.catalogue) for row in rows]
