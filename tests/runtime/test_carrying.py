"""What was allowed or decided is claimed by the rules of that moment, and carried out in order."""

import sqlite3
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Advance, Put, Query, Use
from sayso.core.proposal import Origin
from sayso.core.record import Record, State
from sayso.core.verdict import Ruling, Verdict
from sayso.runtime.answering import Nobody
from sayso.runtime.approvals import Approvals
from sayso.runtime.carrying import on_other_grounds
from sayso.runtime.granting import Granting
from sayso.runtime.locks import FileLocks
from sayso.runtime.path import Path as OnePath
from sayso.runtime.tools import Tools
from sayso.testing.fakes import KillAt, Killed, Only, Says
from tests.runtime.given import a_policy, given, only, proposed, states
from tests.runtime.granted import TAKE, old, permitted, taken
from tests.runtime.shelf import World

PUT = ("shelf.put", {"name": "a", "text": "x"})


async def taken_down(tools: Tools, *calls: tuple[str, dict[str, str]]) -> list[str]:
    report = await OnePath(tools).take(proposed(*calls), Origin("lines"), Nobody())
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
        ends = await taken_down(replace(it.tools, stopping=lambda: True), PUT, ("shelf.put", {"name": "b"}))
        written = [record.state.value for record in await it.tools.journal.query(Query())]

    assert (ends, written) == (["skipped", "skipped"], ["skipped", "skipped"])
    assert it.world.done == []


@pytest.mark.req("TO-02")
async def test_a_yes_to_what_nothing_here_knows_any_more_is_refused(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = (await it.run(TAKE)).run
        tools = replace(it.tools, catalogue={})
        report = await Approvals(tools, OnePath(tools)).approve(run, Says(True))

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
        path = OnePath(replace(it.tools, kill=gone))
        report = await path.take(proposed(PUT, TAKE), Origin("lines"), Nobody())

    assert states(report) == ["waiting", "waiting"]
    assert it.world.done == ["shelf.take old"]


async def test_what_is_refused_at_the_claim_uses_no_permission(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0), "new": ("n", 1)})) as it:
        await permitted(it, await taken(it), uses=1)
        run = (await it.run(TAKE, ("shelf.take", {"name": "new"}))).run
        it.tightened(allowed_operations=("shelf.put",))
        report = await it.approvals.approve(run, Says(True))
        (kept,) = await Granting(it.tools).all()

    assert states(report) == ["refused", "refused"]
    assert kept.uses == 0


async def test_what_is_skipped_after_a_yes_says_who_gave_it_and_when_it_ended(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(stop_on_error=True, mode="always")) as it:
        it.world.faults["before:a"] = ValueError("x")
        report = await it.run(PUT, ("shelf.put", {"name": "b"}), approver=Says(True))

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
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=2)
        calls: list[int] = []
        there = it.tools.journal.grants

        async def one_less(*, revoked: bool = False):
            calls.append(1)
            found = await there(revoked=revoked)
            return found if len(calls) == 1 else [replace(grant, uses=1) for grant in found]

        it.tools.journal.grants = one_less
        it.tightened(mode="destructive")
        report = await it.run(TAKE, ("shelf.put", {"name": "old", "text": "o"}), TAKE)

    assert states(report) == ["waiting", "waiting", "waiting"]
    rulings = [outcome.record.verdict.ruling for outcome in report.outcomes if outcome.record.verdict]
    assert rulings == ["allow", "allow", "ask"]


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


@pytest.mark.req("CR-01")
@pytest.mark.parametrize("asks", [False, True])
async def test_the_claim_says_who_acts_who_allowed_it_and_that_the_first_has_begun(tmp_path: Path, asks: bool) -> None:
    async with given(tmp_path, world=old(), kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(*((TAKE, PUT) if asks else (PUT, ("shelf.put", {"name": "b"}))), approver=Says(True))
        first, second = sorted(await it.tools.journal.in_state(State.RUNNING), key=lambda record: record.index)

    assert (first.marks.owner, second.marks.owner) == (it.tools.owner, it.tools.owner)
    assert (first.marks.begun, second.marks.begun) == (0, None)
    assert first.marks.approved_by == ("terminal" if asks else None)
    assert first.marks.decided_at == (it.tools.now() if asks else None)
    assert (second.marks.approved_by, second.marks.decided_at) == (None, None)


async def test_a_read_that_comes_first_has_not_begun_anything(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(("shelf.read", {"name": "old"}), PUT)
        first, second = sorted(await it.tools.journal.in_state(State.RUNNING), key=lambda record: record.index)

    assert (first.marks.begun, second.marks.begun) == (None, None)


PUT_B = ("shelf.put", {"name": "b"})


class Watched:
    """Locks that note what is held, and what had begun and not ended when it was let go."""

    def __init__(self, tools: Tools) -> None:
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


def events(folder: Path) -> list[str]:
    rows = sqlite3.connect(folder / "sayso.db").execute("SELECT event FROM audit ORDER BY seq").fetchall()
    return [event for (event,) in rows]


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
        report = await OnePath(replace(it.tools, locks=locks)).take(calls, Origin("lines"), Nobody())

    assert states(report) == ["done", "done", "done"]
    assert (locks.held, locks.open) == (held, [])


async def test_what_cannot_be_planned_before_its_turn_ends_in_the_journal_as_it_is_told(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False) as it:
        report = await it.run(PUT, PUT_B, ("shelf.take", {"name": "none"}), ("shelf.read", {"name": "a"}))
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

        async def revoked_first(*changes: Put | Advance | Use, event: str) -> None:
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
        wished = await it.run(("shelf.put", {"name": "c"}), ("shelf.put", {"name": "d"}), approver=Says(Only((1,))))
        it.world.faults["before:e"] = ProviderError("no", "world.no")
        failing = await it.run(*(("shelf.put", {"name": name}) for name in "efg"), approver=Says(True))
        early = await it.run(("shelf.put", {"name": "h"}), ("!FLY", {}), approver=Says(True))

    assert states(well) == ["done", "done"]
    assert states(wished) == ["declined", "done"]
    assert states(failing) == ["failed", "skipped", "skipped"]
    assert failing.outcomes[2].record.marks.error == "skipped because step 1 failed"
    assert states(early) == ["done", "invalid"]


async def test_what_a_person_stopped_says_so(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = replace(it.tools, stopping=lambda: True)
        record = only(await OnePath(tools).take(proposed(PUT), Origin("lines"), Nobody())).record

    assert (record.marks.error, record.marks.code) == ("skipped because you stopped the run", "stopped")


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
