"""Addresses are whole ones, hosts, or known sites; a file's name and a person's name are none."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.entities import folder, one_tab
from sayso.models.builtin.match import Ambiguous, SlotValue, Unresolved
from sayso.models.builtin.placing import area_of_monitor, middle_of_monitor
from sayso.models.builtin.tokens import tokenize
from tests.models.builtin.scenes import DATA, slot, utterance


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("reddit", "https://reddit.com"),
        ("Stack Overflow", "https://stackoverflow.com"),
        ("gmail", "https://mail.google.com"),
        ("docs.rs/tokio", "https://docs.rs/tokio"),
        ("http://Example.org/A?b=c#d", "http://Example.org/A?b=c#d"),
        ("localhost:8000", "http://localhost:8000"),
        ("the bbc.co.uk website", "https://bbc.co.uk"),
    ],
)
def test_an_address_is_found(text: str, url: str):
    found = slot("site", text)

    assert isinstance(found, SlotValue)
    assert found.value == url


@pytest.mark.parametrize(
    "text", ["plan.odt.pdf", "report.pdf", "budget.key", "hacker news", "ftp://x.example", "javascript:x", "a b.org"]
)
def test_what_is_no_address_is_none(text: str):
    assert slot("site", text) is None


def test_a_mail_address_is_written_out():
    found = slot("mail", "ana@example.org and bo@example.org")

    assert isinstance(found, SlotValue)
    assert found.value == "ana@example.org, bo@example.org"
    assert isinstance(slot("mail", "Ana"), Unresolved)
    assert slot("mail", "4 o'clock") is None


@pytest.mark.parametrize(
    ("kind", "text", "name"),
    [
        ("app", "word", "Microsoft Word"),
        ("app", "the gimp app", "GIMP"),
        ("app", "vs code", "Visual Studio Code"),
        ("app", "signl", "Signal"),
        ("app", "the browser", "Firefox"),
        ("running", "firefox", "Firefox"),
        ("app_name", "word", "Microsoft Word"),
    ],
)
def test_an_application_is_found(kind: str, text: str, name: str):
    found = slot(kind, text)

    assert isinstance(found, SlotValue)
    assert found.value == name


def test_what_is_installed_but_does_not_run_cannot_be_quit():
    found = slot("running", "gimp")

    assert found == Unresolved("“GIMP” is not running.")


@pytest.mark.parametrize("text", ["photoshop", "all", "it", "everything"])
def test_what_is_no_application_is_said(text: str):
    assert isinstance(slot("app", text), Unresolved)


def test_a_bare_word_that_is_no_application_is_none():
    assert slot("app_name", "photoshop") is None


@pytest.mark.parametrize(
    ("kind", "text", "path"),
    [
        ("file", "plan.odt", "/home/mo/Documents/plan.odt"),
        ("file", "the garden picture", "/home/mo/Downloads/garden-2026.png"),
        ("file", "~/x/y.txt", "~/x/y.txt"),
        ("folder", "the Downloads folder", "~/Downloads"),
        ("folder", "greenhouse", "/home/mo/Documents/greenhouse"),
        ("into", "my documents", "~/Documents"),
        ("into", "~/New/", "~/New"),
        ("path", "/srv/a", "/srv/a"),
        ("name", "Trip plan", "Trip plan"),
    ],
)
def test_a_path_is_found(kind: str, text: str, path: str):
    found = slot(kind, text)

    assert isinstance(found, SlotValue)
    assert found.value == path


@pytest.mark.parametrize(("kind", "text"), [("file", "letter.odt"), ("folder", "attic")])
def test_what_is_not_known_is_said(kind: str, text: str):
    assert isinstance(slot(kind, text), Unresolved)


@pytest.mark.parametrize(
    ("kind", "text"), [("into", "~/a/b.txt"), ("path", "b.txt"), ("name", "../b"), ("name", "a/b"), ("name", "~x")]
)
def test_what_is_no_such_path_is_none(kind: str, text: str):
    assert slot(kind, text) is None


def test_a_folder_of_the_same_name_elsewhere_is_told_too():
    data = {**DATA, "projects": [{"name": "Music", "path": "/home/mo/Documents/Music"}]}

    found = folder(tokenize("music"), utterance("music", data=data))

    assert isinstance(found, Ambiguous)
    assert [choice.value for choice in found.choices] == ["~/Music", "/home/mo/Documents/Music"]


def test_a_folder_may_be_said_with_the_usual_one_it_is_in():
    found = slot("into", "Documents/loans")

    assert isinstance(found, SlotValue)
    assert found.value == "~/Documents/loans"


SCENE = utterance("")
LEFT: Json = {"across": [0, 1, 2], "down": [0, 1, 1]}
RIGHT: Json = {"across": [1, 2, 2], "down": [0, 1, 1]}
TOP: Json = {"across": [0, 1, 1], "down": [0, 1, 2]}
BOTTOM: Json = {"across": [0, 1, 1], "down": [1, 2, 2]}


@pytest.mark.req("S4-26")
@pytest.mark.parametrize(
    ("said", "bounds"),
    [
        ({"area": LEFT, "app": "Firefox"}, [0, 0, 960, 1080]),
        ({"area": RIGHT, "app": "Firefox"}, [960, 0, 1920, 1080]),
        ({"area": TOP, "app": "Firefox"}, [0, 0, 1920, 540]),
        ({"area": BOTTOM, "monitor": "right"}, [1920, 512, 3200, 1024]),
        ({"area": LEFT, "app": "Signal"}, [1920, 0, 2560, 1024]),
    ],
)
def test_a_half_is_of_the_monitor_that_was_said_or_the_window_is_on(said: dict[str, Json], bounds: list[int]):
    assert area_of_monitor(said, SCENE) == bounds


@pytest.mark.req("S4-26")
def test_all_of_a_monitor_and_its_middle():
    assert area_of_monitor({"monitor": "right"}, SCENE) == [1920, 0, 3200, 1024]
    assert middle_of_monitor({"app": "Firefox", "size": [1200, 800]}, SCENE) == [360, 140, 1560, 940]


def test_without_monitors_there_are_no_bounds():
    nowhere = utterance("", data={**DATA, "monitors": []})

    assert area_of_monitor({"area": LEFT}, nowhere) is None
    assert area_of_monitor({}, nowhere) is None
    assert middle_of_monitor({"size": [1, 1]}, nowhere) is None


@pytest.mark.req("S4-45")
@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("reddit", 1), ("my reddit tab", 1), ("tab 3", 3), ("the third tab", 3), ("this tab", 1),
        ("timetable", 2), ("wiener linien", 2), ("wienerlinien.at", 2), ("the moss page", 3), ("redit", 1),
        ("tab number four", 4),
    ],
)  # fmt: skip
def test_one_tab_is_found(text: str, index: int):
    found = slot("tab", text)

    assert isinstance(found, SlotValue)
    assert found.value == index


@pytest.mark.req("S4-46", "S4-47")
@pytest.mark.parametrize(
    ("text", "indices"),
    [
        ("reddit", [1]),
        ("all wikipedia tabs", [3, 4]),
        ("my wikipedia tabs", [3, 4]),
        ("both wikipedia tabs", [3, 4]),
        ("tabs 1, 3, and 5", [1, 3, 5]),
        ("tabs 2 to 4", [2, 3, 4]),
        ("tabs 2-4", [2, 3, 4]),
        ("moss and fern", [3, 4]),
        ("the reddit and wikipedia tabs", [1, 3, 4]),
        ("this tab", [1]),
        ("tab 2", [2]),
    ],
)
def test_several_tabs_are_found(text: str, indices: list[int]):
    found = slot("tabs", text)

    assert isinstance(found, SlotValue)
    assert found.value == indices


@pytest.mark.req("S4-49")
@pytest.mark.parametrize("kind", ["tab", "tabs"])
def test_two_tabs_that_match_are_both_told(kind: str):
    found = slot(kind, "wikipedia")

    assert isinstance(found, Ambiguous)
    assert [choice.label for choice in found.choices] == ["3 “Moss - Wikipedia”", "4 “Fern - Wikipedia”"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tab", "tab 9"),
        ("tabs", "tabs 1 and 9"),
        ("tab", "twitter"),
        ("tabs", "all tabs except reddit"),
        ("tabs", "everything"),
        ("tabs", "both reddit tabs"),
        ("tabs", "reddit and twitter"),
        ("tabs", "no reddit tabs"),
    ],
)
def test_what_no_tab_is_on_is_said(kind: str, text: str):
    assert isinstance(slot(kind, text), Unresolved)


@pytest.mark.parametrize("text", ["all tabs", "my tabs", "the tabs", "tabs"])
def test_all_tabs_are_no_group(text: str):
    assert slot("tabs", text) is None or isinstance(slot("tabs", text), Unresolved)


def test_which_tab_is_in_front_must_be_known():
    data = {**DATA, "tabs": [{**tab, "is_active": False} for tab in DATA["tabs"]]}

    assert isinstance(one_tab(tokenize("this tab"), utterance("this tab", data=data)), Unresolved)


def test_a_bare_name_means_a_tab_only_by_its_whole_name():
    assert isinstance(slot("tab_name", "reddit"), SlotValue)
    assert slot("tab_name", "timetable") is None
    assert slot("tab_name", "3") is None


def test_a_word_for_what_a_tab_shows_counts_only_where_it_stands_in_one():
    assert slot("tab", "the moss article") == slot("tab", "moss")
    assert slot("tab", "the timetable tab") == slot("tab", "timetable")
