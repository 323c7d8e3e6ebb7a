"""A page in a Chromium browser, until it is loaded again; sayso's functions run in an isolated JavaScript world."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.model import PageAt
from sayso.providers.browser.remote.connection import (
    SECONDS,
    CallError,
    ConnectionLost,
    Ignored,
    ProtocolClient,
    ProtocolEvent,
)
from sayso.providers.browser.remote.driver import (
    BrowserPage,
    Mouse,
    ScriptOutcome,
    page_hangs,
    page_left,
    read_page_functions,
    tab_closed,
)
from sayso.providers.browser.remote.navigation import LOADING, Arrival, LoadWatch, PageDialog

T = TypeVar("T")
CALL = "function (name, ...data) { return this[name](...data); }"
ELEMENT = "function () { return this.element; }"
PAUSE = 0.05
NOTHING_YET = frozenset({"", ":"})
"""The addresses that a tab reports before its first page has arrived."""
GOING = 30.0
STAYS = frozenset({"net::ERR_ABORTED", "net::ERR_BLOCKED_BY_CLIENT"})
"""Errors after which the tab still shows its earlier page."""
ERRORS = {
    "net::ERR_NAME_NOT_RESOLVED": "there is no site of this name",
    "net::ERR_CONNECTION_REFUSED": "nothing answers there",
    "net::ERR_CONNECTION_TIMED_OUT": "it does not answer",
    "net::ERR_INTERNET_DISCONNECTED": "this computer is not connected",
    "net::ERR_CERT_AUTHORITY_INVALID": "its certificate is not trusted",
    "net::ERR_BLOCKED_BY_CLIENT": "it was stopped",
    "net::ERR_ABORTED": "the page refused to be left, or the site sent no answer",
}


class ChromiumLoadWatch(LoadWatch):
    """Records whether a page is loading or downloading, and which dialogs it opens."""

    def __init__(self, client: ProtocolClient, session: str, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._downloading: set[str] = set()
        client.run("Page.enable", session)
        client.run("Page.setInterceptFileChooserDialog", session, enabled=True, cancel=True)
        super().__init__(client)

    def _hear(self, event: ProtocolEvent) -> None:
        match event.method:
            case "Browser.downloadWillBegin":
                download = event.read(protocol.Download)
                if download.frame_id == self._frame:
                    self._downloading.add(download.guid)
                    self.downloads.append(download.url)
            case "Browser.downloadProgress":
                progress = event.read(protocol.Download)
                if progress.state != "inProgress":
                    self._downloading.discard(progress.guid)
            case _ if event.session == self._session:
                self._hear_page(event)
            case _:
                pass

    def _hear_page(self, event: ProtocolEvent) -> None:
        match event.method:
            case "Page.frameStartedLoading" | "Page.frameStartedNavigating":
                self._loading = self._loading or event.read(protocol.InFrame).frame_id == self._frame
            case "Page.frameStoppedLoading":
                self._loading = self._loading and event.read(protocol.InFrame).frame_id != self._frame
            case "Page.javascriptDialogOpening":
                dialog = event.read(PageDialog)
                self.dialogs.append(dialog)
                self._client.post("Page.handleJavaScriptDialog", self._session, accept=dialog.accepted)
            case "Page.fileChooserOpened":
                self.dialogs.append(PageDialog("file"))
            case _:
                pass

    def _is_over(self) -> bool:
        return not self._loading and not self._downloading


class ChromiumPage(BrowserPage):
    """A page, controlled through a DevTools session of its own; `_frame` is its main frame as last read."""

    def __init__(self, client: ProtocolClient, tab: str, session: str) -> None:
        super().__init__(tab)
        self._client = client
        self._session = session
        self._frame = self._main_frame()
        self._tools = ""

    def _main_frame(self) -> protocol.Frame:
        return self.call(protocol.PageTree, "Page.getFrameTree").frame_tree.frame

    @property
    def url(self) -> str:
        return self._frame.whole

    @property
    def fact(self) -> PageAt:
        return PageAt(self.tab, self._frame.whole, self._frame.loader_id)

    def refresh(self) -> None:
        self._frame = self._main_frame()
        self._tools = ""

    def call(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        return self._client.call(into, method, self._session, seconds=seconds, **params)

    def call_function(self, into: type[T], name: str, *data: Any, seconds: float = SECONDS, gesture: bool = False) -> T:
        arguments = [{"value": each} for each in (name, *data)]
        ran = self._run(CALL, arguments, seconds=seconds, userGesture=gesture, returnByValue=True)
        return msgspec.convert(ran.result.value, into)

    def _run(self, code: str, arguments: list[Any], *, seconds: float, **options: bool) -> protocol.CdpEvaluation:
        try:
            ran = self.call(
                protocol.CdpEvaluation,
                "Runtime.callFunctionOn",
                seconds=seconds,
                objectId=self._toolbox(),
                functionDeclaration=code,
                arguments=arguments,
                awaitPromise=True,
                **options,
            )
        except CallError as error:
            raise page_left() from error
        if ran.exception_details is not None:
            raise ProviderError("the page cannot be looked into", "page.closed")
        return ran

    def _toolbox(self) -> str:
        if not self._tools:
            world = self.call(
                protocol.IsolatedWorld, "Page.createIsolatedWorld", frameId=self._frame.id, worldName="sayso"
            )
            ran = self.call(
                protocol.CdpEvaluation,
                "Runtime.evaluate",
                expression=read_page_functions(),
                contextId=world.execution_context_id,
            )
            self._tools = ran.result.object_id
        return self._tools

    def wait_until_loaded(self, seconds: float = LOADING) -> None:
        """Wait until the page has loaded, at most `seconds`; a slow page is then used as it is."""
        for _ in range(round(seconds / PAUSE)):
            if self._frame.url not in NOTHING_YET:
                break
            self._client.pause(PAUSE)
            self.refresh()
        super().wait_until_loaded(seconds)

    def accessible_name(self) -> tuple[str, str]:
        """Return the role and the name that the accessibility tree gives to the element that was found last."""
        element = self._run(ELEMENT, [], seconds=SECONDS, returnByValue=False).result.object_id
        try:
            tree = self.call(protocol.Nodes, "Accessibility.getPartialAXTree", objectId=element, fetchRelatives=False)
        except CallError:
            return "", ""
        node = next((node for node in tree.nodes if not node.ignored), None)
        return (str(node.role.value), str(node.name.value)) if node else ("", "")

    def _screenshot(self) -> str:
        return self.call(protocol.CdpScreenshot, "Page.captureScreenshot", seconds=30, format="png").data

    def _mouse(self, what: Mouse, x: float, y: float) -> None:
        button, count = ("none", 0) if what == "moved" else ("left", 1)
        kind = f"mouse{what.capitalize()}"
        self.call(Ignored, "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=count)

    def evaluate(self, code: str, seconds: float) -> ScriptOutcome:
        """Run a script with the same rights as the page's own scripts."""
        ran = self._evaluate(code, seconds)
        if ran.exception_details is None:
            return ScriptOutcome(as_text(ran.result))
        thrown = ran.exception_details
        what = thrown.exception.description or str(thrown.exception.value or "") or thrown.text
        # An error that is thrown while the script runs is reported as the error of a promise, without a script id.
        never_ran = thrown.script_id != "" and what.startswith("SyntaxError") and "\n    at " not in what
        return ScriptOutcome(error=what or "an error of its own", unreadable=never_ran)

    def _evaluate(self, code: str, seconds: float) -> protocol.CdpEvaluation:
        """Run a script and return its value: a promise is awaited, and an object is returned with all its members."""
        ran = self.call(
            protocol.CdpEvaluation,
            "Runtime.evaluate",
            seconds=seconds,
            expression=code,
            awaitPromise=True,
            replMode=True,
        )
        if ran.exception_details is None and ran.result.subtype == "promise":
            promise = ran.result.object_id
            ran = self.call(protocol.CdpEvaluation, "Runtime.awaitPromise", seconds=seconds, promiseObjectId=promise)
        if ran.exception_details is not None or ran.result.type != "object" or not ran.result.object_id:
            return ran
        try:
            return self.call(
                protocol.CdpEvaluation,
                "Runtime.callFunctionOn",
                objectId=ran.result.object_id,
                functionDeclaration="function () { return this; }",
                returnByValue=True,
            )
        except CallError:
            return ran  # the value cannot be written as JSON, such as a window

    def type_text(self, text: str) -> None:
        if text:
            self.call(Ignored, "Input.insertText", text=text)
            return
        key: dict[str, Any] = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}
        for kind in ("rawKeyDown", "keyUp"):
            self.call(Ignored, "Input.dispatchKeyEvent", type=kind, **key)

    def watch(self) -> ChromiumLoadWatch:
        return ChromiumLoadWatch(self._client, self._session, self._frame.id)

    def go(self, url: str) -> Facts:
        with self.watched() as watch:
            went = self.call(protocol.Navigated, "Page.navigate", seconds=GOING, url=url)
            if went.is_download:
                # The browser decides after this answer whether to allow the download, so nothing else may be allowed
                # before that.
                self._client.wait(lambda: bool(watch.downloads), LOADING)
        error = ERRORS.get(went.error_text, went.error_text.removeprefix("net::"))
        arrival = Arrival(url, error, stays=went.error_text in STAYS, file=went.is_download)
        return arrival.facts(self.tab, watch.dialogs)

    def keep_place(self, url: str) -> Callable[[], None]:
        entry = self._history_entry()

        def come_back() -> None:
            with suppress(CallError):
                self.call(Ignored, "Page.stopLoading")
            if entry.url != url:  # the page was still loading and has no history entry yet
                self.go(url)
            elif self._history_entry().id != entry.id:
                with self.watched():
                    self.call(Ignored, "Page.navigateToHistoryEntry", entryId=entry.id)

        return come_back

    def _history_entry(self) -> protocol.HistoryEntry:
        history = self.call(protocol.History, "Page.getNavigationHistory")
        return history.entries[history.current_index]


def as_text(value: protocol.RemoteValue) -> str:
    """Return a value as text: a string unchanged, `undefined` as empty, other values as JSON.

    A value that JSON cannot express is returned as the browser describes it.
    """
    if value.type == "undefined":
        return ""
    if isinstance(value.value, str):
        return value.value
    if value.unserializable_value:
        return value.unserializable_value
    if value.type in {"function", "symbol"} or (value.value is None and value.description):
        return value.description
    return json.dumps(value.value, ensure_ascii=False)


@contextmanager
def open_page(client: ProtocolClient, tab: str, target: str) -> Generator[ChromiumPage]:
    """Yield the page of a tab. Raises `ProviderError` if the tab is gone or its page does not answer."""
    try:
        session, page = _attach(client, target)
    except CallError as error:
        raise tab_closed() from error
    try:
        yield ChromiumPage(client, tab, page)
    except TimeoutError as late:
        raise page_hangs() from late
    finally:
        with suppress(ConnectionLost):
            client.post("Target.detachFromTarget", sessionId=session)


def _attach(client: ProtocolClient, target: str) -> tuple[str, str]:
    """Return the session of a tab and the session of its page; they are the same in browsers without tab targets."""
    pages: list[protocol.Attached] = []
    session = client.call(protocol.AttachedSession, "Target.attachToTarget", targetId=target, flatten=True).session_id
    if client.call(protocol.OneTarget, "Target.getTargetInfo", targetId=target).target_info.type != "tab":
        return session, session

    def hear(event: ProtocolEvent) -> None:
        if event.method == "Target.attachedToTarget" and event.session == session:
            attached = event.read(protocol.Attached)
            if attached.target_info.type == "page" and attached.target_info.subtype != "prerender":
                pages.append(attached)

    stop = client.listen(hear)
    try:
        client.run("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        if not client.wait(lambda: bool(pages), SECONDS):
            raise page_hangs()
    finally:
        stop()
    return session, pages[0].session_id
