"""Each operation on applications: done, nothing to do, missing, ambiguous, a screen that has ended or hangs."""

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sayso
from sayso.providers.apps import APPS
from tests.desktop_env import parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session
from tests.journeys.ground import opened
from tests.journeys.outcomes import Case, cases, incomplete, lines, must_all_have_failed, run_all, stopped, told
from tests.journeys.placing import Screen, comes_to_what_is_said

pytestmark = pytest.mark.needs("mousepad", "xclock", "xterm", "wmctrl", "xwininfo", "xprop")
OPERATIONS = [operation.id for operation in APPS.operations]
NO_SERVER = "no X server answers"


def called(session: Session, name: str) -> list[int]:
    """Return the windows whose program this is, as the window manager and the kernel say."""
    found = windows.listed(session).items()
    return [window for window, process in found if name in Path(f"/proc/{process}/cmdline").read_text()]


X11 = Screen(
    "x11",
    "xterm",
    windows.start,
    called,
    lambda desk: int(desk.run("xprop", "-root", "_NET_ACTIVE_WINDOW").split()[-1], 16),
    lambda desk: {window: windows.bounds(desk, window) for window in windows.listed(desk)},
)


@pytest.fixture
def desk(x_session: Session) -> Iterator[Session]:
    windows.entry(x_session, "Clock", "xclock")
    windows.entry(x_session, "Twin", "xclock -analog", "one.desktop")
    windows.entry(x_session, "Twin", "xclock -digital", "two.desktop")
    yield x_session
    windows.clear(x_session)
    windows.clear_entries(x_session)


@pytest.mark.req("X-05", "T-23")
def test_every_operation_has_each_outcome_or_a_reason_why_there_is_none():
    assert incomplete("apps", OPERATIONS) == []


@pytest.mark.req("T-23", "T-27", "S0-44", "S0-45", "S0-46")
@pytest.mark.parametrize("case", cases("apps"))
async def test_what_came_of_it_is_told_as_it_is(case: Case, desk: Session, tmp_path: Path):
    await comes_to_what_is_said(case, X11, desk, tmp_path / "own")


@pytest.mark.req("T-23", "X-05")
async def test_a_screen_that_has_ended_is_named_by_each(desk: Session, tmp_path: Path):
    found = await run_all("apps", lambda name: X11.home_at(tmp_path / name), {**desk.environment, "DISPLAY": ":987"})

    must_all_have_failed(found, OPERATIONS, NO_SERVER)


@contextmanager
def a_screen_alone() -> Generator[tuple[Session, int]]:
    """Start a screen that a test may stop and end; yield it with the process of its server."""
    with session("Xvfb", "openbox", "xrandr", "xprop", "mousepad", "wmctrl") as made:
        parts.a_screen(made)
        windows.entry(made, "Clock", "xclock")
        windows.start(made, "mousepad")
        (server,) = made.processes("Xvfb")
        yield made, server


@pytest.mark.thorough
@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_screen_that_hangs_ends_each_in_a_failure_within_seconds(tmp_path: Path):
    with a_screen_alone() as (hung, server), stopped(server):
        found = await run_all("apps", lambda name: X11.home_at(tmp_path / name), hung.environment)

    must_all_have_failed(found, OPERATIONS, "did not answer within")


@pytest.mark.req("T-23", "X-05")
@pytest.mark.parametrize("operation", ["app.open", "app.activate", "app.quit", "app.place"])
async def test_a_screen_that_ends_while_the_person_is_asked_has_changed_nothing(operation: str, tmp_path: Path):
    settings = '[apps]\nkind = "x11"\n[policy]\nmode = "always"\n'
    with a_screen_alone() as (short, server):

        def decide(question: object) -> bool:
            os.kill(server, signal.SIGKILL)
            return True

        async with opened(tmp_path / "own", settings, short.environment) as home:
            report = await home.run(lines("apps")[operation], approver=sayso.Client(decide))

    _, state, sentence = told(report)
    assert state == "failed", sentence
    assert NO_SERVER in sentence
    assert "nothing was changed" in sentence
