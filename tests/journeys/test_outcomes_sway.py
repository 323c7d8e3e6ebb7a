"""Each operation on applications under sway: done, nothing to do, missing, ambiguous, ended, or hanging."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import anyio
import pytest

import sayso
from sayso.providers.apps import APPS
from tests.desktop_env import containers, parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session
from tests.journeys.ground import yes
from tests.journeys.outcomes import Case, cases, lines, told

pytestmark = [pytest.mark.thorough, pytest.mark.needs("sway", "swaymsg", "foot")]
SETTINGS = """
[apps]
kind = "sway"
[policy]
allowed_apps = ["Mousepad", "Clock", "Twin"]
[[preset]]
name = "desk"
placements = [{app_name = "Mousepad", bounds = [0, 0, 960, 1000]}]
[[preset]]
name = "twins"
placements = [{app_name = "Twin", monitor = "left", launch = true}]
"""
OPERATIONS = {operation.id for operation in APPS.operations}


def of(desk: Session, name: str) -> list[int]:
    """Return the windows of this name, as sway says."""
    return [window for window, node in containers.listed(desk).items() if node["app_id"] == name]


def places(desk: Session) -> dict[int, tuple[int, int, int, int]]:
    return {window: containers.bounds(desk, window) for window in containers.listed(desk)}


def in_front(desk: Session) -> str:
    return next(node["app_id"] for node in containers.listed(desk).values() if node["focused"])


Oracle = Callable[[Session], bool]
ORACLES: Mapping[str, Oracle] = {
    "app.open": lambda desk: len(of(desk, "clock")) == 1,
    "app.activate": lambda desk: in_front(desk) == "mousepad",
    "app.quit": lambda desk: of(desk, "mousepad") == [],
    "app.place": lambda desk: containers.bounds(desk, of(desk, "mousepad")[0]) == (100, 100, 900, 800),
    "layout.activate": lambda desk: containers.bounds(desk, of(desk, "mousepad")[0]) == (0, 0, 960, 1000),
}
"""How others see that it was done, of what is no answer by itself."""


def home_at(own: Path) -> str:
    own.mkdir(mode=0o700, parents=True)
    (own / "config.toml").write_text(SETTINGS)
    return str(own)


def pad(desk: Session, name: str) -> None:
    containers.start(desk, "foot", f"--app-id={name}", "sleep", "1000")


def entries(desk: Session) -> None:
    for name in ("mousepad", "clock"):
        windows.entry(desk, name.capitalize(), f"foot --app-id={name} sleep 1000")
    for number in ("one", "two"):
        windows.entry(desk, "Twin", f"foot --app-id={number} sleep 1000", f"{number}.desktop")


@pytest.fixture
def desk(wayland_desktop: Session) -> Iterator[Session]:
    entries(wayland_desktop)
    yield wayland_desktop
    containers.clear(wayland_desktop)


@pytest.mark.req("T-23", "T-27", "S4-22")
@pytest.mark.parametrize("case", cases("sway"))
async def test_what_came_of_it_is_told_as_it_is(case: Case, desk: Session, tmp_path: Path):
    if case.page != "empty":
        pad(desk, "mousepad")
    if case.operation == "app.activate" and case.outcome == "success":
        pad(desk, "other")  # in front of it
    async with sayso.open_home(home_at(tmp_path / "own"), environ=desk.environment) as home:
        if case.first:
            await home.run(case.first)
        before = places(desk)

        report = await home.run(case.line, approver=yes())

    operation, state, sentence = told(report)
    assert (operation, state) == (case.operation, case.state), sentence
    assert case.says in sentence
    if case.outcome == "success":
        assert ORACLES.get(operation, lambda desk: True)(desk)
    else:
        assert places(desk) == before


async def all_at_once(folder: Path, environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Try every operation, each in a home of its own; return what came of each."""
    found: dict[str, tuple[str, str]] = {}

    async def one(operation: str, line: str) -> None:
        async with sayso.open_home(home_at(folder / operation), environ=environment) as home:
            _, state, sentence = told(await home.run(line, approver=yes()))
            found[operation] = (state, sentence)

    async with anyio.create_task_group() as together:
        for operation, line in lines("sway").items():
            together.start_soon(one, operation, line)
    return found


@pytest.mark.req("T-23", "X-05")
async def test_a_sway_that_has_ended_is_named_by_each(desk: Session, tmp_path: Path):
    found = await all_at_once(tmp_path, {**desk.environment, "SWAYSOCK": str(tmp_path / "ended")})

    assert set(found) == OPERATIONS
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("sway does not answer on" in sentence for _, sentence in found.values()), found


@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_sway_that_hangs_ends_each_in_a_failure_within_seconds(tmp_path: Path):
    with session("dbus-daemon", "sway", "swaymsg", "foot", user=NOBODY) as hung:
        parts.a_bus(hung)
        parts.a_compositor(hung)
        entries(hung)
        pad(hung, "mousepad")
        sway = int(hung.environment["SWAYSOCK"].split(".")[-2])
        os.kill(sway, signal.SIGSTOP)
        try:
            found = await all_at_once(tmp_path, hung.environment)
        finally:
            os.kill(sway, signal.SIGCONT)

    assert set(found) == OPERATIONS
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("sway did not answer within" in sentence for _, sentence in found.values()), found
