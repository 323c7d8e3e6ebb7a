"""Windows of KWin: how a screen is built, read and arranged."""

import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import anyio
import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.ports import Backend
from sayso.core.provider import add_extra
from sayso.providers.apps import APPS
from sayso.providers.apps import kwin as script
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.kwin import (
    KwinRect,
    KwinScreen,
    KwinScript,
    KwinWindow,
    ScriptAnswer,
    build,
    parse_answer,
    read_snapshot,
    run_script,
)
from sayso.providers.dbus.connection import connect
from sayso.testing.apps import AppsSuite
from sayso.testing.harness import Trial
from tests.desktop_env import parts, plasma, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session, wait_for
from tests.providers.apps.fakes import backend_context

pytestmark = pytest.mark.needs("kwin_wayland", "Xwayland", "mousepad", "xclock", "xterm")


@pytest.mark.thorough
class TestKwin(AppsSuite):
    """The suite, with an editor of Wayland that runs and a clock of X11 that does not."""

    running = "Mousepad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, plasma_desktop: Session) -> Iterator[None]:
        type(self).desktop = plasma_desktop
        windows.entry(plasma_desktop, "Clock", "xclock")
        yield
        plasma.clear(plasma_desktop)
        windows.clear_entries(plasma_desktop)

    def make(self) -> Backend:
        plasma.start(self.desktop, "mousepad", "--disable-server")
        return build(backend_context(self.desktop.home))


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "KDE"},
            "DBUS_SESSION_BUS_ADDRESS is not set; start sayso from within your desktop",
        ),
        ({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"}, "the D-Bus of your session cannot be reached"),
        ({"DBUS_SESSION_BUS_ADDRESS": "tcp:host=localhost"}, "the D-Bus of your session cannot be reached"),
    ],
)
async def test_a_session_without_a_bus_says_what_to_do(tmp_path: Path, environ: dict[str, str], said: str):
    with pytest.raises(SetupError, match=said):
        await build(backend_context(tmp_path, environ)).reads.running()


@pytest.mark.req("X-05")
async def test_a_bus_without_kwin_is_named(x_desktop: Session):
    with pytest.raises(SetupError, match="KWin does not answer on the D-Bus of your session"):
        await build(backend_context(x_desktop.home)).reads.running()


@pytest.mark.req("X-05")
async def test_without_the_extra_the_person_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sayso.providers.dbus.connection", None)

    with pytest.raises(SetupError, match=re.escape(add_extra("desktop"))):
        await build(backend_context(tmp_path, {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"})).reads.running()


@pytest.mark.req("X-05")
@pytest.mark.thorough
async def test_doctor_names_the_monitors(plasma_desktop: Session):
    windows_seen, _ = await build(backend_context(plasma_desktop.home)).capabilities()

    assert windows_seen.served == "kwin"
    assert windows_seen.why == (
        "XDG_CURRENT_DESKTOP names KDE, and KWin answers on D-Bus; monitors: Virtual-0, Virtual-1"
    )


STARTS = {"wayland": ("mousepad", "--disable-server"), "x11": ("xclock",)}
NAMES = {"wayland": "Mousepad", "x11": "XClock"}
FLAGS = {"closable": True, "belongs": False, "here": True}
WHOLE, PLACED = (0, 0, 1920, 1080), (2000, 100, 2600, 600)
WHOLE_MONITOR = "{x: 0, y: 0, width: 1920, height: 1080}"


@pytest.fixture
def desk(plasma_desktop: Session) -> Iterator[Session]:
    yield plasma_desktop
    plasma.clear(plasma_desktop)


def how_it_stands(desk: Session, window: str) -> tuple[tuple[int, ...], set[str]]:
    """Return the bounds of a window, and its states."""
    listed = plasma.listed(desk)[window]
    states = {state for state in ("fullscreen", "minimised") if listed[state]}
    return tuple(listed["bounds"]), states | ({"maximised"} if plasma.is_maximised(desk, window) else set())


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(backend_context(desk.home)))


@pytest.mark.req("S4-22", "S4-23", "S4-25")
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "put", "leave", "states"),
    [
        *((kind, "", "", set[str]()) for kind in STARTS),
        ("wayland", "w.minimized = true", "", {"minimised"}),
        *((kind, "w.setMaximize(true, true)", "w.setMaximize(false, false)", {"maximised"}) for kind in STARTS),
        *((kind, "w.fullScreen = true", "w.fullScreen = false", {"fullscreen"}) for kind in STARTS),
        ("wayland", f"w.frameGeometry = {WHOLE_MONITOR}", f"w.frameGeometry = {WHOLE_MONITOR}", set[str]()),
    ],
)
async def test_a_window_is_placed_exactly_and_comes_back_to_its_state_with_what_was_beneath(
    desk: Session, kind: str, put: str, leave: str, states: set[str]
):
    window = plasma.start(desk, *STARTS[kind])
    before = plasma.bounds(desk, window)
    plasma.tell(desk, window, put)
    tried = trial(desk)

    plan = await tried.plan("app.place", name=NAMES[kind], bounds=[*PLACED])
    lefts = await tried.do(plan)
    placed = how_it_stands(desk, window)
    await tried.take_back(plan, lefts)
    again = how_it_stands(desk, window)
    plasma.tell(desk, window, leave)

    assert placed == (PLACED, set())
    assert again == (WHOLE if leave else before, states)
    assert plasma.bounds(desk, window) == (WHOLE if leave and not states else before)


@pytest.mark.req("S4-22", "T-96")
@pytest.mark.thorough
async def test_a_window_goes_to_the_monitor_on_the_right(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    plasma.tell(desk, window, "w.frameGeometry = {x: 100, y: 150, width: 700, height: 500}")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="Mousepad", monitor="right"))

    assert plasma.bounds(desk, window) == (2020, 150, 2720, 650)


@pytest.fixture
def two_desktops(desk: Session) -> Iterator[None]:
    """Have a second desktop for the length of a test, and be on the first."""
    plasma.evaluate(desk, "workspace.createDesktop(1, 'two')")
    yield
    plasma.evaluate(desk, "(workspace.currentDesktop = 1, workspace.removeDesktop(1))")


@pytest.mark.usefixtures("two_desktops")
@pytest.mark.thorough
async def test_a_window_taken_to_another_desktop_meanwhile_is_left_there_and_then_placed_there(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    before = plasma.bounds(desk, window)
    tried = trial(desk)
    meanwhile = await tried.plan("app.place", name="Mousepad", bounds=[*PLACED])
    plasma.tell(desk, window, "w.desktop = 2")

    with pytest.raises(ProviderError, match="was moved or closed since this was planned"):
        await tried.do(meanwhile)
    plan = await tried.plan("app.place", name="Mousepad", monitor="right")
    lefts = await tried.do(plan)
    placed = plasma.listed(desk)[window]
    await tried.take_back(plan, lefts)
    again = plasma.listed(desk)[window]

    assert (tuple(placed["bounds"]), placed["desktop"]) == (tuple(before[i] + (1920, 0)[i % 2] for i in range(4)), 2)
    assert (tuple(again["bounds"]), again["desktop"]) == (before, 2)


@pytest.mark.req("T-23", "X-13")
@pytest.mark.thorough
async def test_where_the_window_of_a_program_that_hangs_will_go_is_not_claimed(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    before, process = plasma.bounds(desk, window), plasma.listed(desk)[window]["pid"]
    tried = trial(desk)
    plan = await tried.plan("app.place", name="Mousepad", bounds=[*PLACED])

    os.kill(process, signal.SIGSTOP)
    with pytest.raises(Uncertain, match="does not answer; the window may move there once it does"):
        await tried.do(plan)
    still = plasma.bounds(desk, window)
    os.kill(process, signal.SIGCONT)

    assert still == before
    wait_for(lambda: plasma.bounds(desk, window) == PLACED, "what KWin had asked for")


class Still(KwinScript):
    """A script over one window that stays where it is, whatever it is asked."""

    def __init__(self) -> None:
        self.window = KwinWindow(
            "{1}", ("pad",), 7, KwinRect(10, 20, 110, 70), "normal", "", **FLAGS, height=0, title=""
        )

    async def ask(self, question: Mapping[str, Json]) -> ScriptAnswer:
        return ScriptAnswer((self.window,))


async def test_a_size_that_a_program_does_not_take_is_nothing_unknown_but_a_place_is():
    screen = KwinScreen(Still())

    assert await screen.place("{1}", Bounds(10, 20, 113, 75), "normal", "", None) is None
    with pytest.raises(Uncertain, match="does not answer"):
        await screen.place("{1}", Bounds(30, 20, 130, 70), "normal", "", None)


@pytest.mark.req("S4-20", "S0-44")
@pytest.mark.usefixtures("two_desktops")
@pytest.mark.parametrize("put_away", ["", "w.minimized = true", "w.desktop = 2"])
@pytest.mark.thorough
async def test_an_application_comes_to_the_front_from_wherever_it_is(desk: Session, put_away: str):
    window = plasma.start(desk, *STARTS["wayland"])
    plasma.start(desk, "xterm", "-e", "sleep", "100")
    plasma.tell(desk, window, put_away)
    tried = trial(desk)

    await tried.do(await tried.plan("app.activate", name="Mousepad"))

    now = plasma.listed(desk)[window]
    assert (now["active"], now["minimised"]) == (True, False)
    assert plasma.evaluate(desk, "workspace.currentDesktop") == now["desktop"]


@pytest.mark.req("S4-27", "T-36")
@pytest.mark.thorough
async def test_every_process_of_an_application_is_quit_and_no_other(desk: Session):
    plasma.start(desk, *STARTS["wayland"])
    plasma.start(desk, *STARTS["wayland"])
    stays = plasma.start(desk, "xterm", "-e", "sleep", "100")
    tried = trial(desk)

    await tried.do(await tried.plan("app.quit", name="Mousepad"))

    assert set(plasma.listed(desk)) == {stays}


LOOK = {"what": "look"}


@pytest.fixture
def own_session() -> Iterator[Session]:
    """Return a session of KDE of a test's own, which it may break."""
    with session("dbus-daemon", "dbus-send", "kwin_wayland", "Xwayland", "xhost", user=NOBODY) as made:
        parts.a_bus(made)
        yield made


def is_loaded(made: Session, token: str) -> bool:
    asked = plasma.ask(made, "/Scripting", "org.kde.kwin.Scripting.isScriptLoaded", f"string:{token}")
    return "boolean true" in asked


@pytest.mark.thorough
async def test_it_is_there_while_it_is_needed_and_leaves_nothing(plasma_session: Session):
    before = set(plasma_session.runtime.iterdir())

    async with run_script(plasma_session.environment, "sayso-one") as made:
        answer = await made.ask(LOOK)
        loaded, files = is_loaded(plasma_session, "sayso-one"), set(plasma_session.runtime.iterdir())

    assert [monitor.name for monitor in answer.monitors] == ["Virtual-0", "Virtual-1"]
    assert (loaded, is_loaded(plasma_session, "sayso-one")) == (True, False)
    assert files == set(plasma_session.runtime.iterdir()) == before


@pytest.mark.thorough
async def test_a_script_that_nobody_asks_any_more_has_kwin_unload_it(
    plasma_session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    text = script.WINDOWS.read_text()
    (tmp_path / "hasty.js").write_text(text.replace("var QUIET_MS = 60000;", "var QUIET_MS = 300;"))
    monkeypatch.setattr(script, "WINDOWS", tmp_path / "hasty.js")

    async with run_script(plasma_session.environment, "sayso-one"):
        there = is_loaded(plasma_session, "sayso-one")
        wait_for(lambda: not is_loaded(plasma_session, "sayso-one"), "the end of the script")

    assert there


@pytest.mark.thorough
async def test_two_at_once_do_not_disturb_each_other_and_have_names_of_their_own(plasma_session: Session):
    async with run_script(plasma_session.environment, "sayso-a") as one:
        async with run_script(plasma_session.environment, "sayso-b") as other:
            answers = [await each.ask(LOOK) for each in (one, other, one, other)]
        with pytest.raises(SetupError, match="KWin takes no script: it has one of this name"):
            async with run_script(plasma_session.environment, "sayso-a"):
                pass

    assert all(answer == answers[0] for answer in answers)


@pytest.mark.thorough
@pytest.mark.req("T-23")
async def test_a_window_that_is_gone_and_what_the_script_cannot_do_are_told_and_it_goes_on(desk: Session):
    window = plasma.start(desk, "mousepad", "--disable-server")

    async with run_script(desk.environment, "sayso-one") as made:
        with pytest.raises(ProviderError, match="the window was closed meanwhile"):
            await made.ask({"what": "front", "window": "{none}"})
        with pytest.raises(ProviderError, match=r"KWin could not do it: TypeError"):
            await made.ask({"what": "dance", "window": window})
        assert (await made.ask(LOOK)).windows


@pytest.mark.thorough
async def test_nobody_but_kwin_is_believed(plasma_session: Session):
    address = plasma_session.environment["DBUS_SESSION_BUS_ADDRESS"]
    true, lie = '{"active": "true"}', '{"active": "a lie"}'

    answers: list[ScriptAnswer] = []

    async with connect(address) as ours, connect(address) as kwin, anyio.create_task_group() as tasks:
        made = KwinScript(ours, kwin.name, "token")

        async def tell() -> None:
            for said in ("", true, "never asked for"):
                await kwin.call((script.PLACE, ours.name, script.OURS), "Next", "ss", ("token", said))

        sent = ("dbus-send", "--session", "--type=method_call", f"--dest={ours.name}", script.PLACE)
        plasma_session.run(*sent, f"{script.OURS}.Next", "string:token", f"string:{lie}")
        tasks.start_soon(tell)
        await made.wait_for_start()
        plasma_session.run(*sent, f"{script.OURS}.Next", "string:token", f"string:{lie}")
        answers.append(await made.ask(LOOK))
        tasks.cancel_scope.cancel()

    assert [answer.active for answer in answers] == ["true"]


@pytest.mark.thorough
@pytest.mark.req("X-13")
async def test_a_kwin_that_hangs_is_not_waited_for(own_session: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(script, "SECONDS", 0.3)
    kwin = parts.a_kwin(own_session)

    async with run_script(own_session.environment, "sayso-one") as made:
        os.kill(kwin.pid, signal.SIGSTOP)
        with pytest.raises(ProviderError, match=r"KWin did not answer within 0\.3 seconds"):
            await made.ask(LOOK)

    with pytest.raises(SetupError, match=r"KWin did not answer within 0\.3 seconds"):
        async with run_script(own_session.environment, "sayso-two"):
            pass
    os.kill(kwin.pid, signal.SIGCONT)


@pytest.mark.thorough
@pytest.mark.req("T-23")
async def test_a_bus_that_breaks_off_is_named(own_session: Session):
    parts.a_kwin(own_session)

    async with run_script(own_session.environment, "sayso-one") as made:
        own_session.close()
        with pytest.raises(ProviderError, match="the D-Bus of your session has ended the connection"):
            await made.ask(LOOK)


BOX = {"left": 0, "top": 0, "right": 100.4, "bottom": 49.6}
WINDOW = {
    "id": "{1}", "classes": ["pad", "Pad", ""], "pid": 7, "bounds": BOX, "state": "normal", "desktop": "",
    "closable": True, "belongs": False, "here": True, "height": 0,
}  # fmt: skip
MONITOR = {"name": "A", "bounds": BOX, "main": True}


def said(*windows: dict[str, object]) -> str:
    return json.dumps({"windows": [{**WINDOW, **window} for window in windows], "monitors": [MONITOR]})


def test_windows_that_are_shown_come_first_and_the_highest_before_all():
    away: dict[str, object] = {"id": "away", "height": 9, "here": False}

    found = read_snapshot(parse_answer(said({"id": "low", "height": 1}, away, {"id": "high", "height": 5})), ())

    assert [window.id for window in found.windows] == ["high", "low", "away"]
    assert found.monitors == (Monitor("A", Bounds(0, 0, 100, 50), main=True),)


def test_names_are_told_once_and_a_process_that_nobody_knows_is_none():
    (window,) = read_snapshot(parse_answer(said({"pid": -1, "classes": ["pad", "pad", ""]})), ()).windows

    assert (window.classes, window.pid, window.bounds) == (("pad",), None, Bounds(0, 0, 100, 50))


def test_what_fills_the_monitor_is_maximised_where_kwin_says_so():
    windows = parse_answer(said({"id": "a", "state": "filling"}, {"id": "b", "state": "filling"}, {"id": "c"}))

    assert [window.state for window in read_snapshot(windows, ["a", "c"]).windows] == ["maximised", "normal", "normal"]


UNREADABLE = "KWin sent something that cannot be read"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((text, UNREADABLE) for text in ("", "nonsense", "[]", '{"windows": [{}]}', '{"windows": 1}', '"\\ud800"')),
        ('{"error": "TypeError"}', "KWin could not do it: TypeError"),
        ('{"gone": true}', "the window was closed meanwhile"),
    ],
)
def test_what_no_script_of_ours_says_and_what_went_wrong_is_refused(text: str, told: str):
    with pytest.raises(ProviderError, match=told):
        parse_answer(text)
