"""What a page asks, and what came of sending a tab to an address."""

from collections.abc import Iterable, Sequence

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.core.values import dataclass
from sayso.providers.browser.model import Asked, NotShown


class Dialog(msgspec.Struct, frozen=True):
    """A question that a page asks."""

    type: str
    message: str = ""


def must_not_ask(dialogs: Iterable[Dialog]) -> None:
    """Raise `ProviderError` for the first question that somebody must answer."""
    for dialog in dialogs:
        match dialog.type:
            case "file":
                raise ProviderError(
                    "the page asks for a file, and files are chosen by a person; do that in the browser",
                    "page.asks_file",
                )
            case "beforeunload":
                raise ProviderError(
                    "the page asks before it is left, because something is not saved in it", "page.asks"
                )
            case "confirm" | "prompt":
                raise ProviderError(f"{asked(dialog)}; answer it in the browser", "page.asks")
            case _:
                pass


def must_let_go(dialogs: Iterable[Dialog]) -> None:
    """Raise `ProviderError` where a page asks before it is left; what the next one asks does not keep it away."""
    must_not_ask(dialog for dialog in dialogs if dialog.type == "beforeunload")


def asked(dialog: Dialog) -> str:
    """Say what was asked, and what it got for an answer."""
    return f"the page asked “{dialog.message[:200]}” and got no for an answer"


def told(tab: str, dialogs: Iterable[Dialog]) -> tuple[Asked, ...]:
    """Return the fact of what the page that a tab went to asked first, if it did."""
    questions = [asked(dialog) for dialog in dialogs if dialog.type in {"confirm", "prompt"}]
    return (Asked(tab, questions[0]),) if questions else ()


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
