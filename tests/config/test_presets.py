"""Window layouts in the settings."""

from typing import Any

import pytest

from sayso.config.presets import Placement, Preset, presets_in
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
