"""Addresses open, tabs are listed, switched to and closed, and a person sees what leaves the machine."""

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import CannotUndo
from sayso.providers.browser import BROWSER, operations
from sayso.providers.browser.memory import MemoryTabs, backend, parse_world
from sayso.providers.browser.model import CloseOpened, OpenTab
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial

OUTSIDE = {"tab.list", "tab.url", "tab.title", "page.text", "page.links", "page.run_js"}


def a_trial() -> Trial:
    return Trial(BROWSER, backend(parse_world({}), NumberedIds()))


def test_kinds_and_questions_are_those_of_the_specification():
    found = {operation.id: (operation.kind, operation.asks) for operation in BROWSER.operations}

    reads = ("tab.list", "tab.url", "tab.title", "page.text", "page.links", "page.screenshot")
    assert found == {
        **dict.fromkeys(reads, ("read", "none")),
        **dict.fromkeys(("tab.switch", "tab.close"), ("write", "none")),
        **dict.fromkeys(("url.open", "page.click", "page.fill"), ("external", "none")),
        "page.run_js": ("external", "floor"),
    }
    assert {operation.id for operation in BROWSER.operations if operation.outside} == OUTSIDE


@pytest.mark.req("S4-51", "S4-32")
async def test_an_address_opens_in_a_new_tab_and_is_named_whole():
    plan = await a_trial().plan("url.open", url="chatgpt", browser="chrome")

    assert plan.changes[0].do == OpenTab("chrome", "https://chatgpt.com")
    assert plan.changes[0].undo == CloseOpened("chrome")
    assert plan.data == {"url": "https://chatgpt.com"}
    assert (plan.said_when_done, plan.sends) == ("Opened URL", ())


async def test_what_an_address_tells_is_sent():
    plan = await a_trial().plan("url.open", url="https://ana@example.org/?q=1#x")

    assert plan.sends == (
        "a visit to example.org/",
        "“ana@” to example.org",
        "“?q=1” to example.org",
        "“#x” to example.org",
    )


@pytest.mark.req("BR-02")
async def test_a_scheme_that_is_no_web_page_opens_nothing():
    trial = a_trial()

    with pytest.raises(Refused):
        await trial.plan("url.open", url="javascript:alert(1)")


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

    assert answer.text.splitlines()[2] == "3. “Reddit” https://www.reddit.com/"
    assert answer.data["tabs"] == [
        {
            "index": index,
            "title": title,
            "url": url,
            "domain": domain,
            "content_summary": "",
            "is_active": index == 1,
            "window_index": window,
            "local_index": local,
        }
        for index, title, url, domain, window, local in (
            (1, "GitHub", "https://github.com/", "github.com", 1, 1),
            (2, "Gmail", "https://mail.google.com/", "mail.google.com", 1, 2),
            (3, "Reddit", "https://www.reddit.com/", "reddit.com", 2, 1),
            (4, "Wikipedia", "https://www.wikipedia.org/", "wikipedia.org", 2, 2),
            (5, "Example Domain", "https://example.org/", "example.org", 2, 3),
        )
    ]


@pytest.mark.req("S4-17", "T-105")
@pytest.mark.parametrize("index", [0, -1, 1.5, "3", True, None])
def test_a_tab_number_is_a_whole_number_from_1(index: object):
    problems = operations.switch_tab.check({"index": index})[1]

    assert [problem.sentence for problem in problems] == ["“index” must be a whole number of at least 1"]


@pytest.mark.req("T-105")
def test_three_point_zero_is_three():
    assert operations.switch_tab.check({"index": 3.0}) == ({"index": 3}, [])


@pytest.mark.req("S4-18")
@pytest.mark.parametrize("indices", [[], [0], [1, "2"], [True], 3, "3"], ids=repr)
def test_tab_numbers_are_a_list_that_is_not_empty(indices: object):
    assert operations.close_tabs.check({"indices": indices})[1]


async def test_the_tab_in_front_need_not_be_switched_to():
    assert (await a_trial().plan("tab.switch", index=1)).summary == "Tab 1 is in front already"


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


async def test_closing_says_what_cannot_come_back():
    plan = await a_trial().plan("tab.close", indices=[3])

    assert plan.summary == "Close 1 tab: 3, “Reddit” (https://www.reddit.com/)"
    assert (plan.said_when_done, plan.loses) == ("Closed 1 tab", ())
    assert "is lost" in plan.warns[0]


async def test_many_tabs_are_named_only_in_part():
    tabs = [{"url": f"https://{number}.example/"} for number in range(12)]
    trial = Trial(BROWSER, backend(parse_world({"windows": [{"tabs": tabs}]}), NumberedIds()))

    plan = await trial.plan("tab.close", indices=list(range(1, 13)))

    assert plan.summary.startswith("Close 12 tabs: 1, ")
    assert plan.summary.endswith("; and 2 more")


async def test_address_and_title_of_the_tab_in_front_are_told():
    trial = a_trial()

    assert (await trial.answer("tab.url")).data == {"text": "https://github.com/"}
    assert (await trial.answer("tab.title")).data == {"text": "GitHub"}
