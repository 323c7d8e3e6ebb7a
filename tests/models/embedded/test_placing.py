"""Bounds are worked out from the monitors, as the prompt's formulas say."""

import pytest

from sayso.core.canonical import Json
from sayso.models.embedded.placing import half, middle, whole
from tests.models.embedded.scenes import DATA, scene

SCENE = scene("")


@pytest.mark.req("S4-26")
@pytest.mark.parametrize(
    ("said", "bounds"),
    [
        ({"side": "left", "app": "Firefox"}, [0, 0, 960, 1080]),
        ({"side": "right", "app": "Firefox"}, [960, 0, 1920, 1080]),
        ({"side": "top", "app": "Firefox"}, [0, 0, 1920, 540]),
        ({"side": "bottom", "monitor": "right"}, [1920, 512, 3200, 1024]),
        ({"side": "left", "app": "Signal"}, [1920, 0, 2560, 1024]),
    ],
)
def test_a_half_is_of_the_monitor_that_was_said_or_the_window_is_on(said: dict[str, Json], bounds: list[int]):
    assert half(said, SCENE) == bounds


@pytest.mark.req("S4-26")
def test_all_of_a_monitor_and_its_middle():
    assert whole({"monitor": "right"}, SCENE) == [1920, 0, 3200, 1024]
    assert middle({"app": "Firefox", "size": [1200, 800]}, SCENE) == [360, 140, 1560, 940]


def test_without_monitors_there_are_no_bounds():
    nowhere = scene("", data={**DATA, "monitors": []})

    assert half({"side": "left"}, nowhere) is None
    assert whole({}, nowhere) is None
    assert middle({"size": [1, 1]}, nowhere) is None
