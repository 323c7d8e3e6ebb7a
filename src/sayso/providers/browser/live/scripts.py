"""What is said of a script that a person said yes to: what it returned, or what went wrong in it."""

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.facts import Returned
from sayso.providers.browser.words import MOST_CHARACTERS

SECONDS = 30.0


def returned(token: str, text: str) -> Returned:
    """Return the fact of what a script returned, cut to what may be shown."""
    short = text[:MOST_CHARACTERS]
    return Returned(token, short, len(text), truncated=short != text)


def wrong(told: str) -> ProviderError:
    """Return what is said of a script that ended with an error."""
    first = (told.splitlines() or ["of its own"])[0][:300]
    return ProviderError(f"the script ended with an error, and what it did before stays: {first}", "page.script")


def too_long() -> Uncertain:
    """Return what is said of a script that goes on and on."""
    return Uncertain(f"the script did not end within {SECONDS:g} seconds")


def left() -> Uncertain:
    """Return what is said when the page went away beneath a script."""
    return Uncertain("the page was left while the script ran")
