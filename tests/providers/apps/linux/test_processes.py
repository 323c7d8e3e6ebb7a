"""A process is known by its number and its start; one that has ended is nobody."""

import os
import subprocess
from pathlib import Path

from sayso.providers.apps.linux.processes import instance, launched_as, lives, ours, programs


def test_a_process_lives_until_it_has_ended():
    with subprocess.Popen(["sleep", "100"]) as process:
        name = instance(process.pid)
        assert name is not None
        alive = lives(name)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        unfetched = lives(name)

    assert (alive, unfetched, lives(name)) == (True, False, False)


def test_a_number_that_went_to_another_process_is_not_the_same():
    name = instance(os.getpid())

    assert name is not None
    assert lives(name)
    assert not lives(f"{os.getpid()}-1")
    assert not lives("window-5")


def test_a_process_is_named_after_what_was_started_and_what_runs():
    with subprocess.Popen(["sleep", "100"]) as process:
        names = programs(process.pid)
        process.kill()

    assert names[0] == "sleep"
    assert programs(process.pid) == ()


def test_only_the_process_that_was_launched_tells_from_which_entry(tmp_path: Path):
    told = {**os.environ, "GIO_LAUNCHED_DESKTOP_FILE": "/apps/note.desktop"}
    with (
        subprocess.Popen(["sleep", "100"], env=told, start_new_session=True) as launched,
        subprocess.Popen(["sleep", "100"], env=told) as inherits,
        subprocess.Popen(["sleep", "100"], env={**told, "GIO_LAUNCHED_DESKTOP_FILE_PID": "1"}) as of_another,
    ):
        found = [launched_as(process.pid) for process in (launched, inherits, of_another)]
        for process in (launched, inherits, of_another):
            process.kill()

    assert found == ["/apps/note.desktop", None, None]
    assert launched_as(launched.pid) is None


def test_this_process_and_those_around_it_are_ours_and_its_children_are_not():
    with subprocess.Popen(["sleep", "100"]) as child:
        found = ours()
        name = instance(child.pid)
        child.kill()

    assert {instance(os.getpid()), instance(os.getppid())} <= found
    assert name not in found
