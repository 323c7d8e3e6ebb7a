"""Going to an address: what the page asks on the way, how the tab arrives, and what is uncertain once it has begun."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.model import NotShown, PageAsked
from sayso.providers.browser.remote.connection import ProtocolClient, ProtocolEvent

LOADING = 10.0
"""How many seconds a page may take to load; what there is then is what there is."""
ADVICE = "look at the page before you try it again"


class PageDialog(Struct, frozen=True):
    """A question that a page asks."""

    type: str
    message: str = ""

    @property
    def accepted(self) -> bool:
        """Return whether it is answered with yes: only an alert is, which is no question."""
        return self.type == "alert"


def must_not_ask(dialogs: Iterable[PageDialog]) -> None:
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


def must_let_go(dialogs: Iterable[PageDialog]) -> None:
    """Raise `ProviderError` if a page asks before it is left; questions of the next page do not matter here."""
    must_not_ask(dialog for dialog in dialogs if dialog.type == "beforeunload")


def describe_dialog(dialog: PageDialog) -> str:
    """Say what was asked, and that the answer was no."""
    return f"the page asked “{dialog.message[:200]}” and got no for an answer"


def dialog_facts(tab: str, dialogs: Iterable[PageDialog]) -> tuple[PageAsked, ...]:
    """Return the fact of the first question that the new page of a tab asked, if it asked one."""
    questions = [describe_dialog(dialog) for dialog in dialogs if dialog.type in {"confirm", "prompt"}]
    return (PageAsked(tab, questions[0]),) if questions else ()


class LoadWatch:
    """What a page does from now on, until `stop`: whether it is loading, and what it asks.

    A subclass hears the events of its browser in `_hear`.
    """

    def __init__(self, client: ProtocolClient) -> None:
        self._client = client
        self._loading = False
        self.dialogs: list[PageDialog] = []
        self.downloads: list[str] = []
        """The addresses that turned out to be files, if the browser reports them this way."""
        self.stop: Callable[[], None] = client.listen(self._hear)

    def _hear(self, event: ProtocolEvent) -> None:
        raise NotImplementedError

    def _is_over(self) -> bool:
        return not self._loading

    def fail(self) -> None:
        """Note that the page that the tab was sent to does not come."""
        self._loading = False

    def wait(self) -> None:
        """Wait until what the tab began to load is there, for `LOADING` seconds at most."""
        self._client.wait(self._is_over, LOADING)


class Arrival(Struct, frozen=True):
    """Where a tab that was sent to an address has arrived, as the browser reports it."""

    url: str
    error: str = ""
    """Why the browser shows an error page of its own there."""
    stays: bool = False
    """The tab still shows the page it had."""
    file: bool = False
    """The address is a file to download."""

    def facts(self, tab: str, dialogs: Sequence[PageDialog]) -> Facts:
        """Return that there is no page and what the page asked. Raises `ProviderError` if the tab did not change."""
        must_let_go(dialogs)
        if self.file:
            raise ProviderError(f"{self.url} is a file to download and no page; nothing was downloaded", "url.download")
        if self.stays:
            raise _unreachable(self.url, self.error)
        return (*((NotShown(tab, self.error),) if self.error else ()), *dialog_facts(tab, dialogs))


def must_be_shown(url: str, facts: Facts) -> Facts:
    """Return the facts of an arrival. Raises `ProviderError` if the browser shows an error page there."""
    for fact in facts:
        if isinstance(fact, NotShown):
            raise _unreachable(url, fact.why)
    return facts


def _unreachable(url: str, why: str) -> ProviderError:
    return ProviderError(f"{url} cannot be shown: {why}", "url.unreachable")


class PageAction:
    """Something that is done in a page, and what it may have done already."""

    def __init__(self) -> None:
        self._begun = ""

    def begin(self, what: str) -> None:
        """Note that from here on something may have been done; `what` is a clause that says what."""
        self._begun = what

    def undone(self) -> None:
        """Note that nothing was done after all, or that all is as it was before."""
        self._begun = ""

    @property
    def begun(self) -> str:
        """Return what may have been done, empty while nothing was begun."""
        return self._begun


@contextmanager
def page_action() -> Generator[PageAction]:
    """Yield an action in a page. What fails once it has begun raises `Uncertain`, which says what was begun."""
    action = PageAction()
    try:
        yield action
    except TimeoutError as late:
        if not action.begun:
            raise
        raise Uncertain(f"the page stopped answering while {action.begun}; {ADVICE}", "page.hangs") from late
    except ProviderError as error:
        if not action.begun or isinstance(error, Uncertain):
            raise
        raise Uncertain(f"{action.begun}, and then: {error}; {ADVICE}", error.code) from error
