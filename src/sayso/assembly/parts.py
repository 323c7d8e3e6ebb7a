"""The list of what sayso is made of here: its providers, and those of other packages, and its dialects."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import cast

from sayso.core.errors import SetupError
from sayso.core.ports import Dialect, Provider
from sayso.dialects.lines import LINES
from sayso.providers.apps.provider import APPS
from sayso.providers.browser.provider import BROWSER
from sayso.providers.calendar.provider import CALENDAR
from sayso.providers.desktop.provider import DESKTOP
from sayso.providers.files.provider import FILES
from sayso.providers.mail.provider import MAIL
from sayso.providers.notes.provider import NOTES
from sayso.providers.talk.provider import TALK
from sayso.providers.tasks.provider import TASKS
from sayso.providers.web.provider import WEB

PROVIDERS: tuple[Provider, ...] = (FILES, APPS, BROWSER, DESKTOP, MAIL, CALENDAR, NOTES, TASKS, TALK, WEB)
DIALECTS: Mapping[str, Dialect] = {"lines": LINES}
BATCHES = frozenset({"lines", "commands"})
"""Dialects whose text is one batch; in the others each proposal stands for itself."""


def providers() -> tuple[Provider, ...]:
    """Return sayso's own providers and those that other packages offer under `sayso.providers`."""
    return (*PROVIDERS, *(cast("Provider", entry.load()) for entry in entry_points(group="sayso.providers")))


def dialect(name: str) -> Dialect:
    """Return a dialect by name. Raises `SetupError` for one that there is not."""
    if name not in DIALECTS:
        raise SetupError(f"there is no dialect “{name}”; there are: {', '.join(DIALECTS)}", "dialect.unknown")
    return DIALECTS[name]
