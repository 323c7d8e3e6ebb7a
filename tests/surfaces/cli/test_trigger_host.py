"""A service of the person's own runs exactly the words it is given, whatever is in them."""

import configparser
import json
import os
import plistlib
import signal
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import sayso as library
from sayso.assembly.entry import Automation
from sayso.assistant.triggers.host import Host, TriggerListener
from sayso.config import load
from sayso.core.errors import ProviderError, SetupError
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli.trigger_host import of_person, of_triggers, service, start_service
from sayso.templates.runner import create_action
from sayso.testing.fakes import FakeClock
from sayso.testing.macos import SimulatedMac
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import PATIENCE, at_terminal, sayso

ARGV = ("/opt/my python/bin/python", "-m", "sayso", "trigger", "run")
ODD = '/home/x/50% "odd" $HOME\\n'


def test_on_linux_it_is_a_unit_of_the_persons_session():
    own = service("linux", {"SAYSO_HOME": "/home/x/own", "OTHER": "1"}, Path("/home/x"), 1000, ARGV)

    unit = configparser.ConfigParser(interpolation=None)
    unit.read_string(own.content.decode())
    assert own.file == Path("/home/x/.config/systemd/user/sayso.service")
    assert unit["Service"]["ExecStart"] == '"/opt/my python/bin/python" "-m" "sayso" "trigger" "run"'
    assert unit["Service"]["Environment"] == '"SAYSO_HOME=/home/x/own"'
    assert unit["Install"]["WantedBy"] == "default.target"
    assert [call.words for call in own.starts] == [
        ("--user", "daemon-reload"),
        ("--user", "enable", "sayso.service"),
        ("--user", "restart", "sayso.service"),
    ]


def test_the_folder_of_settings_may_be_elsewhere():
    own = service("linux", {"XDG_CONFIG_HOME": "/x/conf"}, Path("/home/x"), 1000, ARGV)

    assert own.file == Path("/x/conf/systemd/user/sayso.service")
    assert b"\nEnvironment=" not in own.content


def test_nothing_in_a_word_means_anything_to_systemd():
    own = service("linux", {"SAYSO_HOME": ODD}, Path("/home/x"), 1000, (ODD,))

    lines = own.content.decode().splitlines()
    assert 'Environment="SAYSO_HOME=/home/x/50%% \\"odd\\" $HOME\\\\n"' in lines
    assert 'ExecStart="/home/x/50%% \\"odd\\" $$HOME\\\\n"' in lines


def test_on_a_mac_it_is_a_launch_agent():
    own = service("darwin", {"SAYSO_HOME": ODD}, Path("/Users/x"), 501, (ODD, "run"))

    document = plistlib.loads(own.content)
    assert own.file == Path("/Users/x/Library/LaunchAgents/sayso.triggers.plist")
    assert document["ProgramArguments"] == [ODD, "run"]
    assert document["EnvironmentVariables"] == {"SAYSO_HOME": ODD}
    assert document["RunAtLoad"] is True
    assert [call.words for call in own.starts] == [("bootstrap", "gui/501", str(own.file))]
    assert [call.words for call in own.ends] == [("bootout", "gui/501/sayso.triggers")]


async def test_on_a_mac_a_service_that_runs_is_replaced_and_one_that_ended_just_now_is_waited_for(mac: SimulatedMac):
    file = mac.home / "Library/LaunchAgents/sayso.triggers.plist"
    file.parent.mkdir(parents=True)
    run = ProgramRunner(mac.environ, RandomIds()).run_for_text
    loaded: list[str] = []

    for argv in (("/old/sayso", "run"), ("/new/sayso", "run")):
        own = service("darwin", {}, mac.home, 501, argv)
        file.write_bytes(own.content)
        await start_service(own, run, pause=0)
        loaded.append(mac.state["agents"]["sayso.triggers"])

    assert [plistlib.loads(one.encode())["ProgramArguments"][0] for one in loaded] == ["/old/sayso", "/new/sayso"]
    bootout, bootstrap = (
        ["launchctl", "bootout", "gui/501/sayso.triggers"],
        ["launchctl", "bootstrap", "gui/501", str(file)],
    )
    assert mac.calls == [bootout, bootstrap, bootout, bootstrap, bootstrap]


async def test_a_service_that_cannot_be_started_says_why_at_last(mac: SimulatedMac):
    own = service("darwin", {}, mac.home, 501, ("x",))

    run = ProgramRunner(mac.environ, RandomIds()).run_for_text
    own.file.parent.mkdir(parents=True)
    own.file.write_bytes(plistlib.dumps({}))

    with pytest.raises(ProviderError, match="launchctl"):
        await start_service(own, run, pause=0)


def test_elsewhere_it_says_what_to_do():
    with pytest.raises(SetupError, match="run “sayso trigger run” yourself"):
        service("plan9", {}, Path("/home/x"), 1000, ARGV)


TWO = """
[[trigger]]
name = "wrap-up"
says = "End of the day"
schedule = "daily 18:00"
lines = 'CREATE_FOLDER "~/Documents/diary"'
[[trigger]]
name = "tidy"
says = "Clean up"
lines = 'DELETE_FILE "~/Downloads/a.txt"'
"""
Settings = Callable[[str], None]


def told(about: str) -> list[tuple[str, str, str]]:
    found = of_triggers(load(os.environ))
    return [(one.how, one.says, one.fix) for one in found if one.about == about]


def test_where_there_are_none_it_says_so_and_speaks_of_no_service(person: Path):
    assert told("triggers") == [("note", "there are none", "sayso trigger add")]
    assert told("service") == []
    assert not Path(os.environ["SAYSO_HOME"]).exists()


def test_a_host_is_known_while_it_runs_and_not_after_it_was_killed(person: Path, settings: Settings):
    settings(TWO)

    def triggers() -> Any:
        found = sayso("doctor", "--json").document["findings"]
        return next(one for one in found if one["about"] == "triggers")

    before = triggers()
    host = subprocess.Popen(at_terminal("trigger", "run"), stdout=subprocess.PIPE)
    assert host.stdout is not None
    with host.stdout as said:
        said.readline()  # it greets, and hosts from then on
        during = triggers()
        host.send_signal(signal.SIGKILL)
        host.wait()

    assert before["says"] == "2, of which 1 starts without you; nothing looks after them now"
    assert "sayso service install" in before["fix"]
    assert during["says"] == "2, of which 1 starts without you; a host looks after them now"
    assert (during["how"], triggers()) == ("good", before)


def test_what_keeps_them_from_starting_is_told_with_its_mending(person: Path, settings: Settings):
    settings(f"[policy]\npaused = true\n[automation]\nenabled = false\n{TWO}")

    assert told("triggers")[1:] == [
        ("note", "none of them starts while everything is paused", "sayso resume"),
        ("note", "automation is off, so none of them starts", "sayso config set automation.enabled true"),
    ]


def test_a_service_that_is_installed_and_does_not_host_is_told_from_one_that_does(person: Path, settings: Settings):
    settings(TWO)
    assert told("service")[0][1].startswith("is not installed")
    own = of_person(os.environ)
    own.file.parent.mkdir(parents=True)

    own.file.write_bytes(own.content)
    idle = told("service")
    with FileLocks(load(os.environ).places.locks).present(HOSTING):
        hosting = told("service")
        own.file.write_bytes(own.content.replace(b"NoNewPrivileges=yes\n", b""))
        older = told("service")
    own.file.write_text("[Unit]\n")

    assert idle[0][0] == "note"
    assert "but nothing hosts" in idle[0][1]
    assert hosting == [("good", f"is installed: {own.file}", "")]
    assert (older[0][0], older[0][2]) == ("note", "sayso service install writes it anew")
    assert told("service")[0][1].startswith("is not installed")


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


DAILY = f"0 {(SystemClock().now().astimezone().hour + 12) % 24} * * *"
"""Once a day, half a day from now: a time that was right before the test would be due, and not missed."""


async def watched_until(hours_ago: float) -> None:
    """Host the triggers once, by a clock of so many hours ago."""
    then = SystemClock().now() - timedelta(hours=hours_ago)
    async with library.open_home(clock=FakeClock(then)) as home:
        await Host(Automation(home).world, TriggerListener()).once()


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
    settings(DIARY.format(missed=missed).replace("* * * * *", DAILY))
    await watched_until(hours_ago=24 * 7)

    first = sayso("trigger", "run", "--once")
    second = sayso("trigger", "run", "--once")

    assert ("missed, run now (it was due " in first.out) is written
    assert ("missed, passed over" in first.out) is not written
    assert second.out == ""
    diary = person / "Documents/diary.txt"
    assert (diary.read_text() if diary.exists() else "") == "x" * written


async def test_a_program_that_hosts_it_reads_lines_of_json(person: Path, settings: Settings):
    settings(DIARY.format(missed="run").replace("* * * * *", DAILY))
    await watched_until(hours_ago=24 * 7)

    run = sayso("trigger", "run", "--once", "--json")

    missed, ran = [json.loads(line) for line in run.out.splitlines()]
    assert (missed["trigger"], missed["event"], missed["what"]) == ("diary", "missed", [])
    assert (ran["event"], ran["said"]) == ("ran", "1 done")
    assert ran["run"].startswith("run_")


async def test_of_two_hosts_at_once_one_runs_what_was_missed(person: Path, settings: Settings):
    settings(DIARY.format(missed="run").replace("* * * * *", DAILY))
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


@pytest.mark.req("S3-70")
def test_a_new_action_and_a_broken_one_are_told_while_it_runs(person: Path, settings: Settings, sit: Sit):
    settings(DIARY.format(missed="run"))
    screen = sit(argv=at_terminal("trigger", "run"))
    screen.see("1 trigger is looked after")

    folder = person.parent / "sayso" / "actions"
    create_action(folder, "mine")
    screen.see("actions: 1 of your own actions can be used now")
    (folder / "mine.py").write_text("config = {")
    screen.see("actions: 0 of your own actions can be used now; Invalid action template mine.py")

    screen.program.send_signal(signal.SIGTERM)
    assert screen.end() == 0


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
