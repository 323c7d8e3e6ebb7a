"""One process at a time holds a store's lock, and a dead process holds none."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import SetupError
from sayso.runtime.locks import FileLocks
from tests.descriptors import open_descriptors
from tests.patience import patience

HOLDER = """
import anyio, sys
from pathlib import Path
from sayso.runtime.locks import FileLocks

async def hold():
    async with FileLocks(Path(sys.argv[1])).hold(["files"]):
        print("held", flush=True)
        sys.stdin.read()

anyio.run(hold)
"""


async def test_two_runs_on_one_store_come_one_after_the_other(tmp_path: Path) -> None:
    order: list[str] = []

    async def act(name: str) -> None:
        async with FileLocks(tmp_path).hold(["files", "desktop"]):
            order.append(f"{name} begins")
            await anyio.lowlevel.checkpoint()
            order.append(f"{name} ends")

    async with anyio.create_task_group() as tasks:
        for name in "abcd":
            tasks.start_soon(act, name)

    assert [entry.split()[0] for entry in order[::2]] == [entry.split()[0] for entry in order[1::2]]
    assert len(order) == 8


async def test_one_is_alone_at_a_time_and_no_file_stays(tmp_path: Path) -> None:
    locks, other = FileLocks(tmp_path), FileLocks(tmp_path)

    with locks.alone("a/b") as first, other.alone("a/b") as second, other.alone("else") as elsewhere:
        pass
    with other.alone("a/b") as later:
        pass

    assert (first, second, elsewhere, later) == (True, False, True, True)
    assert list(tmp_path.iterdir()) == []


async def test_locks_are_taken_in_the_order_of_their_names_so_that_two_runs_never_wait_for_each_other(
    tmp_path: Path,
) -> None:
    names = sorted(["files", "desktop", "mail", "notes", "browser", "calendar", "apps", "tasks", "talk", "web"])
    waited_for: list[str] = []
    for place, name in enumerate(names):
        async with FileLocks(tmp_path).hold(names[place:]):
            with pytest.raises(SetupError, match=f"acting on “{name}”"):
                async with FileLocks(tmp_path, patience=0.0).hold([*reversed(names), *names]):
                    raise AssertionError
        waited_for.append(name)

    assert waited_for == names


async def test_different_stores_do_not_wait_for_each_other(tmp_path: Path) -> None:
    async with FileLocks(tmp_path).hold(["files"]), FileLocks(tmp_path).attempt(["mail"]) as held:
        assert held


async def test_an_attempt_says_that_the_lock_is_taken_and_keeps_nothing(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path)
    async with locks.hold(["files"]):
        async with locks.attempt(["desktop", "files"]) as held:
            assert not held
        async with locks.attempt(["desktop"]) as held:
            assert held


async def test_who_waits_too_long_is_told_and_then_gives_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with FileLocks(tmp_path).hold(["files"]):
        with pytest.raises(SetupError, match=r"has been acting on “files” for 0\.05 seconds; nothing was done"):
            async with FileLocks(tmp_path, tell_after=0.0, patience=0.05).hold(["files"]):
                raise AssertionError

    assert caplog.messages == ["another run of sayso is acting on “files”; this one waits for it"]


@pytest.mark.req("X-15")
async def test_lock_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    async with FileLocks(tmp_path / "locks").hold(["files"]):
        pass

    assert (tmp_path / "locks").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "locks" / "files.lock").stat().st_mode & 0o777 == 0o600


async def test_another_process_is_kept_out_and_its_death_frees_the_lock(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path)
    other = subprocess.Popen(  # noqa: ASYNC220 - the test has nothing else to do meanwhile
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    async with locks.attempt(["files"]) as held_beside:
        pass

    os.kill(other.pid, signal.SIGKILL)
    other.communicate()
    with anyio.fail_after(patience()):
        async with locks.hold(["files"]):
            pass

    assert not held_beside


async def test_who_waits_a_moment_is_told_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    locks = FileLocks(tmp_path, patience=0.05)
    async with locks.hold(["files"]):
        with pytest.raises(SetupError) as busy:
            async with locks.hold(["files"]):
                raise AssertionError

    assert caplog.messages == []
    assert busy.value.code == "lock.busy"


async def test_who_goes_on_waiting_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with FileLocks(tmp_path).hold(["files"]):
        with pytest.raises(SetupError):
            async with FileLocks(tmp_path, tell_after=0.0, patience=0.2).hold(["files"]):
                raise AssertionError

    assert [record.name for record in caplog.records] == ["sayso"]


async def test_the_folder_of_the_locks_is_made_with_those_above_it(tmp_path: Path) -> None:
    async with FileLocks(tmp_path / "home" / "locks").attempt(["files"]) as held:
        assert held

    assert (tmp_path / "home" / "locks" / "files.lock").is_file()


async def test_a_lock_that_is_a_link_is_not_followed_and_none_outlives_a_program_that_is_started(
    tmp_path: Path,
) -> None:
    (tmp_path / "mail.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"mail\.lock"):
        async with FileLocks(tmp_path).hold(["mail"]):
            raise AssertionError
    async with FileLocks(tmp_path).hold(["files"]):
        opened = [handle for handle in Path("/proc/self/fd").iterdir() if _is_lock(handle)]
        inherited = [os.get_inheritable(int(handle.name)) for handle in opened]

    assert inherited == [False]
    assert not (tmp_path / "elsewhere").exists()


def _is_lock(handle: Path) -> bool:
    try:
        return handle.readlink().name == "files.lock"
    except OSError:
        return False


def test_several_may_be_present_at_once_and_the_dead_are_not(tmp_path: Path) -> None:
    here, there = FileLocks(tmp_path / "locks"), FileLocks(tmp_path / "locks")
    nobody = here.anybody("host"), (tmp_path / "locks").exists()

    with here.present("host"):
        with there.present("host"):
            assert here.anybody("host")
        assert there.anybody("host")

    assert nobody == (False, False)
    assert not here.anybody("host")


def test_who_is_present_is_looked_for_through_no_link_and_nothing_stays_open(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path)
    with locks.present("other"):
        (tmp_path / "host.lock").symlink_to(tmp_path / "other.lock")
        opened = open_descriptors()
        found = locks.anybody("other"), locks.anybody("host")

        assert found == (True, False)
        assert open_descriptors() <= opened
