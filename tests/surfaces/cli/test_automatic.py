"""`doctor` tells how many triggers there are, whether they may start, and whether anything looks after them."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sayso.config import load
from sayso.runtime.locks import FileLocks
from sayso.surfaces.cli.automatic import HOSTING, of_triggers
from sayso.surfaces.cli.services import of_person
from tests.surfaces.cli.person import at_terminal, sayso

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
    assert told("triggers") == [("note", "there are none; a [[trigger]] in the settings makes one", "")]
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
    own.file.write_text("[Unit]\n")

    assert idle[0][0] == "note"
    assert "but nothing hosts" in idle[0][1]
    assert hosting == [("good", f"is installed: {own.file}", "")]
    assert told("service")[0][1].startswith("is not installed")
