"""A browser kept in memory: tabs and pages for trying things out, and for tests on any machine."""

from dataclasses import replace

import msgspec

from sayso.core.errors import SetupError
from sayso.core.plan import Fact, Facts
from sayso.core.ports import Ground, Ids, KillPoint, no_kill_point
from sayso.core.pretend import Laws, Pretended
from sayso.providers.browser.address import Rules
from sayso.providers.browser.facts import Closed, ElementAt, Front, PageAt, Returned, TabAt, moved_on
from sayso.providers.browser.own_pages import own_ports
from sayso.providers.browser.reading import Reads, Settings, element_at, found_in, page_at
from sayso.providers.browser.steps import (
    Click,
    CloseOpened,
    CloseTabs,
    Fill,
    Navigate,
    OpenTab,
    ReopenTabs,
    RunScript,
    Steps,
    SwitchBack,
    SwitchTab,
)
from sayso.providers.browser.words import MOST_CHARACTERS
from sayso.providers.browser.world import BrowserTab, World, changed, closed, fronted, opened, planted


def holds(world: World, fact: Fact) -> bool:
    """Say whether a fact is so."""
    match fact:
        case TabAt(id_, url):
            tab = world.tab(id_)
            return tab is not None and tab.page.url == url
        case Front(_, id_, before):
            return world.active == id_ and (not before or world.tab(before) is not None)
        case Closed(id_):
            return world.tab(id_) is None
        case PageAt(id_):
            tab = world.tab(id_)
            return tab is not None and page_at(tab) == fact
        case ElementAt(about):
            id_, _, selector = about.partition(" ")
            tab = world.tab(id_)
            found = found_in(tab, selector) if tab else None
            return tab is not None and found is not None and element_at(tab, found) == fact
        case _:
            return isinstance(fact, Returned)


def resists(world: World, step: Steps, expects: Facts) -> str | None:
    """Say why the world would not do a step."""
    match step:
        case SwitchBack() if not any(isinstance(fact, Front) and fact.before for fact in expects):
            return "the tab that was in front before is gone"
        case SwitchTab(_, tab) | Navigate(_, tab) | Click(_, tab) | Fill(_, tab) | RunScript(_, tab):
            return None if world.tab(tab) else "the tab is no longer open"
        case _:
            return None


def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
    """Return the world after a step, and what it left. Numbers go on meaning what they meant before it."""
    if world.numbers is None:
        world = replace(world, numbers=tuple(tab.id for tab in world.tabs))
    match step:
        case OpenTab(_, url):
            world, tab = opened(world, url)
            return world, (TabAt(tab.id, url),)
        case CloseOpened():
            ids = tuple(fact.about for fact in expects if isinstance(fact, TabAt))
            return closed(world, ids), tuple(Closed(id_) for id_ in ids)
        case CloseTabs(_, ids):
            return closed(world, ids), tuple(Closed(id_) for id_ in ids)
        case ReopenTabs(_, urls, windows, places):
            return reopened(world, tuple(zip(urls, windows, places, strict=True)))
        case SwitchTab(browser, id_):
            return fronted(world, id_), (Front(browser, id_, world.active),)
        case SwitchBack(browser):
            before = next((fact.before for fact in expects if isinstance(fact, Front)), "")
            return fronted(world, before), (Front(browser, before),)
        case _:
            return in_page(world, step)


def in_page(world: World, step: Navigate | RunScript | Click | Fill) -> tuple[World, Facts]:
    """Return the world after something was done in one tab's page."""
    tab = world.tab(step.tab)
    if tab is None:
        return world, ()
    match step:
        case Navigate(_, _, url):
            tab = replace(tab, page=world.site(url), loads=tab.loads + 1)
            world = replace(changed(world, tab), unloaded=world.unloaded | {tab.id})
            return world, (TabAt(tab.id, url), page_at(tab))
        case RunScript(_, _, code, token):
            result = next((script.result for script in tab.page.scripts if script.code == code), "")
            shown = result[:MOST_CHARACTERS]
            return world, (Returned(token, shown, len(result), truncated=shown != result),)
        case Click(_, _, selector):
            return replace(world, clicked=(*world.clicked, selector)), (page_at(tab),)
        case Fill(_, _, selector, value):
            tab = filled(tab, selector, value)
            facts = tuple(element_at(tab, element) for element in tab.page.elements if element.selector == selector)
            return changed(world, tab), (page_at(tab), *facts)


def filled(tab: BrowserTab, selector: str, value: str) -> BrowserTab:
    """Return a tab with another value in one field."""
    elements = tuple(
        msgspec.structs.replace(element, value=value) if element.selector == selector else element
        for element in tab.page.elements
    )
    return replace(tab, page=msgspec.structs.replace(tab.page, elements=elements))


def reopened(world: World, tabs: tuple[tuple[str, str, int], ...]) -> tuple[World, Facts]:
    """Return the world with these addresses open again, each in its window and place; what was in front stays."""
    before = world.active
    facts: list[Fact] = []
    for url, window, place in tabs:
        world, tab = opened(world, url, window, place)
        facts.append(TabAt(tab.id, url))
    return fronted(world, before), tuple(facts)


def build(ground: Ground) -> Pretended[World]:
    """Return a backend over the world that the settings describe, or over a small one of five tabs."""
    told = ground.settings
    try:
        sites = msgspec.convert(told.get("sites", {}), dict[str, str])
        schemes = msgspec.convert(told.get("schemes", ()), tuple[str, ...])
        ports = own_ports(ground.own)
        asking = msgspec.convert(ground.options.get("confirm_sites", ()), tuple[str, ...])
    except msgspec.ValidationError as wrong:
        raise SetupError(f"what the settings say of sites is wrong: {wrong}", "config.browser") from wrong
    settings = Settings(Rules(sites, schemes, ports), asking)
    return backend(planted(told.get("world", {})), ground.ids, settings, kill=ground.kill)


def backend(
    world: World,
    ids: Ids,
    settings: Settings | None = None,
    *,
    lasting: bool = False,
    kill: KillPoint = no_kill_point,
) -> Pretended[World]:
    """Return a backend over a world at hand."""
    told = settings or Settings()
    laws = Laws(
        does,
        holds,
        lambda seen: Reads(seen, ids, told),
        resists,
        moved_on,
        settles=lambda world: replace(world, numbers=None, unloaded=frozenset()),
    )
    return Pretended(world, laws, lasting=lasting, kill=kill)
