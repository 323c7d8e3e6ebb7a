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
    return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19])
