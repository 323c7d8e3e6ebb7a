"""Actions on tabs and pages: checked in the act, and uncertain once something has begun in a page."""

import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, Fact, Facts
from sayso.providers.browser.model import (
    Again,
    Click,
    Closed,
    CloseOpened,
    CloseTabs,
    ElementAt,
    Fill,
    Front,
    Navigate,
    NotShown,
    PageAt,
    ReopenTabs,
    Returned,
    RunScript,
    Steps,
    SwitchBack,
    SwitchTab,
    TabAt,
    describe_change,
)
from sayso.providers.browser.model import OpenTab as OpenTabStep
from sayso.providers.browser.numbers import MOST_CHARACTERS
from sayso.providers.browser.remote import reads
from sayso.providers.browser.remote.connection import Lost, No
from sayso.providers.browser.remote.driver import Browser, Came, Hands, OpenTab, Page, Spoken
from sayso.providers.browser.remote.reads import Summaries
from sayso.providers.browser.remote.settings import must_not_lead_to

LOOK = "look at the page before you try it again"


class Deed:
    """Something that is done in a page."""

    def __init__(self) -> None:
        self._what = ""

    def begins(self, what: str) -> None:
        """From here on something may have been done; `what` says in a clause what that is."""
        self._what = what

    def nothing(self) -> None:
        """Take it that nothing was done after all, or that it is as it was before."""
        self._what = ""

    @property
    def open(self) -> str:
        """Return what may have been done, empty while nothing was begun."""
        return self._what


@contextmanager
def deed() -> Generator[Deed]:
    """Yield something that is to be done. What goes wrong once it has begun raises `Uncertain` with what it was."""
    doing = Deed()
    try:
        yield doing
    except TimeoutError as late:
        if not doing.open:
            raise
        raise Uncertain(f"the page stopped answering while {doing.open}; {LOOK}", "page.hangs") from late
    except ProviderError as no:
        if not doing.open or isinstance(no, Uncertain):
            raise
        raise Uncertain(f"{doing.open}, and then: {no}; {LOOK}", no.code) from no


def must_hold(now: Spoken, expects: Facts) -> None:
    """Raise `ProviderError` that names the first fact that is no longer so.

    The browser is asked something in any case: where it does not answer, nothing begins.
    """
    looks = not expects or any(_of_tabs(fact) for fact in expects)
    tabs = {tab.id: tab for tab in now.tabs()} if looks else {}
    for fact in expects:
        if not _holds(now, fact, tabs):
            raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")


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
                return reads.meet(page, selector).fact(tab, selector) == fact
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


class Place(msgspec.Struct, frozen=True):
    """Where an element can be clicked, or why not."""

    problem: str = ""
    count: int = 0
    by: str = ""
    x: float = 0
    y: float = 0


class Met(msgspec.Struct, frozen=True):
    """What the click met: how much of it came to the element, and what else in the page was hit first."""

    touched: bool
    """Some of it came to the element."""
    clicked: bool
    """It came to a click there, or to what a click is in a field with a list."""
    strayed: str = ""
    framed: bool = False
    """That was a frame, in which the rest of it may have done something."""


def click_element(hands: Hands, tab: str, selector: str) -> Facts:
    """Click what a selector finds; wait for what that begins to load."""
    with hands.held(files=True), hands.inside(tab) as page, deed() as doing:
        reads.meet(page, selector)
        place = _place(page, "place", selector)
        with page.loading():
            _click(page, doing, place, selector)
        hands.shown(tab)
        page.again()
        return (page.fact,)


def _place(page: Page, what: str, selector: str) -> Place:
    place = page.call(Place, what)
    match place.problem:
        case "":
            return place
        case "moving":
            raise ProviderError(f"what “{selector}” finds does not stand still; nothing was clicked", "page.moving")
        case "covered":
            raise ProviderError(
                f"what “{selector}” finds lies under {place.by}, which a click would hit; nothing was clicked",
                "page.covered",
            )
        case "hidden":
            raise ProviderError(f"what “{selector}” finds is hidden by now; nothing was clicked", "page.hidden")
        case _:
            raise ProviderError(
                f"what “{selector}” finds cannot be brought into view; nothing was clicked", "page.outside"
            )


def _click(page: Page, doing: Deed, place: Place, selector: str) -> None:
    page.mouse("moved", place.x, place.y)
    # What appears when the mouse comes near may lie over it.
    place = _place(page, "point", selector)
    page.call(bool, "watch")
    doing.begins("it was clicked")
    page.mouse("pressed", place.x, place.y)
    try:
        page.mouse("released", place.x, place.y)
        settle(page)
        met = page.call(Met, "met")
    except ProviderError as left:
        if left.code != "page.left":
            raise
        return
    if not met.clicked:
        raise _explain_missed_click(doing, met, selector)


def _explain_missed_click(doing: Deed, met: Met, selector: str) -> ProviderError:
    """Return what is said of a click that did not come to the element as one."""
    if met.touched:
        said = f"“{selector}” was pressed, and went away or was covered before that was a click; the rest was stopped"
        return Uncertain(f"{said}; {LOOK}", "page.covered")
    if met.strayed and not met.framed:
        doing.nothing()
        return ProviderError(
            f"the click on “{selector}” met {met.strayed}, which came over it; it was stopped", "page.covered"
        )
    said = f"the click on “{selector}” did not come to it, and may have gone into a frame that came over it; {LOOK}"
    return Uncertain(said, "page.covered")


def settle(page: Page) -> None:
    """Let the page come to what it does next, such as going elsewhere."""
    try:
        page.call(bool, "settled")
    except ProviderError as left:
        if left.code != "page.left":
            raise


_LETTER = re.compile(r"[^\W_]")


class Filled(msgspec.Struct, frozen=True):
    """What a field holds then; None where that is not told, and `held` says whether it is what was meant."""

    problem: str = ""
    options: tuple[str, ...] = ()
    value: str | None = None
    held: bool = True


def fill_field(hands: Hands, tab: str, selector: str, value: str) -> Facts:
    """Set the field that a selector finds. One that does not take the value gets its old one back."""
    with hands.held(), hands.inside(tab) as page, deed() as doing:
        met = reads.meet(page, selector)
        if not met.field:
            raise ProviderError(f"“{selector}” is no field that can be filled in; it is {met.role}", "page.no_field")
        with page.loading():
            now = _set(page, doing, met, value)
            taken = _holds_filling(now, met, value)
            back = not taken and met.found.value is not None and _is_back(page, met)
        if not taken:
            raise _not_taken(doing, selector, now, back=back)
        hands.shown(tab)
        page.again()
        return (page.fact, reads.meet(page, selector).fact(tab, selector))


def _set(page: Page, doing: Deed, met: reads.Met, value: str) -> Filled:
    doing.begins("the field was filled in")
    done = _put(page, met, value)
    if done.problem == "option":
        doing.nothing()
        offered = ", ".join(f"“{option}”" for option in done.options)
        raise ProviderError(f"the field has no choice “{value[:80]}”; it has: {offered}", "page.no_option")
    return done


def _put(page: Page, met: reads.Met, value: str) -> Filled:
    if met.found.kind != "rich":
        return page.call(Filled, "fill", value)
    page.call(bool, "selectAll")
    page.put(value)
    return Filled(value=page.call(str, "value"))


def _holds_filling(now: Filled, met: reads.Met, value: str) -> bool:
    if now.value is None or met.found.kind == "choice":
        return now.held
    return same(now.value, value)


def _is_back(page: Page, met: reads.Met) -> bool:
    """Put back what the field held, and say whether it holds that."""
    old = met.found.value or ""
    return (_put(page, met, old).value or "").rstrip("\n") == old.rstrip("\n")


def _not_taken(doing: Deed, selector: str, now: Filled, *, back: bool) -> ProviderError:
    """Return what is said of a field that made something else of what it was given."""
    made = "something else" if now.value is None else f"“{now.value[:80]}”"
    said = f"“{selector}” does not take that; it made {made} of it"
    if back:
        doing.nothing()
        return ProviderError(f"{said}, and has its old value back", "page.not_taken")
    why = "what it held is not read" if now.value is None else "did not take that back either"
    return Uncertain(f"{said}, and does not have its old value back ({why}); {LOOK}", "page.not_taken")


def same(found: str, wanted: str) -> bool:
    """Say whether a field holds what was meant.

    A page may write it its own way: with more signs between the same letters and digits, or others, but none lost.
    """
    if found == wanted or found.replace("\r\n", "\n").rstrip("\n") == wanted.replace("\r\n", "\n").rstrip("\n"):
        return True
    told = _LETTER.findall(wanted)
    if not told or told != _LETTER.findall(found) or "\n" in wanted:
        return False
    gaps = zip(_LETTER.split(wanted), _LETTER.split(found), strict=True)
    return all(there or not gap.strip() for gap, there in gaps)


SECONDS = 30.0


def ran(hands: Hands, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page itself, as the page's own scripts run."""
    with hands.held(files=True), hands.inside(tab) as page, deed() as doing:
        with page.loading():
            doing.begins("the script ran")
            came = _run(page, code)
            if came.unreadable:
                doing.nothing()
                raise unreadable(came.error)
            settle(page)
        hands.shown(tab)
        if came.error:
            raise wrong(came.error)
        return (script_result(token, came.text),)


def _run(page: Page, code: str) -> Came:
    try:
        return page.evaluate(code, SECONDS)
    except TimeoutError as late:
        raise too_long() from late
    except No as no:
        raise page_went_away() from no


def script_result(token: str, text: str) -> Returned:
    """Return the fact of what a script returned, cut to what may be shown."""
    short = text[:MOST_CHARACTERS]
    return Returned(token, short, len(text), truncated=short != text)


def unreadable(told: str) -> ProviderError:
    """Return what is said of a script that cannot be read, so that nothing of it ran."""
    return ProviderError(f"the script cannot be read, so that nothing of it ran: {_first(told)}", "page.script")


def wrong(told: str) -> ProviderError:
    """Return what is said of a script that ended with an error."""
    return ProviderError(f"it ended with an error, and what it did before stays: {_first(told)}", "page.script")


def _first(told: str) -> str:
    return (told.splitlines() or ["an error of its own"])[0][:300]


def too_long() -> Uncertain:
    """Return what is said of a script that goes on and on."""
    return Uncertain(f"the script did not end within {SECONDS:g} seconds; {LOOK}")


def page_went_away() -> Uncertain:
    """Return what is said when the page went away beneath a script."""
    return Uncertain(f"the page was left while the script ran; {LOOK}")


LOOKS, PAUSE = 100, 0.05
"""How often is looked at most whether tabs show their pages again, and how many seconds lie between two looks."""


def switch_tab(hands: Hands, browser: str, tab: str) -> Facts:
    """Bring a tab and its window to the front."""
    before = hands.front(hands.tabs())
    hands.bring(tab)
    return (Front(browser, tab, before),)


def switch_back(hands: Hands, browser: str, expects: Facts) -> Facts:
    """Bring the tab to the front that was there before."""
    before = next((fact.before for fact in expects if isinstance(fact, Front)), "")
    if not before:
        raise ProviderError("the tab that was in front before is gone; nothing was changed", "tab.closed")
    hands.bring(before)
    return (Front(browser, before),)


def close_again(hands: Hands, expects: Facts, ports: frozenset[int]) -> Facts:
    """Close the tabs that the expected facts name."""
    return close_tabs(hands, tuple(fact.about for fact in expects if isinstance(fact, TabAt)), ports)


def close_tabs(hands: Hands, tabs: tuple[str, ...], ports: frozenset[int]) -> Facts:
    """Close these tabs in this order. Where no other is left, an empty one keeps the browser open."""
    known = {tab.id: tab for tab in hands.tabs()}
    for tab in tabs:
        if tab not in known:
            raise ProviderError("a tab is no longer open; nothing was closed", "tab.closed")
        must_not_lead_to(known[tab].url, ports)
    if set(tabs) == set(known):
        hands.empty_tab()
    left = hands.end(tabs)
    if left:
        raise Uncertain(f"{len(left)} of {len(tabs)} tabs did not close")
    return tuple(Closed(tab) for tab in tabs)


def reopen_tabs(hands: Hands, step: ReopenTabs) -> Facts:
    """Open addresses again, each in its window and at its place while that window is there; what is in front stays."""
    for url in step.urls:
        must_not_lead_to(url, hands.closed_off)
    before = hands.front(hands.tabs())
    with hands.again(step) as made:
        tabs = _come(hands, {tab for tab, url in zip(made, step.urls, strict=True) if not _empty(url)})
    if before:
        with suppress(ProviderError):
            hands.bring(before)
    return _as_they_are(step, made, tabs)


def _come(hands: Hands, wanted: set[str]) -> list[OpenTab]:
    """Wait until new tabs have begun to show what they were opened for; return all tabs then."""
    tabs = hands.tabs()
    for _ in range(LOOKS):
        if not any(tab.id in wanted and _empty(tab.url) for tab in tabs):
            break
        threading.Event().wait(PAUSE)
        tabs = hands.tabs()
    return tabs


def _as_they_are(step: ReopenTabs, made: list[str], tabs: list[OpenTab]) -> Facts:
    """Return what the tabs that were opened again show, and how many of them are less than they were."""
    places = {tab.id: (tab, [each.id for each in tabs if each.window == tab.window].index(tab.id) + 1) for tab in tabs}
    missing = [tab for tab in made if tab not in places]
    if missing:
        raise Uncertain(f"{len(missing)} of {len(made)} tabs did not open again")
    found = [places[tab] for tab in made]
    elsewhere = sum(
        (tab.window, place) != wanted
        for (tab, place), wanted in zip(found, zip(step.windows, step.places, strict=True), strict=True)
    )
    unseen = sum(_empty(tab.url) and not _empty(url) for (tab, _), url in zip(found, step.urls, strict=True))
    return (*(TabAt(tab.id, tab.url) for tab, _ in found), Again(step.browser, elsewhere, unseen))


def _empty(url: str) -> bool:
    return url.partition("#")[0] in {"", "about:blank"}


LOOKED_AT = 2000
"""How many characters of a page are looked at for its summary."""
BROKEN = "the browser ended, or stopped answering, while this was done"


class Seen(msgspec.Struct, frozen=True):
    """How a page begins."""

    text: str


class Acting(Struct, frozen=True):
    """Does steps in this browser. `ports` are those of sayso's own pages; `downloads` is where files may go."""

    browser: Browser
    ports: Callable[[], frozenset[int]]
    downloads: Path | None
    kill: Callable[[str], None]
    summaries: Summaries

    async def do(self, step: Steps, expects: Facts) -> Applied:
        """Do a step. Raises `ProviderError`, `Refused`, `Uncertain`."""
        return await to_thread.run_sync(self._do, step, expects)

    def _do(self, step: Steps, expects: Facts) -> Applied:
        begun = False
        try:
            with self.browser.connected() as now:
                must_hold(now, expects)
                self.kill(f"{step.step}.before")
                begun = True
                left = Applied(self._does(now, step, expects))
                if isinstance(step, (OpenTabStep, Navigate)):
                    self._remember(now, left.facts)
                self.kill(f"{step.step}.after")
                return left
        except (Lost, TimeoutError) as no:
            if begun:
                raise Uncertain(BROKEN) from no
            raise ProviderError("the browser ended, or does not answer; nothing was changed", "browser.gone") from no
        except SetupError as missing:
            # What is missing is found out as the browser is spoken to first.
            raise ProviderError(str(missing), missing.code) from missing
        except No as no:
            raise Uncertain(f"the browser did not do it: {no}") from no

    def _remember(self, now: Spoken, left: Facts) -> None:
        """Remember how the page that was just visited begins, where it can be had."""
        if any(isinstance(fact, NotShown) for fact in left):
            return
        for fact in left:
            if isinstance(fact, TabAt):
                with suppress(ProviderError, No), now.inside(fact.about) as page:
                    self.summaries.add(fact.about, fact.url, page.call(Seen, "text", LOOKED_AT).text)

    def _does(self, now: Spoken, step: Steps, expects: Facts) -> Facts:
        hands = now.hands(self.ports(), self.downloads)
        match step:
            case OpenTabStep(_, url):
                return hands.opened(url)
            case SwitchTab(browser, tab):
                return switch_tab(hands, browser, tab)
            case SwitchBack(browser):
                return switch_back(hands, browser, expects)
            case CloseTabs(_, tabs):
                return close_tabs(hands, tabs, self.ports())
            case CloseOpened():
                return close_again(hands, expects, self.ports())
            case ReopenTabs():
                return reopen_tabs(hands, step)
            case _:
                return _in_page(hands, step)


def _in_page(hands: Hands, step: Navigate | RunScript | Click | Fill) -> Facts:
    match step:
        case Navigate(_, tab, url):
            return hands.navigated(tab, url)
        case RunScript(_, tab, code, token):
            return ran(hands, tab, code, token)
        case Click(_, tab, selector):
            return click_element(hands, tab, selector)
        case Fill(_, tab, selector, value):
            return fill_field(hands, tab, selector, value)
