"""Whether the process that carried something out is gone is known for this host, and presumed for no other."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from sayso.runtime.owner import is_dead, this_process


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
