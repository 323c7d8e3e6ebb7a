"""Run a script that a person said yes to in a page, and return its value as text."""

import json

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.calling import No
from sayso.providers.browser.cdp.inside import inside
from sayso.providers.browser.cdp.opening import Opens, loading, shown
from sayso.providers.browser.facts import Returned
from sayso.providers.browser.words import MOST_CHARACTERS

SECONDS = 30.0


def ran(opens: Opens, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page itself, as the page's own scripts run."""
    with opens.held(files=True), inside(opens.now, tab) as page:
        with loading(page):
            try:
                done = page.ask(
                    said.Ran,
                    "Runtime.evaluate",
                    seconds=SECONDS,
                    expression=code,
                    returnByValue=True,
                    awaitPromise=True,
                    replMode=True,
                    timeout=round(SECONDS * 1000) - 1000,
                )
            except TimeoutError as late:
                raise Uncertain(f"the script did not end within {SECONDS:g} seconds") from late
            except No as no:
                raise Uncertain("the page was left while the script ran") from no
        shown(opens, tab)
        if done.exception_details is not None:
            why = done.exception_details.exception.description or done.exception_details.text
            raise ProviderError(
                f"the script ended with an error, and what it did before stays: {why.splitlines()[0][:300]}",
                "page.script",
            )
        return (returned(token, as_text(done.result)),)


def returned(token: str, text: str) -> Returned:
    """Return the fact of what a script returned, cut to what may be shown."""
    short = text[:MOST_CHARACTERS]
    return Returned(token, short, len(text), truncated=short != text)


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
