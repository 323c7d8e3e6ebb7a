"""A window goes back among its neighbours step by step, until it is where it was or cannot get nearer."""

import pytest

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.apps.sway import COMMAND, OUTPUTS, Tiling

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

    async def one(self, window: str) -> Shown:
        inside = 0 <= self.at < len(self.places)
        bounds = self.places[self.at] if inside else Bounds(900, 0, 1000, 300)
        return Shown(window, (), None, bounds, "tiled", "1" if inside else "2")


@pytest.mark.parametrize(("at", "to", "moves"), [(2, LEFT, 2), (0, RIGHT, 2), (1, MIDDLE, 0), (1, LEFT, 1)])
async def test_it_moves_until_it_is_there(at: int, to: Bounds, moves: int):
    sway = FakeSway(at)

    await Tiling(sway, sway.one).tile("7", to)

    assert sway.places[sway.at] == to
    assert len(sway.commands) == 1 + moves


async def test_it_does_not_leave_its_workspace():
    sway = FakeSway(2)

    await Tiling(sway, sway.one).tile("7", Bounds(500, 0, 600, 300))

    assert sway.at == 2
    assert sway.commands[-1].startswith("resize set")


async def test_one_that_only_differs_in_size_is_sized():
    sway = FakeSway(1)

    await Tiling(sway, sway.one).tile("7", Bounds(100, 0, 200, 310))

    assert sway.commands == ["floating disable", "resize set width 100 px height 310 px"]


async def test_the_name_of_a_workspace_stays_one_word():
    sway = FakeSway(1)

    await Tiling(sway, sway.one).to_workspace("7", 'my "own\\', MIDDLE)

    assert sway.commands == ['move --no-auto-back-and-forth container to workspace "my \\"own\\\\"']


async def test_a_workspace_that_was_made_elsewhere_goes_to_its_monitor():
    sway = FakeSway(9)

    await Tiling(sway, sway.one).to_workspace("7", "2", MIDDLE)

    assert sway.commands[-1] == 'move workspace to output "A"'
