"""The worked examples on a simulated Mac, from the text to the argument vectors of its programs."""

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from sayso.assembly import Home
from sayso.assembly.entry import Automation
from sayso.providers.macos.engine import SCRIPTS, script_text
from sayso.surfaces.cli.self_test import SelfTest
from sayso.testing.macos import SimulatedMac
from tests.journeys.ground import opened, said, states, tool_call, yes
from tests.mac_env.browsers import PAGE, open_windows

SETTINGS = """
[policy]
mode = "never"
allowed_apps = ["TextEdit", "Calculator"]
[files]
kind = "macos"
[desktop]
kind = "macos"
dnd_on = "Focus On"
dnd_off = "Focus Off"
[apps]
kind = "macos"
[browser]
kind = "safari"
[calendar]
kind = "apple"
[notes]
kind = "apple"
[mail]
kind = "apple"
address = "you@x.test"
"""
SHORTCUTS: dict[str, dict[str, str]] = {"Focus On": {}, "Focus Off": {}, "Shortcut Name": {}}
TEXT_EDIT = "/System/Applications/TextEdit.app"


@pytest.fixture
def documents(mac: SimulatedMac) -> Path:
    """Return the folder for documents of a Mac with three shortcuts and a page in Safari."""
    elements = [{"selector": "#name", "value": "old"}, {"selector": "#go", "tag": "button", "text": "Go"}]
    page = {"title": "A page", "text": "Hello", "links": [], "elements": elements}
    open_windows(mac, "Safari", pages={PAGE: page}, javascript=True)
    mac.change(lambda state: state["shortcuts"].update(SHORTCUTS))
    made = mac.home / "Documents"
    made.mkdir()
    return made


def a_home(mac: SimulatedMac) -> AbstractAsyncContextManager[Home]:
    return opened(mac.folder / "sayso", SETTINGS, mac.environ)


@pytest.fixture(autouse=True)
def vectors(mac: SimulatedMac) -> Iterator[None]:
    """Require of all calls of osascript that scripts are sayso's own, and that data is the last argument alone."""
    yield
    scripts = {script_text(file.stem) for file in SCRIPTS.glob("*.js")}
    for call in [call for call in mac.calls if call[0] == "osascript"]:
        assert call[:6] == ["osascript", "-l", "JavaScript", "-e", script_text("common"), "-e"]
        assert (call[6] in scripts, call[7]) == (True, "--")
        if call[8] == "file":
            assert (len(call), Path(call[9]).exists()) == (10, False)
        else:
            assert (len(call), json.loads(call[8]) is None) == (9, False)


def changes(mac: SimulatedMac) -> list[tuple[str, str]]:
    """Return which script was given which deed to do, for all that change something."""
    names = {script_text(file.stem): file.stem for file in SCRIPTS.glob("*.js")}
    made = [(names[call[6]], json.loads(call[8])) for call in mac.calls if call[0] == "osascript" and call[8] != "file"]
    deeds = [(name, str(data.get("do") or data.get("act") or "")) for name, data in made]
    return [one for one in deeds if one[1] not in {"list", "look", "details", ""}]


def programs(mac: SimulatedMac) -> list[list[str]]:
    """Return the argument vectors of all programs but osascript, whose scripts are constant."""
    return [call for call in mac.calls if call[0] != "osascript"]


@pytest.mark.req("C-01", "C-05", "S0-53", "S0-54", "S0-50")
async def test_each_command_for_the_desktop_becomes_exact_arguments(mac: SimulatedMac, documents: Path):
    (documents / "a.md").write_text("words\n")
    text = """
COPY_TO_CLIPBOARD "text"  # sets the clipboard
NOTIFY "Title" "Message" "Glass"
SET_VOLUME 30
SPEAK "text"
DO_NOT_DISTURB ON
RUN_SHORTCUT "Shortcut Name"
RUN_SHORTCUT "Shortcut Name" "input text"
OPEN_FILE "~/Documents/a.md"
OPEN_FILE "~/Documents/a.md" "TextEdit"
REVEAL_IN_FINDER "~/Documents/a.md"
OPEN_APP "Calculator"
QUIT_APP "Calculator"
DELETE_FILE "~/Documents/a.md"
DO_NOT_DISTURB ON|OFF
"""

    async with a_home(mac) as home:
        report = await home.run(text, approver=yes())

    assert states(report) == ["done"] * 13 + ["invalid"], said(report)
    file, *rest = [call[-2:] for call in programs(mac) if call[:2] == ["shortcuts", "run"] and "--input-path" in call]
    assert (file[1], rest, Path(file[0]).exists()) == ("Shortcut Name", [], False)
    quiet = [call for call in programs(mac) if call[1:2] != ["list"] and "--input-path" not in call]
    assert quiet == [
        ["say"],
        ["shortcuts", "run", "Focus On"],
        ["shortcuts", "run", "Shortcut Name"],
        ["open", str(documents / "a.md")],
        ["open", "-a", TEXT_EDIT, str(documents / "a.md")],
        ["open", "-R", str(documents / "a.md")],
        ["open", "-a", "/System/Applications/Calculator.app"],
    ]
    assert (mac.clipboard, mac.state["volume"]["level"]) == ("text", 30)
    assert mac.state["notifications"] == [{"text": "Message", "withTitle": "Title", "soundName": "Glass"}]
    assert not mac.app("Calculator")["running"]
    assert [file.read_text() for file in (mac.home / ".Trash").iterdir()] == ["words\n"]


@pytest.mark.req("C-02", "C-03")
async def test_the_worked_example_notifies_writes_and_opens(mac: SimulatedMac, documents: Path):
    text = """NOTIFY "Plan" "Tomorrow's tasks are ready"
WRITE_DOC "~/Documents/tomorrow-tasks.md" <<END
# Tomorrow

1. Call Ana
---
made by sayso
END
OPEN_FILE "~/Documents/tomorrow-tasks.md"
"""

    async with a_home(mac) as home:
        report = await home.run(text, approver=yes())
        nothing = await home.run("# No action needed")

    assert (states(report), nothing.outcomes) == (["done"] * 3, ())
    written = documents / "tomorrow-tasks.md"
    assert written.read_text() == "# Tomorrow\n\n1. Call Ana\n---\nmade by sayso\n"
    assert programs(mac) == [["open", str(written)]]


@pytest.mark.req("C-04", "S0-40")
async def test_a_mail_of_two_lines_is_a_window_of_mail(mac: SimulatedMac, documents: Path):
    text = """SEND_EMAIL "recipient@example.com" "Subject" <<END
First "line"
Second line
END
"""

    async with a_home(mac) as home:
        report = await home.run(text, approver=yes())

    assert (states(report), said(report)) == (["done"], ["Opened email compose"])
    (window,) = mac.app("Mail")["outgoingMessages"]
    assert (window["subject"], window["content"], window["visible"]) == ("Subject", 'First "line"\nSecond line\n', True)
    assert [one["address"] for one in window["toRecipients"]] == ["recipient@example.com"]
    (call,) = (call for call in mac.calls if call[0] == "osascript")
    assert (call[:4], call[-2]) == (["osascript", "-l", "JavaScript", "-e"], "--")
    assert json.loads(call[-1])["to"] == [{"name": "", "address": "recipient@example.com"}]


@pytest.mark.req("C-06", "C-07", "S0-55", "S0-56")
async def test_events_and_reminders_are_made_and_an_unknown_line_fails_alone(mac: SimulatedMac, documents: Path):
    text = """CREATE_EVENT "Title" "2036-01-28 14:00" "2036-01-28 15:00"
DANCE "now"
CREATE_REMINDER "Task description" "2036-01-28 14:00"
"""

    async with a_home(mac) as home:
        report = await home.run(text, approver=yes())

    assert states(report) == ["done", "invalid", "done"], said(report)
    assert changes(mac) == [("calendar", "make"), ("calendar", "make")]
    assert "Unknown command: DANCE" in said(report)[1]


async def test_reminders_that_reminders_shows_are_not_shown_by_sayso_too(mac: SimulatedMac, documents: Path):
    async with a_home(mac) as home:
        await home.run('CREATE_REMINDER "Tea" "2036-01-28 14:00"', approver=yes())
        reminders = await Automation(home).open_reminders()

    assert reminders is None


@pytest.mark.req("C-08", "S1-21", "S1-25", "S1-26", "S1-27")
async def test_all_ten_actions_of_the_first_tool_are_done_and_only_a_mail_asks(mac: SimulatedMac, documents: Path):
    (documents / "it.txt").touch()
    calls = {
        "open_app": {"app_name": "Calculator"},
        "notify": {"title": "A", "body": "B"},
        "clipboard_write": {"body": "x"},
        "clipboard_read": {},
        "calendar_today": {},
        "reminder_add": {"title": "Milk", "body": "2 l", "due_date": "2036-01-28 14:00"},
        "note_create": {"title": "t", "body": "b"},
        "mail_send": {"to": "a@example.org", "subject": "s", "body": "b"},
        "mail_read": {"limit": 3},
        "finder_reveal": {"path": "~/Documents/it.txt"},
    }

    async with a_home(mac) as home:
        came_to = {
            one: states(await home.run(tool_call("macos_auto", action=one, **rest), "tools"))
            for one, rest in calls.items()
        }

    assert came_to == {**{one: ["done"] for one in calls}, "mail_send": ["waiting"]}
    assert programs(mac) == [
        ["open", "-a", "/System/Applications/Calculator.app"],
        ["open", "-R", str(documents / "it.txt")],
    ]


@pytest.mark.req("C-09", "S1-36", "S1-37")
async def test_the_actions_of_the_second_tool_use_safari_and_a_script_asks(mac: SimulatedMac, documents: Path):
    calls = {
        "get_url": {},
        "get_title": {},
        "get_text": {},
        "get_links": {},
        "click": {"selector": "#go"},
        "fill": {"selector": "#name", "value": 'a "quoted"\nname'},
        "tabs": {},
        "switch_tab": {"tab_index": 1},
        "open_url": {"url": "https://example.com/"},
    }

    async with a_home(mac) as home:
        came_to = {
            one: states(await home.run(tool_call("browser", action=one, **rest), "tools", approver=yes()))
            for one, rest in calls.items()
        }
        script = states(await home.run(tool_call("browser", action="run_js", js_code="1 + 1"), "tools"))

    assert came_to == {**{one: ["done"] for one in calls}, "switch_tab": ["unchanged"]}
    assert script == ["waiting"]
    assert all(call[0] == "osascript" for call in mac.calls)


@pytest.mark.thorough
async def test_the_self_test_tries_each_part_and_leaves_nothing(mac: SimulatedMac, documents: Path):
    before = mac.clipboard

    async with a_home(mac) as home:
        test = SelfTest(home)
        found = [one async for one in test.results()]

    assert [one for one in found if one.how != "works"] == []
    assert {one.store for one in found} == {"files", "apps", "desktop", "tabs", "mail", "calendar", "notes", "tasks"}
    assert test.left == []
    assert list(documents.iterdir()) == []
    left = str([mac.app(app) for app in ("Calendar", "Reminders", "Safari")])
    assert (test.name in left, test.mark in left, mac.clipboard) == (False, False, before)
