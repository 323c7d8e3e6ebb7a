"""The memory browser behaves as any other backend."""

import pytest

from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.core.plan import CannotTell, Plan
from sayso.core.ports import Backend, Ground
from sayso.providers.browser.facts import Returned
from sayso.providers.browser.memory import backend, build
from sayso.providers.browser.provider import BROWSER
from sayso.providers.browser.steps import RunScript
from sayso.providers.browser.world import planted
from sayso.testing.browser import BrowserSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.trying import Trial

FORM = {
    "url": "https://shop.example/form?id=3",
    "title": "Form",
    "elements": [{"selector": "#name", "name": "Name", "value": "Ana"}],
}


class TestMemory(BrowserSuite):
    """The suite on the memory browser."""

    def make(self) -> Backend:
        return backend(planted({}), NumberedIds())


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


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
    made = backend(planted({"windows": [{"tabs": [page]}]}), NumberedIds())
    trial = Trial(BROWSER, made)

    plan = await trial.plan("page.run_js", code="1+1")
    (left,) = await trial.do(plan)

    step = plan.changes[0].do
    assert isinstance(step, RunScript)
    assert left.facts == (Returned(step.token, "2", 1),)


async def test_a_reload_since_the_plan_stops_a_click():
    made = backend(planted({"windows": [{"tabs": [FORM]}]}), NumberedIds())
    trial = Trial(BROWSER, made)
    click = await trial.plan("page.click", selector="#name")
    await trial.do(await trial.plan("url.open", url=FORM["url"], new_tab=False))

    with pytest.raises(ProviderError, match="was left or loaded again since"):
        await trial.do(click)


async def test_a_tab_that_is_gone_is_not_switched_back_to():
    made = backend(planted({}), NumberedIds())
    trial = Trial(BROWSER, made)
    plan = await trial.plan("tab.switch", index=3)
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("tab.close", indices=[1]))

    with pytest.raises(ProviderError):
        await trial.take_back(plan, lefts)


async def test_a_page_that_a_batch_only_opens_cannot_be_clicked_in_it():
    trial = Trial(BROWSER, backend(planted({"windows": [{"tabs": [FORM]}]}), NumberedIds()))

    trial.imagine(await trial.plan("url.open", url="https://a.example"))

    with pytest.raises(ProviderError, match="has not been seen yet"):
        await trial.plan("page.click", selector="#name")


async def test_two_fields_are_filled_in_one_batch_and_taken_back():
    page = {**FORM, "elements": [{"selector": "#a", "value": "1"}, {"selector": "#b", "value": "2"}]}
    made = backend(planted({"windows": [{"tabs": [page]}]}), NumberedIds())
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
    trial = Trial(BROWSER, backend(planted({"windows": []}), NumberedIds()))

    with pytest.raises(ProviderError, match="no tab is open"):
        await trial.answer("tab.url")
    assert (await trial.answer("tab.list")).text == "no tab is open"
    await trial.do(await trial.plan("url.open", url="example.org"))

    assert (await trial.answer("tab.url")).text == "https://example.org"


async def test_a_browser_that_was_made_new_cannot_tell():
    assert isinstance(await build(ground()).settle(RunScript("default", "t", "1", "x"), ()), CannotTell)
