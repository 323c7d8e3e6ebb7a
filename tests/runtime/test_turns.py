"""What was claimed has its turn: it is kept back, looked at only now, asked, or done, under its stores' locks."""

import sqlite3
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.ports import JournalChange
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.runtime.engine import Engine
from sayso.runtime.questions import Nobody
from sayso.runtime.services import Services
from sayso.testing.fakes import KillAt, Killed, Only, Says
from tests.runtime.given import a_policy, events, given, only, permitted, proposed, states, taken
from tests.runtime.shelf import NONE, PUT, PUT_B, READ, SEND, TAKE, Call, old


class Watched:
    """Locks that note what is held, and what had begun and not ended when it was let go."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools
        self.held: list[list[str]] = []
        self.open: list[int] = []

    @asynccontextmanager
    async def hold(self, stores: Iterable[str]) -> AsyncGenerator[None]:
        self.held.append(sorted(stores))
        async with self._tools.locks.hold(stores):
            yield
            running = await self._tools.journal.in_state(State.RUNNING)
            self.open += [record.index for record in running if record.marks.begun is not None]

    @asynccontextmanager
    async def attempt(self, stores: Iterable[str]) -> AsyncGenerator[bool]:
        async with self._tools.locks.attempt(stores) as held:
            yield held


@pytest.mark.req("S0-64")
@pytest.mark.parametrize(
    ("imagines", "held"), [(True, [["shelf"]]), (False, [["shelf"], [], ["shelf"], [], ["shelf"]])]
)
async def test_a_lock_is_held_for_each_stretch_of_acting_and_let_go_when_its_ends_are_written(
    tmp_path: Path, imagines: bool, held: list[list[str]]
) -> None:
    async with given(tmp_path, imagines=imagines) as it:
        locks = Watched(it.tools)
        calls = proposed(PUT, PUT_B, ("shelf.put", {"name": "c"}))
        report = await Engine(replace(it.tools, locks=locks)).take(calls, Origin("lines"), Nobody())

    assert states(report) == ["done", "done", "done"]
    assert (locks.held, locks.open) == (held, [])


async def test_what_cannot_be_planned_before_its_turn_ends_in_the_journal_as_it_is_told(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False) as it:
        report = await it.run(PUT, PUT_B, NONE, ("shelf.read", {"name": "a"}))
        written = await it.again(report)

    assert states(report) == states(written) == ["done", "done", "failed", "done"]
    assert [record.marks.ended_at for record in written] == ["2026-03-14T12:00:00.000Z"] * 4
    assert [record.marks.owner for record in written] == [None] * 4


@pytest.mark.req("CR-01")
async def test_what_is_planned_in_its_turn_is_begun_in_the_journal_before_it_is_done(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False, kill=KillAt("shelf.before", nth=2)) as it:
        with pytest.raises(Killed):
            await it.run(PUT, PUT_B)
        (row,) = await it.tools.journal.in_state(State.RUNNING)

    assert (row.index, row.marks.begun) == (1, 0)


async def test_what_is_asked_in_its_turn_waits_in_the_journal_meanwhile_and_then_is_done(tmp_path: Path) -> None:
    seen: list[tuple[str, ...]] = []

    def looks() -> None:
        rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT state FROM action ORDER BY key")
        seen.append(tuple(state for (state,) in rows))

    async with given(tmp_path, imagines=False, policy=a_policy(mode="destructive")) as it:
        report = await it.run(PUT, ("shelf.take", {"name": "a"}), approver=Says(True, then=looks))

    assert seen == [("done", "waiting")]
    assert states(report) == ["done", "done"]
    assert report.outcomes[1].record.marks.approved_by == "terminal"
    assert "asked" in events(tmp_path)


async def test_what_nobody_answers_in_its_turn_goes_on_waiting_and_belongs_to_no_process(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False, policy=a_policy(mode="destructive")) as it:
        report = await it.run(PUT, ("shelf.take", {"name": "a"}))
        _, waiting = await it.again(report)

    assert states(report) == ["done", "waiting"]
    assert (waiting.state, waiting.marks.owner) == (State.WAITING, None)


async def test_a_permission_that_ends_as_its_turn_comes_asks(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), imagines=False) as it:
        grant = await permitted(it, await taken(it), uses=1)
        it.tightened(mode="destructive")
        commit = it.tools.journal.commit

        async def revoked_first(*changes: JournalChange, event: str) -> None:
            if event == "permitted":
                await it.tools.journal.put_grant(replace(grant, revoked=True))
            await commit(*changes, event=event)

        it.tools.journal.commit = revoked_first
        report = await it.run(PUT, TAKE, approver=Says(True))

    assert states(report) == ["done", "done"]
    assert report.outcomes[1].record.marks.approved_by == "terminal"
    assert "permitted" not in events(tmp_path)


async def test_a_use_that_comes_in_its_turn_is_written_before_it_begins(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), imagines=False) as it:
        await permitted(it, await taken(it), uses=1)
        it.tightened(mode="destructive")
        before = len(events(tmp_path))
        await it.run(PUT, TAKE)

    assert events(tmp_path)[before:].count("permitted") == 1


@pytest.mark.req("S0-63")
async def test_what_stands_on_a_step_that_failed_is_skipped_also_where_it_destroys_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="never")) as it:
        it.world.faults["before:old"] = ProviderError("no", "world.no")
        report = await it.run(TAKE, ("shelf.put", {"name": "old"}))

    assert states(report) == ["failed", "skipped"]
    assert report.outcomes[1].record.marks.error == "skipped because step 1 failed"


@pytest.mark.req("T-18")
async def test_where_an_error_stops_the_rest_only_what_went_wrong_before_does(tmp_path: Path) -> None:
    policy = a_policy(stop_on_error=True, mode="always")
    async with given(tmp_path, policy=policy) as it:
        well = await it.run(PUT, PUT_B, approver=Says(True))
        wished = await it.run(*(("shelf.put", {"name": name}) for name in "cdi"), approver=Says(Only((1, 2))))
        it.world.faults["before:e"] = ProviderError("no", "world.no")
        failing = await it.run(*(("shelf.put", {"name": name}) for name in "efg"), approver=Says(True))
        early = await it.run(("shelf.put", {"name": "h"}), ("!FLY", {}), approver=Says(True))

    assert states(well) == ["done", "done"]
    assert states(wished) == ["declined", "done", "done"]
    assert states(failing) == ["failed", "skipped", "skipped"]
    assert failing.outcomes[2].record.marks.error == "skipped because step 1 failed"
    assert states(early) == ["done", "invalid"]


@pytest.mark.req("T-18")
async def test_what_goes_wrong_later_keeps_nothing_from_being_done_before_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="never")) as it:
        report = await it.run(PUT, TAKE, TAKE)

    assert states(report) == ["done", "done", "failed"]


@pytest.mark.req("T-18")
@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("how", ["fails", "declined", "taken back"])
async def test_what_is_decided_one_by_one_destroys_nothing_after_a_step_on_it_that_did_not_happen(
    tmp_path: Path, how: str, stops: bool
) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always", stop_on_error=stops)) as it:
        first, second = (outcome.record.id for outcome in (await it.run(SEND, TAKE)).outcomes)
        if how == "fails":
            it.world.faults["before:sent old"] = ProviderError("no", "world.no")
        if how == "declined":
            await it.approvals.decline(first, "terminal")
        else:
            await it.approvals.approve(first, Says(True))
        if how == "taken back":
            await it.undone(first)
        record = only(await it.approvals.approve(second, Says(True))).record

    words = {"fails": "failed", "declined": "was declined", "taken back": "was taken back"}
    assert (record.state, record.marks.error) == (State.SKIPPED, f"skipped because step 1 {words[how]}")
    assert "old" in it.world.texts


@pytest.mark.req("T-18", "S0-63")
async def test_what_destroys_nothing_goes_on_after_a_failure_on_the_same_thing(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="never")) as it:
        it.world.faults["before:sent old"] = ProviderError("no", "world.no")
        report = await it.run(SEND, READ)

    assert states(report) == ["failed", "done"]


@pytest.mark.req("T-18")
async def test_what_is_decided_one_by_one_is_done_where_all_before_it_went_well(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        first, second, third = (outcome.record.id for outcome in (await it.run(SEND, TAKE, PUT)).outcomes)
        reports = [await it.approvals.approve(ref, Says(True)) for ref in (third, first, second)]

    assert [states(report) for report in reports] == [["done"]] * 3


@pytest.mark.req("T-18")
async def test_what_was_asked_in_its_turn_and_waits_is_before_what_would_destroy_the_same_thing(tmp_path: Path) -> None:
    take: Call = ("shelf.take", {"name": "a"})
    async with given(tmp_path, imagines=False, policy=a_policy(mode="destructive")) as it:
        report = await it.run(PUT, take, take)

    assert states(report) == ["done", "waiting", "skipped"]
    marks = report.outcomes[2].record.marks
    assert (marks.error, marks.code) == ("skipped because step 2 still waits for you", "step.waits")


async def test_what_a_person_stopped_says_so(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = replace(it.tools, stopping=lambda: True)
        record = only(await Engine(tools).take(proposed(PUT), Origin("lines"), Nobody())).record

    assert (record.marks.error, record.marks.code) == ("skipped because you stopped the run", "stopped")
