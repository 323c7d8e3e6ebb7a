"""Nearly everything can be taken back: an undo is a row of its own, and where it cannot be done it says why."""

from pathlib import Path
from typing import Never

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError, SetupError, Stale
from sayso.core.ports import Backend as AnyBackend
from sayso.core.ports import RecordQuery
from sayso.core.proposal import Origin
from sayso.core.record import State, StepOutcome, StepRecord
from sayso.runtime.locks import FileLocks
from sayso.runtime.recovery import settle_by_person
from sayso.runtime.results import Report
from sayso.runtime.services import digest_of
from sayso.runtime.undo import Undo
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Given, a_policy, events, given, only, states
from tests.runtime.shelf import BURN, NONE, NOON, PAIR, PUT, PUT_B, READ, SEND, TAKE, Backend, Steps, old


async def backs(it: Given, undo: Undo | None = None, ref: str | None = None, *, dry_run: bool = False) -> Report:
    """Take back as a program does."""
    undo = undo or it.undo
    return await undo.take_back(await undo.find(ref), Origin("lines", "undo", "s9"), "terminal", dry_run=dry_run)


async def why_not(it: Given, ref: str | None, undo: Undo | None = None) -> tuple[str, str]:
    """Return the word and the sentence with which nothing is taken back."""
    with pytest.raises(ProposalError) as said:
        await (undo or it.undo).find(ref)
    return said.value.code, str(said.value)


class Forgetful(Backend):
    """A shelf that does not remember where on it things stood."""

    def foretells(self, step: Steps) -> str:
        return f"“{step.name}” stands elsewhere then" if step.name == "a" else ""


class Broken(dict[str, AnyBackend]):
    """Backends of which none can be had."""

    def get(self, key: str, default: object = None) -> Never:
        raise ProviderError(f"{key} is not there", "unavailable")


@pytest.mark.parametrize("name", ["a", "b"])
async def test_what_a_way_back_would_not_bring_back_is_said_before(name: str, tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(("shelf.put", {"name": name, "text": "x"}))
        (back,) = await Undo(replace(it.tools, backends={"shelf": Forgetful(it.world)})).find(None)
        (silent,) = await Undo(replace(it.tools, backends=Broken())).find(None)

    usual = f"Take back: Put “{name}” on the shelf"
    assert back.plan.summary == (f"{usual} (“a” stands elsewhere then)" if name == "a" else usual)
    assert silent.plan.summary == usual


@pytest.mark.req("UN-05", "S2-50")
async def test_the_last_thing_done_is_taken_back_by_a_row_that_says_what_and_who_wanted_it(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        original = only(await it.run(PUT)).record
        it.clock.advance(seconds=3)
        report = await backs(it)
        kept = await it.tools.journal.get(only(report).record.id)
        first = await it.tools.journal.get(original.id)

    assert (report.dialect, report.dry_run, it.world.texts) == ("lines", False, {})
    for record in (only(report).record, kept):
        assert record
        assert (record.operation, dict(record.arguments), record.undo_of) == ("undo", {"id": original.id}, original.id)
        assert (record.run, record.index, record.dialect, record.entry) == (report.run, 0, "lines", "undo")
        assert (record.session, record.state, record.dry_run) == ("s9", State.DONE, False)
        assert (record.marks.message, record.marks.approved_by) == ("Took back: Put “a” on the shelf", "terminal")
        assert record.marks.decided_at == record.time == "2026-03-14T12:00:03.000Z"
        assert (dict(record.backends), record.policy) == ({"shelf": "memory"}, it.policy[0].hash)
        assert record.digest == digest_of(record, it.tools.catalogue)
        assert record.verdict
        assert (record.verdict.ruling, record.verdict.rule) == ("allow", "undo")
    assert first
    assert (first.state, first.marks.undone_by) == (State.UNDONE, only(report).record.id)


async def test_a_way_back_is_shown_before_it_is_taken(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        original = only(await it.run(PAIR)).record
        (back,) = await it.undo.find(None)

    assert back.original.id == original.id
    assert back.plan.summary == "Take back: Put “a” and “b” on the shelf"
    assert back.plan.data == {"takes_back": original.id, "changes": [1, 0]}
    assert [getattr(change.do, "name", None) for change in back.plan.changes] == ["b", "a"]
    assert [change.undo for change in back.plan.changes] == [back.plan.changes[0].undo] * 2
    assert back.plan.on_failure == "undo"


async def test_taking_back_goes_on_where_the_original_did(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(("shelf.spread", {"one": "a", "other": "b"}))
        plan = only(await backs(it)).record.plan

    assert plan is not None
    assert plan["on_failure"] == "go on"


async def test_a_dry_run_of_an_undo_is_planned_and_changes_nothing(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        report = await backs(it, dry_run=True)
        (row, *_) = await it.again(report)

    record = only(report).record
    assert report.dry_run
    assert (record.state, record.dry_run) == (State.PLANNED, True)
    assert record.marks.message == "Take back: Put “a” on the shelf"
    assert (row.state, row.marks.ended_at) == (State.PLANNED, NOON)
    assert list(it.world.texts) == ["a"]


async def test_a_run_goes_back_last_first_and_without_a_session_it_is_its_own(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        first = await it.run(PUT, PUT_B, ("shelf.count", {"name": "a"}))
        report = await it.undone(first.run)

    records = [outcome.record for outcome in report.outcomes]
    number = report.run.removeprefix("run_")
    assert [(record.state.value, record.index) for record in records] == [("done", 0), ("done", 1)]
    assert {record.run for record in records} == {record.session for record in records} == {report.run}
    assert [record.id.endswith(number) for record in records] == [True, False]
    assert it.world.done[2:] == ["shelf.take b", "shelf.take a"]


async def test_what_was_read_before_keeps_nobody_from_taking_back(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await it.run(READ, session="s9")
        await it.run(SEND, approver=Says(True), session="s9")
        report = await backs(it)

    assert states(report) == ["done"]


async def test_the_trail_of_an_undo_names_its_begin_and_its_end(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        await backs(it, dry_run=True)
        await backs(it)

    assert events(tmp_path)[-3:] == ["undo", "undo begun", "undone"]


@pytest.mark.req("UN-01")
async def test_of_two_that_take_the_same_back_the_second_has_lost(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        found = await it.undo.find(None)
        first = await it.undo.take_back(found, Origin("lines"), "terminal")
        with pytest.raises(Stale):
            await it.undo.take_back(found, Origin("lines"), "page")

    assert states(first) == ["done"]
    assert it.world.done == ["shelf.put a", "shelf.take a"]


async def test_an_undo_that_dies_before_its_step_has_begun_in_the_journal_and_done_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, kill=KillAt("undo.begun")) as it:
        await it.run(PUT)
        with pytest.raises(Killed):
            await it.undone()
        (row,) = await it.tools.journal.in_state(State.RUNNING)

    assert (row.operation, row.marks.begun, row.marks.owner) == ("undo", 0, it.tools.owner)
    assert "a" in it.world.texts


@pytest.mark.req("T-63", "UN-01")
async def test_what_was_changed_since_is_not_taken_back_and_of_a_run_the_rest_is(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PUT, PUT_B)
        it.world.texts["b"] = ("the person's own words", 50)
        undone = await it.undone(done.run)
        originals = await it.again(done)

    assert (states(undone), states(originals)) == (["failed", "done"], ["undone", "done"])
    assert undone.outcomes[0].record.marks.error == "“b” has changed since it was looked at"
    assert it.world.texts == {"b": ("the person's own words", 50)}


async def test_several_changes_go_back_in_reverse_and_stop_where_one_cannot(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PAIR)
        it.world.faults["before:a"] = ProviderError("no", "world.no")
        undone = only(await it.undone()).record
        (part,) = await it.again(done)
        it.world.faults.clear()
        rest = await it.undone()
        (original,) = await it.again(done)

    assert (undone.state, undone.marks.error) == (State.FAILED, "1 of 2 changes were made, then: no")
    assert (part.state, [mark.outcome.value for mark in part.marks.changes]) == (State.DONE, ["done", "undone"])
    assert (states(rest), original.state, it.world.texts) == (["done"], State.UNDONE, {})


async def test_of_what_failed_on_its_way_the_part_that_was_done_is_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = ProviderError("no", "world.no")
        report = await it.run(("shelf.spread", {"one": "a", "other": "b"}))
        undone = await it.undone(only(report).record.id)

    assert (states(report), states(undone)) == (["failed"], ["done"])
    assert it.world.done == ["shelf.put a", "shelf.take a"]


async def test_what_the_model_may_no_longer_do_the_person_may_still_take_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        it.tightened(allowed_operations=())

        assert states(await it.undone()) == ["done"]


@pytest.mark.req("T-53")
@pytest.mark.parametrize(
    ("paused", "rule", "code", "why"),
    [
        (True, "paused", "policy.paused", "everything is paused; “sayso resume” lets sayso go on"),
        (False, "unknown", "operation.unknown", "this operation is no longer available here"),
    ],
)
async def test_an_undo_that_is_refused_is_a_row_with_the_reason_and_its_rule(
    tmp_path: Path, paused: bool, rule: str, code: str, why: str
) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        it.tightened(paused=paused)
        record = only(await backs(it, None if paused else Undo(replace(it.tools, catalogue={})))).record

    assert (record.state, record.marks.code, record.marks.error) == (State.REFUSED, code, why)
    assert record.verdict
    assert (record.verdict.ruling, record.verdict.rule, record.verdict.code) == ("deny", rule, code)
    assert record.marks.ended_at == NOON
    assert list(it.world.texts) == ["a"]


async def test_what_policy_forbids_the_person_too_is_not_taken_back_and_says_why(tmp_path: Path) -> None:
    roots = ("/home/ana/Documents",)
    async with given(tmp_path, policy=a_policy(roots=roots, real_roots=roots)) as it:
        done = only(await it.run(("shelf.label", {"path": "~/Documents/a"}))).record
        it.tightened(roots=(), real_roots=())
        refused = only(await backs(it)).record
        (row,) = [one for one in await it.tools.journal.query(RecordQuery()) if one.id == refused.id]

    assert done.state is State.DONE
    assert refused.verdict is not None
    assert (row.state, row.marks.code, refused.verdict.ruling) == (State.REFUSED, refused.verdict.code, "deny")
    assert row.marks.error == refused.verdict.because
    assert len(it.world.texts) == 1


class Other(Backend):
    """A shelf in another room."""

    name = "cellar"


async def test_what_was_done_on_another_backend_is_not_taken_back_on_this_one(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        with pytest.raises(ProposalError) as said:
            await backs(it, Undo(replace(it.tools, backends={"shelf": Other(it.world)})))

    assert said.value.code == "undo.other_backend"
    assert str(said.value) == "this was done on “memory”, and “shelf” is served by “cellar” now"
    assert "a" in it.world.texts


@pytest.mark.req("UN-03", "UN-04")
async def test_why_nothing_can_be_taken_back_is_said(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        nothing = await why_not(it, None)
        declined = only(await it.run(BURN, approver=Says(False))).record.id
        burnt = only(await it.run(BURN, approver=Says(True))).record.id
        refused = only(await it.run(NONE)).record.id
        same = only(await it.run(PUT)).record.id
        undone = only(await backs(it, ref=same)).record.id
        twice = await why_not(it, None)
        it.world.faults |= {"after:c": RuntimeError("boom"), "before:b": ProviderError("no", "world.no")}
        it.world.blind.add("c")
        failed = only(await it.run(PUT_B)).record.id
        unknown = only(await it.run(("shelf.put", {"name": "c"}))).record.id
        refs = (declined, burnt, refused, same, undone, failed, unknown, "do_none", "run_none")
        told = {ref: await why_not(it, ref) for ref in refs}

    assert nothing == twice == ("undo.nothing", "there is nothing to take back")
    assert {ref: code for ref, (code, _) in told.items() if code != "undo.no_way_back"} == {
        "do_none": "action.unknown",
        "run_none": "action.unknown",
    }
    assert {ref: sentence for ref, (_, sentence) in told.items()} == {
        declined: f"“{declined}” changed nothing: it is declined",
        burnt: f"“{burnt}” cannot be taken back: what is burnt is gone",
        refused: f"“{refused}” changed nothing: it is failed",
        same: f"“{same}” was already taken back by {undone}",
        undone: f"“{undone}” is an undo itself; do the action anew instead",
        failed: f"“{failed}” changed nothing",
        unknown: f"it is not known whether “{unknown}” happened; say so with `sayso settle {unknown} done` first",
        "do_none": "there is no action or run “do_none”",
        "run_none": "there is no action or run “run_none”",
    }


async def test_what_only_the_person_says_was_done_has_no_way_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        record = only(await it.run(PUT)).record
        word = replace(record, marks=replace(record.marks, changes=(StepRecord(StepOutcome.DONE),)))
        journal = it.tools.journal

        class Told:
            """A journal that holds the person's word for it."""

            def __getattr__(self, name: str) -> object:
                return getattr(journal, name)

            async def get(self, _: str) -> object:
                return word

        said = await why_not(it, record.id, Undo(replace(it.tools, journal=Told())))

    assert said == (
        "undo.no_way_back",
        f"“{record.id}” cannot be taken back: you said that it was done, so what it left is not known",
    )


async def test_where_a_part_failed_and_the_rest_is_the_persons_word_nothing_is_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults |= {"before:a": ProviderError("no", "world.no"), "after:b": RuntimeError("boom")}
        it.world.blind.add("b")
        record = only(await it.run(("shelf.scatter", {"names": ["a", "b"]}))).record
        ended = await settle_by_person(it.tools, record.id, done=True)
        said = await why_not(it, record.id)

    assert [mark.outcome for mark in ended.marks.changes] == [StepOutcome.NOT_DONE, StepOutcome.DONE]
    assert said[1].endswith("you said that it was done, so what it left is not known")


@pytest.mark.req("UN-01")
async def test_what_is_unknown_in_part_is_taken_back_only_after_the_persons_word(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["after:b"] = RuntimeError("boom")
        it.world.blind.add("b")
        record = only(await it.run(PAIR)).record
        code, said = await why_not(it, record.id)

    assert (record.state, code) == (State.UNKNOWN, "undo.no_way_back")
    assert said.startswith(f"it is not known whether “{record.id}” happened")


async def test_nothing_is_taken_back_while_somebody_acts_on_the_store(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await it.run(TAKE, approver=Says(True))
        impatient = Undo(replace(it.tools, locks=FileLocks(tmp_path / "locks", patience=0.01)))
        async with it.tools.locks.hold(["shelf"]):
            with pytest.raises(SetupError, match="has been acting on “shelf”"):
                await backs(it, impatient)

    assert it.world.texts == {}
