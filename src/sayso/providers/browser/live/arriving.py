"""What came of sending a tab to an address, whichever kind of browser it is."""

from collections.abc import Sequence

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.core.values import dataclass
from sayso.providers.browser.facts import NotShown
from sayso.providers.browser.live.dialogs import Dialog, must_let_go, told


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a browser said of an address that a tab was sent to."""

    url: str
    why: str = ""
    """Why the browser shows its own words there in place of a page."""
    stays: bool = False
    """The tab is as it was."""
    file: bool = False
    """It is a file to download."""

    def told(self, tab: str, dialogs: Sequence[Dialog]) -> Facts:
        """Return that there is no page, and what there is asked. Raises `ProviderError` for what changed nothing."""
        must_let_go(dialogs)
        if self.file:
            raise ProviderError(f"{self.url} is a file to download and no page; nothing was downloaded", "url.download")
        if self.stays:
            raise _unreachable(self.url, self.why)
        return (*((NotShown(tab, self.why),) if self.why else ()), *told(tab, dialogs))


def must_be_shown(url: str, came: Facts) -> Facts:
    """Return what came of going to an address. Raises `ProviderError` when the browser's own words stand there."""
    for fact in came:
        if isinstance(fact, NotShown):
            raise _unreachable(url, fact.why)
    return came


def _unreachable(url: str, why: str) -> ProviderError:
    return ProviderError(f"{url} cannot be shown: {why}", "url.unreachable")
