"""The tab in front is the one that is seen in the window with the attention."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.ports import Ground
from sayso.providers.browser.bidi.driver import Spoke, bring, firefox, front
from sayso.providers.browser.remote.settings import Wanted
from sayso.runtime.system import RandomIds, SystemClock
from tests.desktop_env import firefox as desktop
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session
from tests.providers.browser.bidi.conftest import Speaking

pytestmark = [pytest.mark.needs("firefox-esr"), pytest.mark.thorough]


@pytest.mark.thorough
@pytest.mark.req("S4-29")
def test_it_is_the_one_that_was_brought_there(around: Around, spoken: Speaking):
    urls = [around.web.url(f"/{number}") for number in range(4)]
    around.chromium.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1], urls[3]]
    told: list[tuple[str, str]] = []
    for url in order:
        with spoken().connected() as now:
            bring(now.now, next(tab.id for tab in now.tabs() if tab.url == url))
            tabs = now.tabs()
            there = next(tab.url for tab in tabs if tab.id == front(now.now, tabs))
        told.append((there, around.chromium.shown()[0]))

    assert told == [(url, url) for url in order]


def test_a_tab_that_is_gone_is_told_and_without_tabs_none_is_in_front(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])

    with spoken().connected() as now:
        gone = f"{now.tabs()[0].id}9"
        with pytest.raises(ProviderError, match="no longer open; nothing was changed"):
            bring(now.now, gone)
        assert front(now.now, []) == ""


@pytest.mark.thorough
@pytest.mark.req("S4-29")
def test_on_a_screen_it_is_the_one_with_the_attention(
    around: Around, x_session: Session, scratch_home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(desktop, "FLAGS", tuple(flag for flag in desktop.FLAGS if flag != "--headless"))
    made = desktop.Firefox(x_session)
    urls = [around.web.url(f"/{number}") for number in range(4)]
    made.arrange(urls[:2], urls[2:])
    ground = Ground({}, str(scratch_home), str(scratch_home.parent / "sayso"), (), SystemClock(), RandomIds())
    browser = Spoke(firefox(ground, Wanted(made.url)))
    order, told = [urls[2], urls[0], urls[3], urls[1]], list[str]()

    for url in order:
        with browser.connected() as now:
            bring(now.now, next(tab.id for tab in now.tabs() if tab.url == url))
        with browser.connected() as now:
            tabs = now.tabs()
            told.append(next(tab.url for tab in tabs if tab.id == front(now.now, tabs)))

    assert told == order
    x_session.end(made.process)
