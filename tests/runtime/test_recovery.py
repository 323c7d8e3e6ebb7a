"""A process dies anywhere: nothing is doubled, nothing is lied about, and nothing is started again."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.core.ports import Query
from sayso.runtime.owner import this_process
from sayso.runtime.recovery import settled_by_person
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Call, a_dead_owner, a_policy, given, states
from tests.runtime.shelf import World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
BATCH: tuple[Call, ...] = (PUT, ("shelf.put", {"name": "b"}), ("shelf.put", {"name": "c"}))


async def killed_at(label: str, nth: int, folder: Path, world: World, *calls: Call) -> str:
    """Run until the kill point comes, as a process that then is gone; return what run it was."""
    policy, kill = a_policy(mode="never"), KillAt(label, nth=nth)
    async with given(folder, world=world, owner=a_dead_owner, policy=policy, kill=kill) as it:
        with pytest.raises(Killed):
            await it.run(*calls)
        rows = await it.tools.journal.query(Query())
        return rows[0].run if rows else ""


@pytest.mark.parametrize(
    ("label", "nth", "expected", "texts"),
    [
        ("path.claimed", 1, ["failed", "skipped", "skipped"], []),
        ("shelf.before", 1, ["failed", "skipped", "skipped"], []),
        ("shelf.after", 1, ["done", "skipped", "skipped"], ["a"]),
        ("path.acted", 1, ["done", "skipped", "skipped"], ["a"]),
        ("path.begun", 1, ["done", "failed", "skipped"], ["a"]),
        ("shelf.after", 2, ["done", "done", "skipped"], ["a", "b"]),
        ("path.acted", 3, ["done", "done", "done"], ["a", "b", "c"]),
    ],
)
async def test_wherever_it_dies_the_journal_says_what_is_so(
    tmp_path: Path, label: str, nth: int, expected: list[str], texts: list[str]
) -> None:
    world = World()
    run = await killed_at(label, nth, tmp_path, world, *BATCH)
    did = list(world.done)

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        records = await later.tools.journal.of_run(run)

    assert states(records) == expected
    assert list(world.texts) == texts
    assert world.done == did


async def test_before_the_claim_nothing_is_in_the_journal_and_nothing_was_done(tmp_path: Path) -> None:
    world = World()
    run = await killed_at("path.before_claim", 1, tmp_path, world, *BATCH)

    assert (run, world.texts) == ("", {})


async def test_what_waited_when_the_process_died_still_waits(tmp_path: Path) -> None:
    world = World(texts={"old": ("o", 0)})
    async with given(tmp_path, world=world, owner=a_dead_owner) as it:
        report = await it.run(("shelf.take", {"name": "old"}))

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        done = await later.approvals.approve(report.run, Says(True))

    assert states(done) == ["done"]


async def test_what_the_world_cannot_show_is_unknown_until_the_person_says(tmp_path: Path) -> None:
    world = World(blind={"a"})
    run = await killed_at("shelf.after", 1, tmp_path, world, *BATCH)

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        before = await later.tools.journal.of_run(run)
        await settled_by_person(later.tools, before[0].id, done=True)
        after = await later.tools.journal.of_run(run)
        with pytest.raises(ProposalError, match="is not unknown: it is done"):
            await settled_by_person(later.tools, before[0].id, done=False)

    assert states(before) == ["unknown", "skipped", "skipped"]
    assert states(after) == ["done", "skipped", "skipped"]


async def test_an_interrupted_undo_is_settled_with_what_it_took_back(tmp_path: Path) -> None:
    world = World()
    async with given(tmp_path, world=world, owner=a_dead_owner, kill=KillAt("shelf.after", nth=3)) as it:
        done = await it.run(("shelf.pair", {"one": "a", "other": "b"}))
        with pytest.raises(Killed):
            await it.undone()

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        (original,) = await later.again(done)
        rest = await later.undone(original.id)
        (final,) = await later.again(done)

    assert [mark.outcome.value for mark in original.marks.changes] == ["done", "undone"]
    assert states(rest) == ["done"]
    assert final.state.value == "undone"
    assert world.texts == {}


async def test_a_recovery_that_dies_itself_is_taken_up_by_the_next(tmp_path: Path) -> None:
    world = World()
    run = await killed_at("path.acted", 1, tmp_path, world, *BATCH)
    for label in ("recovery.before", "recovery.after"):
        async with given(tmp_path, world=world, kill=KillAt(label)) as dying:
            with pytest.raises(Killed):
                await dying.recovered()

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        records = await later.tools.journal.of_run(run)

    assert states(records) == ["done", "skipped", "skipped"]


async def test_what_a_living_process_does_is_left_alone(tmp_path: Path) -> None:
    world = World()
    policy = a_policy(mode="never")
    async with given(tmp_path, world=world, policy=policy, kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(*BATCH)

        async with given(tmp_path, world=world) as other:
            settled = await other.recovered()
            records = await other.tools.journal.query(Query())

    assert settled == 0
    assert {record.state.value for record in records} == {"running"}


async def test_what_another_machine_began_is_left_alone_until_the_person_says(tmp_path: Path) -> None:
    world = World()
    elsewhere = replace(this_process(), host="elsewhere", boot="another")
    async with given(tmp_path, world=world, owner=lambda: elsewhere, kill=KillAt("shelf.after")) as it:
        with pytest.raises(Killed):
            await it.run(PUT)

    async with given(tmp_path, world=world) as later:
        settled = await later.recovered()
        (running,) = await later.tools.journal.query(Query())
        said = await settled_by_person(later.tools, running.id, done=True)

    assert (settled, running.state.value, said.state.value) == (0, "running", "done")
