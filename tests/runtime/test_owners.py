"""Whether the process that owns an action is gone: known on this machine, and never presumed of another."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.runtime.recovery import is_dead, this_process

SPACE = f"{this_process().boot.partition(' ')[0]} pid:[1]"
NAMED = r"""
from pathlib import Path
Path("/proc/self/comm").write_bytes(b"a) Z 1 (\xff)")
print("ready", flush=True)
input()
"""


def _started(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19])


@pytest.mark.parametrize(
    ("owner", "me", "dead"),
    [
        pytest.param({}, {}, False, id="this process"),
        pytest.param({"started": 1}, {}, True, id="its number was given to another"),
        pytest.param({"boot": "another"}, {}, True, id="of before a restart"),
        pytest.param({"boot": "another"}, {"boot": "one"}, True, id="of another boot, however it is written"),
        pytest.param({"host": "renamed", "started": 1}, {}, True, id="gone, and the machine renamed"),
        pytest.param({"host": "renamed"}, {}, False, id="the machine renamed"),
        pytest.param({"boot": SPACE, "pid": 1}, {}, False, id="in another process space on the same kernel"),
        pytest.param({"host": "elsewhere", "boot": "another", "pid": 1}, {}, False, id="on another host"),
        pytest.param({"boot": "", "started": 1}, {"boot": ""}, True, id="gone, where no boot id is told"),
        pytest.param({"boot": ""}, {"boot": ""}, False, id="this process, where no boot id is told"),
        pytest.param({"boot": "", "host": "elsewhere", "started": 1}, {"boot": ""}, False, id="elsewhere, likewise"),
    ],
)
def test_an_owner_is_dead_only_where_that_is_certain(owner: dict[str, Any], me: dict[str, Any], dead: bool) -> None:
    assert is_dead(replace(this_process(), **owner), replace(this_process(), **me)) is dead


@pytest.mark.parametrize("waited_for", [True, False])
def test_a_process_that_ended_is_dead_whether_it_was_waited_for_or_not(waited_for: bool) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdin is not None
    running = replace(this_process(), pid=child.pid, started=_started(child.pid))

    alive = not is_dead(running, this_process())
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | (0 if waited_for else os.WNOWAIT))
    dead = is_dead(running, this_process())
    child.wait()

    assert (alive, dead) == (True, True)


def test_a_program_whose_name_holds_brackets_and_odd_bytes_is_known_by_when_it_began() -> None:
    with subprocess.Popen([sys.executable, "-c", NAMED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        ready = child.stdout.readline()
        running = replace(this_process(), pid=child.pid, started=_started(child.pid))

        alive = not is_dead(running, this_process())
        child.communicate(b"\n")

    assert (ready, alive) == (b"ready\n", True)


def test_an_owner_names_the_kernel_and_the_space_of_its_numbers() -> None:
    kernel, _, space = this_process().boot.partition(" ")

    assert kernel == Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    assert space == str(Path("/proc/self/ns/pid").readlink())
    assert this_process().started == _started(os.getpid())


def test_where_the_system_tells_nothing_of_processes_a_number_that_nobody_has_is_dead(tmp_path: Path) -> None:
    me = this_process(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    running = replace(me, pid=child.pid)

    alive = [is_dead(running, me, tmp_path) for _ in range(2)]
    child.communicate(b"\n")

    assert me == replace(this_process(), boot="", started=0)
    assert (alive, child.returncode) == ([False, False], 0)
    assert is_dead(running, me, tmp_path)
    assert not is_dead(replace(running, host="elsewhere"), me, tmp_path)
