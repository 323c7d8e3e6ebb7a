"""A page from within: looked at and acted on in a world of our own, bound to this one load of it."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.calling import SECONDS, Event, Ignored, Lost, No
from sayso.providers.browser.cdp.chromium import Connected, target_of
from sayso.providers.browser.facts import PageAt

T = TypeVar("T")
CALL = "function (name, ...data) { return this[name](...data); }"
ELEMENT = "function () { return this.element; }"
LOADING = 10.0
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

    def _frame(self) -> said.Frame:
        return self.ask(said.Tree, "Page.getFrameTree").frame_tree.frame

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

    def element(self) -> str:
        """Return the way to the element that was found last."""
        return self._run(ELEMENT, [], seconds=SECONDS, gesture=False, whole=False).result.object_id

    def _run(self, code: str, data: list[Any], *, seconds: float, gesture: bool, whole: bool) -> said.Ran:
        try:
            ran = self.ask(
                said.Ran,
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
            world = self.ask(said.World, "Page.createIsolatedWorld", frameId=self.frame.id, worldName="sayso")
            ran = self.ask(
                said.Ran,
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

    def named(self, element: str) -> tuple[str, str]:
        """Return role and name of an element as the accessibility tree has them."""
        try:
            nodes = self.ask(said.Nodes, "Accessibility.getPartialAXTree", objectId=element, fetchRelatives=False).nodes
        except No:
            return "", ""
        node = next((node for node in nodes if not node.ignored), None)
        return (str(node.role.value), str(node.name.value)) if node else ("", "")


def script() -> str:
    """Return the functions that are called within a page."""
    return Path(__file__).with_suffix(".js").read_text("utf-8")


@contextmanager
def inside(now: Connected, tab: str) -> Generator[Inside]:
    """Yield the page of a tab. Raises `ProviderError` when the tab is gone, or its page does not answer."""
    try:
        session, page = _attached(now, tab)
    except No as no:
        raise ProviderError("the tab is no longer open", "tab.closed") from no
    try:
        yield Inside(now, tab, page)
    except TimeoutError as late:
        raise ProviderError("the page does not answer", "page.hangs") from late
    finally:
        with suppress(Lost):
            now.devtools.say("Target.detachFromTarget", sessionId=session)


def _attached(now: Connected, tab: str) -> tuple[str, str]:
    """Return the sessions of a tab and of the page it shows; they are one where a page is its own tab."""
    devtools, pages = now.devtools, list[said.Attached]()
    target = target_of(now, tab)
    session = devtools.ask(said.Session, "Target.attachToTarget", targetId=target, flatten=True).session_id
    if devtools.ask(said.OneTarget, "Target.getTargetInfo", targetId=target).target_info.type != "tab":
        return session, session

    def heard(event: Event) -> None:
        if event.method == "Target.attachedToTarget" and event.session == session:
            attached = event.read(said.Attached)
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
