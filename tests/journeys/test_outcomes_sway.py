"""Each operation on applications under sway: done, nothing to do, missing, ambiguous, ended, or hanging."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.apps import APPS
from tests.desktop_env import containers, parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session
from tests.journeys.outcomes import Case, cases, must_all_have_failed, run_all, stopped
from tests.journeys.placing import Screen, comes_to_what_is_said

pytestmark = [pytest.mark.thorough, pytest.mark.needs("sway", "swaymsg", "foot")]
OPERATIONS = [operation.id for operation in APPS.operations]
SWAY = Screen(
    "sway",
    "other",
    lambda desk, name: containers.start(desk, "foot", f"--app-id={name}", "sleep", "1000"),
    lambda desk, name: [window for window, node in containers.listed(desk).items() if node["app_id"] == name],
    lambda desk: next(window for window, node in containers.listed(desk).items() if node["focused"]),
    lambda desk: {window: containers.bounds(desk, window) for window in containers.listed(desk)},
)


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
    await comes_to_what_is_said(case, SWAY, desk, tmp_path / "own")


@pytest.mark.req("T-23", "X-05")
async def test_a_sway_that_has_ended_is_named_by_each(desk: Session, tmp_path: Path):
    gone = {**desk.environment, "SWAYSOCK": str(tmp_path / "ended")}

    found = await run_all("sway", lambda name: SWAY.home_at(tmp_path / name), gone)

    must_all_have_failed(found, OPERATIONS, "sway does not answer on")


@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_sway_that_hangs_ends_each_in_a_failure_within_seconds(tmp_path: Path):
    with session("dbus-daemon", "sway", "swaymsg", "foot", user=NOBODY) as hung:
        parts.a_bus(hung)
        parts.a_compositor(hung)
        entries(hung)
        SWAY.start(hung, "mousepad")
        with stopped(int(hung.environment["SWAYSOCK"].split(".")[-2])):
            found = await run_all("sway", lambda name: SWAY.home_at(tmp_path / name), hung.environment)

    must_all_have_failed(found, OPERATIONS, "sway did not answer within")
