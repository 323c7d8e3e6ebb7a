"""Every proposal passes the door, the limits and the rules before anything is looked at, and ends with its reason."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import Candidate
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State, run_id
from sayso.runtime.executor import Run
from sayso.runtime.planner import Batch, Planner
from sayso.runtime.proposal_state import CandidateAction, Targets
from sayso.runtime.questions import Nobody
from tests.runtime.given import Call, Given, a_policy, given, proposed
from tests.runtime.shelf import World

HOME = "/home/ana"
NAMED = (Candidate("Bread", "t1"),)
PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
TAKE: Call = ("shelf.take", {"name": "old"})


def old() -> World:
    return World(texts={"old": ("o", 0)})


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
    [("shelf.read", True, True), ("shelf.count", True, False), ("shelf.count", False, True), (None, True, False)],
)
async def test_what_was_heard_in_a_session_may_steer_the_model_where_it_is_from_outside_or_unknown(
    tmp_path: Path, heard: str | None, known: bool, exposed: bool
) -> None:
    async with given(tmp_path, world=old()) as it:
        if heard is not None:
            await it.run((heard, {"name": "old"}), session="s")
        tools = it.tools if known else replace(it.tools, catalogue={"shelf.send": it.tools.catalogue["shelf.send"]})
        here = await Planner(tools).exposed(Origin("lines", session="s"))
        elsewhere = await Planner(tools).exposed(Origin("lines", session="another", exposed=("tabs",)))
        _, first = await a_batch(Given(tools, it.world, it.clock, it.policy))
        later = await Planner(tools).batch(Run(tools, "run_1", Origin("lines", "test", "s"), Nobody()))

    wanted = (heard,) if exposed else ()
    assert (here, elsewhere, first.exposed, later.exposed) == (wanted, ("tabs",), wanted, wanted)


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
