"""The memory world of applications behaves as any other backend."""

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Left, NotDone, Plan
from sayso.core.ports import Backend, Ground
from sayso.providers.apps.facts import Running
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.memory import backend, build, planted
from sayso.providers.apps.provider import APPS
from sayso.providers.apps.steps import Open, Quit
from sayso.providers.apps.world import World
from sayso.testing.apps import AppsSuite
from sayso.testing.fakes import FakeClock, KillAt, Killed, NumberedIds
from sayso.testing.trying import Trial


class TestMemory(AppsSuite):
    """The suite on the memory world."""

    running = "Google Chrome"
    idle = "TextEdit"

    def make(self) -> Backend:
        return backend(planted({}))


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_describe_the_world():
    world = {
        "installed": ["Atlas"],
        "running": ["Atlas", "Atlas"],
        "windows": [{"app": "Atlas", "bounds": [0, 0, 10, 10]}],
        "monitors": [{"name": "One", "bounds": [0, 0, 800, 600], "main": True}],
    }

    made = build(ground(kind="memory", world=world))

    (app,) = await made.reads.running()
    assert app.fact == Running("Atlas", ("planted-1", "planted-2"))
    assert [window.bounds for window in app.windows] == [Bounds(0, 0, 10, 10)]


def test_a_wrong_world_is_named():
    with pytest.raises(SetupError, match=r"memory world of \[apps\] in the settings is wrong.*instaled"):
        build(ground(world={"instaled": []}))


@pytest.mark.req("S0-45")
async def test_all_instances_of_an_application_are_asked_to_quit():
    made = backend(planted({"running": ["Notes", "Notes"]}))
    trial = Trial(APPS, made)

    await trial.do(await trial.plan("app.quit", name="Notes"))

    assert made.world.running == ()


async def test_an_application_that_does_not_end_is_a_failure_that_says_so():
    made = backend(planted({"running": ["Notes"], "stubborn": ["Notes"]}))
    trial = Trial(APPS, made)

    with pytest.raises(ProviderError, match="Notes is still running 10 s after"):
        await trial.do(await trial.plan("app.quit", name="Notes"))

    assert made.world.instances("Notes")


async def test_another_instance_since_the_plan_is_left_alone():
    made = backend(planted({"running": ["Notes"]}))
    trial = Trial(APPS, made)
    plan = await trial.plan("app.quit", name="Notes")
    made.world = planted({"running": ["Finder", "Notes"]})

    with pytest.raises(ProviderError, match="Notes was started or ended since"):
        await trial.do(plan)

    assert made.world.instances("Notes")


async def test_an_application_that_is_gone_cannot_be_launched():
    made = backend(World())
    trial = Trial(APPS, made)
    plan = await trial.plan("app.open", name="Notes")
    made.world = World(installed=("Mail",))

    with pytest.raises(ProviderError, match="no longer the application it was"):
        await trial.do(plan)


async def test_a_world_that_was_made_new_cannot_tell_what_was_done_before():
    step, expects = Quit("Notes"), (Running("Notes", ("planted-1",)),)

    assert isinstance(await backend(World()).settle(step, expects), CannotTell)
    assert isinstance(await backend(World(), lasting=True).settle(step, expects), NotDone)


async def test_a_crash_after_the_deed_is_settled_as_done():
    made = backend(World(), lasting=True, kill=KillAt("app.open.after"))
    step = Open("Notes", "Notes")

    with pytest.raises(Killed):
        await made.apply(step, ())

    assert await made.settle(step, ()) == Left((Running("Notes", ("launched-1",)),))


async def test_a_batch_may_open_quit_and_open_again():
    trial = Trial(APPS, backend(World()))
    plans: list[Plan] = []
    for operation in ("app.open", "app.open", "app.quit", "app.open"):
        plans.append(await trial.plan(operation, name="Notes"))
        trial.imagine(plans[-1])

    for number, plan in enumerate(plans):
        await trial.do(plan, number)

    assert (await trial.answer("app.list")).data["apps"] == ["Notes"]
