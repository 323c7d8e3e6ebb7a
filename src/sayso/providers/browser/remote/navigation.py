"""Handle what happens when a tab goes to an address: dialogs, the arrival, and errors after an action has begun."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.core.quotes import quoted
from sayso.providers.browser.model import NotShown, PageAsked
from sayso.providers.browser.remote.connection import ProtocolClient, ProtocolEvent

LOADING = 10.0
"""Seconds to wait for a page to load; a slow page is then used as it is."""
ADVICE = "look at the page before you try it again"


class PageDialog(Struct, frozen=True):
    """A dialog that a page opens."""

    type: str
    message: str = ""

    @property
    def accepted(self) -> bool:
        """Return whether sayso accepts the dialog: only an alert is accepted, because it asks nothing."""
        return self.type == "alert"


def must_not_ask(dialogs: Iterable[PageDialog]) -> None:
    """Raise `ProviderError` for the first dialog that only a person may answer."""
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
    """Raise `ProviderError` if a page asks before it is left; other dialogs are ignored."""
    must_not_ask(dialog for dialog in dialogs if dialog.type == "beforeunload")


def describe_dialog(dialog: PageDialog) -> str:
    """Return the part of a message that quotes the question and says that the answer was no."""
    return f"the page asked {quoted(dialog.message[:200])} and got no for an answer"


def dialog_facts(tab: str, dialogs: Iterable[PageDialog]) -> tuple[PageAsked, ...]:
    """Return the fact about the first question that the new page of a tab asked; empty if it asked none."""
    questions = [describe_dialog(dialog) for dialog in dialogs if dialog.type in {"confirm", "prompt"}]
    return (PageAsked(tab, questions[0]),) if questions else ()


class LoadWatch:
    """Records whether a page is loading and which dialogs it opens, until `stop` is called.

    A subclass handles the events of its browser in `_hear`.
    """

    def __init__(self, client: ProtocolClient) -> None:
        self._client = client
        self._loading = False
        self.dialogs: list[PageDialog] = []
        self.downloads: list[str] = []
        """Addresses that turned out to be files; only some browsers report them as events."""
        self.stop: Callable[[], None] = client.listen(self._hear)

    def _hear(self, event: ProtocolEvent) -> None:
        raise NotImplementedError

    def _is_over(self) -> bool:
        return not self._loading

    def fail(self) -> None:
        """Note that the page that the tab was sent to will not load."""
        self._loading = False

    def wait(self) -> None:
        """Wait until the tab has loaded what it began to load, at most `LOADING` seconds."""
        self._client.wait(self._is_over, LOADING)


class Arrival(Struct, frozen=True):
    """Where a tab arrived after it was sent to an address, as the browser reports it."""

    url: str
    error: str = ""
    """Why the browser shows an error page of its own at this address; empty if the page is shown."""
    stays: bool = False
    """Whether the tab still shows its earlier page."""
    file: bool = False
    """Whether the address is a file to download."""

    def facts(self, tab: str, dialogs: Sequence[PageDialog]) -> Facts:
        """Return a fact if the page cannot be shown, and a fact about the first question that the page asked.

        Raises `ProviderError` if the tab did not go to the address.
        """
        must_let_go(dialogs)
        if self.file:
            raise ProviderError(f"{self.url} is a file to download, not a page; nothing was downloaded", "url.download")
        if self.stays:
            raise _unreachable(self.url, self.error)
        return (*((NotShown(tab, self.error),) if self.error else ()), *dialog_facts(tab, dialogs))


def must_be_shown(url: str, facts: Facts) -> Facts:
    """Return the facts of an arrival. Raises `ProviderError` if the browser shows an error page."""
    for fact in facts:
        if isinstance(fact, NotShown):
            raise _unreachable(url, fact.why)
    return facts


def _unreachable(url: str, why: str) -> ProviderError:
    return ProviderError(f"{url} cannot be shown: {why}", "url.unreachable")


class PageAction:
    """Records what an action in a page may already have changed."""

    def __init__(self) -> None:
        self._begun = ""

    def begin(self, what: str) -> None:
        """Note that the action may have changed something; `what` is the part of a message that names the change."""
        self._begun = what

    def undone(self) -> None:
        """Note that the action changed nothing, or that its change was reverted."""
        self._begun = ""

    @property
    def begun(self) -> str:
        """Return what the action may have changed; empty if nothing."""
        return self._begun


@contextmanager
def page_action() -> Generator[PageAction]:
    """Yield a `PageAction`. An error after its `begin` is raised as `Uncertain`, which names what was begun."""
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
