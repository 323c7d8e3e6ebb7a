"""A model is told the names of applications and layouts, and where each monitor is."""

from typing import cast

import pytest

from sayso.core.canonical import Json
from sayso.core.context import Around
from sayso.core.ports import Ground
from sayso.providers.apps import context
from sayso.providers.apps.memory import build
from sayso.providers.apps.store import Apps
from sayso.testing.fakes import FakeClock, NumberedIds

AROUND = Around(())


def apps(**world: Json) -> Apps:
    presets: list[Json] = [
        {"name": name, "placements": [{"app_name": "Notes", "monitor": "main"}]} for name in ("b", "a")
    ]
    return build(Ground({"world": world, "preset": presets}, "/h", "/o", (), FakeClock(), NumberedIds())).reads


@pytest.mark.req("S4-38", "S4-39", "S4-43")
async def test_names_are_told_letter_for_letter():
    reads = apps(running=["Notes", "Mail"])

    told = [*await context.running(reads, AROUND), *await context.presets(reads, AROUND)]
    (installed,) = await context.installed(reads, AROUND)

    assert [(piece.name, piece.data) for piece in told] == [
        ("running_apps", ["Notes", "Mail"]),
        ("presets", ["b", "a"]),
    ]
    assert installed.name == "installed_apps"
    known = cast("list[str]", installed.data)
    assert len(known) == len(set(known))
    assert "Google Chrome" in known


@pytest.mark.req("S4-25", "S4-22", "T-104")
async def test_a_monitor_has_place_size_and_the_words_that_mean_it():
    two: list[Json] = [
        {"name": "Two", "bounds": [-1280, 0, 0, 1024]},
        {"name": "One", "bounds": [0, 0, 1920, 1080], "main": True},
    ]

    (alone,) = await context.monitors(apps(monitors=two[1:]), AROUND)
    (both,) = await context.monitors(apps(monitors=two), AROUND)

    one = {"name": "One", "x": 0, "y": 0, "width": 1920, "height": 1080}
    assert alone.data == [{**one, "called": ["main"]}]
    assert both.data == [
        {"name": "Two", "called": ["left"], "x": -1280, "y": 0, "width": 1280, "height": 1024},
        {**one, "called": ["main", "right"]},
    ]
