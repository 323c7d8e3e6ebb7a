"""Layouts are read from the settings, and a wrong one is named."""

import pytest

from sayso.core.errors import SetupError
from sayso.providers.apps.presets import Placement, Preset, read

GOOD = {"app_name": "Notes", "monitor": "left"}


@pytest.mark.req("T-101")
def test_a_layout_is_a_name_and_its_placements():
    presets = read(
        {"preset": [{"name": "code space", "placements": [GOOD, {"app_name": "A", "bounds": [0, 0, 9, 9]}]}]}
    )

    placements = (Placement("Notes", "left"), Placement("A", None, (0, 0, 9, 9)))
    assert presets == (Preset("code space", placements),)


def test_without_layouts_there_are_none():
    assert read({"kind": "memory"}) == ()


@pytest.mark.parametrize(
    ("presets", "says"),
    [
        ([{"placements": [GOOD]}], "name"),
        ([{"name": "a", "placements": [{"app_name": "Notes"}]}], "preset “a”, Notes: give a monitor or bounds"),
        ([{"name": "a", "placements": [{"app_name": "Notes", "bounds": [1, 2, 3]}]}], "length >= 4"),
        ([{"name": "a", "placements": [{"app_name": "Notes", "bounds": [5, 0, 1, 9]}]}], "right beyond left"),
        ([{"name": "a", "placements": [{**GOOD, "monitor": "up"}]}], "up"),
        ([{"name": "a", "placements": [{**GOOD, "size": 1}]}], "size"),
        ([{"name": "a"}, {"name": "a"}], "two presets are called “a”"),
        ("a", "preset"),
    ],
)
def test_a_wrong_layout_is_named(presets: object, says: str):
    with pytest.raises(SetupError, match=says):
        read({"preset": presets})
