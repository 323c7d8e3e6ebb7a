"""What a page asks is told in words, the first question first."""

import re
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.ports import Tells
from sayso.providers.browser.model import Asked, NotShown, TabAt
from sayso.providers.browser.remote.navigation import Arrival, Dialog, must_be_shown, must_let_go, must_not_ask, told
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Showing, a_file


@pytest.mark.parametrize(
    ("type_", "code", "said"),
    [
        ("file", "page.asks_file", "files are chosen by a person"),
        ("beforeunload", "page.asks", "asks before it is left"),
        ("confirm", "page.asks", "asked “Sure?” and got no for an answer"),
        ("prompt", "page.asks", "asked “Sure?” and got no for an answer"),
    ],
)
def test_each_question_is_told(type_: str, code: str, said: str):
    with pytest.raises(ProviderError, match=said.replace("?", r"\?")) as asked:
        must_not_ask([Dialog("alert", "x"), Dialog(type_, "Sure?"), Dialog("confirm", "later")])

    assert asked.value.code == code


def test_what_needs_no_answer_is_let_be():
    must_not_ask([])
    must_not_ask([Dialog("alert", "x")])


def test_a_long_question_is_cut():
    with pytest.raises(ProviderError) as asked:
        must_not_ask([Dialog("confirm", "x" * 1000)])

    assert len(str(asked.value)) < 300


def test_only_a_page_that_keeps_from_being_left_keeps_from_going_elsewhere():
    must_let_go([Dialog("alert", "x"), Dialog("confirm", "y"), Dialog("file")])
    with pytest.raises(ProviderError, match="asks before it is left"):
        must_let_go([Dialog("confirm", "y"), Dialog("beforeunload")])


def test_what_the_next_page_asked_first_is_told():
    assert told("t", [Dialog("alert", "x")]) == ()
    assert told("t", [Dialog("alert", "x"), Dialog("prompt", "Who?"), Dialog("confirm", "y")]) == (
        Asked("t", "the page asked “Who?” and got no for an answer"),
    )


URL = "http://x.test/"


def test_a_page_that_came_leaves_nothing_to_tell():
    assert Arrival(URL).told("t", []) == ()


def test_what_the_page_asked_as_it_came_and_that_it_is_none_are_told():
    came = Arrival(URL, "nothing answers there").told("t", [Dialog("confirm", "Sure?")])

    assert came == (
        NotShown("t", "nothing answers there"),
        Asked("t", "the page asked “Sure?” and got no for an answer"),
    )
    with pytest.raises(ProviderError, match="cannot be shown: nothing answers there"):
        must_be_shown(URL, came)


def test_a_file_and_a_page_that_was_not_left_are_no_page():
    for words, file in ((f"{URL} is a file to download", True), (f"{URL} cannot be shown: it was stopped", False)):
        with pytest.raises(ProviderError, match=words):
            Arrival(URL, "it was stopped", stays=True, file=file).told("t", [])
    with pytest.raises(ProviderError, match="asks before it is left"):
        Arrival(URL, "it was stopped", stays=True).told("t", [Dialog("beforeunload")])


WRONG = [
    ("http://nobody.invalid/", "nobody knows a site of this name"),
    ("http://127.0.0.1:1/", "UNSAFE_PORT|Firefox does not go to that port"),
]


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
    assert isinstance(backend, Tells)
    told = backend.tells(plan.changes[0].do, left)
    await trial.take_back(plan, [left])

    assert opened == [url, *before]
    assert re.search(f"its page cannot be shown: .*({said})", told)
    assert around.chromium.shown() == before


async def test_a_page_that_answers_nothing_leaves_no_tab_behind(page: Showing, around: Around):
    trial = page("")
    around.web.pages["/nothing"] = (204, {}, b"")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="answered nothing"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/nothing")))

    assert around.chromium.shown() == before


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("new_tab", [True, False])
async def test_a_file_is_no_page_and_is_not_kept(page: Showing, around: Around, scratch_home: Path, new_tab: bool):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    around.web.pages["/file"] = a_file
    trial = page("", roots=(str(downloads),))
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="a file to download and no page; nothing was downloaded"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/file"), new_tab=new_tab))

    assert around.chromium.shown() == before
    assert list(downloads.iterdir()) == []


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("within", [True, False])
async def test_a_file_that_a_click_brings_lies_within_the_roots_or_nowhere(
    page: Showing, around: Around, scratch_home: Path, within: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    around.web.pages["/file"] = a_file
    trial = page("<a id=d href=/file download='../../.bashrc'>x</a>", roots=(str(downloads),) if within else ())

    await trial.do(await trial.plan("page.click", selector="#d"))

    files = [path for home in (scratch_home, around.chromium.session.home) for path in home.rglob("*")]
    found = [path for path in files if path.name.endswith((".sh", "bashrc"))]
    assert {path.parent for path in found} <= {downloads}
    assert bool(found) is within


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
    assert isinstance(backend, Tells)
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
