"""Keep Firefox away from sayso's own pages (BR-01).

It is told in its preferences as it starts, so that nothing in it ever gets there: no spelling, redirect, frame or
worker. WebDriver BiDi stops the requests of pages, and not those of workers; so in a Firefox that was not told,
nothing is opened, clicked, filled in or run.
"""

from collections.abc import Iterable

from sayso.core.errors import SetupError
from sayso.providers.browser.bidi.where import BANNED, KIND
from sayso.providers.browser.live.where import Endpoint


def preference(ports: Iterable[int]) -> str:
    """Return the line of `user.js` that keeps a browser away from ports, whatever host they are on."""
    return f'user_pref("{BANNED}", "{",".join(map(str, sorted(ports)))}");'


def anew(at: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> str:
    """Say how a browser is started so that it keeps away from these ports too."""
    if at.own is not None:
        return f"start it anew: {KIND.start} --stop, then {KIND.start}"
    return f"add this line to the file user.js in its profile, and start it anew: {preference(ports | kept_away)}"


def must_be_kept_away(at: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> None:
    """Raise `SetupError` for a browser that was not told to keep away from these ports."""
    if ports - kept_away:
        raise SetupError(
            "that Firefox was not told to keep away from sayso's own pages, so nothing is done in its pages; "
            f"{anew(at, ports, kept_away)}",
            "browser.exposed",
        )
