"""Operations on tabs and pages: what each plans, what of it leaves the machine, and its way back."""

from inspect import getmembers, isfunction

import pytest

from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.core.plan import CannotUndo, Fact
from sayso.providers.browser import BROWSER, operations
from sayso.providers.browser.memory import MemoryTabs, SiteSettings, backend, parse_world
from sayso.providers.browser.model import (
    CloseOpened,
    ElementAt,
    Fill,
    OpenTab,
    PageAt,
    TabAt,
    TabClosed,
    TabInFront,
    describe_change,
)
from sayso.providers.browser.store import Tabs
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial


def a_trial() -> Trial:
    return Trial(BROWSER, backend(parse_world({}), NumberedIds()))


@pytest.mark.req("S4-51", "S4-32", "BR-02")
async def test_an_address_opens_in_a_new_tab_named_whole_and_what_it_tells_is_sent():
    plan = await a_trial().plan("url.open", url="chatgpt", browser="chrome")
    tells = await a_trial().plan("url.open", url="https://ana@example.org/?q=1#x")

    assert plan.changes[0].do == OpenTab("chrome", "https://chatgpt.com", own=True)
    assert plan.changes[0].undo == CloseOpened("chrome")
    assert plan.data == {"url": "https://chatgpt.com"}
    assert (plan.said_when_done, plan.sends) == ("Opened URL", ())
    told = [f"“{part}” to example.org" for part in ("ana@", "?q=1", "#x")]
    assert tells.sends == ("a visit to example.org/", *told)
    with pytest.raises(Refused):
        await a_trial().plan("url.open", url="javascript:alert(1)")


async def test_a_browser_that_does_not_tell_its_tabs_has_no_way_back():
    class Silent(MemoryTabs, frozen=True):
        async def tells_tabs(self, browser: str) -> bool:
            return False

    trial = a_trial()
    trial.seen = Silent(trial.seen.seen, trial.seen.ids, trial.seen.settings)

    plan = await trial.plan("url.open", url="example.org", new_tab=False)

    assert isinstance(plan.changes[0].do, OpenTab)
    assert isinstance(plan.changes[0].undo, CannotUndo)


@pytest.mark.req("S4-28", "S4-41", "T-41")
async def test_all_tabs_are_listed_with_their_numbers():
    answer = await a_trial().answer("tab.list")

    keys = ("index", "title", "url", "domain", "content_summary", "is_active", "window_index", "local_index")
    assert answer.text.splitlines()[2] == "3. “Reddit” https://www.reddit.com/"
    assert answer.data["tabs"] == [
        dict(zip(keys, values, strict=True))
        for values in (
            (1, "GitHub", "https://github.com/", "github.com", "", True, 1, 1),
            (2, "Gmail", "https://mail.google.com/", "mail.google.com", "", False, 1, 2),
            (3, "Reddit", "https://www.reddit.com/", "reddit.com", "", False, 2, 1),
            (4, "Wikipedia", "https://www.wikipedia.org/", "wikipedia.org", "", False, 2, 2),
            (5, "Example Domain", "https://example.org/", "example.org", "", False, 2, 3),
        )
    ]


@pytest.mark.req("S4-17", "T-105")
@pytest.mark.parametrize("index", [0, -1, 1.5, "3", True, None])
def test_a_tab_number_is_a_whole_number_from_1(index: object):
    problems = operations.switch_tab.check({"index": index})[1]

    assert [problem.sentence for problem in problems] == ["“index” must be a whole number of at least 1"]
    assert operations.switch_tab.check({"index": 3.0}) == ({"index": 3}, [])


@pytest.mark.req("S4-18")
@pytest.mark.parametrize("indices", [[], [0], [1, "2"], [True], 3, "3"], ids=repr)
def test_tab_numbers_are_a_list_that_is_not_empty(indices: object):
    assert operations.close_tabs.check({"indices": indices})[1]


async def test_the_tab_in_front_is_told_and_need_not_be_switched_to():
    trial = a_trial()

    assert (await trial.plan("tab.switch", index=1)).summary == "Tab 1 is in front already"
    assert (await trial.answer("tab.url")).data == {"text": "https://github.com/"}
    assert (await trial.answer("tab.title")).data == {"text": "GitHub"}


@pytest.mark.req("T-97", "S4-05")
async def test_numbers_in_one_batch_mean_the_tabs_that_were_there_at_its_start():
    trial = a_trial()
    plans = [await trial.plan("tab.close", indices=[1, 3])]
    trial.imagine(plans[0])
    plans.append(await trial.plan("tab.close", indices=[4]))

    with pytest.raises(ProviderError, match="tab 3 is closed by an earlier action"):
        await trial.plan("tab.switch", index=3)
    for number, plan in enumerate(plans):
        await trial.do(plan, number)

    assert [tab.page.title for tab in trial.backend.reads.seen.look().tabs] == ["Gmail", "Example Domain"]


async def test_closing_says_what_cannot_come_back_and_names_many_tabs_only_in_part():
    tabs = [{"url": f"https://{number}.example/"} for number in range(12)]
    trial = Trial(BROWSER, backend(parse_world({"windows": [{"tabs": tabs}]}), NumberedIds()))

    plan = await a_trial().plan("tab.close", indices=[3])
    many = await trial.plan("tab.close", indices=list(range(1, 13)))

    assert plan.summary == "Close 1 tab: 3, “Reddit” (https://www.reddit.com/)"
    assert (plan.said_when_done, plan.loses) == ("Closed 1 tab", ())
    assert "is lost" in plan.warns[0]
    assert many.summary.startswith("Close 12 tabs: 1, ")
    assert many.summary.endswith("; and 2 more")


ELEMENTS = [
    {"selector": "#name", "name": "Name", "value": "Ana"},
    {"selector": "#secret", "name": "Password", "value": "hunter2", "secret": True},
    {"selector": "#go", "role": "button", "name": "Send", "field": False},
]


def a_page(*confirm: str, **page: object) -> Trial:
    site = {"url": "https://shop.example/form?id=3", "title": "Form", "elements": ELEMENTS, **page}
    world = parse_world({"windows": [{"tabs": [site]}]})
    return Trial(BROWSER, backend(world, NumberedIds(), SiteSettings(confirm_sites=confirm)))


NOTE = "\n\n[Cut: these are the first 10,000 of 25,000 characters.]"


@pytest.mark.req("T-55")
@pytest.mark.parametrize(("length", "note"), [(0, ""), (9_999, ""), (10_000, ""), (25_000, NOTE)])
async def test_text_beyond_the_limit_is_cut_to_exactly_10000_characters_with_a_note_after_it(length: int, note: str):
    answer = await a_page(text="🙂" * length).answer("page.text")

    text = "🙂" * min(length, 10_000)
    assert answer.text == text + note
    assert answer.data == {"text": text, "truncated": bool(note), "total_chars": length}


@pytest.mark.req("T-55")
async def test_links_are_told_as_lines_and_as_data_and_cut_like_text():
    two = [{"text": "One", "href": "https://1.example"}, {"text": "Two", "href": "https://2.example"}]
    many = [{"text": "x" * 95, "href": "y"} for _ in range(200)]

    answer, cut = await a_page(links=two).answer("page.links"), await a_page(links=many).answer("page.links")

    assert answer.text == "One — https://1.example\nTwo — https://2.example"
    assert answer.data["links"] == two
    assert len(str(cut.text).partition("\n\n[")[0]) == 10_000
    assert (cut.data["truncated"], cut.data["total_chars"]) == (True, 200 * 100 - 1)
    assert cut.data["links"] == many[:100]
    assert (await a_page().answer("page.links")).text == "the page has no links"


async def test_a_script_is_shown_whole_and_sends():
    plan = await a_page().plan("page.run_js", code="document.title")

    assert plan.preview == "document.title"
    assert plan.summary == "Run JavaScript (14 characters) in the page “Form” (https://shop.example)"
    assert plan.sends == ("whatever the script sends, to https://shop.example or anywhere else",)
    assert isinstance(plan.changes[0].undo, CannotUndo)


@pytest.mark.req("T-106")
async def test_a_click_names_what_is_clicked_and_on_a_listed_site_clicks_and_filling_ask():
    plan = await a_page().plan("page.click", selector="#go")
    listed = a_page("shop.example")

    assert plan.summary == "Click button “Send” (#go) in the page “Form” (https://shop.example)"
    assert plan.sends == ("a click, to https://shop.example",)
    assert (plan.asks, plan.warns) == (False, ())
    assert (await listed.plan("page.click", selector="#go")).asks
    assert (await listed.plan("page.fill", selector="#name", value="Bo")).asks


async def test_a_selector_that_finds_none_or_several_is_told():
    for operation, rest in (("page.click", {}), ("page.fill", {"value": "x"})):
        with pytest.raises(ProviderError, match="“#nope” finds nothing"):
            await a_page().plan(operation, selector="#nope", **rest)
    with pytest.raises(ProviderError, match="“#name” finds 2 elements; write a selector that finds only the one"):
        await a_page(elements=[ELEMENTS[0], ELEMENTS[0]]).plan("page.click", selector="#name")


async def test_nothing_of_a_password_is_written_down_and_so_not_put_back():
    change = (await a_page().plan("page.fill", selector="#secret", value="x")).changes[0]

    assert [getattr(fact, "value", "") for fact in change.expects] == ["", ""]
    assert isinstance(change.do, Fill)
    assert isinstance(change.undo, CannotUndo)


async def test_a_field_gets_its_old_value_back_unless_it_was_changed_since():
    trial = a_page()
    value = 'quote " and\nline'

    plan = await trial.plan("page.fill", selector="#name", value=value)
    lefts = await trial.do(plan)
    filled = (await trial.backend.reads.element("#name")).value
    await trial.take_back(plan, lefts)
    again = await trial.do(plan)
    await trial.do(await trial.plan("page.fill", selector="#name", value="Cy"))

    assert plan.sends == ('“quote " and line” to https://shop.example',)
    assert filled == value
    with pytest.raises(ProviderError):
        await trial.take_back(plan, again)
    assert (await trial.backend.reads.element("#name")).value == "Cy"


async def test_only_fields_are_filled_and_only_when_they_differ():
    with pytest.raises(ProviderError, match="not a field that can be filled in; it is button"):
        await a_page().plan("page.fill", selector="#go", value="x")

    assert (await a_page().plan("page.fill", selector="#name", value="Ana")).changes == ()


async def test_there_is_no_picture_of_what_is_in_memory():
    with pytest.raises(SetupError, match="not available on this system"):
        await a_page().answer("page.screenshot")


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Tabs, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(MemoryTabs, isfunction)}


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (
            TabAt("t", "https://a.example"),
            "the tab that showed https://a.example was closed or shows another page by now",
        ),
        (TabInFront("default", "t"), "another tab was brought to the front since"),
        (PageAt("t", "https://a.example", "1"), "the page https://a.example was left or loaded again since"),
        (ElementAt("t #a b", "", ""), "what “#a b” finds on the page is not what it was"),
        (TabClosed("t"), "the tabs are no longer as they were"),
    ],
)
def test_what_moved_on_is_named_as_a_person_knows_it(fact: Fact, said: str):
    assert describe_change(fact) == said
