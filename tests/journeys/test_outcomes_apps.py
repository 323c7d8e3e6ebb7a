"""Each operation on applications: done, nothing to do, missing, ambiguous, a screen that has ended or hangs."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import sayso
from sayso.providers.apps import APPS
from tests.desktop_env import parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session
from tests.journeys.ground import yes
from tests.journeys.outcomes import Case, cases, incomplete, lines, run_all, told

pytestmark = pytest.mark.needs("mousepad", "xclock", "xterm", "wmctrl", "xwininfo", "xprop")
SETTINGS = """
[apps]
kind = "x11"
[policy]
allowed_apps = ["Mousepad", "Clock", "Twin"]
[[preset]]
name = "desk"
placements = [{app_name = "Mousepad", bounds = [0, 0, 960, 1000]}]
[[preset]]
name = "twins"
placements = [{app_name = "Twin", monitor = "left", launch = true}]
"""
OPERATIONS = [operation.id for operation in APPS.operations]


def called(session: Session, name: str) -> list[int]:
    """Return the windows whose program this is, as the window manager and the kernel say."""
    found = windows.listed(session).items()
    return [window for window, process in found if name in Path(f"/proc/{process}/cmdline").read_text()]


def in_front(session: Session) -> int:
    return int(session.run("xprop", "-root", "_NET_ACTIVE_WINDOW").split()[-1], 16)


Oracle = Callable[[Session], bool]
ORACLES: Mapping[str, Oracle] = {
    "app.open": lambda desk: len(called(desk, "xclock")) == 1,
    "app.activate": lambda desk: in_front(desk) in called(desk, "mousepad"),
    "app.quit": lambda desk: called(desk, "mousepad") == [],
    "app.place": lambda desk: windows.bounds(desk, called(desk, "mousepad")[0]) == (100, 100, 900, 800),
    "layout.activate": lambda desk: windows.bounds(desk, called(desk, "mousepad")[0]) == (0, 0, 960, 1000),
}
"""How others see that it was done, of what is no answer by itself."""


def home_at(own: Path) -> str:
    own.mkdir(mode=0o700, parents=True)
    (own / "config.toml").write_text(SETTINGS)
    return str(own)


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
    if case.page != "empty":
        windows.start(desk, "mousepad")
    if case.operation == "app.activate" and case.outcome == "success":
        windows.start(desk, "xterm")  # in front of it
    async with sayso.open_home(home_at(tmp_path / "own"), environ=desk.environment) as home:
        if case.first:
            await home.run(case.first)
        before = {window: windows.bounds(desk, window) for window in windows.listed(desk)}

        report = await home.run(case.line, approver=yes())

    operation, state, sentence = told(report)
    assert (operation, state) == (case.operation, case.state), sentence
    assert case.says in sentence
    if case.outcome == "success":
        assert ORACLES.get(operation, lambda desk: True)(desk)
    else:
        assert {window: windows.bounds(desk, window) for window in windows.listed(desk)} == before


@pytest.mark.req("T-23", "X-05")
async def test_a_screen_that_has_ended_is_named_by_each(desk: Session, tmp_path: Path):
    found = await run_all("apps", lambda name: home_at(tmp_path / name), {**desk.environment, "DISPLAY": ":987"})

    assert set(found) == set(OPERATIONS)
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("no X server answers" in sentence for _, sentence in found.values()), found


@pytest.mark.thorough
@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_screen_that_hangs_ends_each_in_a_failure_within_seconds(tmp_path: Path):
    with session("Xvfb", "openbox", "xrandr", "xprop", "mousepad", "wmctrl") as hung:
        parts.a_screen(hung)
        windows.entry(hung, "Clock", "xclock")
        windows.start(hung, "mousepad")
        (server,) = hung.processes("Xvfb")
        os.kill(server, signal.SIGSTOP)
        try:
            found = await run_all("apps", lambda name: home_at(tmp_path / name), hung.environment)
        finally:
            os.kill(server, signal.SIGCONT)

    assert set(found) == set(OPERATIONS)
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("did not answer within" in sentence for _, sentence in found.values()), found


@pytest.mark.req("T-23", "X-05")
@pytest.mark.parametrize("operation", ["app.open", "app.activate", "app.quit", "app.place"])
async def test_a_screen_that_ends_while_the_person_is_asked_has_changed_nothing(operation: str, tmp_path: Path):
    with session("Xvfb", "openbox", "xrandr", "xprop", "mousepad", "wmctrl") as short:
        parts.a_screen(short)
        windows.entry(short, "Clock", "xclock")
        windows.start(short, "mousepad")
        (server,) = short.processes("Xvfb")
        own = home_at(tmp_path / "own")
        (tmp_path / "own" / "config.toml").write_text('[apps]\nkind = "x11"\n[policy]\nmode = "always"\n')

        def decide(question: object) -> bool:
            os.kill(server, signal.SIGKILL)
            return True

        async with sayso.open_home(own, environ=short.environment) as home:
            report = await home.run(lines("apps")[operation], approver=sayso.Client(decide))

    _, state, sentence = told(report)
    assert state == "failed", sentence
    assert "no X server answers" in sentence
    assert "nothing was changed" in sentence
