"""A process dies anywhere: nothing is doubled, nothing is lied about, and nothing is started again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError
from sayso.core.ports import RecordQuery
from sayso.runtime.recovery import is_dead, settle_by_person, this_process
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Call, a_dead_owner, a_policy, given, states
from tests.runtime.shelf import World


def test_this_process_lives() -> None:
    assert not is_dead(this_process(), this_process())


def test_a_process_that_ended_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    running = replace(this_process(), pid=child.pid, started=_started(child.pid))

    alive = is_dead(running, this_process())
    child.communicate(b"\n")

    assert not alive
    assert is_dead(running, this_process())


def test_one_that_ended_and_was_not_waited_for_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    ended = replace(this_process(), pid=child.pid, started=_started(child.pid))
    assert child.stdin is not None

    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    dead = is_dead(ended, this_process())
    child.wait()

    assert dead


def test_a_number_that_was_given_to_another_process_is_not_taken_for_the_owner() -> None:
    assert is_dead(replace(this_process(), started=1), this_process())


def test_nothing_of_before_a_restart_lives() -> None:
    assert is_dead(replace(this_process(), boot="another"), this_process())


def test_the_same_machine_under_another_name_is_the_same_machine() -> None:
    gone = replace(this_process(), host="renamed", started=1)

    assert is_dead(gone, this_process())
    assert not is_dead(replace(this_process(), host="renamed"), this_process())


def test_nothing_is_known_of_another_process_space_on_the_same_kernel() -> None:
    kernel = this_process().boot.partition(" ")[0]

    assert not is_dead(replace(this_process(), boot=f"{kernel} pid:[1]", pid=1), this_process())


def test_an_owner_on_another_host_is_never_presumed_dead() -> None:
    assert not is_dead(replace(this_process(), host="elsewhere", boot="another", pid=1), this_process())


def _started(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19])


def test_on_the_same_boot_a_process_is_known_although_the_machine_says_no_boot_id() -> None:
    me = replace(this_process(), boot="")

    assert is_dead(replace(me, started=1), me)
    assert not is_dead(me, me)
    assert not is_dead(replace(me, host="elsewhere", started=1), me)


def test_a_program_whose_name_holds_brackets_and_odd_bytes_is_known_by_when_it_began() -> None:
    with subprocess.Popen([sys.executable, "-c", NAMED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        ready = child.stdout.readline()
        running = replace(this_process(), pid=child.pid, started=_started(child.pid))

        alive = not is_dead(running, this_process())
        child.communicate(b"\n")

    assert (ready, alive) == (b"ready\n", True)


NAMED = r"""
from pathlib import Path
Path("/proc/self/comm").write_bytes(b"a) Z 1 (\xff)")
print("ready", flush=True)
input()
"""


def test_an_owner_names_the_kernel_and_the_space_of_its_numbers() -> None:
    kernel, _, space = this_process().boot.partition(" ")

    assert kernel == Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    assert space == str(Path("/proc/self/ns/pid").readlink())
    assert this_process().started == _started(os.getpid())


def test_another_boot_is_another_boot_however_it_is_written() -> None:
    assert is_dead(replace(this_process(), boot="another"), replace(this_process(), boot="one"))


def test_where_the_system_tells_nothing_of_processes_a_number_that_nobody_has_is_dead(tmp_path: Path) -> None:
    me = this_process(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    running = replace(me, pid=child.pid)

    alive = [is_dead(running, me, tmp_path) for _ in range(2)]
    elsewhere = replace(running, host="elsewhere")
    child.communicate(b"\n")

    assert me == replace(this_process(), boot="", started=0)
    assert (alive, child.returncode) == ([False, False], 0)
    assert is_dead(running, me, tmp_path)
    assert not is_dead(elsewhere, me, tmp_path)


PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
BATCH: tuple[Call, ...] = (PUT, ("shelf.put", {"name": "b"}), ("shelf.put", {"name": "c"}))


async def killed_at(label: str, nth: int, folder: Path, world: World, *calls: Call) -> str:
    """Run until the kill point comes, as a process that then is gone; return what run it was."""
    policy, kill = a_policy(mode="never"), KillAt(label, nth=nth)
    async with given(folder, world=world, owner=a_dead_owner, policy=policy, kill=kill) as it:
        with pytest.raises(Killed):
            await it.run(*calls)
        rows = await it.tools.journal.query(RecordQuery())
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
        await settle_by_person(later.tools, before[0].id, done=True)
        after = await later.tools.journal.of_run(run)
        with pytest.raises(ProposalError, match="is not unknown: it is done"):
            await settle_by_person(later.tools, before[0].id, done=False)

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
            records = await other.tools.journal.query(RecordQuery())

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
        (running,) = await later.tools.journal.query(RecordQuery())
        said = await settle_by_person(later.tools, running.id, done=True)

    assert (settled, running.state.value, said.state.value) == (0, "running", "done")
