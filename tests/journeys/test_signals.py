"""A signal in the middle of a run leaves a truthful journal: what it says is done is there, and nothing else is."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

COUNT = 300
ENDED = {"done", "skipped", "failed"}
LAUNCH = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests themselves were told to ignore it
os.execv(sys.executable, [sys.executable, "-m", "sayso", *sys.argv[1:]])
"""


def begun(scratch_home: Path) -> subprocess.Popen[bytes]:
    """Start a run that makes many folders, and return it once it has made some."""
    (scratch_home / "Documents").mkdir()
    reply = scratch_home.parent / "reply.txt"
    reply.write_text("".join(f"CREATE_FOLDER ~/Documents/d{number}\n" for number in range(COUNT)))
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, "run", str(reply), "--dialect", "lines", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (scratch_home / "Documents" / "d3").exists() and process.poll() is None:
        pass
    return process


@pytest.mark.req("CR-07")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_the_journal_tells_after_a_signal_is_so(scratch_home: Path, number: signal.Signals):
    process = begun(scratch_home)

    process.send_signal(number)
    err = process.communicate(timeout=60)[1]

    rows = sayso("log", "--json", "--limit", "1000").document["rows"]
    told = {row["arguments"]["path"].rpartition("/")[2] for row in rows if row["state"] == "done"}
    there = {path.name for path in (scratch_home / "Documents").iterdir()}
    assert told == there
    assert len(there) < COUNT
    assert {row["state"] for row in rows} <= ENDED
    assert b"Traceback" not in err


@pytest.mark.req("CR-07")
def test_a_run_that_was_suspended_goes_on_and_ends_whole(scratch_home: Path):
    process = begun(scratch_home)

    process.send_signal(signal.SIGSTOP)
    before = {path.name for path in (scratch_home / "Documents").iterdir()}
    meanwhile = sayso("log", "--json", "--limit", "1000").document["rows"]
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=60)

    assert len(before) < COUNT
    assert not {row["state"] for row in meanwhile} & {"failed", "unknown"}
    assert process.returncode == 0
    assert len(list((scratch_home / "Documents").iterdir())) == COUNT
