"""A place on a screen has the bounds that people mean by it."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.placing import area_of_monitor, middle_of_monitor
from tests.models.builtin.scenes import DATA, utterance

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
