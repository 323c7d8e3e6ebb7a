"""`sayso trigger` shows what starts by itself, fires it by hand, and switches it."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.provider import add_extra
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso

DIARY = """
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


@pytest.mark.req("S0-03")
def test_they_are_listed_with_what_they_are_for_and_when_they_fire(person: Path, settings: Settings):
    settings(DIARY)

    text = sayso("trigger").out
    wrap_up, tidy = sayso("trigger", "list", "--json").document["triggers"]

    assert "wrap-up: End of the day (daily 18:00)\n    next " in text
    assert "tidy: Clean up (when you fire it)" in text
    assert (wrap_up["kind"], tidy["kind"], tidy["next"]) == ("schedule", "click", None)
    assert wrap_up["enabled"] is True
    assert wrap_up["fired"] is None


def test_where_there_are_none_it_says_so(person: Path):
    assert sayso("trigger", "list").out == "There are no triggers; “sayso trigger add” writes one.\n"


def test_the_reminders_that_ring_next_are_listed_too(person: Path):
    sayso("reminder", "add", "Tea", "--in", "20")
    sayso("reminder", "add", "Far", "--due", "2131-05-02 09:00")

    text = sayso("trigger").out
    (row,) = sayso("trigger", "--json").document["reminders"]

    assert text.startswith("There are no triggers; “sayso trigger add” writes one.\n\nReminders that ring next:\n")
    assert text.endswith("  Tea\n")
    assert row["title"] == "Tea"


@pytest.mark.req("S0-03", "S0-05")
def test_one_that_is_fired_runs_and_is_remembered(person: Path, settings: Settings):
    settings(DIARY)

    fired = sayso("trigger", "fire", "wrap-up")
    document = sayso("trigger", "fire", "wrap-up", "--json").document
    kept, _ = sayso("trigger", "--json").document["triggers"]

    assert fired.code == 0
    assert "done: Created folder" in fired.out
    assert (person / "Documents/diary").is_dir()
    assert document["results"][0]["state"] == "unchanged"
    assert (kept["run"], kept["said"]) == (document["run"], "1 unchanged")


def test_a_dry_run_leaves_no_trace(person: Path, settings: Settings):
    settings(DIARY)

    run = sayso("trigger", "fire", "wrap-up", "--dry-run")

    assert run.code == 0
    assert "planned: Would create" in run.out
    assert not (person / "Documents/diary").exists()
    assert sayso("trigger", "--json").document["triggers"][0]["fired"] is None


def test_what_asks_waits_where_nobody_sits_and_is_asked_where_somebody_does(person: Path, settings: Settings, sit: Sit):
    settings(DIARY)

    waits = sayso("trigger", "fire", "tidy")
    screen = sit("trigger", "fire", "tidy")
    screen.see("Delete", "[y/N]")
    screen.type("y\n")

    assert waits.code == 3
    assert "waits for you" in waits.err
    assert screen.end() == 0, screen.text
    assert not (person / "Downloads/a.txt").exists()


@pytest.mark.req("T-53", "S0-88")
def test_while_automation_is_off_a_click_says_so(person: Path, settings: Settings):
    settings("[automation]\nenabled = false\n" + DIARY)

    run = sayso("trigger", "fire", "wrap-up")

    assert (run.code, run.out) == (3, "")
    assert "automation is off; “sayso config set automation.enabled true” turns it on" in run.err
    assert not (person / "Documents/diary").exists()
    assert "Automation is off" in sayso("trigger").out


def test_anybody_may_disable_one_and_only_the_person_enables_it(person: Path, settings: Settings, sit: Sit):
    settings(DIARY)

    disabled = sayso("trigger", "disable", "Wrap-Up")
    refused = sayso("trigger", "enable", "wrap-up")
    shown = sayso("trigger").out
    enabled = sit("trigger", "enable", "wrap-up")

    assert (disabled.code, refused.code) == (0, 3)
    assert "type it on your terminal" in refused.err
    assert "(daily 18:00; disabled)" in shown
    assert enabled.end() == 0
    assert sayso("trigger", "--json").document["triggers"][0]["enabled"] is True


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["fire", "wine"], 2, "no trigger is called “wine”; there are “wrap-up”, “tidy”"),
        (["fire"], 2, "which trigger?"),
        (["wait"], 2, "does not know “wait”"),
        (["list", "--once"], 2, "it is for sayso trigger run"),
    ],
)
def test_what_it_does_not_know_is_told(person: Path, settings: Settings, words: list[str], code: int, sentence: str):
    settings(DIARY)

    run = sayso("trigger", *words)

    assert run.code == code
    assert sentence in run.err


def test_without_the_package_for_schedules_it_says_how_to_get_it(person: Path, settings: Settings, tmp_path: Path):
    settings(DIARY)
    (tmp_path / "cronsim.py").write_text("raise ModuleNotFoundError('gone', name='cronsim')\n")

    listed = sayso("trigger", PYTHONPATH=str(tmp_path))
    fired = sayso("trigger", "fire", "wrap-up", PYTHONPATH=str(tmp_path))

    assert add_extra("triggers") in " ".join(listed.out.split())
    assert (listed.code, fired.code) == (0, 0)


@pytest.mark.req("S0-03", "S0-67")
def test_words_are_answered_by_the_built_in_rules(person: Path, settings: Settings):
    tidy = '[[trigger]]\nname = "x"\nsays = "It is time"\nwords = "%s"\n'
    settings(tidy % "create a folder called Diary in Documents")
    made = sayso("trigger", "fire", "x")
    settings(tidy % "delete everything")
    asked = sayso("trigger", "fire", "x")

    assert "done: Created folder" in made.out
    assert (person / "Documents/Diary").is_dir()
    assert asked.out.startswith("nothing was done; the model wrote: ")


def test_a_generator_that_has_nothing_to_do_says_so(person: Path, settings: Settings):
    settings('[[trigger]]\nname = "n"\nsays = "Somebody noticed"\ngenerator = "Automated"\n')

    assert sayso("trigger", "fire", "n").out == "Automated has nothing to do now\n"
    assert sayso("trigger", "fire", "n", "--json").document["run"] is None


def test_a_schedule_that_is_none_is_told_beside_its_trigger(person: Path, settings: Settings):
    settings(DIARY.replace("daily 18:00", "daily 99"))

    assert "“daily 99” is no schedule" in sayso("trigger").out


Systemd = Callable[[int], Path]


@pytest.fixture
def systemd(person: Path, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    """Return what puts a `systemctl` on the PATH that writes down what it is told, and ends with a code."""
    programs = person / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def ending(code: int) -> Path:
        told = person / "told"
        program = programs / "systemctl"
        program.write_text(f'#!/bin/sh\necho "$*" >> "{told}"\n[ "$2" = daemon-reload ] || exit {code}\n')
        program.chmod(0o755)
        return told

    return ending


@pytest.fixture
def unit(person: Path) -> Path:
    return person / ".config/systemd/user/sayso.service"


def test_it_is_installed_and_removed(systemd: Systemd, unit: Path, sit: Sit):
    told = systemd(0)

    installed = sit("service", "install")
    assert installed.end() == 0, installed.text
    shown = sayso("service", "--json").document
    written = unit.read_text()
    removed = sayso("service", "remove")

    assert shown == {"installed": True, "file": str(unit), "content": written}
    assert written.splitlines()[0] == "# written by “sayso service install”"
    assert '"-I" "-m" "sayso" "trigger" "run"' in written
    assert removed.code == 0
    assert not unit.exists()
    assert told.read_text().splitlines() == [
        "--user daemon-reload",
        "--user enable sayso.service",
        "--user restart sayso.service",
        "--user disable --now sayso.service",
        "--user daemon-reload",
    ]


def test_what_cannot_be_started_is_not_installed(systemd: Systemd, unit: Path, sit: Sit):
    systemd(1)

    screen = sit("service", "install")

    assert screen.end() == 2
    assert "so it was not installed" in screen.text
    assert list(unit.parent.iterdir()) == []


def test_a_unit_of_somebody_else_is_left_alone(systemd: Systemd, unit: Path, sit: Sit):
    told = systemd(0)
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\n")

    screen = sit("service", "install")
    removed = sayso("service", "remove")

    assert (screen.end(), removed.code) == (2, 2)
    assert "was not written by sayso" in removed.err
    assert unit.read_text() == "[Service]\n"
    assert not told.exists()


def test_a_program_cannot_install_it(systemd: Systemd, unit: Path):
    told = systemd(0)

    run = sayso("service", "install")

    assert run.code == 3
    assert "type it on your terminal" in run.err
    assert not unit.exists()
    assert not told.exists()


def test_it_shows_what_it_would_write(person: Path, unit: Path):
    run = sayso("service")

    assert run.code == 0
    assert run.out.startswith("Not installed;")
    assert "WantedBy=default.target" in run.out
    assert sayso("service", "remove").out == "No service is installed.\n"
    assert not unit.exists()


def test_a_trigger_is_added_in_words_after_showing_what_was_understood(person: Path, sit: Sit):
    own = Path(os.environ["SAYSO_HOME"])
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "config.toml").write_text('# mine\n[policy]\nmode = "always"\n')
    words = ["every", "weekday", "at", "8:30", "tell", "me", "what", "is", "on", "today"]

    screen = sit("trigger", "add", *words)
    screen.see("[y/N]")
    shown = screen.text
    screen.type("y\n")

    assert screen.end() == 0, screen.text
    assert "when  weekdays at 8:30" in shown
    assert len(re.findall(r"(?:Mon|Tue|Wed|Thu|Fri) \d{4}-\d\d-\d\d 08:30", " ".join(shown.split()))) == 3
    assert "what  tell me what is on today" in shown
    assert "Nothing looks after triggers yet" in screen.text
    assert (own / "config.toml").read_text().startswith("# mine\n[policy]\n")
    (listed,) = sayso("trigger", "--json").document["triggers"]
    assert (listed["name"], listed["when"], listed["words"]) == (
        "tell-today", "weekdays 8:30", "tell me what is on today",
    )  # fmt: skip

    again = sit("trigger", "add", *words)
    again.see("name  tell-today-2")
    again.type("n\n")
    assert again.end() == 3
    assert len(sayso("trigger", "--json").document["triggers"]) == 1


def test_a_name_that_is_taken_is_told_before_anything_is_asked(person: Path, settings: Settings):
    settings(DIARY)

    taken = sayso("trigger", "add", "every day at 8:30 look", "--name", "Tidy")

    assert taken.code == 2
    assert "called “Tidy” already" in taken.err


def test_what_is_unclear_or_has_nobody_to_ask_writes_nothing(person: Path):
    unclear = sayso("trigger", "add", "tell", "me", "what", "is", "on")
    alone = sayso("trigger", "add", "every day at 8:30 look")
    piped = sayso("trigger", "add", "every day at 8:30 look", "--json")

    assert (unclear.code, "it does not say how often; write how often" in unclear.err) == (2, True)
    assert sayso("trigger", "add").err.startswith("sayso: write how often, at what time")
    assert (alone.code, piped.code) == (3, 3)
    assert sayso("trigger", "--json").document["triggers"] == []
