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


LEFT, RIGHT = ["tab-1", "tab-2"], ["tab-3", "tab-4", "tab-5"]
NEW = NewTab("https://a.example")


def test_a_tab_opens_at_the_end_of_the_window_in_front_or_where_it_was_or_in_a_window_of_its_own():
    world, tab = open_tab(FIVE, NEW)
    again, back = open_tab(close_tabs(FIVE, ("tab-4",)), NewTab("https://a.example", "window-2", 2))
    alone, first = open_tab(close_tabs(FIVE, (*LEFT, *RIGHT)), NEW)

    assert (ids(FIVE), FIVE.active) == ([LEFT, RIGHT], "tab-1")
    assert (ids(world), world.active) == ([[*LEFT, tab.id], RIGHT], tab.id)
    assert ids(again)[1] == ["tab-3", back.id, "tab-5"]
    assert (ids(alone), alone.active) == ([[first.id]], first.id)


def test_closing_the_active_tab_brings_its_neighbour_or_the_one_it_was_opened_from_to_the_front():
    world, new = open_tab(bring_to_front(FIVE, "tab-3"), NEW)
    no_window = close_tabs(FIVE, ("tab-1", "tab-2"))

    assert close_tabs(FIVE, ("tab-1",)).active == "tab-2"
    assert close_tabs(bring_to_front(FIVE, "tab-5"), ("tab-5",)).active == "tab-4"
    assert close_tabs(bring_to_front(FIVE, "tab-3"), ("tab-3", "tab-4")).active == "tab-5"
    assert close_tabs(world, (new.id,)).active == "tab-3"
    assert (ids(no_window), no_window.active) == ([RIGHT], "tab-3")
    assert bring_to_front(FIVE, "tab-9") == FIVE


PAGE = {"url": "https://a.example/", "elements": [{"selector": "#a", "name": "A", "value": "x"}]}


def reads(world: BrowserWorld, *sites: str) -> MemoryTabs:
    return MemoryTabs(View(lambda: world), NumberedIds(), SiteSettings(confirm_sites=sites))


async def test_tabs_are_bound_to_their_address_pages_to_their_load_and_no_fact_holds_what_a_field_holds():
    form = reads(parse_world({"windows": [{"tabs": [PAGE]}]}))

    element = await form.element("#a")

    assert (await reads(FIVE).snapshot("chrome")).tabs[2].fact == TabAt("tab-3", "https://www.reddit.com/")
    assert (await form.page()).fact == PageAt("tab-1", "https://a.example/", "1")
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


def built(**settings: object) -> Backend:
    return build(BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds()))


def on_form(**page: object) -> Trial:
    return Trial(BROWSER, backend(parse_world({"windows": [{"tabs": [{**FORM, **page}]}]}), NumberedIds()))


@pytest.mark.req("BR-01")
async def test_the_settings_may_describe_the_browser_and_no_backend_opens_a_page_of_sayso():
    world = {"windows": [{"tabs": [FORM]}], "sites": [{"url": "https://a.example", "title": "A"}]}
    trial = Trial(BROWSER, built(kind="memory", world=world, sites={"a": "a.example"}))

    await trial.do(await trial.plan("url.open", url="a"))

    assert (await trial.answer("tab.title")).data == {"text": "A"}
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
        built(**settings)


async def test_a_script_gives_back_what_its_page_answers_and_a_browser_made_new_cannot_tell():
    trial = on_form(scripts=[{"code": "1+1", "result": "2"}])

    plan = await trial.plan("page.run_js", code="1+1")
    (left,) = await trial.do(plan)

    step = plan.changes[0].do
    assert isinstance(step, RunScript)
    assert left.facts == (Returned(step.token, "2", 1),)
    assert isinstance(await built().settle(step, ()), CannotTell)


async def test_a_click_is_stopped_by_a_reload_since_the_plan_and_on_a_page_that_a_batch_only_opens():
    trial = on_form()
    click = await trial.plan("page.click", selector="#name")
    await trial.do(await trial.plan("url.open", url=FORM["url"], new_tab=False))

    with pytest.raises(ProviderError, match="was left or loaded again since"):
        await trial.do(click)
    trial.imagine(await trial.plan("url.open", url="https://a.example"))
    with pytest.raises(ProviderError, match="has not been seen yet"):
        await trial.plan("page.click", selector="#name")


async def test_a_tab_that_is_gone_is_not_switched_back_to():
    made = backend(parse_world({}), NumberedIds())
    trial = Trial(BROWSER, made)
    plan = await trial.plan("tab.switch", index=3)
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("tab.close", indices=[1]))

    with pytest.raises(ProviderError):
        await trial.take_back(plan, lefts)


async def test_two_fields_are_filled_in_one_batch_and_taken_back():
    trial = on_form(elements=[{"selector": "#a", "value": "1"}, {"selector": "#b", "value": "2"}])
    plans: list[Plan] = []
    for selector, value in (("#a", "x"), ("#b", "y"), ("#a", "z")):
        plans.append(await trial.plan("page.fill", selector=selector, value=value))
        trial.imagine(plans[-1])

    lefts = [await trial.do(plan, number) for number, plan in enumerate(plans)]
    values = [(await trial.backend.reads.element(selector)).value for selector in ("#a", "#b")]
    for plan, left in reversed(list(zip(plans, lefts, strict=True))):
        await trial.take_back(plan, left)

    assert values == ["z", "y"]
    assert [(await trial.backend.reads.element(selector)).value for selector in ("#a", "#b")] == ["1", "2"]


async def test_a_browser_without_a_tab_says_so():
    trial = Trial(BROWSER, backend(parse_world({"windows": []}), NumberedIds()))

    with pytest.raises(ProviderError, match="no tab is open"):
        await trial.answer("tab.url")
    assert (await trial.answer("tab.list")).text == "no tab is open"
    await trial.do(await trial.plan("url.open", url="example.org"))

    assert (await trial.answer("tab.url")).text == "https://example.org"
