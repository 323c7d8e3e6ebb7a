"""The backends for Safari and Chrome on macOS: they do the steps of the tabs store."""

from typing import Any, assert_never

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, Settlement, unchecked
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.browser.address import served_ports
from sayso.providers.browser.apple.control import (
    CHROME,
    SAFARI,
    AppleBrowser,
    AppleBrowserKind,
    BrowserReply,
    PageChange,
    PageElement,
    PageState,
    Seen,
    SeenTab,
    see,
)
from sayso.providers.browser.apple.reads import (
    AppleServices,
    AppleTabs,
    element_fact,
    must_be_readable,
    page_fact,
    usable,
)
from sayso.providers.browser.memory import site_settings
from sayso.providers.browser.model import (
    Click,
    CloseOpened,
    CloseTabs,
    ElementAt,
    Fill,
    Navigate,
    NotShown,
    OpenTab,
    PageAsked,
    PageAt,
    ReopenTabs,
    Returned,
    RunScript,
    Steps,
    SwitchBack,
    SwitchTab,
    TabAt,
    TabClosed,
    TabInFront,
    TabsReopened,
    TabStep,
    describe_change,
)
from sayso.providers.browser.remote.backend import describe_shortfall
from sayso.providers.browser.remote.page_actions import is_same_text, script_result
from sayso.providers.browser.remote.reads import remove_old_screenshots
from sayso.providers.browser.remote.settings import must_not_lead_to
from sayso.providers.macos.engine import build_engine
from sayso.providers.programs.run import ProgramRunner


def build_safari(context: BackendContext) -> "AppleBrowserBackend":
    """Return the backend for Safari."""
    return AppleBrowserBackend(SAFARI, context)


def build_chrome(context: BackendContext) -> "AppleBrowserBackend":
    """Return the backend for Google Chrome."""
    return AppleBrowserBackend(CHROME, context)


class AppleBrowserBackend:
    """Controls the person's own browser by Apple events; what it may load cannot be held back as in sayso's own one."""

    imagines = True
    note = ""
    reads: Any
    """Each access returns a new `AppleTabs`, so that every batch keeps its own numbers for the tabs it first saw."""

    def __init__(self, kind: AppleBrowserKind, context: BackendContext) -> None:
        self.name = kind.kind
        self._browser = AppleBrowser(kind, build_engine(context))
        runner = ProgramRunner(context.environ, context.ids)
        self._services = AppleServices(
            self._browser, site_settings(context), context.ids, context.clock, context.own, runner
        )
        self._kill = context.kill

    def __getattr__(self, name: str) -> Any:
        """Return a new `AppleTabs` for the name `reads`."""
        if name == "reads":
            return AppleTabs(self._services, [])
        raise AttributeError(name)

    def imagine(self, seen: AppleTabs, step: Steps, ref: ChangeRef) -> AppleTabs:
        """Return what operations can read after the step."""
        return seen.after(step, ref)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        try:
            seen = await self._require(expects)
            self._kill(f"{step.step}.before")
            left = Applied(await self._do(step, expects, seen))
        except SetupError as missing:
            # A missing permission is noticed only when the browser is asked, and then nothing was changed.
            raise ProviderError(str(missing), missing.code) from missing
        self._kill(f"{step.step}.after")
        return left

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` if one of these facts no longer holds."""
        await self._require(expects)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        closed = step.closes(expects)
        if not closed:
            return CannotTell("the look of a page or a tab does not by itself show who changed it")
        seen = await self._browser.look()
        urls = {fact.about: fact.url for fact in expects if isinstance(fact, TabAt)}
        left = [tab for tab in closed if seen.find(tab, urls.get(tab, "")) is not None]
        if not left:
            return Applied(tuple(TabClosed(tab) for tab in closed))
        if len(left) == len(closed):
            return NotDone("the tabs are still open")
        return CannotTell(f"{len(left)} of {len(closed)} tabs are still open")

    def tells(self, step: Steps, left: Applied) -> str:
        """Return what is missing from the result of a step; empty if nothing is."""
        return describe_shortfall(left.facts)

    def foretells(self, step: TabStep) -> str:
        """Return what an undo step would not restore; empty if it restores everything."""
        return step.drawback()

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether sayso may control the browser, and run scripts in its pages."""
        name, app = "tabs and pages", self._browser.kind.app
        try:
            seen = await self._browser.look()
            if seen.active is not None and seen.active.url.startswith(("http:", "https:")):
                await self._browser.call(seen.active, PageState, "look")
        except (ProviderError, SetupError) as error:
            return (Capability(name, "", str(error), f"open {app} and allow it, then run sayso doctor again"),)
        return (Capability(name, app, f"{len(seen.tabs)} tabs are open"),)

    def prune(self) -> int:
        """Remove screenshots that are older than a day; return how many were removed."""
        return remove_old_screenshots(self._services.own, self._services.clock.now())

    async def _require(self, expects: Facts) -> Seen:
        """Return the open tabs. Raises `ProviderError` for the first fact that no longer holds."""
        seen = await self._browser.look()
        urls = {fact.about: fact.url for fact in expects if isinstance(fact, TabAt | PageAt)}
        for fact in expects:
            if not await self._holds(fact, seen, urls):
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")
        return seen

    async def _holds(self, fact: Fact, seen: Seen, urls: dict[str, str]) -> bool:
        match fact:
            case TabAt(tab, url):
                return seen.find(tab, url) is not None
            case TabClosed(tab):
                return all(each.id != tab for each in seen.tabs)
            case TabInFront(_, tab, before):
                ids = {each.id for each in seen.tabs}
                return seen.active is not None and seen.active.id == tab and (not before or before in ids)
            case PageAt(tab, url):
                found = seen.find(tab, url)
                if found is None:
                    return False
                page, _ = await self._browser.call(found, PageState, "look")
                return page_fact(tab, page) == fact
            case ElementAt(about):
                tab, _, selector = about.partition(" ")
                found = seen.find(tab, urls.get(tab, ""))
                if found is None:
                    return False
                _, element = await self._browser.call(found, PageElement, "element", selector)
                return element_fact(tab, selector, usable(element, selector)) == fact
            case Returned() | NotShown() | PageAsked() | TabsReopened():
                return True
            case _:
                raise unchecked(fact)

    async def _do(self, step: Steps, expects: Facts, seen: Seen) -> Facts:
        match step:
            case OpenTab(_, url):
                must_not_lead_to(url, self._services.ports)
                return self._opened(await self._browser.act("open", url=url), url)
            case CloseOpened() | CloseTabs():
                return await self._close(step.closes(expects), expects, seen)
            case SwitchTab() | SwitchBack():
                return await self._front(step, expects, seen)
            case ReopenTabs():
                return await self._reopen(step)
            case Navigate(_, tab, url):
                must_not_lead_to(url, self._services.ports)
                found = _require_tab(seen, tab, expects)
                await self._browser.act("navigate", tab=found.where, url=url)
                return (TabAt(tab, url),)
            case RunScript() | Click() | Fill():
                return await self._in_page(step, expects, seen)
            case _:
                assert_never(step)

    def _opened(self, reply: BrowserReply, url: str) -> Facts:
        seen = see(reply)
        tab = seen.at(reply.made[0]) if reply.made else None
        if tab is None:
            raise Uncertain("the browser did not say where the new tab is; look at it", "tab.not_opened")
        return (TabAt(tab.id, tab.url or url),)

    async def _close(self, tabs: tuple[str, ...], expects: Facts, seen: Seen) -> Facts:
        found = [_require_tab(seen, tab, expects) for tab in tabs]
        left = see(await self._browser.act("close", tabs=[tab.where for tab in found]))
        open_still = sum(left.find(tab.id, tab.url) is not None for tab in found)
        if open_still:
            raise Uncertain(f"{open_still} of {len(tabs)} tabs are still open; a page may ask something", "tab.open")
        return tuple(TabClosed(tab) for tab in tabs)

    async def _front(self, step: SwitchTab | SwitchBack, expects: Facts, seen: Seen) -> Facts:
        fact = step.fronts(expects, seen.active.id if seen.active else "")
        found = next((tab for tab in seen.tabs if tab.id == fact.tab), None)
        if found is None:
            raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed")
        now = see(await self._browser.act("front", tab=found.where)).active
        if now is None or now.id != fact.tab:
            raise Uncertain("the browser did not bring the tab to the front")
        return (fact,)

    async def _reopen(self, step: ReopenTabs) -> Facts:
        for url in step.urls:
            must_not_lead_to(url, self._services.ports)
        rows = zip(step.urls, step.windows, step.places, strict=True)
        tabs: list[Any] = [{"url": url, "window": window, "place": place} for url, window, place in rows]
        reply = await self._browser.act("reopen", tabs=tabs)
        seen = see(reply)
        made = [(tab, url) for one, url in zip(reply.made, step.urls, strict=True) if (tab := seen.at(one))]
        facts = tuple(TabAt(tab.id, tab.url or url) for tab, url in made)
        return (
            *facts,
            TabsReopened(step.browser, sum(one.elsewhere for one in reply.made), len(step.urls) - len(made)),
        )

    async def _in_page(self, step: RunScript | Click | Fill, expects: Facts, seen: Seen) -> Facts:
        if served_ports(self._services.own):
            raise ProviderError(
                "while a page of sayso's own is open, nothing is done in pages of this browser, because they could "
                "reach it; close it, or set browser.kind to cdp",
                "page.unheld",
            )
        tab = _require_tab(seen, step.tab, expects)
        must_be_readable(tab.url, self._services)
        if isinstance(step, RunScript):
            return (script_result(step.token, await self._browser.run_code(tab, step.code)),)
        page, element = await self._browser.call(tab, PageElement, "element", step.selector)
        usable(element, step.selector)
        if isinstance(step, Click):
            await self._change(tab, step.selector, element, "click")
            return (page_fact(step.tab, page),)
        now = await self._change(tab, step.selector, element, "fill", step.value)
        if now is None or (now.value is not None and not is_same_text(now.value, step.value)):
            raise Uncertain(f"{quoted(step.selector)} did not take that value; look at the page", "page.not_taken")
        return (page_fact(step.tab, page), element_fact(step.tab, step.selector, now))

    async def _change(
        self, tab: SeenTab, selector: str, element: PageElement, name: str, *data: str
    ) -> PageElement | None:
        """Click or fill the element if it is still the same; return it as it is then."""
        leads: list[Json] = [element.opens, element.submits]
        expected: list[Json] = [element.tag, element.role, element.name, element.value, *leads]
        _, done = await self._browser.call(tab, PageChange, name, selector, *data, expected, changes=True)
        match done.problem:
            case "":
                return done.now
            case "option":
                raise ProviderError("the field has no such choice; nothing was changed", "page.no_option")
            case _:
                raise ProviderError(f"what {quoted(selector)} finds has changed; nothing was done", "page.changed")


def _require_tab(seen: Seen, tab: str, expects: Facts) -> SeenTab:
    """Return the tab that the facts name. Raises `ProviderError` if it is gone."""
    url = next((fact.url for fact in expects if isinstance(fact, TabAt | PageAt) and fact.about == tab), "")
    found = seen.find(tab, url)
    if found is None:
        raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed")
    return found
