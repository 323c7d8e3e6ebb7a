"""The tabs store on a real browser of the Chromium family: its three verbs and its reads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread

from sayso.core.errors import SetupError
from sayso.core.plan import Facts, Left, Ref, Settled
from sayso.core.ports import Ground
from sayso.providers.browser.address import Rules
from sayso.providers.browser.cdp import pictures
from sayso.providers.browser.cdp.acting import Acting
from sayso.providers.browser.cdp.chromium import Chromium
from sayso.providers.browser.cdp.reads import Reads, Serving
from sayso.providers.browser.cdp.settling import settled
from sayso.providers.browser.cdp.summaries import Summaries
from sayso.providers.browser.cdp.where import Wanted, endpoint
from sayso.providers.browser.own_pages import own_ports
from sayso.providers.browser.reading import Settings


class Cdp:
    """A browser that is spoken to over its DevTools."""

    imagines = True
    note = ""
    reads: Any
    """New reads each time they are asked for: a batch has its own, whose numbers mean what it first saw."""

    def __init__(self, ground: Ground, wanted: Wanted, settings: Settings, downloads: Path | None) -> None:
        self.name = f"cdp:{wanted.url}" if wanted.url else "cdp"
        self._own = ground.own
        self._clock = ground.clock
        self._chromium = Chromium(
            lambda: endpoint(wanted, ground.own), ground.home, ground.clock, lived_in=wanted.default_profile
        )
        self._acting = Acting(self._chromium, lambda: own_ports(ground.own), downloads, ground.kill)
        self._serving = Serving(self._chromium, settings, ground.ids, ground.clock, ground.own, Summaries())

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
        return await to_thread.run_sync(settled, self._chromium, step, expects)

    def imagine(self, seen: Reads, step: Any, ref: Ref) -> Reads:
        """Return reads in which a step was done."""
        return seen.after(step, ref)

    def prune(self) -> int:
        """Remove pictures of pages that are older than a day."""
        return pictures.remove_old(self._own, self._clock.now())

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        self._chromium.close()


def build(ground: Ground) -> Cdp:
    """Return a backend for the browser that the settings name, or for sayso's own. It is connected to when needed."""
    told = ground.settings
    try:
        rules = Rules(
            msgspec.convert(told.get("sites", {}), dict[str, str]),
            msgspec.convert(told.get("schemes", ()), tuple[str, ...]),
        )
        asking = msgspec.convert(ground.options.get("confirm_sites", ()), tuple[str, ...])
    except msgspec.ValidationError as wrong:
        raise SetupError(f"what the settings say of sites is wrong: {wrong}", "config.browser") from wrong
    wanted = Wanted(
        str(told.get("cdp_url") or ""), bool(told.get("remote", False)), bool(told.get("default_profile", False))
    )
    downloads = downloads_in(str(told.get("downloads") or ""), ground.home, ground.roots)
    return Cdp(ground, wanted, Settings(rules, asking), downloads)


def downloads_in(named: str, home: str, roots: Sequence[str]) -> Path | None:
    """Return where files that a page gives out may go: within the roots, or nowhere (BR-07). Raises `SetupError`."""
    real = [Path(root).resolve() for root in roots]
    if named:
        folder = Path(named).resolve()
        if not any(folder.is_relative_to(root) for root in real):
            raise SetupError(
                f"browser.downloads in the settings is {named}, which is in none of the folders that may be reached",
                "browser.downloads",
            )
        return folder
    usual = Path(home, "Downloads").resolve()
    return next((root for root in real if root == usual), real[0] if real else None)
