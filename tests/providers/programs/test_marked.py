"""Processes are found by what they were started with."""

import os
import signal
import subprocess

from sayso.providers.programs.marked import carriers, end_marked
from tests.desktop_env.session import wait_for


def test_who_carries_a_mark_is_found_and_ended_and_nobody_else():
    marked = subprocess.Popen(["sleep", "60"], env={**os.environ, "A_MARK": "one"})
    other = subprocess.Popen(["sleep", "60"], env={**os.environ, "A_MARK": "one more"})

    assert wait_for(lambda: carriers("A_MARK", "one")) == (marked.pid,)
    assert end_marked("A_MARK", "one", signal.SIGTERM) == 1
    assert marked.wait(5) == -signal.SIGTERM
    assert carriers("A_MARK", "one") == ()
    assert other.poll() is None
    other.kill()
    other.wait()


def test_where_nobody_carries_it_nobody_is_ended():
    assert end_marked("A_MARK", "of nobody", signal.SIGKILL) == 0
