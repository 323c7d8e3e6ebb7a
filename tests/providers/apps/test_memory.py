"""The memory world of applications behaves as any other backend."""

import json
from inspect import getmembers, isfunction
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, NotDone, Plan, ResultRef
from sayso.core.ports import Backend, BackendContext
from sayso.providers.apps import APPS, memory
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.memory import USUAL_APPS, backend, build, parse_world
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    AppsState,
    OpenApp,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    WindowAt,
    WindowState,
    describe_change,
    imagine_steps,
)
from sayso.providers.apps.store import MOST_SUGGESTIONS, Apps, did_you_mean, match_name, suggest_names
from sayso.testing.apps import AppsSuite
from sayso.testing.fakes import FakeClock, KillAt, Killed, NumberedIds
from sayso.testing.harness import Trial

WORLD = AppsState(
    running=(("1", "Notes"), ("2", "Mail")),
    windows=(
        WindowState("a", "Notes", "1", Bounds(0, 0, 10, 10), desktop="2"),
        WindowState("b", "Mail", "2", Bounds(5, 5, 20, 20), "maximised"),
    ),
)


def test_a_window_keeps_its_desktop_unless_another_is_named():
    stays, _ = PlaceWindow("Notes", "a", 1, 1, 2, 2).execute(WORLD)
    goes, left = PlaceWindow("Notes", "a", 1, 1, 2, 2, desktop="3").execute(WORLD)

    assert stays.windows[0].desktop == "2"
    assert left == (WindowAt("a", "Notes", 1, 1, 2, 2, "normal", "3"),)
    assert goes.windows[0].fact == left[0]


def test_activating_puts_the_windows_in_front_and_quitting_ends_every_instance_with_its_windows():
    world, left = ActivateApp("Mail").execute(WORLD)
    ended, gone = QuitApp("Mail").execute(WORLD)

    assert [window.app for window in world.windows] == ["Mail", "Notes"]
    assert left == (AppRunning("Mail", ("2",)),)
    assert (ended.instances("Mail"), [window.app for window in ended.windows]) == ((), ["Notes"])
    assert gone == (AppRunning("Mail", ()),)


def test_what_an_earlier_step_changes_is_expected_as_it_left_it():
    steps = ((OpenApp("Clock", "clock"), ChangeRef(0, 0)), (PlaceNewWindow("Clock", 0, 0, 5, 5), ChangeRef(1, 0)))

    seen = imagine_steps(WORLD, steps)

    (clock,) = [window for window in seen.look().windows if window.app == "Clock"]
    assert clock.bounds == Bounds(0, 0, 5, 5)
    assert seen.fact(AppRunning("Clock", ("whatever",))) == ResultRef("Clock", "app_running", 0, 0)
    assert seen.fact(AppRunning("Mail", ("2",))) == AppRunning("Mail", ("2",))


class TestMemory(AppsSuite):
    """The suite on the memory world."""

    running = "Google Chrome"
    idle = "TextEdit"

    def make(self) -> Backend:
        return backend(parse_world({}))


def context(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_describe_the_world_and_a_wrong_one_is_named():
    windows = [{"app": "Atlas", "bounds": [0, 0, 10, 10]}]
    monitors = [{"name": "One", "bounds": [0, 0, 800, 600], "main": True}]
    world = {"installed": ["Atlas"], "running": ["Atlas", "Atlas"], "windows": windows, "monitors": monitors}

    (app,) = await build(context(kind="memory", world=world)).reads.running()

    assert app.fact == AppRunning("Atlas", ("planted-1", "planted-2"))
    assert [window.bounds for window in app.windows] == [Bounds(0, 0, 10, 10)]
    with pytest.raises(SetupError, match=r"memory world of \[apps\] in the settings is wrong.*instaled"):
        build(context(world={"instaled": []}))


@pytest.mark.req("S0-45")
async def test_all_instances_are_asked_to_quit_and_one_that_does_not_end_is_a_failure_that_says_so():
    polite = backend(parse_world({"running": ["Notes", "Notes"]}))
    stubborn = backend(parse_world({"running": ["Notes"], "stubborn": ["Notes"]}))

    trial, other = Trial(APPS, polite), Trial(APPS, stubborn)
    await trial.do(await trial.plan("app.quit", name="Notes"))
    with pytest.raises(ProviderError, match="Notes is still running 10 s after"):
        await other.do(await other.plan("app.quit", name="Notes"))

    assert polite.world.running == ()
    assert stubborn.world.instances("Notes")


async def test_another_instance_since_the_plan_is_left_alone():
    made = backend(parse_world({"running": ["Notes"]}))
    trial = Trial(APPS, made)
    plan = await trial.plan("app.quit", name="Notes")
    made.world = parse_world({"running": ["Finder", "Notes"]})

    with pytest.raises(ProviderError, match="Notes was started or ended since"):
        await trial.do(plan)

    assert made.world.instances("Notes")


async def test_an_application_that_is_gone_cannot_be_launched():
    made = backend(AppsState(USUAL_APPS))
    trial = Trial(APPS, made)
    plan = await trial.plan("app.open", name="Notes")
    made.world = AppsState(installed=("Mail",))

    with pytest.raises(ProviderError, match="no longer the application it was"):
        await trial.do(plan)


async def test_a_world_that_was_made_new_cannot_tell_what_was_done_before():
    step, expects = QuitApp("Notes"), (AppRunning("Notes", ("planted-1",)),)

    assert isinstance(await backend(AppsState(USUAL_APPS)).settle(step, expects), CannotTell)
    assert isinstance(await backend(AppsState(USUAL_APPS), lasting=True).settle(step, expects), NotDone)


async def test_a_crash_after_the_deed_is_settled_as_done():
    made = backend(AppsState(USUAL_APPS), lasting=True, kill=KillAt("app.open.after"))
    step = OpenApp("Notes", "Notes")

    with pytest.raises(Killed):
        await made.apply(step, ())

    assert await made.settle(step, ()) == Applied((AppRunning("Notes", ("launched-1",)),))


async def test_a_batch_may_open_quit_and_open_again():
    trial = Trial(APPS, backend(AppsState(USUAL_APPS)))
    plans: list[Plan] = []
    for operation in ("app.open", "app.open", "app.quit", "app.open"):
        plans.append(await trial.plan(operation, name="Notes"))
        trial.imagine(plans[-1])

    for number, plan in enumerate(plans):
        await trial.do(plan, number)

    assert (await trial.answer("app.list")).data["apps"] == ["Notes"]


CASES = json.loads((Path(__file__).parents[2] / "cases/apps/names.json").read_text(encoding="utf-8"))


@pytest.mark.req("T-98", "S4-21")
@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_a_name_is_found_or_its_neighbours_are_named(case: dict[str, object]):
    name = str(case["name"])

    assert match_name(name, CASES["known"], exact=True) == case["exact"]
    assert match_name(name, CASES["known"]) == case["lenient"]
    assert list(suggest_names(name, CASES["known"])) == case["near"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), ""),
        (("A",), "; did you mean “A”?"),
        (("A", "B"), "; did you mean “A” or “B”?"),
        (("A", "B", "C"), "; did you mean “A”, “B” or “C”?"),
    ],
)
def test_up_to_three_suggestions_read_as_a_sentence(names: tuple[str, ...], said: str):
    assert did_you_mean(names) == said
    assert len(suggest_names("app", [f"app {number}" for number in range(9)])) == MOST_SUGGESTIONS == 3


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Apps, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.MemoryApps, isfunction)}


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (AppRunning("Notes", ("1",)), "Notes was started or ended since this was planned"),
        (AppInstalled("Notes", "n"), "Notes is no longer the application it was when this was planned"),
        (WindowAt("w", "Notes", 0, 0, 1, 1), "the window of Notes was moved or closed since this was planned"),
        (Fact("x"), "“x” is no longer as it was when this was planned"),
    ],
)
def test_what_moved_on_is_named_as_a_person_knows_it(fact: Fact, said: str):
    assert describe_change(fact) == said
