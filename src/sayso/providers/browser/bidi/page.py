"""A page in Firefox: looked at and acted on in a sandbox, bound to one load of it."""

import base64
import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import msgspec

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.protocol import Value
from sayso.providers.browser.bidi.session import LOADING, LOOK, SANDBOX, Connected, Waiting
from sayso.providers.browser.model import PageAt
from sayso.providers.browser.remote import reads
from sayso.providers.browser.remote.backend import must_not_ask
from sayso.providers.browser.remote.connection import SECONDS, Ignored, No
from sayso.providers.browser.remote.driver import Came, Mouse
from sayso.providers.browser.remote.reads import script

PLAIN = frozenset({"string", "boolean", "date"})
LISTS = frozenset({"array", "set", "nodelist", "htmlcollection"})
PAIRS = frozenset({"object", "map"})


def as_text(value: Value) -> str:
    """Return a value as text."""
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


def _plain(told: dict[str, Any]) -> Json:
    """Return what a value within another is in JSON."""
    kind, value = str(told.get("type", "")), told.get("value")
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
        told = cast("dict[str, str]", value)
        return f"/{told.get('pattern', '')}/{told.get('flags', '')}"
    return f"[{kind}]"


def came(ran: protocol.Ran) -> Came:
    """Return what a script came to."""
    if ran.exception_details is None:
        return Came(as_text(ran.result))
    thrown = ran.exception_details
    # What a script meets while it runs, it meets somewhere.
    never_ran = thrown.text.startswith("SyntaxError") and not thrown.stack_trace.call_frames
    return Came(error=thrown.text or "an error of its own", unreadable=never_ran)


T = TypeVar("T")
CALL = """async function (name, ...data) {
  return JSON.stringify(await this[name](...data.map((each) => JSON.parse(each)))) ?? "null";
}"""
PUT = 'function (text) { return document.execCommand(text ? "insertText" : "delete", false, text); }'
HAND = {"type": "pointer", "id": "hand", "parameters": {"pointerType": "mouse"}}


class Inside:
    """A page that is spoken to, as it was when that began."""

    def __init__(self, now: Connected, tab: str, context: str) -> None:
        self.now = now
        self.tab = tab
        self.context = context
        self.url = ""
        self._began = ""
        self._realm = ""
        self._tools = ""
        self.again()

    @property
    def fact(self) -> PageAt:
        """Return the fact that this load of the page is shown."""
        return PageAt(self.tab, self.url, self._began)

    def again(self) -> None:
        """Look at what the tab shows now."""
        target = {"context": self.context, "sandbox": SANDBOX}
        ran = self.ask(protocol.Ran, "script.evaluate", expression=LOOK, target=target, awaitPromise=False)
        self._realm, self._tools = ran.realm, ""
        self._began = msgspec.json.decode(str(ran.result.value), type=tuple[str, str, bool])[0]
        (shown,) = self.ask(protocol.Tree, "browsingContext.getTree", root=self.context, maxDepth=0).contexts
        self.url = shown.url

    def ask(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call something of the browser."""
        return self.now.calls.ask(into, method, seconds=seconds, **params)

    def call(self, into: type[T], what: str, *data: Any, seconds: float = SECONDS, gesture: bool = False) -> T:
        """Call one of the functions of `inside.js`, with data as JSON. Raises `ProviderError` for a page that hangs."""
        told = [_text(what), *(_text(msgspec.json.encode(each).decode()) for each in data)]
        value = self._run(CALL, told, seconds=seconds, gesture=gesture, this={"handle": self._toolbox()})
        return msgspec.json.decode(str(value), type=into)

    def _run(self, code: str, data: list[dict[str, str]], *, seconds: float, gesture: bool = False, **more: Any) -> Any:
        try:
            ran = self.ask(
                protocol.Ran,
                "script.callFunction",
                seconds=seconds,
                functionDeclaration=code,
                target={"realm": self._realm},
                arguments=data,
                awaitPromise=True,
                userActivation=gesture,
                **more,
            )
        except No as no:
            raise ProviderError("the page was left meanwhile", "page.left") from no
        if ran.exception_details is not None:
            raise ProviderError("the page cannot be looked into", "page.closed")
        return ran.result.value

    def _toolbox(self) -> str:
        if not self._tools:
            try:
                ran = self.ask(
                    protocol.Ran,
                    "script.evaluate",
                    expression=script(),
                    target={"realm": self._realm},
                    awaitPromise=False,
                    resultOwnership="root",
                    serializationOptions={"maxObjectDepth": 0},
                )
            except No as no:
                raise ProviderError("the page was left meanwhile", "page.left") from no
            self._tools = ran.result.handle
        return self._tools

    def loaded(self, seconds: float = LOADING) -> None:
        """Wait until the page has loaded, at the most this long; what there is then is what there is."""
        self.call(bool, "loaded", round(seconds * 1000), seconds=seconds + SECONDS)

    def named(self) -> tuple[str, str]:
        """Return role and name of the element that was found last, as `inside.js` reads them off the page."""
        return self.call(tuple[str, str], "named")

    def picture(self) -> bytes:
        """Return a picture of what is seen of it."""
        try:
            shown = self.ask(protocol.Picture, "browsingContext.captureScreenshot", seconds=30, context=self.context)
        except No as no:
            raise reads.no_picture() from no
        return base64.b64decode(shown.data)

    def mouse(self, what: Mouse, x: float, y: float) -> None:
        """Do this with the mouse at this place."""
        deed: dict[str, Any] = {
            "moved": {"type": "pointerMove", "x": round(x), "y": round(y)},
            "pressed": {"type": "pointerDown", "button": 0},
            "released": {"type": "pointerUp", "button": 0},
        }[what]
        try:
            self.ask(Ignored, "input.performActions", context=self.context, actions=[{**HAND, "actions": [deed]}])
        except No as no:
            raise ProviderError("the page was left meanwhile", "page.left") from no

    def evaluate(self, code: str, seconds: float) -> Came:
        """Run a script in the page itself, as its own scripts run; return what it comes to."""
        ran = self.ask(
            protocol.Ran,
            "script.evaluate",
            seconds=seconds,
            expression=self.call(str, "written", code),
            target={"context": self.context},
            awaitPromise=True,
        )
        return came(ran)

    def put(self, text: str) -> None:
        """Put text in place of what is selected; empty takes it out."""
        self._run(PUT, [_text(text)], seconds=SECONDS)

    @contextmanager
    def going(self) -> Generator[Waiting]:
        """Wait, after what is done within, until what the page began to load is there."""
        waiting = Waiting(self.now.calls, self.context)
        try:
            yield waiting
            waiting.until_there()
        finally:
            waiting.stop()

    @contextmanager
    def loading(self) -> Generator[None]:
        """Wait as `going` does. Raises `ProviderError` for what the page asks."""
        with self.going() as waiting:
            yield
        must_not_ask(waiting.dialogs)


def _text(value: str) -> dict[str, str]:
    return {"type": "string", "value": value}


@contextmanager
def inside(now: Connected, tab: str) -> Generator[Inside]:
    """Yield the page of a tab. Raises `ProviderError` when the tab is gone, or its page does not answer."""
    context = now.context(tab)
    try:
        try:
            page = Inside(now, tab, context)
        except No as no:
            raise ProviderError("the tab is no longer open", "tab.closed") from no
        yield page
    except TimeoutError as late:
        raise ProviderError("the page does not answer", "page.hangs") from late
