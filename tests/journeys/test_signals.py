"""A signal in the middle of a run leaves a truthful journal: what it says is done is there, and nothing else is."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

COUNT = 30
ENDED = {"done", "skipped", "failed"}
LAUNCH = """
import os, runpy, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests themselves were told to ignore it
place, said, gate, *words = sys.argv[1:]
paused = []

def pause(event, given):
    if event == "os.mkdir" and not paused and os.path.exists(place):
        paused.append(event)
        os.write(int(said), b".")
        os.read(int(gate), 1)

sys.addaudithook(pause)
sys.argv = ["sayso", *words]
runpy.run_module("sayso", run_name="__main__", alter_sys=True)
"""
"""Runs sayso, which stands still before it makes the folder after `place`, until the gate is opened."""


@dataclass
class Begun:
    """A run that stands still in the middle of what it makes."""

    process: subprocess.Popen[bytes]
    gate: int

    def ends(self) -> bytes:
        """Let it go on, and return what it wrote on standard error once it has ended."""
        os.close(self.gate)
        return self.process.communicate()[1]


def begun(scratch_home: Path) -> Begun:
    """Start a run that makes many folders, and return it where it stands still, having made some."""
    (scratch_home / "Documents").mkdir()
    reply = scratch_home.parent / "reply.txt"
    reply.write_text("".join(f"CREATE_FOLDER ~/Documents/d{number}\n" for number in range(COUNT)))
    (heard, said), (held, gate) = os.pipe(), os.pipe()
    words = (str(scratch_home / "Documents" / "d3"), str(said), str(held))
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *words, "run", str(reply), "--dialect", "lines", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=(said, held),
    )
    os.close(said)
    os.close(held)
    assert os.read(heard, 1) == b".", "it ended before it had made some"
    os.close(heard)
    return Begun(process, gate)


@pytest.mark.req("CR-07")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_the_journal_tells_after_a_signal_is_so(scratch_home: Path, number: signal.Signals):
    run = begun(scratch_home)

    run.process.send_signal(number)
    err = run.ends()

    rows = sayso("log", "--json", "--limit", "1000").document["rows"]
    told = {row["arguments"]["path"].rpartition("/")[2] for row in rows if row["state"] == "done"}
    there = {path.name for path in (scratch_home / "Documents").iterdir()}
    assert told == there
    assert len(there) < COUNT
    assert {row["state"] for row in rows} <= ENDED
    assert b"Traceback" not in err


@pytest.mark.req("CR-07")
def test_a_run_that_was_suspended_goes_on_and_ends_whole(scratch_home: Path):
    run = begun(scratch_home)

    run.process.send_signal(signal.SIGSTOP)
    before = {path.name for path in (scratch_home / "Documents").iterdir()}
    meanwhile = sayso("log", "--json", "--limit", "1000").document["rows"]
    run.process.send_signal(signal.SIGCONT)
    run.ends()

    assert len(before) < COUNT
    assert not {row["state"] for row in meanwhile} & {"failed", "unknown"}
    assert run.process.returncode == 0
    assert len(list((scratch_home / "Documents").iterdir())) == COUNT
