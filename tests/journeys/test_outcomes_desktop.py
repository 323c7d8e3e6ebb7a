"""Each operation on the desktop: done, nothing to do, missing, and services that have ended or hang."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import sayso
from sayso.providers.desktop import DESKTOP
from tests.desktop_env import parts
from tests.desktop_env.clipboard import hold
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for
from tests.journeys.ground import a_home, yes
from tests.journeys.outcomes import Case, cases, incomplete, run_all, stopped

PROGRAMS = ("xclip", "xsel", "dunst", "dunstctl", "pulseaudio", "pactl", "espeak-ng")
pytestmark = pytest.mark.needs(*PROGRAMS)
OPERATIONS = [operation.id for operation in DESKTOP.operations]


def home_at(own: Path, argv: list[str], *, seconds: int = 20) -> str:
    shortcut = f'[shortcuts."Tidy up"]\nargv = {argv}\nseconds = {seconds}\n'
    return a_home(own, f'[policy]\nmode = "never"\n[desktop]\nkind = "linux"\n{shortcut}')


@pytest.fixture(scope="module")
def full_session(x_session: Session) -> Session:
    parts.notifications(x_session)
    parts.sound(x_session)
    return x_session


@pytest.fixture
def desk(full_session: Session) -> Session:
    """Return a session with “former” on the clipboard, the volume at 40, and nothing kept quiet."""
    full_session.run("pactl", "set-sink-volume", "speaker", "40%")
    full_session.run("dunstctl", "set-paused", "false")
    hold(full_session, b"former")
    return full_session


def shown(desk: Session) -> bool:
    desk.run("dunstctl", "close-all")
    return bool(wait_for(lambda: "Title" in desk.run("dunstctl", "history"), "the notification"))


Oracle = Callable[[Session, Path], bool]
ORACLES: Mapping[str, Oracle] = {
    "clipboard.read": lambda desk, record: desk.run("xsel", "-ob") == "former",
    "clipboard.write": lambda desk, record: desk.run("xsel", "-ob") == "new",
    "notify.show": lambda desk, record: shown(desk),
    "speech.say": lambda desk, record: bool(wait_for(lambda: desk.run("pactl", "list", "sink-inputs"), "a voice")),
    "sound.set_volume": lambda desk, record: "70%" in desk.run("pactl", "get-sink-volume", "speaker"),
    "focus.set_dnd": lambda desk, record: desk.run("dunstctl", "is-paused") == "true\n",
    "shortcut.run": lambda desk, record: record.read_text() == "words",
}
"""How others see or hear that it was done."""
SPOKEN = {"speech.say": "done"}
"""Begun is all that is said of it (S0-50): nobody waits for its end, or learns that it was not heard."""
GONE = {**dict.fromkeys(OPERATIONS, "failed"), **SPOKEN}
"""What is told where everything has ended."""
HANGING = {
    **dict.fromkeys(OPERATIONS, "failed"),
    "notify.show": "unknown",  # whoever it was sent to may yet show it
    **SPOKEN,
}
"""What is told where everything hangs."""


@pytest.mark.req("X-05", "T-23")
def test_every_operation_has_each_outcome_or_a_reason_why_there_is_none():
    assert incomplete("desktop", OPERATIONS) == []
    assert set(ORACLES) == set(OPERATIONS)


@pytest.mark.req("T-23", "S0-47", "S0-50", "S0-51", "T-49")
@pytest.mark.parametrize("case", cases("desktop"))
async def test_what_came_of_it_is_told_as_it_is(case: Case, desk: Session, tmp_path: Path):
    if case.page == "empty":
        desk.run("xsel", "-cb")
    record = tmp_path / "record"
    own = home_at(tmp_path / "own", ["sh", "-c", 'cat >"$0"', str(record)])

    async with sayso.open_home(own, environ=desk.environment) as home:
        report = await home.run(case.line, approver=yes())

        case.must_be_told_as_it_is(report)
        assert case.outcome != "success" or ORACLES[case.operation](desk, record)


@pytest.mark.req("T-23", "X-05")
async def test_what_has_ended_is_named_by_each(desk: Session, tmp_path: Path):
    nowhere = f"unix:path={tmp_path}/none"
    gone = {"DISPLAY": ":987", "DBUS_SESSION_BUS_ADDRESS": nowhere, "PULSE_SERVER": f"unix:{tmp_path}/none"}

    found = await run_all(
        "desktop",
        lambda name: home_at(tmp_path / name, [str(tmp_path / "none")], seconds=1),
        {**desk.environment, **gone},
    )

    assert set(found) == set(OPERATIONS)
    assert {operation: state for operation, (state, _) in found.items()} == GONE, found


@pytest.mark.thorough
@pytest.mark.req("T-23", "X-05", "X-07", "AP-05")
async def test_what_hangs_ends_each_in_time_and_nothing_is_claimed(tmp_path: Path):
    with session(*PROGRAMS, "Xvfb", "openbox", "dbus-daemon", "xrandr", "xprop") as hung:
        parts.a_bus(hung)
        parts.a_screen(hung)
        notices, sound = parts.notifications(hung), parts.sound(hung)
        hold(hung, b"former")
        with stopped(notices.pid, sound.pid, *hung.processes("Xvfb")):
            found = await run_all(
                "desktop", lambda name: home_at(tmp_path / name, ["sleep", "3600"], seconds=1), hung.environment
            )

    assert set(found) == set(OPERATIONS)
    assert {operation: state for operation, (state, _) in found.items()} == HANGING, found
