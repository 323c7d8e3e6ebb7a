"""Evaluate a script in a page, and put what it comes to into text."""

import json
from typing import Any, Protocol, TypeVar

from sayso.providers.browser.cdp import said
from sayso.providers.browser.live.calling import SECONDS, No
from sayso.providers.browser.live.ports import Came

T = TypeVar("T")


class Asks(Protocol):
    """A page that is spoken to."""

    def ask(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call something of this page."""
        ...


def evaluated(page: Asks, code: str, seconds: float) -> Came:
    """Return what a script comes to in the page itself. Raises `TimeoutError`, and `No` when the page goes away."""
    ran = _run(page, code, seconds)
    if ran.exception_details is None:
        return Came(as_text(ran.result))
    thrown = ran.exception_details
    what = thrown.exception.description or str(thrown.exception.value or "") or thrown.text
    # An error that a script meets while it runs is told as that of a promise, which belongs to no script.
    never_ran = thrown.script_id != "" and what.startswith("SyntaxError") and "\n    at " not in what
    return Came(error=what or "an error of its own", unreadable=never_ran)


def _run(page: Asks, code: str, seconds: float) -> said.Ran:
    """Run it; what it comes to is waited for where that is a promise, and taken whole where it is an object."""
    ran = page.ask(said.Ran, "Runtime.evaluate", seconds=seconds, expression=code, awaitPromise=True, replMode=True)
    if ran.exception_details is None and ran.result.subtype == "promise":
        ran = page.ask(said.Ran, "Runtime.awaitPromise", seconds=seconds, promiseObjectId=ran.result.object_id)
    if ran.exception_details is not None or ran.result.type != "object" or not ran.result.object_id:
        return ran
    try:
        return page.ask(
            said.Ran,
            "Runtime.callFunctionOn",
            objectId=ran.result.object_id,
            functionDeclaration="function () { return this; }",
            returnByValue=True,
        )
    except No:
        return ran  # it cannot be written down, such as a window


def as_text(thing: said.Thing) -> str:
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
