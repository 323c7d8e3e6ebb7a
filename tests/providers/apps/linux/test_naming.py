"""A window is told to be of the application that its marks, its process or its entry name."""

import os

import pytest

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.naming import Names
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.entries.entry import Entry


def entry(id_: str, name: str, program: str = "nothing", *, wm_class: str = "", hidden: bool = False) -> Entry:
    return Entry(f"{id_}.desktop", f"/apps/{id_}.desktop", "m", name, (program,), wm_class=wm_class, hidden=hidden)


def window(*classes: str, pid: int | None = None) -> Shown:
    return Shown("1", classes, pid, Bounds(0, 0, 1, 1))


ENTRIES = [
    entry("org.xfce.mousepad", "Mousepad"),
    entry("foot", "Foot"),
    entry("web", "Web Browser", wm_class="Chromium-browser"),
    entry("daemon", "Daemon", wm_class="daemon", hidden=True),
    entry("me", "This Test", os.path.realpath("/proc/self/exe").rpartition("/")[2]),
]


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        (("mousepad", "Mousepad"), "Mousepad"),
        (("foot",), "Foot"),
        (("chromium", "Chromium-browser"), "Web Browser"),
        (("daemon", "Daemon"), "Daemon"),
        (("xclock", "XClock"), "XClock"),
        (("", ""), "unknown"),
        (("bad\n", "also\u202ebad"), "unknown"),
    ],
)
def test_a_window_is_named_after_its_marks(classes: tuple[str, ...], name: str):
    assert Names(ENTRIES).name(window(*classes)) == name


def test_a_window_is_named_after_its_program_when_its_marks_tell_nothing():
    assert Names(ENTRIES).name(window("x", "X", pid=os.getpid())) == "This Test"


@pytest.mark.req("AP-01")
def test_two_entries_that_fit_alike_are_none():
    twice = [*ENTRIES, entry("other", "Other Foot", wm_class="foot"), entry("again", "Third Foot", wm_class="foot")]

    assert Names(twice).entry(window("other-foot")) is None
    assert Names(twice).name(window("foot")) == "Foot"


def test_one_that_stands_in_the_menus_wins_over_hidden_ones():
    both = [entry("a", "Hidden", wm_class="pad", hidden=True), entry("b", "Shown", wm_class="pad")]

    assert Names(both).name(window("pad")) == "Shown"
