"""A model is told the names of applications and layouts, and where each monitor is."""

from typing import cast

import pytest

from sayso.core.conversation import ContextLimits
from sayso.core.encoding import Json
from sayso.core.ports import BackendContext
from sayso.providers.apps import context
from sayso.providers.apps.memory import build
from sayso.providers.apps.store import Apps
from sayso.testing.fakes import FakeClock, NumberedIds

AROUND = ContextLimits(())


def apps(**world: Json) -> Apps:
    presets: list[Json] = [
        {"name": name, "placements": [{"app_name": "Notes", "monitor": "main"}]} for name in ("b", "a")
    ]
    return build(BackendContext({"world": world, "preset": presets}, "/h", "/o", (), FakeClock(), NumberedIds())).reads


@pytest.mark.req("S4-38", "S4-39", "S4-43")
async def test_names_are_told_letter_for_letter():
    reads = apps(running=["Notes", "Mail"])

    told = [*await context.running(reads, AROUND), *await context.presets(reads, AROUND)]
    (installed,) = await context.installed_names(reads, AROUND)

    assert [(piece.name, piece.data) for piece in told] == [
        ("running_apps", ["Notes", "Mail"]),
        ("idle", ["unknown"]),
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


@pytest.mark.req("S4-25")
async def test_a_window_is_told_with_its_application_title_and_place():
    reads = apps(
        running=["Notes", "Mail"],
        windows=[
            {"app": "Mail", "title": "Inbox " * 100, "bounds": [0, 0, 960, 1080]},
            {"app": "Notes", "bounds": [5, 6, 700, 800], "state": "minimised"},
        ],
    )

    (piece,) = await context.windows(reads, AROUND)

    assert piece.data == [
        {"app": "Notes", "title": "", "bounds": [5, 6, 700, 800], "state": "minimised"},
        {"app": "Mail", "title": ("Inbox " * 100)[:200], "bounds": [0, 0, 960, 1080]},
    ]
    assert (piece.ours, piece.left_out) == (False, "")


async def test_windows_beyond_a_hundred_are_left_out_and_that_is_said():
    reads = apps(running=["Mail"], windows=[{"app": "Mail", "bounds": [0, 0, 9, 9]}] * 103)

    (piece,) = await context.windows(reads, AROUND)

    assert (len(cast("list[Json]", piece.data)), piece.left_out) == (100, "3 more windows are not told")


@pytest.mark.parametrize(("world", "told"), [({}, "unknown"), ({"idle_seconds": 95.7}, "95 seconds")])
async def test_how_long_nobody_touched_anything_is_told_or_said_to_be_unknown(world: dict[str, Json], told: str):
    _, idle = await context.running(apps(**world), AROUND)

    assert (idle.data, idle.ours) == ([told], True)
