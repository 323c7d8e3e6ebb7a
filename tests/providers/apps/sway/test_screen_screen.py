"""Windows under sway are placed, brought to the front and put back among their neighbours."""

import os
import signal
from collections.abc import Iterator

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.apps import APPS
from sayso.providers.apps import sway as ipc
from sayso.providers.apps.sway import build
from sayso.testing.harness import Trial
from tests.desktop_env import containers, parts
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session, wait_for
from tests.providers.apps.grounds import ground

pytestmark = pytest.mark.needs("sway", "foot", "swaymsg")


@pytest.fixture
def desk(wayland_desktop: Session) -> Iterator[Session]:
    yield wayland_desktop
    containers.clear(wayland_desktop)


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(ground(desk.home)))


def pad(desk: Session, name: str = "pad") -> int:
    return containers.start(desk, "foot", f"--app-id={name}", "sleep", "100")


@pytest.mark.req("S4-22", "S4-23", "S4-25")
async def test_a_tiled_window_is_let_go_placed_exactly_and_tiled_again_where_it_was(desk: Session):
    first, second, third = pad(desk, "one"), pad(desk, "two"), pad(desk, "three")
    before = {window: containers.bounds(desk, window) for window in (first, second, third)}
    tried = trial(desk)

    plan = await tried.plan("app.place", name="one", bounds=[2000, 100, 2600, 600])
    lefts = await tried.do(plan)
    placed, kind = containers.bounds(desk, first), containers.listed(desk)[first]["type"]
    await tried.take_back(plan, lefts)

    assert (placed, kind) == ((2000, 100, 2600, 600), "floating_con")
    assert {window: containers.bounds(desk, window) for window in (first, second, third)} == before
    assert containers.listed(desk)[first]["type"] == "con"


async def test_a_floating_window_comes_back_to_its_workspace_and_place(desk: Session):
    window = pad(desk)
    containers.floating(desk, window, (200, 150, 840, 630))
    workspace = containers.listed(desk)[window]["workspace"]
    tried = trial(desk)

    plan = await tried.plan("app.place", name="pad", monitor="right")
    lefts = await tried.do(plan)
    placed, there = containers.bounds(desk, window), containers.listed(desk)[window]["workspace"]
    await tried.take_back(plan, lefts)

    assert placed == (2120, 150, 2760, 630)
    assert there != workspace
    assert containers.bounds(desk, window) == (200, 150, 840, 630)
    assert containers.listed(desk)[window]["workspace"] == workspace


async def test_a_fullscreen_window_comes_back_to_fullscreen_and_tiled_beneath(desk: Session):
    window, _ = pad(desk), pad(desk, "other")
    beneath = containers.bounds(desk, window)
    containers.tell(desk, window, "fullscreen enable")
    wait_for(lambda: containers.bounds(desk, window) == (0, 0, 1920, 1080), "the whole monitor")
    tried = trial(desk)

    plan = await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600])
    lefts = await tried.do(plan)
    placed = containers.bounds(desk, window)
    await tried.take_back(plan, lefts)
    again = containers.bounds(desk, window)
    containers.tell(desk, window, "fullscreen disable")

    assert (placed, again) == ((100, 100, 700, 600), (0, 0, 1920, 1080))
    wait_for(lambda: containers.bounds(desk, window) == beneath, "what was beneath")


async def test_a_window_that_was_put_away_is_shown_placed_and_put_away_again(desk: Session):
    window = pad(desk)
    containers.tell(desk, window, "move scratchpad")
    wait_for(lambda: containers.listed(desk)[window]["workspace"] == "__i3_scratch", "the scratchpad")
    tried = trial(desk)

    plan = await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600])
    lefts = await tried.do(plan)
    placed, there = containers.bounds(desk, window), containers.listed(desk)[window]["workspace"]
    await tried.take_back(plan, lefts)

    assert placed == (100, 100, 700, 600)
    assert there != "__i3_scratch"
    assert containers.listed(desk)[window]["workspace"] == "__i3_scratch"


async def test_bounds_count_the_title_in(desk: Session):
    window = pad(desk)
    containers.tell(desk, window, "border normal")
    wait_for(lambda: containers.listed(desk)[window]["deco_rect"]["height"], "a title")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600]))

    title = containers.listed(desk)[window]["deco_rect"]["height"]
    assert title > 0
    assert containers.bounds(desk, window) == (100, 100 + title, 700, 600)


@pytest.mark.req("S4-20", "S0-44")
@pytest.mark.parametrize("command", ["nop", "move scratchpad", "move container to workspace 7"])
async def test_an_application_comes_to_the_front_from_wherever_it_is(desk: Session, command: str):
    window, other = pad(desk), pad(desk, "other")
    containers.tell(desk, window, command)
    tried = trial(desk)

    await tried.do(await tried.plan("app.activate", name="pad"))

    wait_for(lambda: containers.listed(desk)[window]["focused"], "the keyboard")
    assert not containers.listed(desk)[other]["focused"]


@pytest.mark.req("S4-27", "T-36")
async def test_every_process_of_an_application_is_quit_and_no_other(desk: Session):
    pad(desk)
    pad(desk)
    stays = pad(desk, "other")
    tried = trial(desk)

    await tried.do(await tried.plan("app.quit", name="pad"))

    assert set(containers.listed(desk)) == {stays}


async def test_a_sway_that_is_stopped_is_not_waited_for_and_one_that_ended_is_named(monkeypatch: pytest.MonkeyPatch):
    with session("sway", "swaymsg", user=NOBODY) as own:
        parts.a_compositor(own)
        sway = int(own.environment["SWAYSOCK"].split(".")[-2])
        with monkeypatch.context() as hurried:
            hurried.setattr(ipc, "SECONDS", 0.3)
            async with ipc.connect(own.environment["SWAYSOCK"]) as made:
                os.kill(sway, signal.SIGSTOP)
                with pytest.raises(ProviderError, match=r"sway did not answer within 0\.3 seconds"):
                    await made.ask(ipc.TREE)
        os.kill(sway, signal.SIGCONT)
        async with ipc.connect(own.environment["SWAYSOCK"]) as made:
            await made.ask(ipc.TREE)
            os.kill(sway, signal.SIGKILL)
            with pytest.raises(ProviderError, match="sway has ended the connection"):
                await made.ask(ipc.TREE)
