"""Safari and Chrome on a simulated Mac."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.ports import Backend, BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.apple.backend import AppleBrowserBackend, build_chrome, build_safari
from sayso.providers.browser.model import Returned, RunScript
from sayso.testing.browser import BrowserSuite
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from tests.fails import fails
from tests.mac_env.browsers import PAGE, PID, TWO_WINDOWS, open_windows
from tests.mac_env.fixtures import in_node, on
from tests.mac_env.hostile import LINES, ONE_LINE


class OnAMac(BrowserSuite):
    """The suite on simulated Macs."""

    @pytest.fixture(autouse=True)
    def _places(self, mac: SimulatedMac, tmp_path: Path) -> None:
        self._folder, self._engine = tmp_path, mac.engine
        self._made = 0

    def _mac(self, app: str) -> SimulatedMac:
        self._made += 1
        made = SimulatedMac(self._folder / f"mac{self._made}", self._engine)
        open_windows(made, app)
        return made


class TestSafari(OnAMac):
    """Safari."""

    def make(self) -> Backend:
        return build_safari(on(self._mac("Safari")))


@in_node
class TestSafariInNode(TestSafari):
    """The same in another engine."""


@pytest.mark.thorough
class TestChrome(OnAMac):
    """Chrome."""

    def make(self) -> Backend:
        return build_chrome(on(self._mac("Google Chrome")))


@in_node
class TestChromeInNode(TestChrome):
    """The same in another engine."""


BOTH = pytest.mark.parametrize("mac", ["jsc", pytest.param("node", marks=pytest.mark.thorough)], indirect=True)
FORM = {
    PAGE: {
        "title": "A page",
        "text": "Hello ü\n" + "x" * 20_000,
        "links": [{"text": "More", "href": "https://a.example/more"}, {"text": "", "href": "https://b.example/"}],
        "elements": [
            {"selector": "#name", "name": "name", "value": "old"},
            {"selector": "#go", "tag": "button", "type": "submit", "text": "Send", "form": "https://a.example/send"},
            {"selector": "#secret", "type": "password", "value": "hidden word"},
            {"selector": "#gone", "hidden": True},
            {"selector": "#two"},
            {"selector": "#two"},
        ],
    }
}
APPS = pytest.mark.parametrize(("app", "build"), [("Safari", build_safari), ("Google Chrome", build_chrome)])
Build = Callable[[BackendContext], AppleBrowserBackend]


def trial(mac: SimulatedMac, app: str, build: Build, *, javascript: bool = True) -> Trial:
    open_windows(mac, app, pages=FORM, javascript=javascript)
    return Trial(BROWSER, build(on(mac)))


@BOTH
@APPS
@pytest.mark.req("S1-39", "S1-40", "S1-41", "S1-42", "S1-43")
async def test_address_title_text_and_links_of_the_page_in_front_are_read(mac: SimulatedMac, app: str, build: Build):
    tried = trial(mac, app, build)

    assert (await tried.answer("tab.url")).text == PAGE
    assert (await tried.answer("tab.title")).text == "A page"
    text = await tried.answer("page.text")
    assert text.data == {"text": ("Hello ü\n" + "x" * 20_000)[:10_000], "truncated": True, "total_chars": 20_008}
    links = await tried.answer("page.links")
    assert links.data["links"] == [
        {"text": "More", "href": "https://a.example/more"},
        {"text": "", "href": "https://b.example/"},
    ]


@pytest.mark.req("S1-37")
async def test_page_access_uses_do_javascript_of_safari_in_the_tab_in_front(mac: SimulatedMac):
    await trial(mac, "Safari", build_safari).answer("page.text")

    assert ["Safari", "doJavaScript"] in mac.state["log"]


@APPS
@pytest.mark.req("S1-45", "S1-46", "S1-44", "T-106")
async def test_a_page_is_clicked_filled_in_and_run_a_script_in(mac: SimulatedMac, app: str, build: Build):
    tried = trial(mac, app, build)

    plan = await tried.plan("page.fill", selector="#name", value=LINES)
    left = await tried.do(plan)
    filled = mac.app(app)["pages"][PAGE]["elements"][0]["value"]
    await tried.take_back(plan, left)
    await tried.do(await tried.plan("page.click", selector="#go"))
    (ran,) = await tried.do(await tried.plan("page.run_js", code=f"let x = {json.dumps(ONE_LINE)}; x + '!'"))

    assert filled == LINES
    assert mac.app(app)["pages"][PAGE]["elements"][0]["value"] == "old"
    assert [app, "click on #go"] in mac.state["log"]
    assert isinstance(ran.facts[0], Returned)
    assert ran.facts[0].text == ONE_LINE + "!"


@pytest.mark.parametrize(
    ("selector", "code"),
    [
        ("#none", "page.no_element"),
        ("#gone", "page.hidden"),
        ("#two", "page.many"),
        ("a[[", "page.selector"),
        (f"#{ONE_LINE}", "page.no_element"),
    ],
)
@pytest.mark.req("S1-45")
async def test_a_selector_that_names_no_single_element_says_so(mac: SimulatedMac, selector: str, code: str):
    with fails(ProviderError, code):
        await trial(mac, "Safari", build_safari).plan("page.click", selector=selector)


async def test_what_a_password_field_holds_is_not_read(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)

    assert "hidden word" not in (await tried.answer("page.snapshot")).text
    assert (await tried.backend.reads.element("#secret")).value is None


async def test_a_reference_of_the_outline_stands_for_its_element(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)
    (row,) = [row for row in (await tried.backend.reads.outline(50)).rows if row.name == "Send"]

    await tried.do(await tried.plan("page.click", selector=row.reference))

    assert ["Safari", "click on #go"] in mac.state["log"]


async def test_an_element_that_changed_after_the_plan_is_not_touched(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)
    plan = await tried.plan("page.fill", selector="#name", value="new")
    pages = mac.app("Safari")["pages"]
    pages[PAGE]["elements"][0]["value"] = "typed meanwhile"
    mac.plant("Safari", pages=pages)

    await refusal_of(tried.do(plan))

    assert mac.app("Safari")["pages"][PAGE]["elements"][0]["value"] == "typed meanwhile"


@pytest.mark.req("S1-51", "S1-52", "T-107")
async def test_safari_that_runs_no_scripts_in_pages_is_explained_until_it_does(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari, javascript=False)

    with pytest.raises(SetupError, match=r"in the menu Develop .*turn on “Allow JavaScript from Apple Events”"):
        await tried.answer("page.text")
    mac.plant("Safari", javascript=True)

    assert (await tried.answer("page.text")).text.startswith("Hello")


async def test_chrome_that_runs_no_scripts_in_pages_is_explained_by_its_own_menu(mac: SimulatedMac):
    tried = trial(mac, "Google Chrome", build_chrome, javascript=False)

    with pytest.raises(SetupError, match="in its menu View > Developer, turn on “Allow JavaScript from Apple Events”"):
        await tried.answer("page.text")
    assert len((await tried.backend.reads.snapshot("default")).tabs) == 5


@APPS
async def test_a_browser_that_does_not_run_is_not_started_to_look(mac: SimulatedMac, app: str, build: Build):
    listed = await Trial(BROWSER, build(on(mac))).answer("tab.list")
    (doctor,) = await build(on(mac)).capabilities()

    assert (listed.data["tabs"], mac.app(app)["running"]) == ([], False)
    assert (doctor.served, "is not running" in doctor.why) == ("", True)


@APPS
@pytest.mark.req("S0-42", "S1-38")
async def test_a_browser_that_does_not_run_is_started_to_open_an_address(mac: SimulatedMac, app: str, build: Build):
    tried = Trial(BROWSER, build(on(mac)))

    plan = await tried.plan("url.open", url=PAGE)
    left = await tried.do(plan)
    opened = (await tried.answer("tab.url")).text
    await tried.take_back(plan, left)

    assert (opened, (await tried.answer("tab.list")).data["tabs"]) == (PAGE, [])


async def test_a_browser_that_macos_does_not_start_is_named(mac: SimulatedMac):
    tried = Trial(BROWSER, build_safari(on(mac)))
    plan = await tried.plan("url.open", url=PAGE)
    mac.plant("Safari", launchable=False)

    with fails(ProviderError, "macos.not_running"):
        await tried.do(plan)


async def test_of_two_browsers_with_one_name_the_one_in_front_is_meant(mac: SimulatedMac):
    open_windows(mac, "Google Chrome", frontmost=False)
    other: dict[str, Any] = {**mac.app("Google Chrome"), "pid": PID + 7, "frontmost": True}
    other["windows"] = [{**other["windows"][0], "tabs": other["windows"][0]["tabs"][:1]}]
    mac.change(lambda state: state["apps"].append(other))

    found = await build_chrome(on(mac)).reads.snapshot("default")

    assert [tab.url for tab in found.tabs] == [PAGE]


@APPS
async def test_a_tab_that_moved_is_found_and_one_that_went_on_is_left_alone(mac: SimulatedMac, app: str, build: Build):
    tried = trial(mac, app, build)
    moved = await tried.plan("tab.close", indices=[5])
    left = await tried.plan("tab.close", indices=[2])
    windows = mac.app(app)["windows"]
    windows[1]["tabs"].reverse()
    windows[0]["tabs"][1]["url"] = "https://elsewhere.example/"
    mac.plant(app, windows=list(reversed(windows)))

    await tried.do(moved)
    await refusal_of(tried.do(left))

    urls = {tab["url"] for window in mac.app(app)["windows"] for tab in window["tabs"]}
    assert urls == {PAGE, "https://elsewhere.example/", "https://c.example/", "https://d.example/"}


async def test_pages_of_sayso_are_not_listed_read_or_opened(mac: SimulatedMac):
    context = on(mac)
    open_windows(mac, "Safari", [("http://127.0.0.1:4711/x", PAGE)], FORM)
    tried = Trial(BROWSER, build_safari(context))
    with announce_page(context.own, 4711):
        listed = await tried.answer("tab.list")
        own = await refusal_of(tried.answer("page.text"))

        assert "4711" not in listed.text
        assert own.code == "url.own_page"
        with fails(ProviderError, "page.unheld"):
            await tried.backend.apply(RunScript("default", "x", "1", "t"), ())


@APPS
async def test_a_window_that_comes_to_the_front_meanwhile_keeps_its_tabs(mac: SimulatedMac, app: str, build: Build):
    tried = trial(mac, app, build)
    plan = await tried.plan("tab.close", indices=[1, 2])
    left = await tried.do(plan)
    mac.fault(app, "reorder")

    await tried.take_back(plan, left)

    windows = sorted([tab["url"] for tab in window["tabs"]] for window in mac.app(app)["windows"])
    assert windows == sorted(map(list, TWO_WINDOWS))


async def test_windows_without_tabs_are_left_out(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)
    empty: dict[str, object] = {"#": "window", "@": 999, "id": 77, "active": 0, "tabs": []}
    mac.plant("Safari", windows=[*mac.app("Safari")["windows"], empty])

    assert len((await tried.backend.reads.snapshot("default")).tabs) == 5


@pytest.mark.req("S1-58")
async def test_a_missing_permission_is_named_and_nothing_is_done(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)
    plan = await tried.plan("tab.close", indices=[2])
    mac.fault("Safari", "denied")

    no = await refusal_of(tried.do(plan))

    assert (no.code, "Automation, turn Safari on" in str(no)) == ("macos.automation", True)


async def test_a_browser_that_hangs_while_it_closes_tabs_leaves_it_unknown(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)
    plan = await tried.plan("tab.close", indices=[2])
    mac.fault("Safari", "hang", on="close")

    no = await refusal_of(tried.do(plan))

    assert isinstance(no, Uncertain)


@pytest.mark.req("S1-47", "T-108")
async def test_a_picture_of_the_window_is_taken_or_the_missing_permission_is_named(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)
    program = mac.bin / "screencapture"
    program.write_text('#!/bin/sh\nfor last; do :; done\nprintf "%s " "$@" > "$last"\n')
    program.chmod(0o755)

    path = (await tried.answer("page.screenshot")).data["path"]
    program.write_text("#!/bin/sh\necho could not create image from window >&2\nexit 1\n")

    assert Path(str(path)).read_text() == f"-x -o -t png -l1 {path} "
    with pytest.raises(SetupError, match="Screen Recording"):
        await tried.answer("page.screenshot")


@pytest.mark.req("S1-38", "S1-48", "S1-49")
async def test_a_new_tab_comes_to_the_front_and_a_wrong_number_names_the_right_ones(mac: SimulatedMac):
    tried = trial(mac, "Safari", build_safari)

    await tried.do(await tried.plan("url.open", url="https://new.example/"))
    no = await refusal_of(tried.plan("tab.switch", index=9))

    assert (await tried.answer("tab.url")).text == "https://new.example/"
    assert str(no) == "there is no tab 9; there are 6 tabs, numbered 1 to 6"


@pytest.mark.req("S4-28", "S4-29", "S4-30", "S4-32", "S0-42")
async def test_tabs_of_chrome_are_numbered_across_windows_brought_to_the_front_closed_and_opened(mac: SimulatedMac):
    tried = trial(mac, "Google Chrome", build_chrome)

    listed = await tried.answer("tab.list")
    await tried.do(await tried.plan("tab.switch", index=3))
    in_front = (await tried.answer("tab.url")).text
    await tried.do(await tried.plan("tab.close", indices=[2, 5]))
    again = await tried.plan("url.open", url=PAGE)
    await tried.do(again)

    tabs = cast("list[dict[str, object]]", listed.data["tabs"])
    assert ([tab["index"] for tab in tabs], in_front) == ([1, 2, 3, 4, 5], "https://c.example/")
    left = sorted(tab["url"] for window in mac.app("Google Chrome")["windows"] for tab in window["tabs"])
    assert left == [PAGE, PAGE, "https://c.example/", "https://d.example/"]
    assert again.said_when_done == "Opened URL"


async def test_an_address_is_opened_where_no_window_is_open(mac: SimulatedMac):
    open_windows(mac, "Safari", [])
    tried = Trial(BROWSER, build_safari(on(mac)))

    await tried.do(await tried.plan("url.open", url="https://new.example/"))

    assert (await tried.answer("tab.url")).text == "https://new.example/"


async def test_doctor_says_whether_tabs_and_pages_can_be_reached(mac: SimulatedMac):
    open_windows(mac, "Safari")
    backend = build_safari(on(mac))
    (works,) = await backend.capabilities()
    mac.plant("Safari", javascript=False)
    (off,) = await backend.capabilities()

    assert (works.served, works.why) == ("Safari", "5 tabs are open")
    assert (off.served, "Allow JavaScript from Apple Events" in off.why) == ("", True)
