"""What came of a step is told in words, and so is what its way back does not bring."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.errors import Uncertain
from sayso.core.plan import CannotTell, Left, NotDone
from sayso.core.ports import Ground
from sayso.providers.browser import BROWSER
from sayso.providers.browser.bidi.driver import build as build_bidi
from sayso.providers.browser.cdp.driver import build as build_cdp
from sayso.providers.browser.model import (
    Again,
    Asked,
    Closed,
    CloseTabs,
    Navigate,
    NotShown,
    OpenTab,
    ReopenTabs,
    SwitchBack,
    TabAt,
)
from sayso.providers.browser.remote.backend import Live, foretold, told_of
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session
from tests.providers.browser.conftest import Making, Showing


def test_what_is_opened_anew_is_not_what_it_was():
    one = foretold(ReopenTabs("default", ("u",), ("w",), (1,)))
    two = foretold(ReopenTabs("default", ("u", "v"), ("w", "w"), (1, 2)))

    assert one.startswith("its address is opened anew: what was typed there, how far it was scrolled")
    assert two.startswith("their addresses are opened anew")
    assert foretold(Navigate("default", "t", "u")) == one
    assert foretold(SwitchBack("default")) == ""


def test_what_came_of_it_is_told_where_it_is_less_than_was_wanted():
    assert told_of((TabAt("t", "u"), Again("default"))) == ""
    assert told_of((NotShown("t", "no"), Asked("t", "it asked"))) == "its page cannot be shown: no, it asked"
    assert told_of((Again("default", 2, 1),)) == "2 not at the place it had, 1 not loaded yet"


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
    assert await trial.backend.settle(change.do, change.expects) == Left(tuple(Closed(tab) for tab in change.do.tabs))


async def test_tabs_of_a_browser_that_has_ended_show_nothing(making: Making):
    step = CloseTabs("default", ("another1.ABCDEF",))

    assert isinstance(await making().settle(step, ()), CannotTell)


async def test_a_tab_that_still_shows_its_page_was_not_sent_elsewhere(page: Showing, around: Around):
    trial = page("")
    tab = await trial.backend.reads.current("default")
    expects = (TabAt(tab.id, tab.url),)

    found = [await trial.backend.settle(Navigate("default", tab.id, url), expects) for url in ("http://x/", tab.url)]

    assert [type(each) for each in found] == [NotDone, CannotTell]


@pytest.mark.req("BR-10")
async def test_what_was_clicked_or_opened_cannot_be_told(page: Showing):
    trial = page("<button id=b>x</button>")
    change = (await trial.plan("page.click", selector="#b")).changes[0]

    assert isinstance(await trial.backend.settle(change.do, change.expects), CannotTell)


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

        await must_be_unknown(backend, plan.changes[0].do)
    finally:
        session.close()


async def must_be_unknown(backend: Live, step: object) -> None:
    assert isinstance(await backend.settle(step, ()), CannotTell)


@pytest.mark.req("X-05")
@pytest.mark.parametrize(("build", "fix"), [(build_cdp, "sayso browser"), (build_bidi, "sayso browser --firefox")])
async def test_doctor_is_told_how_to_start_it(build: Callable[[Ground], Live], fix: str, tmp_path: Path):
    backend = build(Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds()))

    (told,) = await backend.capabilities()

    assert (told.served, told.fix) == ("", fix)
    assert backend.prune() == 0


def test_a_page_that_is_not_there_is_told(tmp_path: Path):
    backend = build_bidi(Ground({}, str(tmp_path), str(tmp_path), (), SystemClock(), RandomIds()))
    step = OpenTab("default", "http://x/")

    assert backend.tells(step, Left((TabAt("a.1", "http://x/"),))) == ""
    assert backend.tells(step, Left((NotShown("a.1", "it is gone"),))) == "its page cannot be shown: it is gone"
