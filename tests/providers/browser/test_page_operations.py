"""Pages are read within bounds, and what is done in one names its site and its way back."""

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotUndo
from sayso.providers.browser import BROWSER
from sayso.providers.browser.memory import SiteSettings, backend, parse_world
from sayso.providers.browser.model import Fill
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial

ELEMENTS = [
    {"selector": "#name", "name": "Name", "value": "Ana"},
    {"selector": "#secret", "name": "Password", "value": "hunter2", "secret": True},
    {"selector": "#go", "role": "button", "name": "Send", "field": False},
]


def a_trial(*confirm: str, **page: object) -> Trial:
    site = {"url": "https://shop.example/form?id=3", "title": "Form", "elements": ELEMENTS, **page}
    world = parse_world({"windows": [{"tabs": [site]}]})
    return Trial(BROWSER, backend(world, NumberedIds(), SiteSettings(confirm_sites=confirm)))


@pytest.mark.req("T-55")
@pytest.mark.parametrize("length", [0, 9_999, 10_000])
async def test_text_within_the_limit_comes_whole(length: int):
    answer = await a_trial(text="ü" * length).answer("page.text")

    assert answer.text == "ü" * length
    assert answer.data == {"text": "ü" * length, "truncated": False, "total_chars": length}


@pytest.mark.req("T-55")
async def test_longer_text_is_cut_to_exactly_10000_characters_with_a_note_after_it():
    answer = await a_trial(text="🙂" * 25_000).answer("page.text")

    assert answer.data == {"text": "🙂" * 10_000, "truncated": True, "total_chars": 25_000}
    assert answer.text == "🙂" * 10_000 + "\n\n[Cut: these are the first 10,000 of 25,000 characters.]"


async def test_links_are_told_as_lines_and_as_data():
    links = [{"text": "One", "href": "https://1.example"}, {"text": "Two", "href": "https://2.example"}]

    answer = await a_trial(links=links).answer("page.links")

    assert answer.text == "One — https://1.example\nTwo — https://2.example"
    assert answer.data["links"] == links


@pytest.mark.req("T-55")
async def test_links_are_cut_like_text():
    links = [{"text": "x" * 95, "href": "y"} for _ in range(200)]

    answer = await a_trial(links=links).answer("page.links")

    assert len(str(answer.text).partition("\n\n[")[0]) == 10_000
    assert (answer.data["truncated"], answer.data["total_chars"]) == (True, 200 * 100 - 1)
    assert answer.data["links"] == links[:100]


async def test_a_page_without_links_says_so():
    assert (await a_trial().answer("page.links")).text == "the page has no links"


async def test_a_script_is_shown_whole_and_sends():
    plan = await a_trial().plan("page.run_js", code="document.title")

    assert plan.preview == "document.title"
    assert plan.summary == "Run JavaScript (14 characters) in the page “Form” (https://shop.example)"
    assert plan.sends == ("whatever the script sends, to https://shop.example or anywhere else",)
    assert isinstance(plan.changes[0].undo, CannotUndo)


async def test_a_click_names_what_is_clicked():
    plan = await a_trial().plan("page.click", selector="#go")

    assert plan.summary == "Click button “Send” (#go) in the page “Form” (https://shop.example)"
    assert plan.sends == ("a click, to https://shop.example",)
    assert (plan.asks, plan.warns) == (False, ())


@pytest.mark.req("T-106")
async def test_on_a_listed_site_clicks_and_filling_ask():
    trial = a_trial("shop.example")

    assert (await trial.plan("page.click", selector="#go")).asks
    assert (await trial.plan("page.fill", selector="#name", value="Bo")).asks


async def test_nothing_found_is_a_failure_that_names_the_selector():
    for operation, rest in (("page.click", {}), ("page.fill", {"value": "x"})):
        with pytest.raises(ProviderError, match="found by “#nope”"):
            await a_trial().plan(operation, selector="#nope", **rest)


async def test_a_selector_that_finds_several_is_told():
    with pytest.raises(ProviderError, match="“#name” finds 2 elements; write a selector that finds only the one"):
        await a_trial(elements=[ELEMENTS[0], ELEMENTS[0]]).plan("page.click", selector="#name")


async def test_nothing_of_a_password_is_written_down():
    plan = await a_trial().plan("page.fill", selector="#secret", value="x")

    assert [getattr(fact, "value", "") for fact in plan.changes[0].expects] == ["", ""]


async def test_a_field_gets_its_old_value_back():
    trial = a_trial()
    value = 'quote " and\nline'

    plan = await trial.plan("page.fill", selector="#name", value=value)
    lefts = await trial.do(plan)
    filled = (await trial.backend.reads.element("#name")).value
    await trial.take_back(plan, lefts)

    assert plan.sends == ('“quote " and line” to https://shop.example',)
    assert filled == value
    assert (await trial.backend.reads.element("#name")).value == "Ana"


async def test_a_field_that_was_changed_since_is_left_alone():
    trial = a_trial()
    plan = await trial.plan("page.fill", selector="#name", value="Bo")
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("page.fill", selector="#name", value="Cy"))

    with pytest.raises(ProviderError):
        await trial.take_back(plan, lefts)


async def test_a_password_is_not_read_and_so_not_put_back():
    plan = await a_trial().plan("page.fill", selector="#secret", value="x")

    assert isinstance(plan.changes[0].do, Fill)
    assert isinstance(plan.changes[0].undo, CannotUndo)


async def test_only_fields_are_filled_and_only_when_they_differ():
    with pytest.raises(ProviderError, match="no field that can be filled in; it is button"):
        await a_trial().plan("page.fill", selector="#go", value="x")

    assert (await a_trial().plan("page.fill", selector="#name", value="Ana")).changes == ()


async def test_there_is_no_picture_of_what_is_in_memory():
    with pytest.raises(SetupError, match="not available on this system"):
        await a_trial().answer("page.screenshot")
