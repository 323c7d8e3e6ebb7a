"""Windows of Sway: how a screen is built, read and arranged, and the tree it has."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps import sway as ipc
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.sway import COMMAND, OUTPUTS, TilingRequests, build
from sayso.testing.apps import AppsSuite
from sayso.testing.harness import Trial
from tests.desktop_env import containers, parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session, wait_for
from tests.providers.apps.grounds import ground


@pytest.mark.needs("sway", "foot", "swaymsg")
class TestSway(AppsSuite):
    """The suite, with two terminals of different names."""

    running = "Pad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, wayland_desktop: Session) -> Iterator[None]:
        type(self).desktop = wayland_desktop
        for name in ("Pad", "Clock"):
            windows.entry(wayland_desktop, name, f"foot --app-id={name.lower()} sleep 100")
        yield
        containers.clear(wayland_desktop)

    def make(self) -> Backend:
        containers.start(self.desktop, "foot", "--app-id=pad", "sleep", "100")
        return build(ground(self.desktop.home))


@pytest.mark.needs("sway", "foot", "swaymsg")
@pytest.mark.req("X-05")
def test_without_sway_the_person_is_told_what_to_do(bare_desktop: Session):
    with pytest.raises(SetupError, match="SWAYSOCK is not set; start sayso from within sway"):
        build(ground(bare_desktop.home))


@pytest.mark.needs("sway", "foot", "swaymsg")
async def test_a_socket_that_nobody_serves_is_named(tmp_path: Path):
    backend = build(ground(tmp_path, {"SWAYSOCK": f"{tmp_path}/none"}))

    with pytest.raises(SetupError, match=r"sway does not answer on .*none \(SWAYSOCK\)"):
        await backend.reads.running()


@pytest.fixture
def desk(wayland_desktop: Session) -> Iterator[Session]:
    yield wayland_desktop
    containers.clear(wayland_desktop)


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(ground(desk.home)))


def pad(desk: Session, name: str = "pad") -> int:
    return containers.start(desk, "foot", f"--app-id={name}", "sleep", "100")


@pytest.mark.needs("sway", "foot", "swaymsg")
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


@pytest.mark.needs("sway", "foot", "swaymsg")
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


@pytest.mark.needs("sway", "foot", "swaymsg")
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


@pytest.mark.needs("sway", "foot", "swaymsg")
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


@pytest.mark.needs("sway", "foot", "swaymsg")
async def test_bounds_count_the_title_in(desk: Session):
    window = pad(desk)
    containers.tell(desk, window, "border normal")
    wait_for(lambda: containers.listed(desk)[window]["deco_rect"]["height"], "a title")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600]))

    title = containers.listed(desk)[window]["deco_rect"]["height"]
    assert title > 0
    assert containers.bounds(desk, window) == (100, 100 + title, 700, 600)


@pytest.mark.needs("sway", "foot", "swaymsg")
@pytest.mark.req("S4-20", "S0-44")
@pytest.mark.parametrize("command", ["nop", "move scratchpad", "move container to workspace 7"])
async def test_an_application_comes_to_the_front_from_wherever_it_is(desk: Session, command: str):
    window, other = pad(desk), pad(desk, "other")
    containers.tell(desk, window, command)
    tried = trial(desk)

    await tried.do(await tried.plan("app.activate", name="pad"))

    wait_for(lambda: containers.listed(desk)[window]["focused"], "the keyboard")
    assert not containers.listed(desk)[other]["focused"]


@pytest.mark.needs("sway", "foot", "swaymsg")
@pytest.mark.req("S4-27", "T-36")
async def test_every_process_of_an_application_is_quit_and_no_other(desk: Session):
    pad(desk)
    pad(desk)
    stays = pad(desk, "other")
    tried = trial(desk)

    await tried.do(await tried.plan("app.quit", name="pad"))

    assert set(containers.listed(desk)) == {stays}


@pytest.mark.needs("sway", "foot", "swaymsg")
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


LEFT, MIDDLE, RIGHT = (Bounds(x, 0, x + 100, 300) for x in (0, 100, 200))


class FakeSway:
    """Three places side by side; moving beyond the last goes to another workspace."""

    def __init__(self, at: int, places: tuple[Bounds, ...] = (LEFT, MIDDLE, RIGHT)) -> None:
        self.at, self.places = at, places
        self.commands: list[str] = []

    async def ask(self, kind: int, text: str = "") -> bytes:
        assert kind == OUTPUTS != COMMAND
        return b'[{"name": "A", "active": true, "rect": {"x": 0, "y": 0, "width": 300, "height": 300}}]'

    async def tell(self, window: str, command: str) -> bool:
        self.commands.append(command)
        self.at += {"move right": 1, "move left": -1}.get(command, 0)
        return True

    async def one(self, window: str) -> ScreenWindow:
        inside = 0 <= self.at < len(self.places)
        bounds = self.places[self.at] if inside else Bounds(900, 0, 1000, 300)
        return ScreenWindow(window, (), None, bounds, "tiled", "1" if inside else "2")


@pytest.mark.parametrize(("at", "to", "moves"), [(2, LEFT, 2), (0, RIGHT, 2), (1, MIDDLE, 0), (1, LEFT, 1)])
async def test_it_moves_until_it_is_there(at: int, to: Bounds, moves: int):
    sway = FakeSway(at)

    await TilingRequests(sway, sway.one).tile("7", to)

    assert sway.places[sway.at] == to
    assert len(sway.commands) == 1 + moves


async def test_it_does_not_leave_its_workspace():
    sway = FakeSway(2)

    await TilingRequests(sway, sway.one).tile("7", Bounds(500, 0, 600, 300))

    assert sway.at == 2
    assert sway.commands[-1].startswith("resize set")


async def test_one_that_only_differs_in_size_is_sized():
    sway = FakeSway(1)

    await TilingRequests(sway, sway.one).tile("7", Bounds(100, 0, 200, 310))

    assert sway.commands == ["floating disable", "resize set width 100 px height 310 px"]


async def test_the_name_of_a_workspace_stays_one_word():
    sway = FakeSway(1)

    await TilingRequests(sway, sway.one).to_workspace("7", 'my "own\\', MIDDLE)

    assert sway.commands == ['move --no-auto-back-and-forth container to workspace "my \\"own\\\\"']


async def test_a_workspace_that_was_made_elsewhere_goes_to_its_monitor():
    sway = FakeSway(9)

    await TilingRequests(sway, sway.one).to_workspace("7", "2", MIDDLE)

    assert sway.commands[-1] == 'move workspace to output "A"'
