"""The tabs store on a real browser: its three verbs and its reads."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.address import own_ports
from sayso.providers.browser.model import (
    Again,
    Asked,
    Closed,
    CloseOpened,
    CloseTabs,
    Navigate,
    NotShown,
    ReopenTabs,
    Steps,
    TabAt,
)
from sayso.providers.browser.remote import reads as pictures
from sayso.providers.browser.remote.actions import Acting
from sayso.providers.browser.remote.connection import Lost, No
from sayso.providers.browser.remote.driver import Browser, Spoken
from sayso.providers.browser.remote.reads import Reads, Serving, Summaries
from sayso.providers.browser.remote.settings import Told


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
                raise ProviderError(f"{describe_dialog(dialog)}; answer it in the browser", "page.asks")
            case _:
                pass


def must_let_go(dialogs: Iterable[Dialog]) -> None:
    """Raise `ProviderError` where a page asks before it is left; what the next one asks does not keep it away."""
    must_not_ask(dialog for dialog in dialogs if dialog.type == "beforeunload")


def describe_dialog(dialog: Dialog) -> str:
    """Say what was asked, and what it got for an answer."""
    return f"the page asked “{dialog.message[:200]}” and got no for an answer"


def dialog_facts(tab: str, dialogs: Iterable[Dialog]) -> tuple[Asked, ...]:
    """Return the fact of what the page that a tab went to asked first, if it did."""
    questions = [describe_dialog(dialog) for dialog in dialogs if dialog.type in {"confirm", "prompt"}]
    return (Asked(tab, questions[0]),) if questions else ()


class Arrival(Struct, frozen=True):
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
        return (*((NotShown(tab, self.why),) if self.why else ()), *dialog_facts(tab, dialogs))


def must_be_shown(url: str, came: Facts) -> Facts:
    """Return what came of going to an address. Raises `ProviderError` when the browser's own words stand there."""
    for fact in came:
        if isinstance(fact, NotShown):
            raise _unreachable(url, fact.why)
    return came


def _unreachable(url: str, why: str) -> ProviderError:
    return ProviderError(f"{url} cannot be shown: {why}", "url.unreachable")


ANEW = "opened anew: what was typed there, how far it was scrolled, and what it showed before are gone"


def foretold(step: Steps) -> str:
    """Say what a step does not bring back when it is a way back; empty where that is nothing."""
    match step:
        case ReopenTabs(_, urls):
            return f"{'their addresses are' if len(urls) > 1 else 'its address is'} {ANEW}"
        case Navigate():
            return f"its address is {ANEW}"
        case _:
            return ""


def describe_shortfall(left: Facts) -> str:
    """Say what came of a step, where that is less than was wanted."""
    return ", ".join(note for note in _notes(left) if note)


def _notes(left: Facts) -> Iterable[str]:
    return (_note(fact) for fact in left)


def _note(fact: Fact) -> str:
    match fact:
        case NotShown(_, why):
            return f"its page cannot be shown: {why}"
        case Asked(_, what):
            return what
        case Again(_, elsewhere, unseen):
            moved = f"{elsewhere} not at the place it had" if elsewhere else ""
            return ", ".join(each for each in (moved, f"{unseen} not loaded yet" if unseen else "") if each)
        case _:
            return ""


ENDED = "the browser it was done in has ended, or does not answer"
UNSIGNED = "how a page or a tab looks does not by itself show who made it so"


def settle_step(browser: Browser, step: Steps, expects: Facts) -> Settlement:
    """Ask the browser. Starts nothing."""
    try:
        with browser.connected() as now:
            return _settle_by_looking(now, step, expects)
    except (Lost, TimeoutError, No, ProviderError, SetupError):
        return CannotTell(ENDED)


def _settle_by_looking(now: Spoken, step: Steps, expects: Facts) -> Settlement:
    match step:
        case CloseTabs(_, tabs):
            return _settle_close(now, tabs)
        case CloseOpened():
            return _settle_close(now, tuple(fact.about for fact in expects if isinstance(fact, TabAt)))
        case Navigate(_, tab):
            before = next((fact for fact in expects if isinstance(fact, TabAt)), None)
            shown = next((each.url for each in now.tabs() if each.id == tab), "")
            same = before is not None and before.url == shown != step.url
            return NotDone("the tab still shows the page it had") if same else CannotTell(UNSIGNED)
        case _:
            return CannotTell(UNSIGNED)


def _settle_close(now: Spoken, tabs: tuple[str, ...]) -> Settlement:
    if not all(now.knows(tab) for tab in tabs):
        return CannotTell(ENDED)
    left = {tab.id for tab in now.tabs()}.intersection(tabs)
    if not left:
        return Applied(tuple(Closed(tab) for tab in tabs))
    if len(left) == len(tabs):
        return NotDone("the tabs are still open")
    return CannotTell(f"{len(left)} of {len(tabs)} tabs are still open")


Looks = Callable[[frozenset[int]], tuple[Capability, ...]]


class Live:
    """A browser that is spoken to while it runs."""

    imagines = True
    note = ""
    reads: Any
    """New reads each time they are asked for: a batch has its own, whose numbers mean what it first saw."""

    def __init__(self, kind: str, ground: BackendContext, said: Told, browser: Browser, looks: Looks) -> None:
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

    async def apply(self, step: Any, expects: Facts) -> Applied:
        """Do a step, if what it expects is still so."""
        return await self._acting.do(step, expects)

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """Say what became of a step that had begun when its process died."""
        return await to_thread.run_sync(settle_step, self.browser, step, expects)

    def tells(self, step: Any, left: Applied) -> str:
        """Say what came of a step, where that is less than was wanted."""
        return describe_shortfall(left.facts)

    def foretells(self, step: Any) -> str:
        """Say what a way back does not bring back."""
        return foretold(step)

    def imagine(self, seen: Reads, step: Any, ref: ChangeRef) -> Reads:
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
