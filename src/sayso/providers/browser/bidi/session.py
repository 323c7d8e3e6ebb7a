"""A session with Firefox: one speaker at a time, and tabs under ids that stay."""

import configparser
import fcntl
import hashlib
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext, Clock
from sayso.providers.browser.address import private
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.remote import connection, settings
from sayso.providers.browser.remote.backend import Dialog
from sayso.providers.browser.remote.connection import Devtools, Event, Lost, No
from sayso.providers.browser.remote.driver import OpenTab
from sayso.providers.browser.remote.settings import Endpoint, Kind, Wanted

KIND = Kind("browser.bidi_url", "ws://127.0.0.1:9222", "browser-firefox", "sayso browser --firefox")
USUAL_FOLDERS = (
    ".mozilla/firefox", ".config/mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
    ".var/app/org.mozilla.firefox/.mozilla/firefox", ".librewolf",
)  # fmt: skip
"""Where Firefox keeps the profiles that a person lives in, beneath their home."""
BANNED = "network.security.ports.banned"
"""The preference that names ports which Firefox does not go to, whatever host they are on."""


def endpoint(wanted: Wanted, own: str) -> Endpoint:
    """Return where the browser listens. Raises `SetupError` for what the settings must allow first."""
    return settings.endpoint(KIND, wanted, own)


def is_own(profile: str, folder: Path) -> bool:
    """Say whether a browser runs on sayso's own profile: by now somebody else may listen where it did."""
    return profile != "" and Path(profile).resolve() == folder.resolve()


def must_not_be_lived_in(profile: str, home: str) -> None:
    """Raise `SetupError` when a browser runs on the profile that the person lives in, or does not say on which."""
    if not profile or any(_lives_in(Path(profile).resolve(), Path(home, name)) for name in USUAL_FOLDERS):
        raise KIND.profile_in_use()


def _lives_in(profile: Path, folder: Path) -> bool:
    """Say whether a profile is the usual one of a folder of profiles, as far as that can be told."""
    told = _profiles(folder)
    usual = {(folder / path).resolve() for section in told.sections() if (path := _usual(told[section]))}
    named = {(folder / told[section]["Path"]).resolve() for section in told.sections() if "Path" in told[section]}
    return profile in usual or (profile.is_relative_to(folder.resolve()) and profile not in named)


def _usual(section: configparser.SectionProxy) -> str:
    """Return the path of the profile that a section names as the usual one, empty when it does not."""
    if section.name.startswith("Install"):
        return section.get("Default", "")
    return section.get("Path", "") if section.get("Default") == "1" else ""


def _profiles(folder: Path) -> configparser.ConfigParser:
    told = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(OSError, configparser.Error, UnicodeDecodeError):
        told.read_string((folder / "profiles.ini").read_text("utf-8"))
    return told


def ports_kept_away(profile: str, file: str = "prefs.js") -> frozenset[int]:
    """Return the ports that a browser on this profile keeps away from, as it wrote them down itself.

    For sayso's own it is `user.js`, which says what it was started with.
    """
    try:
        told = Path(profile, file).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    found = re.search(rf'^user_pref\("{re.escape(BANNED)}", "([0-9, ]*)"\);$', told, re.MULTILINE)
    return frozenset(int(port) for port in re.findall(r"[0-9]+", found.group(1))) if found else frozenset()


LOADING = 10.0
OWN_WORDS = ("about:neterror", "about:certerror", "about:blocked", "about:httpsonlyerror")
EVENTS = (
    "browsingContext.navigationStarted", "browsingContext.load", "browsingContext.navigationFailed",
    "browsingContext.fragmentNavigated", "browsingContext.downloadWillBegin", "browsingContext.downloadEnd",
    "browsingContext.navigationCommitted", "browsingContext.userPromptOpened", "input.fileDialogOpened",
)  # fmt: skip


class Waiting:
    """What was heard of one tab since this began."""

    def __init__(self, calls: Devtools, context: str) -> None:
        self._calls = calls
        self._context = context
        self._going = False
        self._ended = 0
        self.dialogs: list[Dialog] = []
        self.downloads: list[str] = []
        """The addresses of files that a page was asked for and turned out to be."""
        self.stop = calls.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.method not in EVENTS or event.read(protocol.InContext).context != self._context:
            return
        match event.method:
            case "browsingContext.navigationStarted":
                self._going = True
            case "browsingContext.userPromptOpened":
                asked = event.read(protocol.Prompt)
                self.dialogs.append(Dialog(asked.type, asked.message))
                self._calls.say("browsingContext.handleUserPrompt", context=self._context, accept=asked.type == "alert")
            case "input.fileDialogOpened":
                self.dialogs.append(Dialog("file"))
            case "browsingContext.downloadWillBegin":
                self.downloads.append(event.read(protocol.Navigation).url)
                self._going = False
            case "browsingContext.downloadEnd":
                self._ended += 1
            case "browsingContext.navigationCommitted":
                # Its own words in place of a page end without being loaded.
                self._going = self._going and not event.read(protocol.Navigation).url.startswith(OWN_WORDS)
            case _:
                self._going = False

    def arrived(self) -> None:
        """Take it that the page that was gone to is there, or does not come."""
        self._going = False

    def until_there(self) -> None:
        """Wait until the page that was gone to is there, or the file."""
        self._calls.wait(lambda: not self._going and self._ended >= len(self.downloads), LOADING)


def preference(ports: Iterable[int]) -> str:
    """Return the line of `user.js` that keeps a browser away from ports, whatever host they are on."""
    return f'user_pref("{BANNED}", "{",".join(map(str, sorted(ports)))}");'


def anew(at: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> str:
    """Say how a browser is started so that it keeps away from these ports too."""
    if at.own is not None:
        return f"start it anew: {KIND.start} --stop, then {KIND.start}"
    return f"add this line to the file user.js in its profile, and start it anew: {preference(ports | kept_away)}"


def must_be_kept_away(at: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> None:
    """Raise `SetupError` for a browser that was not told to keep away from these ports."""
    if ports - kept_away:
        raise SetupError(
            "that Firefox was not told to keep away from sayso's own pages, so nothing is done in its pages; "
            f"{anew(at, ports, kept_away)}",
            "browser.exposed",
        )


class Known(msgspec.Struct, frozen=True):
    """A tab as it was last seen: its id and its window's, and what the browser called them."""

    id: str
    window: str
    context: str
    client_window: str
    began: str
    shows: str


class Notes(msgspec.Struct, frozen=True):
    """What is kept of one run of a browser between two sessions."""

    run: str = ""
    """What tells this run from any other."""
    process: int = 0
    profile: str = ""
    made: int = 0
    """How many ids were made."""
    speaking: bool = False
    """A session began, and its end was not seen yet."""
    front: str = ""
    """The window that had the person's attention when it was looked at last."""
    tabs: tuple[Known, ...] = ()


class Sight(Struct, frozen=True):
    """A tab as it is now. `began` is when its page began to load, empty where the page does not answer."""

    context: str
    client_window: str
    url: str
    began: str = ""

    @property
    def shows(self) -> str:
        """Return what its address comes to; addresses are not written down."""
        return hashlib.sha256(self.url.encode("utf-8")).hexdigest()[:16]


def recognize_tabs(notes: Notes, sights: Sequence[Sight]) -> Notes:
    """Return the notes with each tab in sight under the id it has had, or a new one; the others are gone."""
    by_context = {tab.context: tab for tab in notes.tabs}
    unseen = [tab for tab in notes.tabs if tab.context not in {sight.context for sight in sights}]
    strange = [sight for sight in sights if sight.context not in by_context]
    found: dict[str, Known] = {sight.context: by_context[sight.context] for sight in sights if sight not in strange}
    for alike in (_same_page, _same_load):
        for sight in strange:
            same = [tab for tab in unseen if alike(tab, sight)]
            twins = [other for other in strange if same and alike(same[0], other)]
            if len(same) == len(twins) == 1 and sight.context not in found:
                found[sight.context] = same[0]
        unseen = [tab for tab in unseen if tab not in found.values()]
        strange = [sight for sight in strange if sight.context not in found]
    return _name_tabs(notes, sights, found)


def _same_page(tab: Known, sight: Sight) -> bool:
    return (tab.began, tab.shows) == (sight.began, sight.shows)


def _same_load(tab: Known, sight: Sight) -> bool:
    return bool(sight.began) and tab.began == sight.began


def _name_tabs(notes: Notes, sights: Sequence[Sight], found: dict[str, Known]) -> Notes:
    made = notes.made

    def new() -> str:
        nonlocal made
        made += 1
        return f"{notes.run}.{made}"

    windows = _windows(notes, sights, found, new)
    tabs = tuple(
        Known(
            found[sight.context].id if sight.context in found else new(),
            windows[sight.client_window],
            sight.context,
            sight.client_window,
            sight.began,
            sight.shows,
        )
        for sight in sights
    )
    return msgspec.structs.replace(notes, tabs=tabs, made=made)


def _windows(notes: Notes, sights: Sequence[Sight], found: dict[str, Known], new: Callable[[], str]) -> dict[str, str]:
    """Return the id of each window: the one it has had, else the one that most of its tabs were in."""
    had = {tab.client_window: tab.window for tab in notes.tabs}
    named: dict[str, str] = {}
    for client_window in dict.fromkeys(sight.client_window for sight in sights):
        within = [sight for sight in sights if sight.client_window == client_window]
        were = Counter(found[sight.context].window for sight in within if sight.context in found)
        likely = [had[client_window]] if client_window in had else [window for window, _ in were.most_common()]
        named[client_window] = next((window for window in likely if window not in named.values()), "") or new()
    return named


FOLDER = "firefox"
PATIENCE = 60.0
"""Seconds; what another sayso does in a page may take half of that."""
TICK = 0.02


class Kept:
    """The notes while one's turn lasts; each change is written at once."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.notes = self._read()

    def _read(self) -> Notes:
        size = os.fstat(self._handle).st_size
        try:
            return msgspec.json.decode(os.pread(self._handle, size, 0), type=Notes)
        except msgspec.MsgspecError:
            return Notes()

    def keep(self, notes: Notes) -> None:
        """Keep other notes."""
        if notes == self.notes:
            return
        self.notes = notes
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, msgspec.json.encode(notes), 0)


@contextmanager
def turn(own: str, name: str, clock: Clock) -> Generator[Kept]:
    """Yield the notes on one browser once it is one's turn. Raises `ProviderError` when that takes too long."""
    path = private(own, FOLDER) / name
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        end = clock.monotonic() + PATIENCE
        while not _try_lock(handle):
            if clock.monotonic() > end:
                raise ProviderError("another sayso is busy in that browser; try again once it is done", "browser.busy")
            threading.Event().wait(TICK)
        yield Kept(handle)
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


SOON = 2.0
"""Seconds for a page to say what it is; one that hangs is known by its address alone."""
SANDBOX = "sayso"
LOOK = (
    "JSON.stringify([String(performance.timeOrigin), document.title.toWellFormed().slice(0, 1000), "
    "document.visibilityState === 'visible'])"
)
ENDING = 10.0


class Connected:
    """A session that stands. `kept_away` are the ports that this browser was started to keep away from."""

    def __init__(self, calls: Devtools, at: Endpoint, kept: Kept, profile: str) -> None:
        self.calls = calls
        self.at = at
        self.kept = kept
        self.profile = profile
        self.kept_away = ports_kept_away(profile, "user.js" if at.own is not None else "prefs.js")
        self.changed = False
        """Something was done, so that pages may be others at the end."""
        self._listens = False
        self._sights: list[Sight] = []

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        contexts = self.calls.ask(protocol.Tree, "browsingContext.getTree", maxDepth=0).contexts
        asked = [_look(one.context) for one in contexts]
        looked = self.calls.ask_each(protocol.Ran, "script.evaluate", asked, seconds=SOON)
        pages = [_page(ran) for ran in looked]
        sights = [
            Sight(one.context, one.client_window, one.url, page.began)
            for one, page in zip(contexts, pages, strict=True)
        ]
        self._sights = sights
        self.kept.keep(recognize_tabs(self.kept.notes, sights))
        known = {tab.context: tab for tab in self.kept.notes.tabs}
        return [
            OpenTab(
                known[one.context].id,
                known[one.context].window,
                one.url,
                page.title,
                known[one.original_opener].id if one.original_opener in known else "",
                page.visible,
            )
            for one, page in zip(contexts, pages, strict=True)
        ]

    def made(self, context: str) -> str:
        """Return the id of a tab that was just made; the others are not looked at again."""
        (one,) = self.calls.ask(protocol.Tree, "browsingContext.getTree", root=context, maxDepth=0).contexts
        if not self._sights:
            self.tabs()
        elif all(sight.context != context for sight in self._sights):
            self._sights.append(Sight(context, one.client_window, one.url))
            self.kept.keep(recognize_tabs(self.kept.notes, self._sights))
        return next(tab.id for tab in self.kept.notes.tabs if tab.context == context)

    def window_in_front(self) -> str:
        """Return the id of the window that has the person's attention, empty when none has."""
        windows = self.calls.ask(protocol.ClientWindows, "browser.getClientWindows").client_windows
        active = next((one.client_window for one in windows if one.active), "")
        return next((tab.window for tab in self.kept.notes.tabs if tab.client_window == active), "")

    def context(self, tab: str) -> str:
        """Return what the browser calls a tab in this session. Raises `ProviderError` when it is gone."""
        found = self._context(tab) if self._sights else ""
        if not found:
            self.tabs()
            found = self._context(tab)
        if not found:
            raise ProviderError("the tab is no longer open", "tab.closed")
        return found

    def _context(self, tab: str) -> str:
        return next((known.context for known in self.kept.notes.tabs if known.id == tab), "")

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser."""
        return tab.partition(".")[0] == self.kept.notes.run

    def listens(self) -> None:
        """Have what pages do told, from now on."""
        if not self._listens:
            self.calls.tell("session.subscribe", events=list(EVENTS))
            self._listens = True

    def end(self) -> None:
        """End the session, with all that it holds."""
        with suppress(Lost, No, TimeoutError):
            if self.changed:
                self.tabs()
            self.calls.tell("session.end", seconds=ENDING)
            self.kept.keep(msgspec.structs.replace(self.kept.notes, speaking=False))
        self.calls.close()


class _Page(Struct, frozen=True):
    """What a page says of itself."""

    began: str = ""
    title: str = ""
    visible: bool = False


def _look(context: str) -> dict[str, object]:
    return {"expression": LOOK, "target": {"context": context, "sandbox": SANDBOX}, "awaitPromise": False}


def _page(ran: protocol.Ran | No | None) -> _Page:
    if not isinstance(ran, protocol.Ran) or not isinstance(ran.result.value, str):
        return _Page()
    return _Page(*msgspec.json.decode(ran.result.value, type=tuple[str, str, bool]))


ASKING = {"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}}
"""Questions of pages wait for the person; while an action goes on, it answers those of its own page."""
BEGIN = 30.0
MARIONETTE = "MarionetteActivePort"
TRIES = 100


class Firefox:
    """One browser. Everything here waits; several threads, and several saysos, take turns."""

    def __init__(self, find: Callable[[], Endpoint], ground: BackendContext, *, lived_in: bool = False) -> None:
        self._find = find
        self._own = ground.own
        self._home = ground.home
        self._clock = ground.clock
        self._ids = ground.ids
        self._lived_in = lived_in
        self._turn = threading.Lock()

    @contextmanager
    def connected(self) -> Generator[Connected]:
        """Yield the session, for one thread. Raises `ProviderError` where no browser answers, and `SetupError`."""
        at = self._find()
        with self._turn, turn(self._own, f"{at.port}.json", self._clock) as kept:
            now = self._connect(at, kept)
            try:
                yield now
            finally:
                now.end()

    def close(self) -> None:
        """Do nothing: it is let go of after each use."""

    def _connect(self, at: Endpoint, kept: Kept) -> Connected:
        try:
            path = at.path if at.path.strip("/") else "/session"
            calls = Devtools(connection.wire(at.host, at.port, path), self._clock)
        except Lost as no:
            if at.own is not None:
                raise KIND.not_running() from no
            raise ProviderError(f"no browser answers: {no}", "browser.not_running") from no
        try:
            new = self._begin_session(calls, kept)
        except BaseException:
            calls.close()
            raise
        now = Connected(calls, at, kept, new.profile)
        try:
            self._must_be_meant(at, new.profile)
        except BaseException:
            now.end()
            raise
        return now

    def _begin_session(self, calls: Devtools, kept: Kept) -> protocol.Capabilities:
        was_speaking = kept.notes.speaking
        kept.keep(msgspec.structs.replace(kept.notes, speaking=True))
        try:
            new = _new(calls)
        except No as no:
            if not was_speaking:
                kept.keep(msgspec.structs.replace(kept.notes, speaking=False))
                raise _firefox_in_use() from no
            new = _end_stale_session(calls, kept.notes.profile)
        told = new.capabilities
        if (told.process, told.profile) != (kept.notes.process, kept.notes.profile) or not kept.notes.run:
            run = self._ids.token()[:12]
            kept.keep(Notes(run.replace(".", ""), told.process, told.profile, speaking=True))
        return told

    def _must_be_meant(self, at: Endpoint, profile: str) -> None:
        if at.own is not None and not is_own(profile, at.own):
            raise KIND.not_running()
        if at.own is None and not self._lived_in:
            must_not_be_lived_in(profile, self._home)


def _new(calls: Devtools) -> protocol.New:
    return calls.ask(protocol.New, "session.new", seconds=BEGIN, capabilities=ASKING)


def _firefox_in_use() -> ProviderError:
    return ProviderError(
        "another program drives that Firefox, which lets in one at a time; end it, or start Firefox anew",
        "browser.taken",
    )


def _end_stale_session(calls: Devtools, profile: str) -> protocol.New:
    """End a session that a killed sayso left behind: whoever leaves Marionette takes the session along."""
    try:
        port = int(Path(profile, MARIONETTE).read_text("utf-8"))
    except (OSError, ValueError):
        raise _firefox_in_use() from None
    for _ in range(TRIES):
        connection.probe("127.0.0.1", port)
        with suppress(No):
            return _new(calls)
        calls.wait(lambda: False, 0.05)
    raise _firefox_in_use()
