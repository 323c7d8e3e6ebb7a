"""What the script in KWin tells becomes windows and monitors, and nothing else is believed."""

import json

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.kwin import look, read

BOX = {"left": 0, "top": 0, "right": 100.4, "bottom": 49.6}
WINDOW = {
    "id": "{1}", "classes": ["pad", "Pad", ""], "pid": 7, "bounds": BOX, "state": "normal", "desktop": "",
    "closable": True, "belongs": False, "here": True, "height": 0,
}  # fmt: skip
MONITOR = {"name": "A", "bounds": BOX, "main": True}


def said(*windows: dict[str, object]) -> str:
    return json.dumps({"windows": [{**WINDOW, **window} for window in windows], "monitors": [MONITOR]})


def test_windows_that_are_shown_come_first_and_the_highest_before_all():
    windows = said(
        {"id": "low", "height": 1}, {"id": "elsewhere", "height": 9, "here": False}, {"id": "high", "height": 5}
    )

    found = look(read(windows), ())

    assert [window.id for window in found.windows] == ["high", "low", "elsewhere"]
    assert found.monitors == (Monitor("A", Bounds(0, 0, 100, 50), main=True),)


def test_names_are_told_once_and_a_process_that_nobody_knows_is_none():
    (window,) = look(read(said({"pid": -1, "classes": ["pad", "pad", ""]})), ()).windows

    assert (window.classes, window.pid, window.bounds) == (("pad",), None, Bounds(0, 0, 100, 50))


def test_what_fills_the_monitor_is_maximised_where_kwin_says_so():
    windows = read(said({"id": "a", "state": "filling"}, {"id": "b", "state": "filling"}, {"id": "c"}))

    assert [window.state for window in look(windows, ["a", "c"]).windows] == ["maximised", "normal", "normal"]


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"windows": [{}]}', '{"windows": 1}', '"\\ud800"'])
def test_what_no_script_of_ours_says_is_refused(text: str):
    with pytest.raises(ProviderError, match="KWin told something that cannot be read"):
        read(text)


def test_what_went_wrong_is_told():
    with pytest.raises(ProviderError, match="KWin could not do it: TypeError"):
        read('{"odd": "TypeError"}')
    with pytest.raises(ProviderError, match="the window was closed meanwhile"):
        read('{"gone": true}')
