"""The tabs store on a real browser: its three verbs and its reads."""

from collections.abc import Callable
from typing import Any

from anyio import to_thread

from sayso.core.capability import Capability
from sayso.core.plan import Facts, Left, Ref, Settled
from sayso.core.ports import Ground
from sayso.providers.browser.live import pictures
from sayso.providers.browser.live.acting import Acting
from sayso.providers.browser.live.ports import Browser
from sayso.providers.browser.live.reads import Reads, Serving
from sayso.providers.browser.live.settling import settled
from sayso.providers.browser.live.summaries import Summaries
from sayso.providers.browser.live.telling import foretold, told_of
from sayso.providers.browser.live.told import Told
from sayso.providers.browser.own_pages import own_ports

Looks = Callable[[frozenset[int]], tuple[Capability, ...]]


class Live:
    """A browser that is spoken to while it runs."""

    imagines = True
    note = ""
    reads: Any
    """New reads each time they are asked for: a batch has its own, whose numbers mean what it first saw."""

    def __init__(self, kind: str, ground: Ground, said: Told, browser: Browser, looks: Looks) -> None:
        self.name = f"{kind}:{said.wanted.url}" if said.wanted.url else kind
        self._own = ground.own
        self._clock = ground.clock
        self.browser = browser
        self._looks = looks
        summaries = Summaries()
        self._acting = Acting(browser, lambda: own_ports(ground.own), said.downloads, ground.kill, summaries)
        self._serving = Serving(browser, said.settings, ground.ids, ground.clock, ground.own, summaries)

    def __getattr__(self, name: str) -> Any:
        """Return new reads."""
        if name == "reads":
            return Reads(self._serving)
        raise AttributeError(name)

    async def apply(self, step: Any, expects: Facts) -> Left:
        """Do a step, if what it expects is still so."""
        return await self._acting.do(step, expects)

    async def settle(self, step: Any, expects: Facts) -> Settled:
        """Say what became of a step that had begun when its process died."""
        return await to_thread.run_sync(settled, self.browser, step, expects)

    def tells(self, step: Any, left: Left) -> str:
        """Say what came of a step, where that is less than was wanted."""
        return told_of(left.facts)

    def foretells(self, step: Any) -> str:
        """Say what a way back does not bring back."""
        return foretold(step)

    def imagine(self, seen: Reads, step: Any, ref: Ref) -> Reads:
        """Return reads in which a step was done."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say whether a browser answers, and how it is kept away from sayso's own pages."""
        return await to_thread.run_sync(self._looks, own_ports(self._own))

    def prune(self) -> int:
        """Remove pictures of pages that are older than a day."""
        return pictures.remove_old(self._own, self._clock.now())

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        self.browser.close()
