"""What starts automations, in the settings."""

from typing import Any

import pytest

from sayso.config.load import load
from sayso.config.triggers import triggers_in
from sayso.core.errors import SetupError
from sayso.core.triggers import Trigger


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


REFUSED: list[tuple[Any, str]] = [
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


@pytest.mark.parametrize(("content", "words"), REFUSED)
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
