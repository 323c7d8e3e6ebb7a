"""`sayso trigger run` looks after triggers until it is asked to end, and what nobody watched it says it missed."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import sayso as library
from sayso.assembly.automation import Automation
from sayso.assistant.triggers.host import Host, Listener
from sayso.runtime.clock import SystemClock
from sayso.testing.fakes import FakeClock
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import PATIENCE, at_terminal, sayso

DIARY = """
[[trigger]]
name = "diary"
says = "A minute is over"
schedule = "* * * * *"
missed = "{missed}"
lines = 'APPEND_FILE "~/Documents/diary.txt" "x"'
"""
SLOW = """
[model]
name = "replay:{pipe}"
[[trigger]]
name = "slow"
says = "A day is over"
schedule = "0 0 * * *"
words = "tidy up"
"""
Settings = Callable[[str], None]


async def watched_until(hours_ago: float) -> None:
    """Host the triggers once, by a clock of so many hours ago."""
    then = SystemClock().now() - timedelta(hours=hours_ago)
    async with library.open_home(clock=FakeClock(then)) as home:
        await Host(Automation(home).world, Listener()).once()


def two_at_once(*words: str) -> bytes:
    """Run sayso twice at the same time, and return what both print."""
    both = [subprocess.Popen(at_terminal(*words), stdout=subprocess.PIPE) for _ in range(2)]
    told = b"".join(one.communicate(timeout=2 * PATIENCE)[0] for one in both)
    assert [one.returncode for one in both] == [0, 0]
    return told


@pytest.mark.req("S0-03")
@pytest.mark.parametrize(("missed", "event", "written"), [("run", "missed", True), ("skip", "skipped", False)])
async def test_what_was_missed_is_run_once_or_skipped(
    person: Path, settings: Settings, missed: str, event: str, written: bool
):
    settings(DIARY.format(missed=missed).replace("* * * * *", "0 0 * * *"))
    await watched_until(hours_ago=24 * 7)

    first = sayso("trigger", "run", "--once")
    second = sayso("trigger", "run", "--once")

    assert ("missed, run now (it was due " in first.out) is written
    assert ("missed, passed over" in first.out) is not written
    assert second.out == ""
    diary = person / "Documents/diary.txt"
    assert (diary.read_text() if diary.exists() else "") == "x" * written


async def test_a_program_that_hosts_it_reads_lines_of_json(person: Path, settings: Settings):
    settings(DIARY.format(missed="run").replace("* * * * *", "0 0 * * *"))
    await watched_until(hours_ago=24 * 7)

    run = sayso("trigger", "run", "--once", "--json")

    missed, ran = [json.loads(line) for line in run.out.splitlines()]
    assert (missed["trigger"], missed["event"], missed["what"]) == ("diary", "missed", [])
    assert (ran["event"], ran["said"]) == ("ran", "1 done")
    assert ran["run"].startswith("run_")


async def test_of_two_hosts_at_once_one_runs_what_was_missed(person: Path, settings: Settings):
    settings(DIARY.format(missed="run").replace("* * * * *", "0 0 * * *"))
    await watched_until(hours_ago=24 * 7)

    told = two_at_once("trigger", "run", "--once")

    assert told.count(b"missed, run now") == 1
    assert (person / "Documents/diary.txt").read_text() == "x"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_when_it_is_asked_to(person: Path, settings: Settings, sit: Sit, number: signal.Signals):
    settings(DIARY.format(missed="run"))
    screen = sit(argv=at_terminal("trigger", "run"))
    screen.see("1 trigger is looked after")

    screen.program.send_signal(number)

    assert screen.end() == 0
    assert "Traceback" not in screen.text


async def test_a_host_that_was_killed_leaves_nothing_to_be_done_twice(person: Path, settings: Settings, sit: Sit):
    settings(DIARY.format(missed="run"))
    await watched_until(hours_ago=1)
    screen = sit(argv=at_terminal("trigger", "run"))
    screen.see("diary: 1 done")
    screen.program.kill()
    screen.end()

    again = sayso("trigger", "run", "--once")

    assert "missed" not in again.out
    # A minute may have come between the two.
    assert len((person / "Documents/diary.txt").read_text()) == 1 + again.out.count("1 done")


@pytest.mark.parametrize("deed", [("trigger", "run"), ("trigger", "fire", "slow")])
async def test_a_model_that_is_still_answering_is_left(
    person: Path, settings: Settings, sit: Sit, tmp_path: Path, deed: tuple[str, ...]
):
    pipe = tmp_path / "replies"
    os.mkfifo(pipe)
    settings(SLOW.format(pipe=pipe))
    await watched_until(hours_ago=24 * 7)
    screen = sit(argv=at_terminal(*deed))
    with pipe.open("w") as replies:
        replies.write(json.dumps(["# x\n" * 400_000 + 'CREATE_FOLDER "~/Documents/late"']))

    screen.program.send_signal(signal.SIGTERM)

    assert screen.end() in {0, 3}
    assert "you stopped it" in " ".join(screen.text.split())
    assert not (person / "Documents/late").exists()
