"""The script that KWin runs asks KWin 6 by its own names; here a browser runs it over a stand-in for KWin 6."""

import json
from typing import Any

import pytest

from sayso.providers.apps import kwin
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.kwin import parse_answer, read_snapshot
from tests.desktop_env.browser import Around

pytestmark = pytest.mark.needs("chromium")
SOURCE = kwin.WINDOWS.read_text(encoding="utf-8")
KWIN_6 = """
const one = {id: 'd1'}, two = {id: 'd2'};
const left = {name: 'DP-1', geometry: {x: 0, y: 0, width: 1920, height: 1080}};
const right = {name: 'HDMI-1', geometry: {x: 1920, y: 0, width: 1920, height: 1080}};
function window(id, more) {
    return {
        internalId: '{' + id + '}', resourceName: id, resourceClass: id, desktopFileName: 'org.kde.' + id, pid: 7,
        frameGeometry: {x: 10, y: 20, width: 100.5, height: 50}, minimized: false, fullScreen: false, maximizeMode: 0,
        onAllDesktops: false, desktops: [one], closeable: true, transient: false, deleted: false,
        specialWindow: false, popupWindow: false, normalWindow: true, dialog: false, utility: false, stackingOrder: 0,
        setMaximize(vertical, horizontal) { this.maximizeMode = vertical + 2 * horizontal; },
        closeWindow() { this.closed = true; }, ...more,
    };
}
const windows = [
    window('pad', {stackingOrder: 1}), window('dock', {specialWindow: true}), window('far', {desktops: [two]}),
    window('wide', {maximizeMode: 3, stackingOrder: 2}), window('half', {maximizeMode: 1, onAllDesktops: true}),
];
const workspace = {
    windowList: () => windows, desktops: [one, two], currentDesktop: one, screens: [left, right],
    screenOrder: [right, left], activeWindow: windows[0],
    clientArea() { throw new Error('KWin 6 is not asked for areas'); },
};
const KWin = {MaximizeArea: 2, ScreenArea: 7};
"""


def ran(around: Around, *questions: dict[str, Any], then: str = "null") -> Any:
    """Return what the script answers to each question, and what an expression is after that."""
    asked = f"{json.dumps(questions)}.map(answer)"
    return around.chromium.evaluate(f"(() => {{ {KWIN_6}\n{SOURCE}\nreturn [{asked}, {then}]; }})()")


@pytest.fixture(autouse=True)
def a_page(around: Around) -> None:
    around.chromium.arrange([around.web.url("/")])


def test_windows_and_monitors_are_told(around: Around):
    ((answer,), _) = ran(around, {"what": "look"})

    found = read_snapshot(parse_answer(json.dumps(answer)), ())

    shown = {window.id: (window.state, window.desktop) for window in found.windows}
    assert shown == {
        "{wide}": ("maximised", "d1"),
        "{pad}": ("normal", "d1"),
        "{half}": ("normal", "all"),
        "{far}": ("normal", "d2"),
    }
    assert list(shown) == ["{wide}", "{pad}", "{half}", "{far}"]
    assert found.windows[1].classes == ("pad", "org.kde.pad")
    assert found.windows[1].bounds == Bounds(10, 20, 110, 70)
    assert found.monitors == (
        Monitor("DP-1", Bounds(0, 0, 1920, 1080)),
        Monitor("HDMI-1", Bounds(1920, 0, 3840, 1080), main=True),
    )
    assert answer["active"] == "{pad}"


@pytest.mark.parametrize(
    ("question", "then", "is_now"),
    [
        ({"what": "front"}, "workspace.activeWindow === windows[2]", True),
        ({"what": "close"}, "windows[2].closed", True),
        ({"what": "desktop", "desktop": "d1"}, "windows[2].desktops[0] === one && windows[2].desktops.length", 1),
        ({"what": "desktop", "desktop": "all"}, "windows[2].desktops.length", 0),
        ({"what": "desktop", "desktop": "d1 d2"}, "windows[2].desktops.length", 2),
        (
            {"what": "move", "to": {"left": -5, "top": 1, "right": 15, "bottom": 31}},
            "windows[2].frameGeometry",
            {"x": -5, "y": 1, "width": 20, "height": 30},
        ),
        ({"what": "into", "state": "maximised"}, "windows[2].maximizeMode", 3),
        ({"what": "into", "state": "fullscreen"}, "windows[2].fullScreen", True),
        ({"what": "into", "state": "minimised"}, "windows[2].minimized", True),
        ({"what": "plain"}, "windows[2].maximizeMode", 0),
    ],
)
def test_a_deed_is_done_to_the_window_that_is_meant(around: Around, question: dict[str, Any], then: str, is_now: Any):
    ((answer,), now) = ran(around, {**question, "window": "{far}"}, then=then)

    assert (answer, now) == ({}, is_now)


def test_a_window_that_is_not_there_is_told(around: Around):
    ((answer,), _) = ran(around, {"what": "close", "window": "{none}"})

    assert answer == {"gone": True}
