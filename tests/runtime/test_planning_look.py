"""What an operation finds is planned and judged on the world as earlier steps would leave it, or in its turn."""

from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.operation import operation
from sayso.core.plan import CannotUndo, Change, Plan, Step
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.core.schema import Line
from sayso.runtime.engine import Engine
from sayso.runtime.questions import Nobody
from sayso.runtime.services import digest_of
from sayso.testing.fakes import Says
from tests.runtime.given import Call, a_policy, given, only, proposed, states
from tests.runtime.granted import old
from tests.runtime.shelf import Backend, Shelf, World
from tests.runtime.shelf import Put as PutStep

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PUT_B: Call = ("shelf.put", {"name": "b"})
KEEP: Call = ("shelf.keep", {"name": "a"})
TAKE: Call = ("shelf.take", {"name": "old"})
READ: Call = ("shelf.read", {"name": "old"})


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


class Reach(Step, frozen=True):
    """Reach for a place."""

    step: ClassVar[str] = "shelf.reach"
    store: ClassVar[str] = "shelf"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str


@operation("shelf.reach", kind="write", asks="mode")
async def reach(shelf: Shelf, name: Line) -> Plan:
    """Reach for what a name leads to."""
    return Plan(f"Reach for “{name}”", (Change(Reach(f"/etc/{name}"), CannotUndo("never")),))


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
