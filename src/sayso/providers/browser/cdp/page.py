"""A page in a browser of the Chromium family: looked at and acted on in an isolated world, bound to one load of it."""

import base64
import json
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TypeVar

import msgspec

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.session import LOADING, Connected, Waiting, target_of
from sayso.providers.browser.model import PageAt
from sayso.providers.browser.remote import reads
from sayso.providers.browser.remote.backend import must_not_ask
from sayso.providers.browser.remote.connection import SECONDS, Event, Ignored, Lost, No
from sayso.providers.browser.remote.driver import Came, Mouse
from sayso.providers.browser.remote.reads import script

T = TypeVar("T")


class Asks(Protocol):
    """A page that is spoken to."""

    def ask(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call something of this page."""
        ...


def evaluate(page: Asks, code: str, seconds: float) -> Came:
    """Return what a script comes to in the page itself. Raises `TimeoutError`, and `No` when the page goes away."""
    ran = _run(page, code, seconds)
    if ran.exception_details is None:
        return Came(as_text(ran.result))
    thrown = ran.exception_details
    what = thrown.exception.description or str(thrown.exception.value or "") or thrown.text
    # An error that a script meets while it runs is told as that of a promise, which belongs to no script.
    never_ran = thrown.script_id != "" and what.startswith("SyntaxError") and "\n    at " not in what
    return Came(error=what or "an error of its own", unreadable=never_ran)


def _run(page: Asks, code: str, seconds: float) -> protocol.Ran:
    """Run it; what it comes to is waited for where that is a promise, and taken whole where it is an object."""
    ran = page.ask(protocol.Ran, "Runtime.evaluate", seconds=seconds, expression=code, awaitPromise=True, replMode=True)
    if ran.exception_details is None and ran.result.subtype == "promise":
        ran = page.ask(protocol.Ran, "Runtime.awaitPromise", seconds=seconds, promiseObjectId=ran.result.object_id)
    if ran.exception_details is not None or ran.result.type != "object" or not ran.result.object_id:
        return ran
    try:
        return page.ask(
            protocol.Ran,
            "Runtime.callFunctionOn",
            objectId=ran.result.object_id,
            functionDeclaration="function () { return this; }",
            returnByValue=True,
        )
    except No:
        return ran  # it cannot be written down, such as a window


def as_text(thing: protocol.Thing) -> str:
    """Return a value as text: a text as it is, nothing as nothing, all else as JSON or as the browser describes it."""
    if thing.type == "undefined":
        return ""
    if isinstance(thing.value, str):
        return thing.value
    if thing.unserializable_value:
        return thing.unserializable_value
    if thing.type in {"function", "symbol"} or (thing.value is None and thing.description):
        return thing.description
    return json.dumps(thing.value, ensure_ascii=False)


CALL = "function (name, ...data) { return this[name](...data); }"
ELEMENT = "function () { return this.element; }"
TICK = 0.05
NOTHING_YET = frozenset({"", ":"})
"""What a tab shows whose first page has not come yet."""


class Inside:
    """A page that is spoken to; its frame is the one that was there when that began."""

    def __init__(self, now: Connected, tab: str, session: str) -> None:
        self.devtools = now.devtools
        self.tab = tab
        self.session = session
        self.frame = self._frame()
        self._tools = ""

    def _frame(self) -> protocol.Frame:
        return self.ask(protocol.Tree, "Page.getFrameTree").frame_tree.frame

    @property
    def fact(self) -> PageAt:
        """Return the fact that this load of the page is shown."""
        return PageAt(self.tab, self.frame.whole, self.frame.loader_id)

    def again(self) -> None:
        """Look at what the tab shows now."""
        self.frame = self._frame()
        self._tools = ""

    def ask(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call something of this page."""
        return self.devtools.ask(into, method, self.session, seconds=seconds, **params)

    def call(self, into: type[T], what: str, *data: Any, seconds: float = SECONDS, gesture: bool = False) -> T:
        """Call one of the functions of `inside.js`, with data as JSON. Raises `ProviderError` for a page that hangs."""
        ran = self._run(CALL, [{"value": each} for each in (what, *data)], seconds=seconds, gesture=gesture, whole=True)
        return msgspec.convert(ran.result.value, into)

    @property
    def url(self) -> str:
        """Return its whole address."""
        return self.frame.whole

    def _run(self, code: str, data: list[Any], *, seconds: float, gesture: bool, whole: bool) -> protocol.Ran:
        try:
            ran = self.ask(
                protocol.Ran,
                "Runtime.callFunctionOn",
                seconds=seconds,
                objectId=self._toolbox(),
                functionDeclaration=code,
                arguments=data,
                returnByValue=whole,
                awaitPromise=True,
                userGesture=gesture,
            )
        except No as no:
            raise ProviderError("the page was left meanwhile", "page.left") from no
        if ran.exception_details is not None:
            raise ProviderError("the page cannot be looked into", "page.closed")
        return ran

    def _toolbox(self) -> str:
        if not self._tools:
            world = self.ask(protocol.World, "Page.createIsolatedWorld", frameId=self.frame.id, worldName="sayso")
            ran = self.ask(
                protocol.Ran,
                "Runtime.evaluate",
                expression=script(),
                contextId=world.execution_context_id,
            )
            self._tools = ran.result.object_id
        return self._tools

    def loaded(self, seconds: float = LOADING) -> None:
        """Wait until the page has loaded, at the most this long; what there is then is what there is."""
        for _ in range(round(seconds / TICK)):
            if self.frame.url not in NOTHING_YET:
                break
            self.devtools.wait(lambda: False, TICK)
            self.again()
        self.call(bool, "loaded", round(seconds * 1000), seconds=seconds + SECONDS)

    def named(self) -> tuple[str, str]:
        """Return role and name of the element that was found last, as the accessibility tree has them."""
        element = self._run(ELEMENT, [], seconds=SECONDS, gesture=False, whole=False).result.object_id
        try:
            nodes = self.ask(
                protocol.Nodes, "Accessibility.getPartialAXTree", objectId=element, fetchRelatives=False
            ).nodes
        except No:
            return "", ""
        node = next((node for node in nodes if not node.ignored), None)
        return (str(node.role.value), str(node.name.value)) if node else ("", "")

    def picture(self) -> bytes:
        """Return a picture of what is seen of it."""
        try:
            return base64.b64decode(self.ask(protocol.Picture, "Page.captureScreenshot", seconds=30, format="png").data)
        except No as no:
            raise reads.no_picture() from no

    def mouse(self, what: Mouse, x: float, y: float) -> None:
        """Do this with the mouse at this place."""
        button, count = ("none", 0) if what == "moved" else ("left", 1)
        kind = f"mouse{what.capitalize()}"
        try:
            self.ask(Ignored, "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=count)
        except No as no:
            raise ProviderError("the page was left meanwhile", "page.left") from no

    def evaluate(self, code: str, seconds: float) -> Came:
        """Run a script in the page itself, as its own scripts run; return what it comes to."""
        return evaluate(self, code, seconds)

    def put(self, text: str) -> None:
        """Put text in place of what is selected; empty takes it out."""
        if text:
            self.ask(Ignored, "Input.insertText", text=text)
            return
        for kind in ("rawKeyDown", "keyUp"):
            self.ask(
                Ignored, "Input.dispatchKeyEvent", type=kind, key="Delete", code="Delete", windowsVirtualKeyCode=46
            )

    @contextmanager
    def going(self) -> Generator[Waiting]:
        """Wait, after what is done within, until what the page began to load is there."""
        waiting = Waiting(self.devtools, self.session, self.frame.id)
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


@contextmanager
def inside(now: Connected, tab: str) -> Generator[Inside]:
    """Yield the page of a tab. Raises `ProviderError` when the tab is gone, or its page does not answer."""
    try:
        session, page = _attach_to_tab(now, tab)
    except No as no:
        raise ProviderError("the tab is no longer open", "tab.closed") from no
    try:
        yield Inside(now, tab, page)
    except TimeoutError as late:
        raise ProviderError("the page does not answer", "page.hangs") from late
    finally:
        with suppress(Lost):
            now.devtools.say("Target.detachFromTarget", sessionId=session)


def _attach_to_tab(now: Connected, tab: str) -> tuple[str, str]:
    """Return the sessions of a tab and of the page it shows; they are one where a page is its own tab."""
    devtools, pages = now.devtools, list[protocol.Attached]()
    target = target_of(now, tab)
    session = devtools.ask(protocol.Session, "Target.attachToTarget", targetId=target, flatten=True).session_id
    if devtools.ask(protocol.OneTarget, "Target.getTargetInfo", targetId=target).target_info.type != "tab":
        return session, session

    def heard(event: Event) -> None:
        if event.method == "Target.attachedToTarget" and event.session == session:
            attached = event.read(protocol.Attached)
            if attached.target_info.type == "page" and attached.target_info.subtype != "prerender":
                pages.append(attached)

    deaf = devtools.listen(heard)
    try:
        devtools.ask(
            Ignored, "Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=False, flatten=True
        )
        if not devtools.wait(lambda: bool(pages), SECONDS):
            raise ProviderError("the page does not answer", "page.hangs")
    finally:
        deaf()
    return session, pages[0].session_id
