"""Whether what was seen is still so, asked of the browser in the act."""

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.providers.browser.facts import Closed, ElementAt, Front, PageAt, TabAt, moved_on
from sayso.providers.browser.live import elements
from sayso.providers.browser.live.ports import OpenTab, Spoken


def must_hold(now: Spoken, expects: Facts) -> None:
    """Raise `ProviderError` that names the first fact that is no longer so.

    The browser is asked something in any case: where it does not answer, nothing begins.
    """
    looks = not expects or any(_of_tabs(fact) for fact in expects)
    tabs = {tab.id: tab for tab in now.tabs()} if looks else {}
    for fact in expects:
        if not _holds(now, fact, tabs):
            raise ProviderError(f"{moved_on(fact)}; nothing was changed", "world.changed")


def _of_tabs(fact: Fact) -> bool:
    return isinstance(fact, (TabAt, Front, Closed))


def _holds(now: Spoken, fact: Fact, tabs: dict[str, OpenTab]) -> bool:
    match fact:
        case TabAt(tab, url, opener):
            return tab in tabs and tabs[tab].url == url and (not opener or tabs[tab].opener == opener)
        case Closed(tab):
            return tab not in tabs
        case Front(_, tab, before):
            return now.front(list(tabs.values())) == tab and (not before or before in tabs)
        case PageAt(tab):
            return _shows(now, tab, fact)
        case ElementAt(about):
            tab, _, selector = about.partition(" ")
            with now.inside(tab) as page:
                return elements.meet(page, selector).fact(tab, selector) == fact
        case _:
            return True


def _shows(now: Spoken, tab: str, fact: PageAt) -> bool:
    try:
        with now.inside(tab) as page:
            return page.fact == fact
    except ProviderError as no:
        if no.code != "tab.closed":
            raise
        return False
