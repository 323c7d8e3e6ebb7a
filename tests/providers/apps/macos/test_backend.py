"""Applications and windows of a simulated Mac: the suite, and what differs from other desktops."""

from typing import Any

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps.macos.backend import MacAppsBackend, build
from sayso.providers.apps.model import ActivateApp, OpenApp, PlaceWindow, QuitApp
from sayso.testing.apps import AppsSuite
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from tests.mac_env.fixtures import in_node, on


def an_apps_backend(mac: SimulatedMac) -> MacAppsBackend:
    """Return the back end of this Mac, on which TextEdit runs with one window."""
    mac.run("TextEdit", (200, 200, 700, 500), title="a.txt")
    return build(on(mac))


class TestMacos(AppsSuite):
    """The suite on a simulated Mac."""

    running = "TextEdit"
    idle = "Calculator"

    @pytest.fixture(autouse=True)
    def _mac(self, mac: SimulatedMac) -> None:
        self.mac = mac

    def make(self) -> Backend:
        return an_apps_backend(self.mac)


@in_node
class TestMacosInNode(TestMacos):
    """The same in another engine."""


def a_trial(mac: SimulatedMac) -> Trial:
    """Return a trial of that back end."""
    return Trial(APPS, an_apps_backend(mac))


@pytest.mark.req("S0-44", "S1-21", "AP-02", "X-07")
async def test_an_application_is_opened_by_its_path_and_with_no_argument(mac: SimulatedMac):
    trial = a_trial(mac)

    await trial.do(await trial.plan("app.open", name="Calculator"))

    assert [call for call in mac.calls if call[0] == "open"] == [["open", "-a", "/System/Applications/Calculator.app"]]
    assert mac.app("Calculator")["frontmost"]


@pytest.mark.req("S4-35", "T-101")
async def test_a_layout_of_the_settings_places_its_windows_and_an_unknown_one_lists_those_there_are(mac: SimulatedMac):
    mac.run("TextEdit", (200, 200, 700, 500), title="a.txt")
    desk: Json = [{"name": "code space", "placements": [{"app_name": "TextEdit", "bounds": [10, 30, 510, 430]}]}]
    trial = Trial(APPS, build(on(mac, {"preset": desk})))

    await trial.do(await trial.plan("layout.activate", preset="code space"))
    no = await refusal_of(trial.plan("layout.activate", preset="desk"))

    (window,) = mac.windows("TextEdit")
    assert (window["position"], window["size"]) == ([10, 30], [500, 400])
    assert (no.code, "code space" in str(no)) == ("preset.unknown", True)


@pytest.mark.req("S0-45", "S4-27", "T-36")
async def test_every_instance_is_asked_to_quit_and_none_is_killed(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.install("TextEdit", bundle="com.apple.TextEdit")
    mac.change(lambda state: state["apps"][-1].update(running=True, pid=5_900_000, started=1_790_000_999))

    await trial.do(await trial.plan("app.quit", name="TextEdit"))

    assert mac.state["log"].count(["TextEdit", "asked to quit"]) == 2
    assert not any(app["running"] for app in mac.state["apps"] if app["name"] == "TextEdit")


@pytest.mark.req("S0-45")
async def test_an_application_that_goes_on_running_is_told(mac: SimulatedMac):
    backend = an_apps_backend(mac)
    mac.plant("TextEdit", refusesToQuit=True)

    no = await refusal_of(backend.apply(QuitApp("TextEdit", seconds=1), ()))

    assert (no.code, "may be asking you something" in str(no)) == ("app.still_running", True)


@pytest.mark.req("S0-46", "S4-20")
async def test_an_application_comes_to_the_front_or_it_is_said_that_macos_held_it_back(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.run("Calculator", (0, 25, 300, 300))

    await trial.do(await trial.plan("app.activate", name="TextEdit"))
    in_front = mac.app("TextEdit")["frontmost"]
    mac.plant("Calculator", process={"#": "process"}, heldBack=True)
    no = await refusal_of(trial.do(await trial.plan("app.activate", name="Calculator")))

    assert (in_front, no.code) == (True, "app.held_back")


@pytest.mark.req("S4-19")
async def test_the_applications_of_the_dock_are_listed_the_front_one_first(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.run("Calculator")
    mac.install("Helper")
    mac.change(lambda state: state["apps"][-1].update(running=True, pid=5_900_000, background=True))

    assert (await trial.answer("app.list")).data["apps"] == ["Calculator", "TextEdit"]


@pytest.mark.req("S4-23")
@pytest.mark.parametrize("mac", ["jsc", pytest.param("node", marks=pytest.mark.thorough)], indirect=True)
async def test_a_window_is_placed_by_its_bounds_although_the_list_of_windows_changes_its_order(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.run("TextEdit", (300, 300, 600, 400), title="b.txt")
    first = mac.windows("TextEdit")[0]["number"]
    plan = await trial.plan("app.place", name="TextEdit", bounds=[0, 100, 1000, 900])

    mac.fault("System Events", "reorder")
    await trial.do(plan)

    placed = {window["number"]: (window["position"], window["size"]) for window in mac.windows("TextEdit")}
    other = next(number for number in placed if number != first)
    assert placed == {first: ([0, 100], [1000, 800]), other: ([300, 300], [600, 400])}


@pytest.mark.req("S4-22", "T-104")
async def test_a_window_goes_to_another_monitor_whose_top_is_counted_from_above(mac: SimulatedMac):
    monitors = [{"name": "Main", "edges": [0, 0, 1920, 1080]}, {"name": "Left", "edges": [-1280, 200, 1280, 720]}]
    mac.change(lambda state: state.update(monitors=monitors))
    trial = a_trial(mac)

    await trial.do(await trial.plan("app.place", name="TextEdit", monitor="left"))

    (window,) = mac.windows("TextEdit")
    assert (window["position"], window["size"]) == ([-1080, 400], [700, 500])


async def test_where_an_application_lets_its_window_go_is_read_back_and_told(mac: SimulatedMac):
    backend = an_apps_backend(mac)
    trial = Trial(APPS, backend)
    mac.change(lambda state: _app(state, "TextEdit")["ui"][0].update(smallest=[500, 400]))

    plan = await trial.plan("app.place", name="TextEdit", bounds=[0, 0, 200, 200])
    (left,) = await trial.do(plan)

    step = plan.changes[0].do
    assert isinstance(step, PlaceWindow)
    assert backend.tells(step, left) == ("the window of TextEdit is now at 0, 25, 500 wide and 400 high")


async def test_a_window_that_stays_where_it_is_is_an_error(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.change(lambda state: _app(state, "TextEdit")["ui"][0].update(stuck=True))

    no = await refusal_of(trial.do(await trial.plan("app.place", name="TextEdit", bounds=[0, 30, 900, 900])))

    assert no.code == "window.stuck"


async def test_a_fullscreen_window_is_placed_and_is_fullscreen_again_after_undo(mac: SimulatedMac):
    trial = a_trial(mac)
    beneath = {"position": [200, 200], "size": [700, 500], "beneath": [[200, 200], [700, 500]]}
    whole = {"fullscreen": True, "position": [0, 0], "size": [1920, 1080]}
    mac.change(lambda state: _app(state, "TextEdit")["ui"][0].update({**beneath, **whole}))

    plan = await trial.plan("app.place", name="TextEdit", bounds=[10, 30, 510, 430])
    lefts = await trial.do(plan)
    placed = mac.windows("TextEdit")[0]
    await trial.take_back(plan, lefts)

    again = mac.windows("TextEdit")[0]
    assert (placed["fullscreen"], placed["position"], placed["size"]) == (False, [10, 30], [500, 400])
    assert (again["fullscreen"], again["beneath"]) == (True, [[200, 200], [700, 500]])


@pytest.mark.req("S1-58")
async def test_without_the_permission_for_accessibility_nothing_moves_and_it_is_said_where_to_allow_it(
    mac: SimulatedMac,
):
    mac.run("TextEdit", (200, 200, 700, 500))
    mac.change(lambda state: state.update(accessibility=False))
    backend = build(on(mac))

    reading = await refusal_of(backend.reads.running())
    doing = await refusal_of(backend.apply(ActivateApp("TextEdit"), ()))
    (capability,) = await backend.capabilities()

    assert (type(reading), reading.code) == (SetupError, "macos.accessibility")
    assert (type(doing), doing.code, "Accessibility" in str(doing)) == (ProviderError, "macos.accessibility", True)
    assert (capability.served, "Accessibility" in capability.why) == ("", True)


async def test_an_application_that_does_not_answer_hides_only_its_own_windows(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.run("Calculator", (0, 25, 300, 300))
    mac.fault("System Events", "number", number=-1712, once=True)

    names = (await trial.answer("app.list")).data["apps"]
    again = await trial.backend.reads.windows("Calculator")

    assert names == ["Calculator", "TextEdit"]
    assert len(again) == 1


@pytest.mark.req("AP-01")
async def test_an_application_in_reach_of_file_actions_is_not_opened(mac: SimulatedMac):
    mac.install("Planted", folder=f"{mac.home}/Applications")
    trial = a_trial(mac)

    no = await refusal_of(trial.do(await trial.plan("app.open", name="Planted")))

    assert no.code == "app.reachable"
    assert not any(call[0] == "open" for call in mac.calls)


async def test_one_look_takes_the_same_number_of_scripts_however_many_windows_there_are(mac: SimulatedMac):
    trial = a_trial(mac)
    mac.run("Calculator", *((left, 30, 300, 300) for left in range(0, 900, 30)))

    before = len(mac.calls), len(mac.state["log"])
    await trial.answer("app.list")

    assert len(mac.calls) - before[0] == 1
    assert len(mac.state["log"]) - before[1] <= 2 * 12


async def test_what_became_of_a_step_is_seen_on_the_screen(mac: SimulatedMac):
    backend = an_apps_backend(mac)
    (window,) = mac.windows("TextEdit")
    there = PlaceWindow("TextEdit", str(window["number"]), 200, 200, 900, 700)

    assert isinstance(await backend.settle(there, ()), Applied)
    assert isinstance(await backend.settle(OpenApp("Calculator", "x"), ()), NotDone)
    assert isinstance(await backend.settle(OpenApp("TextEdit", "x"), ()), CannotTell)


def _app(state: dict[str, Any], name: str) -> dict[str, Any]:
    return next(app for app in state["apps"] if app["name"] == name)
