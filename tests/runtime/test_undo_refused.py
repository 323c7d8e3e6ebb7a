"""Where something is not taken back it is said why, and nothing is changed."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.ports import RecordQuery
from sayso.core.record import State, StepOutcome, StepRecord
from sayso.runtime.locks import FileLocks
from sayso.runtime.recovery import settle_by_person
from sayso.runtime.undo import Undo
from sayso.testing.fakes import Says
from tests.runtime.given import Given, a_policy, given, only
from tests.runtime.granted import old
from tests.runtime.shelf import Backend
from tests.runtime.undone import backs

PUT = ("shelf.put", {"name": "a", "text": "x"})
PAIR = ("shelf.pair", {"one": "a", "other": "b"})
BURN = ("shelf.burn", {"name": "old"})


async def why_not(it: Given, ref: str | None, undo: Undo | None = None) -> tuple[str, str]:
    """Return the word and the sentence with which nothing is taken back."""
    with pytest.raises(ProposalError) as said:
        await (undo or it.undo).find(ref)
    return said.value.code, str(said.value)


@pytest.mark.req("T-53")
async def test_an_undo_that_is_refused_is_a_row_with_the_reason(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        it.tightened(paused=True)
        paused = only(await backs(it, it.undo)).record
        it.tightened(paused=False)
        nobody = Undo(replace(it.tools, catalogue={}))
        unknown = only(await backs(it, nobody)).record

    assert (paused.state, paused.marks.code) == (State.REFUSED, "policy.paused")
    assert paused.marks.error == "sayso is paused; `sayso resume` lets it go on"
    assert (unknown.state, unknown.marks.code) == (State.REFUSED, "operation.unknown")
    assert unknown.marks.error == "nothing here knows this operation any more"
    assert paused.marks.ended_at == unknown.marks.ended_at == "2026-03-14T12:00:00.000Z"
    assert "a" in it.world.texts


async def test_what_policy_forbids_the_person_too_is_not_taken_back_and_says_why(tmp_path: Path) -> None:
    roots = ("/home/ana/Documents",)
    async with given(tmp_path, policy=a_policy(roots=roots, real_roots=roots)) as it:
        done = only(await it.run(("shelf.label", {"path": "~/Documents/a"}))).record
        it.tightened(roots=(), real_roots=())
        refused = only(await backs(it, it.undo)).record
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
        moved = Undo(replace(it.tools, backends={"shelf": Other(it.world)}))
        with pytest.raises(ProposalError) as said:
            await backs(it, moved)

    assert said.value.code == "undo.other_backend"
    assert str(said.value) == "this was done on “memory”, and “shelf” is served by “cellar” now"
    assert "a" in it.world.texts


async def test_why_nothing_can_be_taken_back_is_said(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        nothing = await why_not(it, None)
        burnt = only(await it.run(BURN, approver=Says(True))).record.id
        refused = only(await it.run(("shelf.take", {"name": "none"}))).record.id
        same = only(await it.run(PUT)).record.id
        undone = only(await backs(it, it.undo, same)).record.id
        it.world.faults["after:c"] = RuntimeError("boom")
        it.world.blind.add("c")
        unknown = only(await it.run(("shelf.put", {"name": "c"}))).record.id
        told = {ref: await why_not(it, ref) for ref in (burnt, refused, same, undone, unknown, "do_none", "run_none")}

    assert nothing == ("undo.nothing", "there is nothing to take back")
    assert told == {
        burnt: ("undo.no_way_back", f"“{burnt}” cannot be taken back: what is burnt is gone"),
        refused: ("undo.no_way_back", f"“{refused}” changed nothing: it is failed"),
        same: ("undo.no_way_back", f"“{same}” was already taken back by {undone}"),
        undone: ("undo.no_way_back", f"“{undone}” is an undo itself; do the action anew instead"),
        unknown: (
            "undo.no_way_back",
            f"it is not known whether “{unknown}” happened; say so with `sayso settle {unknown} done` first",
        ),
        "do_none": ("action.unknown", "there is no action or run “do_none”"),
        "run_none": ("action.unknown", "there is no action or run “run_none”"),
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
        f"“{record.id}” cannot be taken back: that it was done is your word, so what it left is not known",
    )


async def test_where_a_part_failed_and_the_rest_is_the_persons_word_nothing_is_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults |= {"before:a": ProviderError("no", "world.no"), "after:b": RuntimeError("boom")}
        it.world.blind.add("b")
        record = only(await it.run(("shelf.scatter", {"names": ["a", "b"]}))).record
        ended = await settle_by_person(it.tools, record.id, done=True)
        said = await why_not(it, record.id)

    assert [mark.outcome for mark in ended.marks.changes] == [StepOutcome.NOT_DONE, StepOutcome.DONE]
    assert said[1].endswith("that it was done is your word, so what it left is not known")


@pytest.mark.req("UN-01")
async def test_what_is_unknown_in_part_is_taken_back_only_after_the_persons_word(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["after:b"] = RuntimeError("boom")
        it.world.blind.add("b")
        record = only(await it.run(PAIR)).record
        code, said = await why_not(it, record.id)

    assert (record.state, code) == (State.UNKNOWN, "undo.no_way_back")
    assert said.startswith(f"it is not known whether “{record.id}” happened")


async def test_what_did_not_happen_has_changed_nothing_whatever_it_would_have_done(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        declined = only(await it.run(BURN, approver=Says(False))).record.id
        it.world.faults["before:a"] = ProviderError("no", "world.no")
        failed = only(await it.run(PUT)).record.id
        said = [(await why_not(it, ref))[1] for ref in (declined, failed)]

    assert said == [f"“{declined}” changed nothing: it is declined", f"“{failed}” changed nothing"]


async def test_nothing_is_taken_back_while_somebody_acts_on_the_store(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        impatient = Undo(replace(it.tools, locks=FileLocks(tmp_path / "locks", patience=0.01)))
        async with it.tools.locks.hold(["shelf"]):
            with pytest.raises(SetupError, match="has been acting on “shelf”"):
                await backs(it, impatient)

    assert "a" in it.world.texts


async def test_a_no_to_an_undo_names_its_rule(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        unknown = only(await backs(it, Undo(replace(it.tools, catalogue={})))).record
        it.tightened(paused=True)
        paused = only(await backs(it, it.undo)).record

    verdicts = [record.verdict for record in (unknown, paused)]
    assert [(verdict.ruling, verdict.rule, verdict.code) for verdict in verdicts if verdict] == [
        ("deny", "unknown", "operation.unknown"),
        ("deny", "paused", "policy.paused"),
    ]
