"""Windows of KWin: how a screen is built, read and arranged."""

import json
import os
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
def test_without_a_bus_the_person_is_told_what_to_do(tmp_path: Path):
    with pytest.raises(SetupError, match="DBUS_SESSION_BUS_ADDRESS is not set; start sayso from within your desktop"):
        build(backend_context(tmp_path, {"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "KDE"}))


@pytest.mark.req("X-05")
async def test_a_bus_without_kwin_is_named(x_desktop: Session):
    with pytest.raises(SetupError, match="KWin does not answer on the D-Bus of your session"):
        await build(backend_context(x_desktop.home)).reads.running()


@pytest.mark.req("X-05")
@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "tcp:host=localhost"])
async def test_a_bus_that_is_not_there_is_named(tmp_path: Path, address: str):
    backend = build(backend_context(tmp_path, {"DBUS_SESSION_BUS_ADDRESS": address}))

    with pytest.raises(SetupError, match="the D-Bus of your session cannot be reached"):
        await backend.reads.running()


@pytest.mark.req("X-05")
async def test_without_the_extra_the_person_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sayso.providers.dbus.connection", None)

    with pytest.raises(SetupError, match=r"pip install 'sayso\[desktop\]'"):
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


@pytest.fixture
def desk(plasma_desktop: Session) -> Iterator[Session]:
    yield plasma_desktop
    plasma.clear(plasma_desktop)


@pytest.fixture(params=STARTS)
def kind(request: pytest.FixtureRequest) -> str:
    """Return what the programs of a test speak."""
    return request.param


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(backend_context(desk.home)))


@pytest.mark.req("S4-22", "S4-23", "S4-25")
@pytest.mark.thorough
async def test_a_window_is_placed_exactly_and_comes_back(desk: Session, kind: str):
    window = plasma.start(desk, *STARTS[kind])
    before = plasma.bounds(desk, window)
    tried = trial(desk)

    plan = await tried.plan("app.place", name=NAMES[kind], bounds=[*PLACED])
    lefts = await tried.do(plan)
    placed = plasma.bounds(desk, window)
    await tried.take_back(plan, lefts)

    assert placed == PLACED
    assert plasma.bounds(desk, window) == before


@pytest.mark.req("S4-22", "T-96")
@pytest.mark.thorough
async def test_a_window_goes_to_the_monitor_on_the_right(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    plasma.tell(desk, window, "w.frameGeometry = {x: 100, y: 150, width: 700, height: 500}")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="Mousepad", monitor="right"))

    assert plasma.bounds(desk, window) == (2020, 150, 2720, 650)


@pytest.mark.thorough
async def test_a_maximised_window_comes_back_maximised_with_what_was_beneath(desk: Session, kind: str):
    window = plasma.start(desk, *STARTS[kind])
    beneath = plasma.bounds(desk, window)
    plasma.tell(desk, window, "w.setMaximize(true, true)")
    tried = trial(desk)

    plan = await tried.plan("app.place", name=NAMES[kind], bounds=[*PLACED])
    lefts = await tried.do(plan)
    placed, still = plasma.bounds(desk, window), plasma.is_maximised(desk, window)
    await tried.take_back(plan, lefts)
    again = plasma.bounds(desk, window), plasma.is_maximised(desk, window)
    plasma.tell(desk, window, "w.setMaximize(false, false)")

    assert (placed, still) == (PLACED, False)
    assert again == (WHOLE, True)
    assert plasma.bounds(desk, window) == beneath


@pytest.mark.thorough
async def test_a_window_that_only_fills_the_monitor_is_not_taken_for_maximised(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    plasma.tell(desk, window, "w.frameGeometry = {x: 0, y: 0, width: 1920, height: 1080}")
    tried = trial(desk)

    plan = await tried.plan("app.place", name="Mousepad", bounds=[*PLACED])
    lefts = await tried.do(plan)
    await tried.take_back(plan, lefts)

    assert plasma.bounds(desk, window) == WHOLE
    assert not plasma.is_maximised(desk, window)


@pytest.mark.thorough
async def test_a_fullscreen_window_comes_back_to_fullscreen(desk: Session, kind: str):
    window = plasma.start(desk, *STARTS[kind])
    beneath = plasma.bounds(desk, window)
    plasma.tell(desk, window, "w.fullScreen = true")
    tried = trial(desk)

    plan = await tried.plan("app.place", name=NAMES[kind], bounds=[*PLACED])
    lefts = await tried.do(plan)
    placed = plasma.listed(desk)[window]
    await tried.take_back(plan, lefts)
    again = plasma.listed(desk)[window]
    plasma.tell(desk, window, "w.fullScreen = false")

    assert (tuple(placed["bounds"]), placed["fullscreen"]) == (PLACED, False)
    assert (tuple(again["bounds"]), again["fullscreen"]) == (WHOLE, True)
    assert plasma.bounds(desk, window) == beneath


@pytest.mark.thorough
async def test_a_minimised_window_is_shown_placed_and_put_away_again(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    before = plasma.bounds(desk, window)
    plasma.tell(desk, window, "w.minimized = true")
    tried = trial(desk)

    plan = await tried.plan("app.place", name="Mousepad", bounds=[*PLACED])
    lefts = await tried.do(plan)
    placed = plasma.listed(desk)[window]
    await tried.take_back(plan, lefts)
    again = plasma.listed(desk)[window]

    assert (tuple(placed["bounds"]), placed["minimised"]) == (PLACED, False)
    assert (tuple(again["bounds"]), again["minimised"]) == (before, True)


@pytest.fixture
def two_desktops(desk: Session) -> Iterator[None]:
    """Have a second desktop for the length of a test, and be on the first."""
    plasma.evaluate(desk, "workspace.createDesktop(1, 'two')")
    yield
    plasma.evaluate(desk, "(workspace.currentDesktop = 1, workspace.removeDesktop(1))")


@pytest.mark.usefixtures("two_desktops")
@pytest.mark.thorough
async def test_a_window_that_was_taken_to_another_desktop_meanwhile_is_left_there(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    tried = trial(desk)
    plan = await tried.plan("app.place", name="Mousepad", bounds=[*PLACED])

    plasma.tell(desk, window, "w.desktop = 2")

    with pytest.raises(ProviderError, match="was moved or closed since this was planned"):
        await tried.do(plan)


@pytest.mark.usefixtures("two_desktops")
@pytest.mark.thorough
async def test_a_window_stays_on_its_desktop_and_comes_back_to_its_place(desk: Session):
    window = plasma.start(desk, *STARTS["wayland"])
    before = plasma.bounds(desk, window)
    plasma.tell(desk, window, "w.desktop = 2")
    tried = trial(desk)

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
    with pytest.raises(Uncertain, match="does not answer; the window may go there once it does"):
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
async def test_two_at_once_do_not_disturb_each_other(plasma_session: Session):
    async with (
        run_script(plasma_session.environment, "sayso-a") as one,
        run_script(plasma_session.environment, "sayso-b") as other,
    ):
        answers = [await each.ask(LOOK) for each in (one, other, one, other)]

    assert all(answer == answers[0] for answer in answers)


@pytest.mark.thorough
async def test_a_name_that_is_taken_is_refused(plasma_session: Session):
    async with run_script(plasma_session.environment, "sayso-one"):
        with pytest.raises(SetupError, match="KWin takes no script: it has one of this name"):
            async with run_script(plasma_session.environment, "sayso-one"):
                pass


@pytest.mark.thorough
@pytest.mark.req("T-23")
async def test_a_window_that_is_gone_is_named(plasma_session: Session):
    async with run_script(plasma_session.environment, "sayso-one") as made:
        with pytest.raises(ProviderError, match="the window was closed meanwhile"):
            await made.ask({"what": "front", "window": "{none}"})
        assert (await made.ask(LOOK)).monitors


@pytest.mark.thorough
@pytest.mark.needs("mousepad")
async def test_what_the_script_cannot_do_is_told_and_it_goes_on(plasma_session: Session):
    window = plasma.start(plasma_session, "mousepad", "--disable-server")

    async with run_script(plasma_session.environment, "sayso-one") as made:
        with pytest.raises(ProviderError, match=r"KWin could not do it: TypeError"):
            await made.ask({"what": "dance", "window": window})
        assert (await made.ask(LOOK)).windows

    plasma.clear(plasma_session)


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
    windows = said(
        {"id": "low", "height": 1}, {"id": "elsewhere", "height": 9, "here": False}, {"id": "high", "height": 5}
    )

    found = read_snapshot(parse_answer(windows), ())

    assert [window.id for window in found.windows] == ["high", "low", "elsewhere"]
    assert found.monitors == (Monitor("A", Bounds(0, 0, 100, 50), main=True),)


def test_names_are_told_once_and_a_process_that_nobody_knows_is_none():
    (window,) = read_snapshot(parse_answer(said({"pid": -1, "classes": ["pad", "pad", ""]})), ()).windows

    assert (window.classes, window.pid, window.bounds) == (("pad",), None, Bounds(0, 0, 100, 50))


def test_what_fills_the_monitor_is_maximised_where_kwin_says_so():
    windows = parse_answer(said({"id": "a", "state": "filling"}, {"id": "b", "state": "filling"}, {"id": "c"}))

    assert [window.state for window in read_snapshot(windows, ["a", "c"]).windows] == ["maximised", "normal", "normal"]


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"windows": [{}]}', '{"windows": 1}', '"\\ud800"'])
def test_what_no_script_of_ours_says_is_refused(text: str):
    with pytest.raises(ProviderError, match="KWin told something that cannot be read"):
        parse_answer(text)


def test_what_went_wrong_is_told():
    with pytest.raises(ProviderError, match="KWin could not do it: TypeError"):
        parse_answer('{"error": "TypeError"}')
    with pytest.raises(ProviderError, match="the window was closed meanwhile"):
        parse_answer('{"gone": true}')
