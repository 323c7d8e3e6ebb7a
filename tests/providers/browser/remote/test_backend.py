"""What came of a step is told in words, and so is what its way back does not bring."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, NotDone
from sayso.core.ports import BackendContext, ReportsResult
from sayso.providers.browser import BROWSER
from sayso.providers.browser.bidi.driver import build as build_bidi
from sayso.providers.browser.cdp.driver import build as build_cdp
from sayso.providers.browser.model import (
    CloseTabs,
    Navigate,
    NotShown,
    OpenTab,
    PageAsked,
    ReopenTabs,
    SwitchBack,
    TabAt,
    TabClosed,
    TabsReopened,
)
from sayso.providers.browser.remote.backend import RemoteBackend
from sayso.providers.browser.remote.navigation import (
    Arrival,
    PageDialog,
    dialog_facts,
    must_be_shown,
    must_let_go,
    must_not_ask,
)
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session, wait_for
from tests.providers.browser.conftest import Making, Showing, kept
from tests.providers.browser.remote.test_driver import WRONG


def a_context(home: Path) -> BackendContext:
    return BackendContext({}, str(home), str(home / "own"), (), SystemClock(), RandomIds())


ALERT, SURE = PageDialog("alert", "x"), PageDialog("confirm", "Sure?")


@pytest.mark.parametrize(
    ("type_", "code", "said"),
    [
        ("file", "page.asks_file", "files are chosen by a person"),
        ("beforeunload", "page.asks", "asks before it is left"),
        ("confirm", "page.asks", r"asked “Sure\?” and got no for an answer"),
        ("prompt", "page.asks", r"asked “Sure\?” and got no for an answer"),
    ],
)
def test_each_question_but_an_alert_is_told(type_: str, code: str, said: str):
    with pytest.raises(ProviderError, match=said) as asked:
        must_not_ask([ALERT, PageDialog(type_, "Sure?"), PageDialog("confirm", "later")])
    with pytest.raises(ProviderError) as long:
        must_not_ask([PageDialog("confirm", "x" * 1000)])

    assert asked.value.code == code
    assert len(str(long.value)) < 300
    must_not_ask([ALERT])


def test_only_a_page_that_keeps_from_being_left_keeps_from_going_elsewhere():
    must_let_go([ALERT, SURE, PageDialog("file")])
    with pytest.raises(ProviderError, match="asks before it is left"):
        must_let_go([SURE, PageDialog("beforeunload")])


def test_what_the_next_page_asked_first_is_told():
    asked = (PageAsked("t", "the page asked “Who?” and got no for an answer"),)

    assert dialog_facts("t", [ALERT]) == ()
    assert dialog_facts("t", [ALERT, PageDialog("prompt", "Who?"), SURE]) == asked


URL = "http://x.test/"


def test_what_the_page_asked_as_it_came_and_that_it_is_none_are_told():
    came = Arrival(URL, "nothing answers there").facts("t", [SURE])

    asked = PageAsked("t", "the page asked “Sure?” and got no for an answer")
    assert came == (NotShown("t", "nothing answers there"), asked)
    assert Arrival(URL).facts("t", []) == ()
    with pytest.raises(ProviderError, match="cannot be shown: nothing answers there"):
        must_be_shown(URL, came)


def test_a_file_and_a_page_that_was_not_left_are_no_page():
    for words, file in ((f"{URL} is a file to download", True), (f"{URL} cannot be shown: it was stopped", False)):
        with pytest.raises(ProviderError, match=words):
            Arrival(URL, "it was stopped", stays=True, file=file).facts("t", [])
    with pytest.raises(ProviderError, match="asks before it is left"):
        Arrival(URL, "it was stopped", stays=True).facts("t", [PageDialog("beforeunload")])


@pytest.mark.req("S4-32", "S1-38", "T-40", "C-27")
async def test_an_address_that_is_open_already_opens_once_more(page: Showing, around: Around):
    trial = page("")
    url = around.chromium.shown()[0]

    (left,) = await trial.do(await trial.plan("url.open", url=url, browser="chrome"))

    (fact,) = left.facts
    assert isinstance(fact, TabAt)
    assert around.chromium.shown() == [url, url]


@pytest.mark.req("T-45", "S1-38")
async def test_where_a_redirect_leads_is_what_was_opened(page: Showing, around: Around):
    trial = page("")
    around.web.pages["/from"] = (302, {"location": "/to"}, b"")

    (left,) = await trial.do(await trial.plan("url.open", url=around.web.url("/from"), new_tab=False))

    assert left.facts[0] == TabAt(left.facts[0].about, around.web.url("/to"))


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_a_new_tab_for_what_cannot_be_had_says_so_and_can_be_taken_back(
    page: Showing, around: Around, url: str, said: str
):
    trial = page("")
    before = around.chromium.shown()

    plan = await trial.plan("url.open", url=url)
    (left,) = await trial.do(plan)
    opened = around.chromium.shown()
    backend = trial.backend
    assert isinstance(backend, ReportsResult)
    told = backend.tells(plan.changes[0].do, left)
    await trial.take_back(plan, [left])

    assert opened == [url, *before]
    assert re.search(f"its page cannot be shown: .*({said})", told)
    assert around.chromium.shown() == before


async def test_a_page_that_answers_nothing_leaves_no_tab_behind(page: Showing, around: Around):
    trial = page("")
    around.web.pages["/nothing"] = (204, {}, b"")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="the page refused to be left, or the site sent no answer"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/nothing")))

    assert around.chromium.shown() == before


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("new_tab", [True, False])
async def test_a_file_is_no_page_and_is_not_kept(
    page: Showing, around: Around, scratch_home: Path, file: str, new_tab: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    trial = page("", roots=(str(downloads),))
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="a file to download, not a page; nothing was downloaded"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/file"), new_tab=new_tab))

    assert around.chromium.shown() == before
    assert (kept(around, scratch_home, file), list(downloads.iterdir())) == (set(), [])


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("within", [True, False])
async def test_a_file_that_a_click_brings_lies_within_the_roots_or_nowhere(
    page: Showing, around: Around, scratch_home: Path, file: str, within: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    trial = page("<a id=d href=/file download='../../.bashrc'>x</a>", roots=(str(downloads),) if within else ())

    await trial.do(await trial.plan("page.click", selector="#d"))
    wait_for(lambda: "/file" in around.web.asked, "the file that the click asks for")
    wait_for(lambda: not within or kept(around, scratch_home, file), "the file")

    assert kept(around, scratch_home, file) == ({downloads} if within else set())
    assert not list(scratch_home.rglob("*bashrc*"))


@pytest.mark.req("T-23")
@pytest.mark.parametrize("new_tab", [True, False])
async def test_a_page_that_asks_as_it_comes_is_there_and_what_it_asked_is_told(
    page: Showing, around: Around, new_tab: bool
):
    around.web.pages["/asks"] = "<script>document.title = String(confirm('Sure?'))</script>"
    trial = page("")

    plan = await trial.plan("url.open", url=around.web.url("/asks"), new_tab=new_tab)
    (left,) = await trial.do(plan)
    backend = trial.backend
    assert isinstance(backend, ReportsResult)
    shown, title = around.chromium.shown()[0], around.chromium.evaluate("document.title")
    await trial.take_back(plan, [left])

    assert backend.tells(plan.changes[0].do, left) == "the page asked “Sure?” and got no for an answer"
    assert (shown, title) == (around.web.url("/asks"), "false")


async def test_a_page_that_asks_before_it_is_left_stays(page: Showing, around: Around):
    trial = page("<input id=q><script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>")
    await trial.do(await trial.plan("page.click", selector="#q"))
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="asks before it is left"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/away"), new_tab=False))

    assert around.chromium.shown() == before
    around.chromium.arrange([around.web.url("/next")])


def test_what_is_opened_anew_is_not_what_it_was():
    one = ReopenTabs("default", ("u",), ("w",), (1,)).drawback()
    two = ReopenTabs("default", ("u", "v"), ("w", "w"), (1, 2)).drawback()

    assert one.startswith("its address is opened anew: what was typed there, how far it was scrolled")
    assert two.startswith("their addresses are opened anew")
    assert Navigate("default", "t", "u").drawback() == one
    assert SwitchBack("default").drawback() == ""


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ((TabAt("t", "u"), TabsReopened("default")), ""),
        ((NotShown("t", "no"), PageAsked("t", "it asked")), "its page cannot be shown: no, it asked"),
        ((TabsReopened("default", 2, 1),), "2 not at the place it had, 1 not loaded yet"),
    ],
)
def test_what_came_of_it_is_told_where_it_is_less_than_was_wanted(tmp_path: Path, facts: Facts, said: str):
    backend = build_bidi(a_context(tmp_path))

    assert backend.tells(OpenTab("default", "http://x/"), Applied(facts)) == said


async def test_closed_tabs_show_that_they_are(around: Around, making: Making):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2"), around.web.url("/3")])
    trial = Trial(BROWSER, making())
    change = (await trial.plan("tab.close", indices=[2, 3])).changes[0]
    assert isinstance(change.do, CloseTabs)
    before = await trial.backend.settle(change.do, change.expects)
    half = CloseTabs("default", (change.do.tabs[0],))
    await trial.backend.apply(half, ())
    between = await trial.backend.settle(change.do, change.expects)
    await trial.backend.apply(CloseTabs("default", change.do.tabs[1:]), ())

    assert isinstance(before, NotDone)
    assert isinstance(between, CannotTell)
    assert await trial.backend.settle(change.do, change.expects) == Applied(
        tuple(TabClosed(tab) for tab in change.do.tabs)
    )


@pytest.mark.req("BR-10")
async def test_what_became_of_a_step_is_settled_by_the_tabs_where_they_tell(page: Showing):
    trial = page("<button id=b>x</button>")
    tab = await trial.backend.reads.current("default")
    click = (await trial.plan("page.click", selector="#b")).changes[0]
    steps = [
        (Navigate("default", tab.id, "http://x/"), (TabAt(tab.id, tab.url),), NotDone),
        (Navigate("default", tab.id, tab.url), (TabAt(tab.id, tab.url),), CannotTell),
        (click.do, click.expects, CannotTell),
        (CloseTabs("default", ("another1.ABCDEF",)), (), CannotTell),
    ]

    assert [type(await trial.backend.settle(step, expects)) for step, expects, _ in steps] == [one for *_, one in steps]


@pytest.mark.req("BR-10")
async def test_a_browser_that_dies_in_the_middle_leaves_it_uncertain(around: Around, making: Making):
    session = Session()
    try:
        dying = type(around.chromium)(session)
        around.web.pages["/dies"] = "<title>x</title><button id=b onclick='for (;;) {}'>x</button>"
        dying.arrange([around.web.url("/dies")])
        backend = making(url=dying.url)
        trial = Trial(BROWSER, backend)
        plan = await trial.plan("page.run_js", code="fetch('/dying'); new Promise(() => {})")

        def dies() -> tuple[int, dict[str, str], bytes]:
            session.end(dying.process)
            return 200, {}, b""

        around.web.pages["/dying"] = dies
        with pytest.raises(Uncertain, match="ended"):
            await trial.do(plan)

        assert isinstance(await backend.settle(plan.changes[0].do, ()), CannotTell)
    finally:
        session.close()


@pytest.mark.req("X-05")
@pytest.mark.parametrize(("build", "fix"), [(build_cdp, "sayso browser"), (build_bidi, "sayso browser --firefox")])
async def test_doctor_is_told_how_to_start_it(
    build: Callable[[BackendContext], RemoteBackend], fix: str, tmp_path: Path
):
    backend = build(a_context(tmp_path))

    (told,) = await backend.capabilities()

    assert (told.served, told.fix) == ("", fix)
    assert backend.prune() == 0
