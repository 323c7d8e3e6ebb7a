"""The memory browser behaves as any other backend."""

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.core.memory_backend import View
from sayso.core.plan import CannotTell, Plan
from sayso.core.ports import Backend, BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.memory import (
    BrowserWorld,
    MemoryTabs,
    SiteSettings,
    backend,
    bring_to_front,
    build,
    close_tabs,
    open_tab,
    parse_world,
)
from sayso.providers.browser.model import ElementAt, NewTab, PageAt, Returned, RunScript, TabAt
from sayso.testing.browser import BrowserSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial

FIVE = parse_world({})


def ids(world: BrowserWorld) -> list[list[str]]:
    return [[tab.id for tab in window.tabs] for window in world.windows]


def test_a_world_without_words_has_two_windows_of_two_and_three_tabs():
    assert ids(FIVE) == [["tab-1", "tab-2"], ["tab-3", "tab-4", "tab-5"]]
    assert FIVE.active == "tab-1"


def test_a_tab_opens_at_the_end_of_the_window_in_front():
    world, tab = open_tab(FIVE, NewTab("https://a.example"))

    assert ids(world) == [["tab-1", "tab-2", tab.id], ["tab-3", "tab-4", "tab-5"]]
    assert world.active == tab.id


def test_a_tab_opens_again_where_it_was():
    world, tab = open_tab(close_tabs(FIVE, ("tab-4",)), NewTab("https://a.example", "window-2", 2))

    assert ids(world)[1] == ["tab-3", tab.id, "tab-5"]


def test_closing_the_active_tab_brings_its_neighbour_to_the_front():
    assert close_tabs(FIVE, ("tab-1",)).active == "tab-2"
    assert close_tabs(bring_to_front(FIVE, "tab-5"), ("tab-5",)).active == "tab-4"
    assert close_tabs(bring_to_front(FIVE, "tab-3"), ("tab-3", "tab-4")).active == "tab-5"


def test_closing_a_new_tab_goes_back_to_the_one_it_was_opened_from():
    world, tab = open_tab(bring_to_front(FIVE, "tab-3"), NewTab("https://a.example"))

    assert close_tabs(world, (tab.id,)).active == "tab-3"


def test_a_window_without_tabs_closes():
    world = close_tabs(FIVE, ("tab-1", "tab-2"))

    assert ids(world) == [["tab-3", "tab-4", "tab-5"]]
    assert world.active == "tab-3"


def test_without_a_window_a_tab_makes_one():
    world, tab = open_tab(close_tabs(FIVE, tuple(tab.id for tab in FIVE.tabs)), NewTab("https://a.example"))

    assert ids(world) == [[tab.id]]
    assert world.active == tab.id


def test_what_is_not_there_does_not_come_to_the_front():
    assert bring_to_front(FIVE, "tab-9") == FIVE


PAGE = {"url": "https://a.example/", "elements": [{"selector": "#a", "name": "A", "value": "x"}]}


def reads(world: BrowserWorld, *sites: str) -> MemoryTabs:
    return MemoryTabs(View(lambda: world), NumberedIds(), SiteSettings(confirm_sites=sites))


async def test_tabs_are_bound_to_their_id_and_address():
    snapshot = await reads(parse_world({})).snapshot("chrome")

    assert snapshot.tabs[2].fact == TabAt("tab-3", "https://www.reddit.com/")


async def test_a_page_is_bound_to_the_load_that_was_seen():
    page = await reads(parse_world({"windows": [{"tabs": [PAGE]}]})).page()

    assert page.fact == PageAt("tab-1", "https://a.example/", "1")


async def test_what_a_field_holds_stands_in_no_fact():
    element = await reads(parse_world({"windows": [{"tabs": [PAGE]}]})).element("#a")

    assert element.value == "x"
    assert isinstance(element.fact, ElementAt)
    assert len(element.fact.value) == 64


async def test_numbers_that_were_given_out_stay():
    world = parse_world({})
    world = replace(world, numbers=tuple(tab.id for tab in world.tabs))
    world, new = open_tab(close_tabs(world, ("tab-2",)), NewTab("https://new.example"))

    snapshot = await reads(world).snapshot("default")

    assert {tab.id: tab.index for tab in snapshot.tabs} == {"tab-1": 1, "tab-3": 3, "tab-4": 4, "tab-5": 5, new.id: 0}
    assert snapshot.closed == {2}


@pytest.mark.parametrize(
    ("url", "asks"),
    [
        ("https://bank.test/x", True),
        ("https://www.bank.test", True),
        ("https://bank.test.evil.test", False),
        ("https://evilbank.test", False),
        ("https://bank.test@evil.test", False),
    ],
)
def test_a_listed_site_asks_with_all_below_it(url: str, asks: bool):
    assert reads(BrowserWorld(), "bank.test").confirmed(url) == asks


FORM = {
    "url": "https://shop.example/form?id=3",
    "title": "Form",
    "elements": [{"selector": "#name", "name": "Name", "value": "Ana"}],
}


class TestMemory(BrowserSuite):
    """The suite on the memory browser."""

    def make(self) -> Backend:
        return backend(parse_world({}), NumberedIds())


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_describe_the_browser():
    world = {"windows": [{"tabs": [FORM]}], "sites": [{"url": "https://a.example", "title": "A"}]}

    trial = Trial(BROWSER, build(ground(kind="memory", world=world, sites={"a": "a.example"})))
    await trial.do(await trial.plan("url.open", url="a"))

    assert (await trial.answer("tab.title")).data == {"text": "A"}


@pytest.mark.req("BR-01")
async def test_a_page_of_sayso_is_opened_by_no_backend():
    trial = Trial(BROWSER, build(ground(kind="memory")))

    with pytest.raises(Refused, match="sayso's own page"):
        await trial.plan("url.open", url="localhost:8737")


WRONG: list[dict[str, object]] = [
    {"world": {"windows": [{"tabs": (), "active": 1}]}},
    {"world": {"tabs": 3}},
    {"sites": ["a"]},
    {"schemes": 4},
]


@pytest.mark.parametrize("settings", WRONG, ids=str)
def test_settings_that_are_wrong_are_named(settings: dict[str, object]):
    with pytest.raises(SetupError):
        build(ground(**settings))


async def test_a_script_gives_back_what_its_page_answers():
    page = {**FORM, "scripts": [{"code": "1+1", "result": "2"}]}
    made = backend(parse_world({"windows": [{"tabs": [page]}]}), NumberedIds())
    trial = Trial(BROWSER, made)

    plan = await trial.plan("page.run_js", code="1+1")
    (left,) = await trial.do(plan)

    step = plan.changes[0].do
    assert isinstance(step, RunScript)
    assert left.facts == (Returned(step.token, "2", 1),)


async def test_a_reload_since_the_plan_stops_a_click():
    made = backend(parse_world({"windows": [{"tabs": [FORM]}]}), NumberedIds())
    trial = Trial(BROWSER, made)
    click = await trial.plan("page.click", selector="#name")
    await trial.do(await trial.plan("url.open", url=FORM["url"], new_tab=False))

    with pytest.raises(ProviderError, match="was left or loaded again since"):
        await trial.do(click)


async def test_a_tab_that_is_gone_is_not_switched_back_to():
    made = backend(parse_world({}), NumberedIds())
    trial = Trial(BROWSER, made)
    plan = await trial.plan("tab.switch", index=3)
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("tab.close", indices=[1]))

    with pytest.raises(ProviderError):
        await trial.take_back(plan, lefts)


async def test_a_page_that_a_batch_only_opens_cannot_be_clicked_in_it():
    trial = Trial(BROWSER, backend(parse_world({"windows": [{"tabs": [FORM]}]}), NumberedIds()))

    trial.imagine(await trial.plan("url.open", url="https://a.example"))

    with pytest.raises(ProviderError, match="has not been seen yet"):
        await trial.plan("page.click", selector="#name")


async def test_two_fields_are_filled_in_one_batch_and_taken_back():
    page = {**FORM, "elements": [{"selector": "#a", "value": "1"}, {"selector": "#b", "value": "2"}]}
    made = backend(parse_world({"windows": [{"tabs": [page]}]}), NumberedIds())
    trial = Trial(BROWSER, made)
    plans: list[Plan] = []
    for selector, value in (("#a", "x"), ("#b", "y"), ("#a", "z")):
        plans.append(await trial.plan("page.fill", selector=selector, value=value))
        trial.imagine(plans[-1])

    lefts = [await trial.do(plan, number) for number, plan in enumerate(plans)]
    values = [element.value for element in made.world.tabs[0].page.elements]
    for plan, left in reversed(list(zip(plans, lefts, strict=True))):
        await trial.take_back(plan, left)

    assert values == ["z", "y"]
    assert [element.value for element in made.world.tabs[0].page.elements] == ["1", "2"]


async def test_a_browser_without_a_tab_says_so():
    trial = Trial(BROWSER, backend(parse_world({"windows": []}), NumberedIds()))

    with pytest.raises(ProviderError, match="no tab is open"):
        await trial.answer("tab.url")
    assert (await trial.answer("tab.list")).text == "no tab is open"
    await trial.do(await trial.plan("url.open", url="example.org"))

    assert (await trial.answer("tab.url")).text == "https://example.org"


async def test_a_browser_that_was_made_new_cannot_tell():
    assert isinstance(await build(ground()).settle(RunScript("default", "t", "1", "x"), ()), CannotTell)
