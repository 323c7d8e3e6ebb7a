"""Talk to Safari or Chrome through sayso's script for browsers, and give each tab an id that stays."""

import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.providers.browser.store import OutlineRow, must_be_usable
from sayso.providers.macos.engine import ScriptEngine

T = TypeVar("T")
PAGE_SECONDS = 15.0
"""How long a page may take to answer; a page that sleeps or hangs would stop everything else."""


class AppleBrowserKind(Struct, frozen=True):
    """One browser that Apple events control."""

    kind: Literal["safari", "chrome"]
    app: str
    bundle: str


SAFARI = AppleBrowserKind("safari", "Safari", "com.apple.Safari")
CHROME = AppleBrowserKind("chrome", "Google Chrome", "com.google.Chrome")


class ListedTab(Struct, frozen=True):
    """A tab as the browser lists it; only Chrome gives it an id."""

    id: str
    url: str
    title: str
    active: bool


class ListedWindow(Struct, frozen=True):
    """A window and its tabs."""

    id: str
    tabs: tuple[ListedTab, ...]


class MadeTab(Struct, frozen=True):
    """Where a new tab is."""

    window: str
    place: int
    elsewhere: bool = False


class BrowserReply(Struct, frozen=True):
    """What the script returns: the windows, the one in front first, and the new tabs; or that a tab was gone."""

    windows: tuple[ListedWindow, ...] = ()
    made: tuple[MadeTab, ...] = ()
    gone: bool = False
    value: str | None = None


class SeenTab(Struct, frozen=True):
    """An open tab: its id with sayso, and what finds it again."""

    id: str
    window: str
    place: int
    url: str
    title: str
    active: bool
    native: str = ""
    opener: str = ""
    """Apple events do not tell which tab opened this one."""

    @property
    def where(self) -> dict[str, Json]:
        """Return what the script needs to find the tab."""
        return {"window": self.window, "place": self.place, "url": self.url, "id": self.native}


class Seen(Struct, frozen=True):
    """All open tabs, by window in the order in which the windows were made; `front` is the window in front."""

    tabs: tuple[SeenTab, ...]
    front: str = ""

    @property
    def active(self) -> SeenTab | None:
        """Return the tab in front."""
        return next((tab for tab in self.tabs if tab.window == self.front and tab.active), None)

    def find(self, tab: str, url: str) -> SeenTab | None:
        """Return the tab with this id if it shows this address.

        The id of a tab of Safari is made of its window and address. If the tab was sent to this address since, its id
        is that of the earlier address; then it is found if it alone shows this address in its window.
        """
        by_id = next((each for each in self.tabs if each.id == tab), None)
        if by_id is not None:
            return by_id if by_id.url == url else None
        window, _, made = tab.partition(".")
        if not made or made.startswith(_digest(url)):
            return None
        within = [each for each in self.tabs if _window_key(each.window) == window and each.url == url]
        return within[0] if len(within) == 1 and not within[0].native else None

    def at(self, made: MadeTab) -> SeenTab | None:
        """Return the tab at a place."""
        return next((tab for tab in self.tabs if (tab.window, tab.place) == (made.window, made.place)), None)


def see(reply: BrowserReply) -> Seen:
    """Return the tabs that a reply lists."""
    ordered = sorted(reply.windows, key=lambda window: (len(window.id), window.id))
    tabs: list[SeenTab] = []
    for window in ordered:
        same = Counter(tab.url for tab in window.tabs)
        so_far = Counter[str]()
        for place, tab in enumerate(window.tabs, 1):
            so_far[tab.url] += 1
            one = tab.id or f"{_digest(tab.url)}-{so_far[tab.url]}-{same[tab.url]}"
            id_ = f"{_window_key(window.id) if not tab.id else 'tab'}.{one}"
            tabs.append(SeenTab(id_, window.id, place, tab.url, tab.title, tab.active, tab.id))
    return Seen(tuple(tabs), reply.windows[0].id if reply.windows else "")


def _window_key(window: str) -> str:
    return f"window-{window}"


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class PageState(Struct, frozen=True):
    """Which page answered, and which load of it."""

    url: str
    title: str
    loaded: str
    ready: bool = True


class PageElement(Struct, frozen=True):
    """The element that a selector matches, or why there is none that can be used."""

    problem: str = ""
    count: int = 0
    tag: str = ""
    role: str = ""
    name: str = ""
    field: bool = False
    value: str | None = None
    opens: str = ""
    submits: str = ""


class PageChange(Struct, frozen=True):
    """Whether a click or a filling was done, and the element after it."""

    done: bool = False
    problem: str = ""
    now: PageElement | None = None


class PageWords(Struct, frozen=True):
    """The beginning of a page's text, and the length of the whole."""

    text: str
    total: int


class PageOutline(Struct, frozen=True):
    """The rows of a page's outline."""

    rows: tuple[OutlineRow, ...]
    total: int


class _PageReply(msgspec.Struct, frozen=True):
    page: PageState
    answer: msgspec.Raw = msgspec.Raw(b"null")


@cache
def _page_functions() -> str:
    return Path(__file__).with_name("page.js").read_text("utf-8").rstrip()


class AppleBrowser:
    """One browser of this Mac."""

    def __init__(self, kind: AppleBrowserKind, engine: ScriptEngine) -> None:
        self.kind = kind
        self._engine = engine

    async def look(self) -> Seen:
        """Return the open tabs. Raises `ProviderError` if the browser does not run."""
        return see(await self._run({"do": "list"}, changes=False))

    async def look_if_running(self) -> Seen:
        """Return the open tabs; none if the browser does not run."""
        try:
            return await self.look()
        except ProviderError as no:
            if no.code != "macos.not_running":
                raise
            return Seen(())

    async def act(self, do: str, **data: Json) -> BrowserReply:
        """Change tabs. Raises `ProviderError` if a tab is not the one that was seen; nothing was changed then."""
        reply = await self._run({"do": do, **data}, changes=True)
        if reply.gone:
            raise ProviderError("a tab was closed or shows another page by now; nothing was changed", "world.changed")
        return reply

    async def run_code(self, tab: SeenTab, code: str) -> str:
        """Run a script in a page and return its value as text."""
        reply = await self._run({"do": "page", "tab": tab.where, "code": code, "changes": True}, changes=True)
        if reply.gone:
            raise _left()
        return reply.value or ""

    async def element(self, tab: SeenTab, selector: str) -> tuple[PageState, PageElement]:
        """Return the page of a tab, and what a selector matches. Raises `ProviderError` if it is nothing to be used."""
        page, found = await self.call(tab, PageElement, "element", selector)
        must_be_usable(found.problem, found.count, selector)
        return page, found

    async def call(
        self, tab: SeenTab, into: type[T], name: str, *data: Json, changes: bool = False
    ) -> tuple[PageState, T]:
        """Call a function of `page.js` in a page; the data arrives as JSON."""
        code = f"{_page_functions()}({json.dumps(name)}, {json.dumps(data)})"
        reply = await self._run({"do": "page", "tab": tab.where, "code": code, "changes": changes}, changes=changes)
        if reply.gone:
            raise _left()
        try:
            found = msgspec.json.decode(reply.value or "", type=_PageReply)
            return found.page, msgspec.json.decode(found.answer, type=into)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise ProviderError("the page gave no answer that can be read", "page.hangs") from error

    async def _run(self, data: dict[str, Json], *, changes: bool) -> BrowserReply:
        whole = {"kind": self.kind.kind, "bundle": self.kind.bundle, **data}
        seconds = PAGE_SECONDS if data["do"] == "page" else 0
        reply = await self._engine.run_script("browser", whole, app=self.kind.app, changes=changes, seconds=seconds)
        return msgspec.convert(reply, BrowserReply)


def _left() -> ProviderError:
    return ProviderError("the tab was closed or shows another page by now; nothing was done", "page.left")
