"""Window layouts in the settings."""

from pathlib import Path
from typing import Any

import pytest

from sayso.config.load import load, read_settings_bytes
from sayso.config.named_tables import Placement, Preset, presets_in, triggers_in
from sayso.core.conversation import Trigger
from sayso.core.errors import SetupError


@pytest.mark.req("T-101")
def test_a_preset_is_a_name_with_its_placements():
    content: Any = [
        {
            "name": "Work",
            "placements": [
                {"app_name": "Mail"},
                {"app_name": "Notes", "monitor": "right", "bounds": [-10, 0, 800, 600], "launch": True},
            ],
        }
    ]

    assert presets_in(content, "config.toml") == (
        Preset("Work", (Placement("Mail"), Placement("Notes", "right", (-10, 0, 800, 600), launch=True))),
    )


REFUSED: list[tuple[Any, str]] = [
    ({"name": "x"}, r"written \[\[preset\]\]"),
    (["x"], "preset 1 must be a table"),
    ([{"name": "x"}], "preset 1 needs placements"),
    ([{"name": "x", "placements": []}], "preset 1 needs placements"),
    ([{"placements": [{"app_name": "a"}]}], "“name” of preset 1 .* found nothing"),
    ([{"name": "x", "size": 1, "placements": []}], "has no “size”"),
    ([{"name": "x", "placements": [{"app_name": "a", "monitor": "top"}]}], "main, left, right"),
    ([{"name": "x", "placements": [{"app_name": "a", "bounds": [1, 2, 3]}]}], "4 whole numbers"),
    ([{"name": "x", "placements": [{"app_name": "a", "bounds": [1, 2, 3, 4.5]}]}], "4 whole numbers"),
    ([{"name": "x", "placements": [{"monitor": "main"}]}], "“app_name” of placement 1 of preset “x”"),
    ([{"name": "x", "placements": [3]}], "placement 1 of preset “x” must be a table"),
    ([{"name": n, "placements": [{"app_name": "a"}]} for n in ("x", "X")], "two presets"),
]


@pytest.mark.parametrize(("content", "words"), REFUSED)
def test_what_is_no_preset_is_refused_by_name(content: Any, words: str):
    with pytest.raises(SetupError, match=words):
        presets_in(content, "config.toml")


GOOD = """
[shortcuts.tidy]
argv = ["tidy", "--all", "my desk"]

[shortcuts."Focus hour"]
argv = ["focus"]
input = "file"
seconds = 600
"""


@pytest.mark.req("T-24", "T-25", "S0-53")
def test_a_shortcut_is_an_argument_list_with_its_limits():
    read = read_settings_bytes(GOOD.encode(), "config.toml").shortcuts

    assert read == {
        "tidy": {"argv": ("tidy", "--all", "my desk")},
        "Focus hour": {"argv": ("focus",), "input": "file", "seconds": 600},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[shortcuts.a]\nargv = "rm -rf"', "“argv” of shortcut “a” must be a program and its arguments as a list"),
        ("[shortcuts.a]\nargv = []", "shortcut “a” needs argv"),
        ("[shortcuts.a]", "shortcut “a” needs argv"),
        ('[shortcuts.a]\nargv = ["a"]\ninput = "argument"', "“input” of shortcut “a” must be one of stdin, file"),
        ('[shortcuts.a]\nargv = ["a"]\nseconds = 0', "“seconds” of shortcut “a” must be a whole number from 1"),
        ('[shortcuts.a]\nargv = ["a"]\nshell = true', "shortcut “a” has no “shell”; it takes argv, input, seconds"),
        ('[shortcuts]\na = "rm"', "a shortcut is written"),
        ("shortcuts = 3", "must be a section"),
        ('[shortcuts."a\\nb"]\nargv = ["a"]', "a shortcut needs a name of one line"),
    ],
)
def test_what_is_written_wrongly_is_named(text: str, says: str):
    with pytest.raises(SetupError, match=says):
        read_settings_bytes(text.encode(), "config.toml")


def test_an_administrator_cannot_write_shortcuts():
    with pytest.raises(SetupError, match="there is no section"):
        read_settings_bytes(GOOD.encode(), "policy.toml", sections=("policy", "limits"))


def test_they_stand_in_the_settings(tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/config.toml").write_text(GOOD)

    read = load({"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")})

    assert list(read.shortcuts) == ["tidy", "Focus hour"]
    assert read.environ["HOME"] == str(tmp_path)


@pytest.mark.req("S0-03")
def test_a_trigger_is_a_name_with_when_it_fires_and_what_it_runs():
    content: Any = [
        {"name": "wrap-up", "says": "End", "schedule": "daily 18:00", "zone": "Europe/Berlin", "words": "tidy"},
        {"name": "scans", "says": "Scan", "event": "file", "folder": "/x", "pattern": "*.pdf", "lines": "OPEN_APP A"},
        {"name": "insight", "says": "Somebody noticed", "generator": "Automated", "cooldown_minutes": 30},
        {"name": "by hand", "says": "On a click", "lines": 'SPEAK "hi"\nSPEAK "ho"'},
        {"name": "soon", "says": "An event", "event": "calendar", "minutes_before": 5, "words": "tell me"},
    ]  # fmt: skip

    assert triggers_in(content, "config.toml") == (
        Trigger("wrap-up", "End", schedule="daily 18:00", zone="Europe/Berlin", words="tidy"),
        Trigger("scans", "Scan", event="file", folder="/x", pattern="*.pdf", lines="OPEN_APP A"),
        Trigger("insight", "Somebody noticed", generator="Automated", cooldown_minutes=30),
        Trigger("by hand", "On a click", lines='SPEAK "hi"\nSPEAK "ho"'),
        Trigger("soon", "An event", event="calendar", minutes_before=5, words="tell me"),
    )


def one(**more: Any) -> list[dict[str, Any]]:
    return [{"name": "x", "says": "it is time", "lines": "A", **more}]


TRIGGERS_REFUSED: list[tuple[Any, str]] = [
    ({"name": "x"}, r"written \[\[trigger\]\]"),
    (["x"], "trigger 1 must be a table"),
    ([{"says": "a", "lines": "A"}], "trigger 1 needs “name”"),
    ([{"name": "x", "lines": "A"}], "trigger “x” needs “says”"),
    ([{"name": "x", "says": "a"}], "trigger “x” needs either “lines” to run or “words” for a model"),
    (one(words="b"), "needs either “lines”"),
    (one(at="18:00"), "trigger “x” has no “at”"),
    (one(schedule=18), "“schedule” of trigger “x” must be a text .* found the number 18"),
    (one(schedule="hourly", event="mail"), "has schedule and event; one of them is enough"),
    (one(schedule="hourly", missed="later"), "one of run, skip"),
    (one(zone="Europe/Berlin"), "“zone” of trigger “x” means something only beside “schedule”"),
    (one(event="mail", missed="skip"), "“missed” .* only beside “schedule”"),
    (one(event="mail", folder="/x"), "“folder” .* only beside event = “file”"),
    (one(event="file", folder="/x", minutes_before=3), "“minutes_before” .* only beside event = “calendar”"),
    (one(event="file"), "waits for a file and needs “folder”"),
    (one(event="file", folder="Downloads"), "a path that is absolute"),
    (one(event="rain"), "one of file, mail, calendar"),
    (one(cooldown_minutes=-1), "a whole number from 0"),
    (one(lines="  "), "found nothing|a text that is not empty"),
    ([*one(), *one(name="X")], "two triggers are called"),
]


@pytest.mark.parametrize(("content", "words"), TRIGGERS_REFUSED)
def test_what_is_no_trigger_is_refused_by_name(content: Any, words: str):
    with pytest.raises(SetupError, match=words):
        triggers_in(content, "config.toml")


def test_a_folder_in_the_home_is_made_absolute(scratch_home: Any):
    own = scratch_home / "own"
    own.mkdir(mode=0o700)
    trigger = '[[trigger]]\nname = "x"\nsays = "y"\nevent = "file"\nfolder = "~/Downloads"\nlines = "A"\n'
    (own / "config.toml").write_text(trigger)

    settings = load({"HOME": str(scratch_home), "SAYSO_HOME": str(own)})

    assert [one.folder for one in settings.triggers] == [str(scratch_home / "Downloads")]
