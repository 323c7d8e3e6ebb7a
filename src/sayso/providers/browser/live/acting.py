"""Do one step in a browser, if what it expects is still so; a browser that ends in the middle leaves it uncertain."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
from anyio import to_thread

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Facts, Left
from sayso.core.values import dataclass
from sayso.providers.browser.facts import NotShown, TabAt
from sayso.providers.browser.live import changing, clicking, filling, scripts
from sayso.providers.browser.live.calling import Lost, No
from sayso.providers.browser.live.checking import must_hold
from sayso.providers.browser.live.ports import Browser, Hands, Spoken
from sayso.providers.browser.live.summaries import Summaries
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

LOOKED_AT = 2000
"""How many characters of a page are looked at for its summary."""
BROKEN = "the browser ended, or stopped answering, while this was done"


class Seen(msgspec.Struct, frozen=True):
    """How a page begins."""

    text: str


@dataclass(frozen=True)
class Acting:
    """Does steps in this browser. `ports` are those of sayso's own pages; `downloads` is where files may go."""

    browser: Browser
    ports: Callable[[], frozenset[int]]
    downloads: Path | None
    kill: Callable[[str], None]
    summaries: Summaries

    async def do(self, step: Steps, expects: Facts) -> Left:
        """Do a step. Raises `ProviderError`, `Refused`, `Uncertain`."""
        return await to_thread.run_sync(self._do, step, expects)

    def _do(self, step: Steps, expects: Facts) -> Left:
        begun = False
        try:
            with self.browser.connected() as now:
                must_hold(now, expects)
                self.kill(f"{step.step}.before")
                begun = True
                left = Left(self._does(now, step, expects))
                if isinstance(step, (OpenTab, Navigate)):
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
            case OpenTab(_, url):
                return hands.opened(url)
            case SwitchTab(browser, tab):
                return changing.switched(hands, browser, tab)
            case SwitchBack(browser):
                return changing.switched_back(hands, browser, expects)
            case CloseTabs(_, tabs):
                return changing.closed(hands, tabs, self.ports())
            case CloseOpened():
                return changing.closed_again(hands, expects, self.ports())
            case ReopenTabs():
                return changing.reopened(hands, step)
            case _:
                return _in_page(hands, step)


def _in_page(hands: Hands, step: Navigate | RunScript | Click | Fill) -> Facts:
    match step:
        case Navigate(_, tab, url):
            return hands.navigated(tab, url)
        case RunScript(_, tab, code, token):
            return scripts.ran(hands, tab, code, token)
        case Click(_, tab, selector):
            return clicking.clicked(hands, tab, selector)
        case Fill(_, tab, selector, value):
            return filling.filled(hands, tab, selector, value)
