"""A page in Firefox, until it is loaded again; sayso's functions run in a JavaScript sandbox."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

import msgspec

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.protocol import ScriptValue
from sayso.providers.browser.model import PageAt
from sayso.providers.browser.remote.connection import SECONDS, CallError, Ignored, ProtocolClient, ProtocolEvent
from sayso.providers.browser.remote.driver import (
    BrowserPage,
    Mouse,
    ScriptOutcome,
    page_hangs,
    page_left,
    read_page_functions,
    tab_closed,
)
from sayso.providers.browser.remote.navigation import Arrival, LoadWatch, PageDialog

T = TypeVar("T")
SANDBOX = "sayso"
LOOK = (
    "JSON.stringify([String(performance.timeOrigin), document.title.toWellFormed().slice(0, 1000), "
    "document.visibilityState === 'visible'])"
)
"""JavaScript that returns when the page began to load, its title, and whether it is visible."""
CALL = """async function (name, ...data) {
  return JSON.stringify(await this[name](...data.map((each) => JSON.parse(each)))) ?? "null";
}"""
TYPE = 'function (text) { return document.execCommand(text ? "insertText" : "delete", false, text); }'
POINTER = {"type": "pointer", "id": "hand", "parameters": {"pointerType": "mouse"}}
EVENTS = (
    "browsingContext.navigationStarted", "browsingContext.load", "browsingContext.navigationFailed",
    "browsingContext.fragmentNavigated", "browsingContext.downloadWillBegin", "browsingContext.downloadEnd",
    "browsingContext.navigationCommitted", "browsingContext.userPromptOpened", "input.fileDialogOpened",
)  # fmt: skip
GOING = 30.0
BACK_LOOKS, BACK_PAUSE = 100, 0.02
ERROR_PAGES = ("about:neterror", "about:certerror", "about:blocked", "about:httpsonlyerror")
STAYS = frozenset({"NS_BINDING_ABORTED", "NS_ERROR_PORT_ACCESS_NOT_ALLOWED", "NS_ERROR_DOM_BAD_URI"})
"""Errors after which the tab still shows its earlier page."""
ERRORS = {
    "NS_ERROR_UNKNOWN_HOST": "there is no site of this name",
    "NS_ERROR_CONNECTION_REFUSED": "nothing answers there",
    "NS_ERROR_NET_TIMEOUT": "it does not answer",
    "NS_ERROR_OFFLINE": "this computer is not connected",
    "deniedPortAccess": "Firefox does not go to that port",
    "NS_ERROR_PORT_ACCESS_NOT_ALLOWED": "it leads to a port that Firefox does not go to",
    "NS_BINDING_ABORTED": "the page refused to be left, or the site sent no answer",
}


class FirefoxLoadWatch(LoadWatch):
    """Records whether a tab is loading or downloading, and which dialogs its page opens."""

    def __init__(self, client: ProtocolClient, context: str) -> None:
        self._context = context
        self._ended = 0
        super().__init__(client)

    def _hear(self, event: ProtocolEvent) -> None:
        if event.method not in EVENTS or event.read(protocol.InContext).context != self._context:
            return
        match event.method:
            case "browsingContext.navigationStarted":
                self._loading = True
            case "browsingContext.userPromptOpened":
                asked = event.read(protocol.UserPrompt)
                dialog = PageDialog(asked.type, asked.message)
                self.dialogs.append(dialog)
                self._client.post("browsingContext.handleUserPrompt", context=self._context, accept=dialog.accepted)
            case "input.fileDialogOpened":
                self.dialogs.append(PageDialog("file"))
            case "browsingContext.downloadWillBegin":
                self.downloads.append(event.read(protocol.Navigation).url)
                self._loading = False
            case "browsingContext.downloadEnd":
                self._ended += 1
            case "browsingContext.navigationCommitted":
                # Firefox sends no load event for an error page of its own.
                self._loading = self._loading and not event.read(protocol.Navigation).url.startswith(ERROR_PAGES)
            case _:
                self._loading = False

    def _is_over(self) -> bool:
        return not self._loading and self._ended >= len(self.downloads)


class FirefoxPage(BrowserPage):
    """A page in the browsing context of a tab."""

    def __init__(self, client: ProtocolClient, tab: str, context: str) -> None:
        super().__init__(tab)
        self._client = client
        self._context = context
        self._url = ""
        self._began = ""
        self._realm = ""
        self._tools = ""
        self.refresh()

    @property
    def url(self) -> str:
        return self._url

    @property
    def fact(self) -> PageAt:
        return PageAt(self.tab, self._url, self._began)

    def refresh(self) -> None:
        target = {"context": self._context, "sandbox": SANDBOX}
        ran = self.call(protocol.BidiEvaluation, "script.evaluate", expression=LOOK, target=target, awaitPromise=False)
        self._realm, self._tools = ran.realm, ""
        self._began = msgspec.json.decode(str(ran.result.value), type=tuple[str, str, bool])[0]
        (shown,) = self.call(protocol.ContextTree, "browsingContext.getTree", root=self._context, maxDepth=0).contexts
        self._url = shown.url

    def call(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call a method of the protocol; `params` must name this page."""
        return self._client.call(into, method, seconds=seconds, **params)

    def call_function(self, into: type[T], name: str, *data: Any, seconds: float = SECONDS, gesture: bool = False) -> T:
        arguments = [_argument(name), *(_argument(msgspec.json.encode(each).decode()) for each in data)]
        value = self._run(CALL, arguments, seconds=seconds, gesture=gesture, this={"handle": self._toolbox()})
        return msgspec.json.decode(str(value), type=into)

    def _run(
        self, code: str, arguments: list[dict[str, str]], *, seconds: float, gesture: bool = False, **options: Any
    ) -> Any:
        try:
            ran = self.call(
                protocol.BidiEvaluation,
                "script.callFunction",
                seconds=seconds,
                functionDeclaration=code,
                target={"realm": self._realm},
                arguments=arguments,
                awaitPromise=True,
                userActivation=gesture,
                **options,
            )
        except CallError as error:
            raise page_left() from error
        if ran.exception_details is not None:
            raise ProviderError("the page cannot be looked into", "page.closed")
        return ran.result.value

    def _toolbox(self) -> str:
        if not self._tools:
            try:
                ran = self.call(
                    protocol.BidiEvaluation,
                    "script.evaluate",
                    expression=read_page_functions(),
                    target={"realm": self._realm},
                    awaitPromise=False,
                    resultOwnership="root",
                    serializationOptions={"maxObjectDepth": 0},
                )
            except CallError as error:
                raise page_left() from error
            self._tools = ran.result.handle
        return self._tools

    def accessible_name(self) -> tuple[str, str]:
        """Return role and name of the element that was found last, as `page.js` computes them from the page."""
        return self.call_function(tuple[str, str], "accessibleName")

    def _screenshot(self) -> str:
        return self.call(
            protocol.BidiScreenshot, "browsingContext.captureScreenshot", seconds=30, context=self._context
        ).data

    def _mouse(self, what: Mouse, x: float, y: float) -> None:
        action: dict[str, Any] = {
            "moved": {"type": "pointerMove", "x": round(x), "y": round(y)},
            "pressed": {"type": "pointerDown", "button": 0},
            "released": {"type": "pointerUp", "button": 0},
        }[what]
        self.call(Ignored, "input.performActions", context=self._context, actions=[{**POINTER, "actions": [action]}])

    def evaluate(self, code: str, seconds: float) -> ScriptOutcome:
        """Run a script with the same rights as the page's own scripts."""
        ran = self.call(
            protocol.BidiEvaluation,
            "script.evaluate",
            seconds=seconds,
            expression=self.call_function(str, "prepareScript", code),
            target={"context": self._context},
            awaitPromise=True,
        )
        if ran.exception_details is None:
            return ScriptOutcome(as_text(ran.result))
        thrown = ran.exception_details
        # An error that is thrown while the script runs has a stack trace; a syntax error in the script itself has none.
        never_ran = thrown.text.startswith("SyntaxError") and not thrown.stack_trace.call_frames
        return ScriptOutcome(error=thrown.text or "an error of its own", unreadable=never_ran)

    def type_text(self, text: str) -> None:
        self._run(TYPE, [_argument(text)], seconds=SECONDS)

    def watch(self) -> FirefoxLoadWatch:
        return FirefoxLoadWatch(self._client, self._context)

    def go(self, url: str) -> Facts:
        error = ""
        with self.watched() as watch:
            going = {"context": self._context, "url": url, "wait": "interactive"}
            try:
                self.call(Ignored, "browsingContext.navigate", seconds=GOING, **going)
            except CallError as failed:
                error = str(failed).removeprefix("Error: ")
                watch.fail()
        arrival = Arrival(url, ERRORS.get(error, error), stays=error in STAYS, file=bool(watch.downloads))
        return arrival.facts(self.tab, watch.dialogs)

    def keep_place(self, url: str) -> Callable[[], None]:
        before = self.fact

        def come_back() -> None:
            self.refresh()
            if self.fact != before:
                self._go_back(before)

        return come_back

    def _go_back(self, before: PageAt) -> None:
        """Go back in the history to the earlier page; if that fails, load its address again."""
        failed = self.fact
        with suppress(CallError, TimeoutError):
            self.call(Ignored, "browsingContext.traverseHistory", context=self._context, delta=-1)
        for _ in range(BACK_LOOKS):
            with suppress(CallError, TimeoutError):
                self.refresh()
            if self.fact != failed:
                break
            self._client.pause(BACK_PAUSE)
        if self.url != before.url:
            self.go(before.url)


def _argument(text: str) -> dict[str, str]:
    return {"type": "string", "value": text}


@contextmanager
def open_page(client: ProtocolClient, tab: str, context: str) -> Generator[FirefoxPage]:
    """Yield the page of a tab. Raises `ProviderError` if the tab is gone or its page does not answer."""
    try:
        try:
            page = FirefoxPage(client, tab, context)
        except CallError as error:
            raise tab_closed() from error
        yield page
    except TimeoutError as late:
        raise page_hangs() from late


PLAIN = frozenset({"string", "boolean", "date"})
LISTS = frozenset({"array", "set", "nodelist", "htmlcollection"})
PAIRS = frozenset({"object", "map"})


def as_text(value: ScriptValue) -> str:
    """Return a value as text: a string unchanged, `undefined` as empty, most other values as JSON."""
    match value.type:
        case "undefined":
            return ""
        case "string" | "date":
            return str(value.value)
        case "bigint":
            return f"{value.value}n"
        case "number" if isinstance(value.value, str):
            return value.value
        case "null" | "boolean" | "number" | "array" | "object" | "map" | "set":
            return json.dumps(_plain({"type": value.type, "value": value.value}), ensure_ascii=False)
        case _:
            return _describe_value(value.type, value.value)


def _plain(nested: dict[str, Any]) -> Json:
    """Return a nested value as JSON."""
    kind, value = str(nested.get("type", "")), nested.get("value")
    if kind in LISTS and isinstance(value, list):
        return [_plain(each) for each in cast("list[dict[str, Any]]", value)]
    if kind in PAIRS and isinstance(value, list):
        return {_key(key): _plain(each) for key, each in cast("list[tuple[Any, dict[str, Any]]]", value)}
    if kind in PLAIN:
        return cast("Json", value)
    if kind == "number":
        return None if isinstance(value, str) else cast("Json", value)
    if kind in {"null", "undefined"}:
        return None
    return f"{value}n" if kind == "bigint" else _describe_value(kind, value)


def _key(key: str | dict[str, Any]) -> str:
    return key if isinstance(key, str) else str(_plain(key))


def _describe_value(kind: str, value: object) -> str:
    if kind == "regexp" and isinstance(value, dict):
        regexp = cast("dict[str, str]", value)
        return f"/{regexp.get('pattern', '')}/{regexp.get('flags', '')}"
    return f"[{kind}]"
