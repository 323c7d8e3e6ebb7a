"""Run a script that a person said yes to in a page: what it returned, or what went wrong in it."""

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.facts import Returned
from sayso.providers.browser.live.begun import LOOK, deed
from sayso.providers.browser.live.calling import No
from sayso.providers.browser.live.clicking import settle
from sayso.providers.browser.live.ports import Came, Hands, Page
from sayso.providers.browser.words import MOST_CHARACTERS

SECONDS = 30.0


def ran(hands: Hands, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page itself, as the page's own scripts run."""
    with hands.held(files=True), hands.inside(tab) as page, deed() as doing:
        with page.loading():
            doing.begins("the script ran")
            came = _run(page, code)
            if came.unreadable:
                doing.nothing()
                raise unreadable(came.error)
            settle(page)
        hands.shown(tab)
        if came.error:
            raise wrong(came.error)
        return (returned(token, came.text),)


def _run(page: Page, code: str) -> Came:
    try:
        return page.evaluate(code, SECONDS)
    except TimeoutError as late:
        raise too_long() from late
    except No as no:
        raise left() from no


def returned(token: str, text: str) -> Returned:
    """Return the fact of what a script returned, cut to what may be shown."""
    short = text[:MOST_CHARACTERS]
    return Returned(token, short, len(text), truncated=short != text)


def unreadable(told: str) -> ProviderError:
    """Return what is said of a script that cannot be read, so that nothing of it ran."""
    return ProviderError(f"the script cannot be read, so that nothing of it ran: {_first(told)}", "page.script")


def wrong(told: str) -> ProviderError:
    """Return what is said of a script that ended with an error."""
    return ProviderError(f"it ended with an error, and what it did before stays: {_first(told)}", "page.script")


def _first(told: str) -> str:
    return (told.splitlines() or ["an error of its own"])[0][:300]


def too_long() -> Uncertain:
    """Return what is said of a script that goes on and on."""
    return Uncertain(f"the script did not end within {SECONDS:g} seconds; {LOOK}")


def left() -> Uncertain:
    """Return what is said when the page went away beneath a script."""
    return Uncertain(f"the page was left while the script ran; {LOOK}")
