"""Applications are opened, brought to the front, quit and placed, what cannot be is said, and a model hears of them."""

from typing import Any, cast

import pytest

from sayso.core.conversation import ContextLimits
from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError, ProviderError
from sayso.core.ports import Backend, BackendContext
from sayso.providers.apps import APPS, context, operations
from sayso.providers.apps.memory import MemoryApps, backend, build, parse_world
from sayso.providers.apps.model import ActivateApp, AppsState, OpenApp, OpenAppPlaced, PlaceWindow
from sayso.providers.apps.store import Apps, InstalledApp
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import OperationsById, Trial

OPERATIONS = OperationsById(APPS.operations)
NOTES = {"app": "Notes", "bounds": [100, 100, 900, 700]}
DESK = {"running": ["Notes", "Mail"], "windows": [NOTES]}
ONE = {**DESK, "monitors": [{"name": "One", "bounds": [0, 0, 1920, 1080], "main": True}]}


def a_trial(world: object = DESK) -> Trial:
    return Trial(APPS, backend(parse_world(world)))


def with_presets(*placements: object, world: object = DESK) -> Trial:
    settings = {"world": world, "preset": [{"name": "code space", "placements": list(placements)}]}
    return Trial(APPS, build(BackendContext(settings, "/h", "/o", (), FakeClock(), NumberedIds())))


async def bounds_of(made: Backend, app: str) -> tuple[int, int, int, int]:
    bounds = (await made.reads.windows(app))[0].bounds
    return bounds.left, bounds.top, bounds.right, bounds.bottom


async def test_what_runs_is_listed_with_its_windows():
    answer = await a_trial().answer("app.list")

    assert answer.data["apps"] == ["Notes", "Mail"]
    (row,) = cast("list[dict[str, Any]]", answer.data["windows"])
    assert row == {"app": "Notes", "id": row["id"], "bounds": [100, 100, 900, 700], "state": "normal"}
    assert answer.text == "Notes\nMail"


@pytest.mark.req("T-23", "T-98")
async def test_a_name_may_differ_in_case_alone_and_an_unknown_one_is_a_failure_with_near_names():
    plan = await a_trial().plan("app.open", name="calendar")

    assert plan.changes[0].do == OpenApp("Calendar", "Calendar")
    with pytest.raises(ProviderError, match=r"no application is called “Note”; did you mean “Notes”\?"):
        await a_trial().plan("app.open", name="Note")
    with pytest.raises(ProviderError, match="did you mean “Google Chrome”"):
        await a_trial().plan("app.quit", name="chrome")


@pytest.mark.req("T-98", "S4-21")
@pytest.mark.parametrize("operation", ["app.open", "app.activate", "app.quit", "app.place"])
@pytest.mark.parametrize(("name", "near"), [("notes", ("Notes",)), ("mai", ("Mail", "Mail Merge")), ("Zzz", ())])
async def test_where_names_are_exact_no_other_will_do_and_up_to_three_near_ones_are_named(
    operation: str, name: str, near: tuple[str, ...]
):
    reads = a_trial({**ONE, "installed": ["Notes", "Mail", "Mail Merge"]}).backend.reads.exactly()
    given = {"bounds": [0, 0, 10, 10]} if operation == "app.place" else {}

    with pytest.raises(ProviderError) as no:
        await OPERATIONS[operation].function(apps=reads, name=name, **given)
    exact = await OPERATIONS["app.quit"].function(apps=reads, name="Notes")

    assert (no.value.code, no.value.candidates) == ("app.unknown", tuple(Candidate(one) for one in near))
    assert all(f"“{one}”" in str(no.value) for one in (name, *near))
    assert exact.summary == "Quit “Notes”"


async def test_two_applications_of_one_name_are_not_told_apart_by_guessing():
    class Twice(MemoryApps, frozen=True):
        async def installed(self) -> tuple[InstalledApp, ...]:
            return (await super().installed()) * 2

    trial = a_trial()
    trial.seen = Twice(trial.seen.seen)

    with pytest.raises(ProviderError, match="2 applications are called “Calendar”"):
        await trial.plan("app.open", name="Calendar")


@pytest.mark.req("T-27")
async def test_only_what_would_launch_or_quit_names_its_application_to_policy():
    trial = a_trial()

    launching = await trial.plan("app.activate", name="Calendar", launch_if_needed=True)
    running = await trial.plan("app.activate", name="Notes", launch_if_needed=True)

    assert launching.changes[0].do == OpenApp("Calendar", "Calendar")
    assert launching.changes[0].do.apps == ("name",)
    assert running.changes[0].do == ActivateApp("Notes")
    assert running.changes[0].do.apps == ()
    assert launching.said_when_done == "Activated Calendar"
    assert running.said_when_done == "Activated Notes"


@pytest.mark.req("T-23")
async def test_activating_what_does_not_run_is_a_failure_and_quitting_it_is_none():
    trial = a_trial()

    with pytest.raises(ProviderError, match="Calendar is not running"):
        await trial.plan("app.activate", name="Calendar")
    for name in ("Calendar", "Zeppelin"):
        assert (await trial.plan("app.quit", name=name)).summary == f"{name} was not running"


@pytest.mark.req("S4-24")
async def test_placing_needs_a_monitor_or_bounds():
    with pytest.raises(ProposalError, match="“monitor” or “bounds”") as no:
        await a_trial().plan("app.place", name="Notes")

    assert no.value.code == "arguments.missing"


@pytest.mark.req("T-96")
@pytest.mark.parametrize("bounds", [[10, 0, 10, 5], [0, 9, 5, 9], [5, 0, 1, 9]])
async def test_bounds_without_an_inside_are_refused(bounds: list[int]):
    with pytest.raises(ProposalError, match="right must be greater than left"):
        await a_trial().plan("app.place", name="Notes", bounds=bounds)


@pytest.mark.req("S4-18")
@pytest.mark.parametrize("bounds", [[1, 2, 3], [1, 2, 3, 4, 5], [0, 0, "9", 9], [0, 0, 9.5, 9], [True, 0, 9, 9]])
def test_bounds_are_exactly_four_integers(bounds: list[object]):
    problems = operations.place.check({"name": "Notes", "bounds": bounds})[1]

    assert [problem.argument for problem in problems] == ["bounds"]
    assert "a list of exactly 4" in problems[0].sentence


@pytest.mark.req("T-96")
async def test_bounds_decide_and_a_monitor_that_does_not_fit_is_a_warning():
    trial = a_trial()

    wrong = await trial.plan("app.place", name="Notes", bounds=[0, 0, 960, 1080], monitor="right")
    right = await trial.plan("app.place", name="Notes", bounds=[1920, 0, 2880, 1080], monitor="right")

    assert wrong.changes[0].do == PlaceWindow("Notes", "window-1", 0, 0, 960, 1080)
    assert wrong.warns == ("the window's centre will not be on the monitor “right”; the bounds decide",)
    assert right.warns == ()


@pytest.mark.req("T-96")
@pytest.mark.parametrize(
    ("where", "stands"),
    [
        ({"bounds": [-1280, -20, -640, 400]}, (-1280, -20, -640, 400)),
        ({"monitor": "right"}, (2020, 100, 2820, 700)),
    ],
)
async def test_bounds_may_lie_left_of_the_main_monitor_and_a_monitor_alone_keeps_the_size(
    where: dict[str, Any], stands: tuple[int, ...]
):
    trial = a_trial()

    await trial.do(await trial.plan("app.place", name="Notes", **where))

    assert await bounds_of(trial.backend, "Notes") == stands


@pytest.mark.req("T-104")
async def test_with_one_monitor_left_and_right_fail_with_another_way():
    with pytest.raises(ProviderError, match="only one monitor, so none is “left”; use “main”, or give bounds"):
        await a_trial(ONE).plan("app.place", name="Notes", monitor="left")

    plan = await a_trial(ONE).plan("app.place", name="Notes", monitor="left", bounds=[0, 0, 960, 1080])

    assert plan.warns == ("there is only one monitor, so none is “left”; the bounds decide",)


async def test_what_has_no_window_or_does_not_run_or_is_there_already_is_not_placed():
    trial = a_trial()

    for name, says in (("Mail", "has no window"), ("Calendar", "not running"), ("Zeppelin", "no application")):
        with pytest.raises(ProviderError, match=says):
            await trial.plan("app.place", name=name, monitor="main")
    plan = await trial.plan("app.place", name="Notes", bounds=NOTES["bounds"])

    assert (plan.changes, plan.summary) == ((), "The window of “Notes” is there already")


@pytest.mark.req("S4-35")
async def test_an_unknown_layout_is_refused_with_those_there_are():
    trial = with_presets({"app_name": "Notes", "monitor": "main"})

    for name in ("code", "Code Space"):
        with pytest.raises(ProviderError, match="there are “code space”"):
            await trial.plan("layout.activate", preset=name)
    with pytest.raises(ProviderError, match="the settings hold none"):
        await Trial(APPS, backend(AppsState())).plan("layout.activate", preset="x")


@pytest.mark.req("T-101")
async def test_a_layout_places_what_it_can_and_names_the_rest():
    trial = with_presets(
        {"app_name": "Mail", "monitor": "main"},
        {"app_name": "Notes", "bounds": [0, 0, 960, 1080]},
        {"app_name": "Calendar", "monitor": "right", "launch": True},
    )

    plan = await trial.plan("layout.activate", preset="code space")
    lefts = await trial.do(plan)

    assert plan.on_failure == "go on"
    assert plan.said_when_done == (
        "Activated layout “code space”: placed Notes, Calendar; not placed: Mail: Mail has no window"
    )
    assert plan.data["not_placed"] == [{"app": "Mail", "why": "Mail has no window"}]
    assert isinstance(plan.changes[1].do, OpenAppPlaced)
    assert plan.changes[1].do.apps == ()
    assert await bounds_of(trial.backend, "Notes") == (0, 0, 960, 1080)
    assert await bounds_of(trial.backend, "Calendar") == (1920, 60, 2920, 760)
    assert len(lefts) == 2


@pytest.mark.req("T-101")
async def test_a_layout_of_which_nothing_can_be_placed_fails_and_one_in_place_already_changes_nothing():
    cannot = with_presets({"app_name": "Calendar", "monitor": "main"}, {"app_name": "Zeppelin", "monitor": "main"})
    already = with_presets({"app_name": "Notes", "bounds": NOTES["bounds"]})

    with pytest.raises(ProviderError, match="Calendar: Calendar is not running; Zeppelin: no application is called"):
        await cannot.plan("layout.activate", preset="code space")
    plan = await already.plan("layout.activate", preset="code space")

    assert (plan.changes, plan.summary) == ((), "The layout “code space” is in place already")


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
        {"app": "Notes", "id": "window-2", "title": "", "bounds": [5, 6, 700, 800], "state": "minimised"},
        {"app": "Mail", "id": "window-1", "title": ("Inbox " * 100)[:200], "bounds": [0, 0, 960, 1080]},
    ]
    assert (piece.ours, piece.left_out) == (False, "")


async def test_windows_beyond_a_hundred_are_left_out_and_that_is_said():
    reads = apps(running=["Mail"], windows=[{"app": "Mail", "bounds": [0, 0, 9, 9]}] * 103)

    (piece,) = await context.windows(reads, AROUND)

    assert (len(cast("list[Json]", piece.data)), piece.left_out) == (100, "3 more windows are not shown")


@pytest.mark.parametrize(("world", "told"), [({}, "unknown"), ({"idle_seconds": 95.7}, "95 seconds")])
async def test_how_long_nobody_touched_anything_is_told_or_said_to_be_unknown(world: dict[str, Json], told: str):
    _, idle = await context.running(apps(**world), AROUND)

    assert (idle.data, idle.ours) == ([told], True)


SEVERAL = {
    "installed": ["Notes"],
    "running": ["Notes"],
    "windows": [
        {"app": "Notes", "bounds": [0, 0, 400, 300], "title": "Shopping — Notes"},
        {"app": "Notes", "bounds": [10, 20, 410, 320], "title": "Holiday plans"},
        {"app": "Notes", "bounds": [30, 40, 430, 340], "title": "Holiday money"},
    ],
}


async def test_one_window_of_several_is_named_by_part_of_its_title_or_by_its_id():
    trial = a_trial(SEVERAL)
    listed = (await trial.answer("app.list")).data["windows"]
    ids = [row["id"] for row in cast("list[dict[str, str]]", listed)]

    front = await trial.plan("app.place", name="Notes", bounds=[0, 0, 100, 100])
    by_title = await trial.plan("app.place", name="Notes", bounds=[0, 0, 100, 100], window="PLANS")
    by_id = await trial.plan("app.place", name="Notes", bounds=[0, 0, 100, 100], window=ids[2])

    steps = [cast("PlaceWindow", plan.changes[0].do) for plan in (front, by_title, by_id)]
    assert [step.window for step in steps] == ids
    assert by_title.preview == "The window “Holiday plans”"
    assert "Holiday" not in by_title.summary


async def test_where_several_windows_or_none_are_meant_they_are_told_by_place_and_not_by_title():
    trial = a_trial(SEVERAL)

    with pytest.raises(ProviderError, match="2 windows of Notes have “holiday” in their titles") as many:
        await trial.plan("app.place", name="Notes", monitor="main", window="holiday")
    with pytest.raises(ProviderError, match="no window of Notes has “Work” in its title") as none:
        await trial.plan("app.place", name="Notes", monitor="main", window="Work")

    assert (many.value.code, none.value.code) == ("window.many", "window.unknown")
    assert [one.where for one in many.value.candidates] == ["400×300 at 10, 20", "400×300 at 30, 40"]
    assert len(none.value.candidates) == 3
    assert "plans" not in f"{many.value} {none.value}"
