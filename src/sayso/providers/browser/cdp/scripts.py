"""Run a script that a person said yes to in a page, and return its value as text."""

import json

from sayso.core.plan import Facts
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.inside import Inside, inside
from sayso.providers.browser.cdp.opening import Opens, shown
from sayso.providers.browser.live import scripts
from sayso.providers.browser.live.calling import No
from sayso.providers.browser.live.clicking import settle


def ran(opens: Opens, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page itself, as the page's own scripts run."""
    with opens.held(files=True), inside(opens.now, tab) as page:
        with page.loading():
            try:
                done = _run(page, code)
            except TimeoutError as late:
                raise scripts.too_long() from late
            except No as no:
                raise scripts.left() from no
            settle(page)
        shown(opens, tab)
        if done.exception_details is not None:
            raise scripts.wrong(_thrown(done.exception_details))
        return (scripts.returned(token, as_text(done.result)),)


def _run(page: Inside, code: str) -> said.Ran:
    """Run it; what it comes to is waited for where that is a promise, and taken whole where it is an object."""
    ran = page.ask(
        said.Ran, "Runtime.evaluate", seconds=scripts.SECONDS, expression=code, awaitPromise=True, replMode=True
    )
    if ran.exception_details is None and ran.result.subtype == "promise":
        ran = page.ask(said.Ran, "Runtime.awaitPromise", seconds=scripts.SECONDS, promiseObjectId=ran.result.object_id)
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


def _thrown(thrown: said.Thrown) -> str:
    return thrown.exception.description or str(thrown.exception.value or "") or thrown.text


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
