"""The tabs store on a real browser: reads tabs, does steps, and finds out after a crash whether a step was done."""

from typing import Any

from anyio import to_thread

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.address import own_ports
from sayso.providers.browser.model import Navigate, Steps, TabAt
from sayso.providers.browser.remote.actions import Actor
from sayso.providers.browser.remote.connection import CallError, ConnectionLost
from sayso.providers.browser.remote.driver import ActionBounds, BrowserDriver, BrowserSession
from sayso.providers.browser.remote.planned import UNSIGNED, TabsBackend, settle_closing
from sayso.providers.browser.remote.reads import PageSummaries, ReadServices, RemoteTabs, remove_old_screenshots
from sayso.providers.browser.remote.settings import BrowserSettings

ENDED = "the browser it was done in has ended, or does not answer"


class RemoteBackend(TabsBackend):
    """The back end for a browser that runs as a separate process and is controlled through its driver."""

    def __init__(self, kind: str, context: BackendContext, settings: BrowserSettings, driver: BrowserDriver) -> None:
        self.name = f"{kind}:{settings.wanted.url}" if settings.wanted.url else kind
        self.driver = driver
        self._context = context
        summaries = PageSummaries()
        self._services = ReadServices(driver, settings.sites, context.ids, context.clock, context.own, summaries)
        self._actor = Actor(
            driver, lambda: ActionBounds(own_ports(context.own), settings.downloads), context.kill, summaries
        )

    def new_reads(self) -> RemoteTabs:
        return RemoteTabs(self._services)

    async def apply(self, step: Any, expects: Facts) -> Applied:
        """Do a step if the facts it expects still hold."""
        return await self._actor.perform(step, expects)

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """Return whether a step was completed before its process died."""
        return await to_thread.run_sync(settle_step, self.driver, step, expects)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether a browser answers, and how it is kept away from sayso's own pages."""
        return await to_thread.run_sync(self.driver.capabilities, own_ports(self._context.own))

    def prune(self) -> int:
        """Remove screenshots that are older than a day; return how many were removed."""
        return remove_old_screenshots(self._context.own, self._context.clock.now())

    def close(self) -> None:
        self.driver.close()


def settle_step(driver: BrowserDriver, step: Steps, expects: Facts) -> Settlement:
    """Return whether a step was completed, by looking at the browser's tabs. Starts nothing."""
    try:
        with driver.connected() as session:
            return _settle_by_looking(session, step, expects)
    except (ConnectionLost, TimeoutError, CallError, ProviderError, SetupError):
        return CannotTell(ENDED)


def _settle_by_looking(session: BrowserSession, step: Steps, expects: Facts) -> Settlement:
    closed = step.closes(expects)
    if closed:
        return _settle_closing(session, closed)
    if isinstance(step, Navigate):
        before = next((fact for fact in expects if isinstance(fact, TabAt)), None)
        shown = next((each.url for each in session.tabs() if each.id == step.tab), "")
        if before is not None and before.url == shown != step.url:
            return NotDone("the tab still shows the page it had")
    return CannotTell(UNSIGNED)


def _settle_closing(session: BrowserSession, tabs: tuple[str, ...]) -> Settlement:
    if not all(session.knows(tab) for tab in tabs):
        return CannotTell(ENDED)
    return settle_closing(tabs, {tab.id for tab in session.tabs()}.intersection(tabs))
