"""The backends for Safari and Chrome on macOS: they do the steps of the tabs store."""

from typing import Any

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.browser.address import served_ports
from sayso.providers.browser.apple.control import (
    CHROME,
    SAFARI,
    AppleBrowser,
    AppleBrowserKind,
    PageChange,
    PageElement,
    PageState,
    Seen,
    SeenTab,
    see,
)
from sayso.providers.browser.apple.reads import AppleServices, AppleTabs, element_fact, page_fact
from sayso.providers.browser.memory import site_settings
from sayso.providers.browser.model import (
    Click,
    ElementAt,
    Fill,
    OpenTab,
    PageAt,
    ReopenTabs,
    RunScript,
    Steps,
    SwitchBack,
    SwitchTab,
    TabAt,
    TabClosed,
    TabInFront,
    TabsReopened,
    describe_change,
)
from sayso.providers.browser.remote.page_actions import is_same_text, script_result
from sayso.providers.browser.remote.planned import (
    UNSIGNED,
    TabsBackend,
    check_fact,
    do_step,
    must_be_readable,
    settle_closing,
)
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


class AppleBrowserBackend(TabsBackend):
    """Controls the person's own browser by Apple events; what it may load cannot be held back as in sayso's own one."""

    def __init__(self, kind: AppleBrowserKind, context: BackendContext) -> None:
        self.name = kind.kind
        self._browser = AppleBrowser(kind, build_engine(context))
        runner = ProgramRunner(context.environ, context.ids)
        self._services = AppleServices(
            self._browser, site_settings(context), context.ids, context.clock, context.own, runner
        )
        self._kill = context.kill

    def new_reads(self) -> AppleTabs:
        return AppleTabs(self._services)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        try:
            seen = await self._require(expects, starts=isinstance(step, OpenTab))
            self._kill(f"{step.step}.before")
            left = Applied(await do_step(AppleDeeds(self._browser, self._services, expects, seen), step, expects))
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
            return CannotTell(UNSIGNED)
        seen = await self._browser.look()
        urls = {fact.about: fact.url for fact in expects if isinstance(fact, TabAt)}
        return settle_closing(closed, [tab for tab in closed if seen.find(tab, urls.get(tab, "")) is not None])

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

    async def _require(self, expects: Facts, *, starts: bool = False) -> Seen:
        """Return the open tabs; none if the browser does not run and the step starts it.

        Raises `ProviderError` for the first fact that no longer holds.
        """
        seen = await (self._browser.look_if_running() if starts else self._browser.look())
        urls = {fact.about: fact.url for fact in expects if isinstance(fact, TabAt | PageAt)}
        judge = AppleJudge(self._browser, seen, urls)
        for fact in expects:
            held = check_fact(judge, fact)
            if held is not None and not await held:
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")
        return seen


class AppleJudge(Struct, frozen=True):
    """Checks facts in a browser with these tabs; `urls` are the addresses at which the facts expect them."""

    browser: AppleBrowser
    seen: Seen
    urls: dict[str, str]

    async def tab_at(self, fact: TabAt) -> bool:
        return self.seen.find(fact.about, fact.url) is not None

    async def closed(self, tab: str) -> bool:
        return all(each.id != tab for each in self.seen.tabs)

    async def in_front(self, fact: TabInFront) -> bool:
        active, ids = self.seen.active, {each.id for each in self.seen.tabs}
        return active is not None and active.id == fact.tab and (not fact.before or fact.before in ids)

    async def page_at(self, fact: PageAt) -> bool:
        found = self.seen.find(fact.about, fact.url)
        if found is None:
            return False
        page, _ = await self.browser.call(found, PageState, "look")
        return page_fact(fact.about, page) == fact

    async def element_at(self, fact: ElementAt, tab: str, selector: str) -> bool:
        found = self.seen.find(tab, self.urls.get(tab, ""))
        if found is None:
            return False
        _, element = await self.browser.element(found, selector)
        return element_fact(tab, selector, element) == fact


class AppleDeeds(Struct, frozen=True):
    """Does steps in a browser with these tabs, after the facts were checked, and returns the facts that result."""

    browser: AppleBrowser
    services: AppleServices
    expects: Facts
    seen: Seen

    async def open(self, url: str) -> Facts:
        must_not_lead_to(url, self.services.ports)
        reply = await self.browser.act("open", url=url)
        seen = see(reply)
        tab = seen.at(reply.made[0]) if reply.made else None
        if tab is None:
            raise Uncertain("the browser did not say where the new tab is; look at it", "tab.not_opened")
        return (TabAt(tab.id, tab.url or url),)

    async def navigate(self, tab: str, url: str) -> Facts:
        must_not_lead_to(url, self.services.ports)
        await self.browser.act("navigate", tab=self._require(tab).where, url=url)
        return (TabAt(tab, url),)

    async def close(self, tabs: tuple[str, ...]) -> Facts:
        found = [self._require(tab) for tab in tabs]
        left = see(await self.browser.act("close", tabs=[tab.where for tab in found]))
        open_still = sum(left.find(tab.id, tab.url) is not None for tab in found)
        if open_still:
            raise Uncertain(f"{open_still} of {len(tabs)} tabs are still open; a page may ask something", "tab.open")
        return tuple(TabClosed(tab) for tab in tabs)

    async def front(self, step: SwitchTab | SwitchBack, expects: Facts) -> Facts:
        fact = step.fronts(expects, self.seen.active.id if self.seen.active else "")
        found = next((tab for tab in self.seen.tabs if tab.id == fact.tab), None)
        if found is None:
            raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed")
        now = see(await self.browser.act("front", tab=found.where)).active
        if now is None or now.id != fact.tab:
            raise Uncertain("the browser did not bring the tab to the front")
        return (fact,)

    async def reopen(self, step: ReopenTabs) -> Facts:
        for url in step.urls:
            must_not_lead_to(url, self.services.ports)
        rows = zip(step.urls, step.windows, step.places, strict=True)
        tabs: list[Any] = [{"url": url, "window": window, "place": place} for url, window, place in rows]
        reply = await self.browser.act("reopen", tabs=tabs)
        seen = see(reply)
        made = [(tab, url) for one, url in zip(reply.made, step.urls, strict=True) if (tab := seen.at(one))]
        facts = tuple(TabAt(tab.id, tab.url or url) for tab, url in made)
        return (
            *facts,
            TabsReopened(step.browser, sum(one.elsewhere for one in reply.made), len(step.urls) - len(made)),
        )

    async def run(self, step: RunScript) -> Facts:
        return (script_result(step.token, await self.browser.run_code(self._held(step.tab), step.code)),)

    async def click(self, step: Click) -> Facts:
        tab = self._held(step.tab)
        page, element = await self.browser.element(tab, step.selector)
        await self._change(tab, step.selector, element, "click")
        return (page_fact(step.tab, page),)

    async def fill(self, step: Fill) -> Facts:
        tab = self._held(step.tab)
        page, element = await self.browser.element(tab, step.selector)
        now = await self._change(tab, step.selector, element, "fill", step.value)
        if now is None or (now.value is not None and not is_same_text(now.value, step.value)):
            raise Uncertain(f"{quoted(step.selector)} did not take that value; look at the page", "page.not_taken")
        return (page_fact(step.tab, page), element_fact(step.tab, step.selector, now))

    def _held(self, tab: str) -> SeenTab:
        """Return the tab of a page in which something may be done."""
        if served_ports(self.services.own):
            raise ProviderError(
                "while a page of sayso's own is open, nothing is done in pages of this browser, because they could "
                "reach it; close it, or set browser.kind to cdp",
                "page.unheld",
            )
        found = self._require(tab)
        must_be_readable(found.url, self.services)
        return found

    async def _change(
        self, tab: SeenTab, selector: str, element: PageElement, name: str, *data: str
    ) -> PageElement | None:
        """Click or fill the element if it is still the same; return it as it is then."""
        leads: list[Json] = [element.opens, element.submits]
        expected: list[Json] = [element.tag, element.role, element.name, element.value, *leads]
        _, done = await self.browser.call(tab, PageChange, name, selector, *data, expected, changes=True)
        match done.problem:
            case "":
                return done.now
            case "option":
                raise ProviderError("the field has no such choice; nothing was changed", "page.no_option")
            case _:
                raise ProviderError(f"what {quoted(selector)} finds has changed; nothing was done", "page.changed")

    def _require(self, tab: str) -> SeenTab:
        """Return the tab that the facts name. Raises `ProviderError` if it is gone."""
        url = next((fact.url for fact in self.expects if isinstance(fact, TabAt | PageAt) and fact.about == tab), "")
        found = self.seen.find(tab, url)
        if found is None:
            raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed")
        return found
