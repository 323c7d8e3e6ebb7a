"""Nearly everything can be taken back, and what is claimed to be taken back really is."""

from pathlib import Path
from typing import Never

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError
from sayso.core.ports import Backend as AnyBackend
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.runtime.undo import Undo
from sayso.testing.fakes import Says
from tests.runtime.given import given, only, states
from tests.runtime.shelf import Backend, Steps, World

PUT = ("shelf.put", {"name": "a", "text": "x"})


def old() -> World:
    return World(texts={"old": ("o", 0)})


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
        backs = await Undo(replace(it.tools, backends={"shelf": Forgetful(it.world)})).find(None)
        silent = await Undo(replace(it.tools, backends=Broken())).find(None)

    usual = f"Take back: Put “{name}” on the shelf"
    assert backs[0].plan.summary == (f"{usual} (“a” stands elsewhere then)" if name == "a" else usual)
    assert silent[0].plan.summary == usual


@pytest.mark.req("UN-05", "S2-50")
async def test_the_last_thing_done_is_taken_back_and_both_are_in_the_journal(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PUT)
        undone = await it.undone()
        (original,) = await it.again(done)

    record = only(undone).record
    assert it.world.texts == {}
    assert (record.state, record.operation, record.undo_of) == (State.DONE, "undo", original.id)
    assert record.marks.message == "Took back: Put “a” on the shelf"
    assert record.marks.approved_by == "command"
    assert (original.state, original.marks.undone_by) == (State.UNDONE, record.id)


async def test_a_run_is_taken_back_in_reverse(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PUT, ("shelf.put", {"name": "b"}), ("shelf.count", {"name": "a"}))
        undone = await it.undone(done.run)

    assert states(undone) == ["done", "done"]
    assert it.world.done == ["shelf.put a", "shelf.put b", "shelf.take b", "shelf.take a"]


@pytest.mark.req("T-63", "UN-01")
async def test_what_was_changed_since_is_not_taken_back_and_nothing_is_lost(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PUT)
        it.world.texts["a"] = ("the person's own words", 50)
        undone = await it.undone()
        (original,) = await it.again(done)

    assert only(undone).record.state is State.FAILED
    assert only(undone).record.marks.error == "“a” has changed since it was looked at"
    assert it.world.texts["a"] == ("the person's own words", 50)
    assert original.state is State.DONE


async def test_of_a_run_what_can_be_taken_back_is_and_the_rest_says_why(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PUT, ("shelf.put", {"name": "b"}))
        it.world.texts["b"] = ("mine", 50)
        undone = await it.undone(done.run)
        originals = await it.again(done)

    assert states(undone) == ["failed", "done"]
    assert states(originals) == ["undone", "done"]


@pytest.mark.req("UN-04")
async def test_what_has_no_way_back_says_why(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(("shelf.burn", {"name": "old"}), approver=Says(True))
        with pytest.raises(ProposalError, match="cannot be taken back: what is burnt is gone"):
            await it.undone(only(report).record.id)


@pytest.mark.req("UN-03")
async def test_an_undo_is_not_undone_and_nothing_is_taken_back_twice(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(PUT)
        undone = await it.undone()
        with pytest.raises(ProposalError, match="is an undo itself"):
            await it.undone(only(undone).record.id)
        with pytest.raises(ProposalError, match="already taken back"):
            await it.undone(only(done).record.id)
        with pytest.raises(ProposalError, match="nothing to take back"):
            await it.undone()


async def test_what_does_not_exist_or_changed_nothing_is_named(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(("shelf.take", {"name": "none"}))
        with pytest.raises(ProposalError, match="changed nothing: it is failed"):
            await it.undone(only(report).record.id)
        with pytest.raises(ProposalError, match="no action or run"):
            await it.undone("run_nothing")


async def test_several_changes_go_back_in_reverse_and_stop_where_one_cannot(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        done = await it.run(("shelf.pair", {"one": "a", "other": "b"}))
        it.world.faults["before:a"] = ProviderError("no", "world.no")
        undone = await it.undone()
        (part,) = await it.again(done)
        it.world.faults.clear()
        rest = await it.undone()
        (original,) = await it.again(done)

    assert only(undone).record.state is State.FAILED
    assert only(undone).record.marks.error == "1 of 2 changes were made, then: no"
    assert [mark.outcome.value for mark in part.marks.changes] == ["done", "undone"]
    assert part.state is State.DONE
    assert states(rest) == ["done"]
    assert original.state is State.UNDONE
    assert it.world.texts == {}


async def test_a_dry_run_of_an_undo_only_says(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        found = await it.undo.find(None)
        report = await it.undo.take_back(found, Origin("", "undo"), "command", dry_run=True)

    assert states(report) == ["planned"]
    assert only(report).record.marks.message == "Take back: Put “a” on the shelf"
    assert list(it.world.texts) == ["a"]


async def test_nothing_is_taken_back_while_sayso_is_paused(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        it.tightened(paused=True)
        report = await it.undone()

    assert only(report).record.state is State.REFUSED
    assert list(it.world.texts) == ["a"]


async def test_what_the_model_may_no_longer_do_the_person_may_still_take_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        it.tightened(allowed_operations=())
        report = await it.undone()

    assert states(report) == ["done"]


async def test_of_what_failed_on_its_way_the_part_that_was_done_is_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = ProviderError("no", "world.no")
        report = await it.run(("shelf.spread", {"one": "a", "other": "b"}))
        undone = await it.undone(only(report).record.id)

    assert (states(report), states(undone)) == (["failed"], ["done"])
    assert it.world.done == ["shelf.put a", "shelf.take a"]
