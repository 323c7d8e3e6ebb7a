"""The list of what sayso is made of here: its providers, and those of other packages, and its dialects."""

from collections.abc import Mapping
from typing import cast

from sayso.assembly.offered import offered
from sayso.core.dialect import Dialect
from sayso.core.errors import SetupError
from sayso.core.loading import load
from sayso.core.provider import Provider
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
DIALECTS: Mapping[str, str] = {
    "auto": "sayso.dialects.auto:AUTO",
    "lines": "sayso.dialects.lines:LINES",
    "tools": "sayso.dialects.tools:TOOLS",
    "blocks": "sayso.dialects.blocks:BLOCKS",
    "actions": "sayso.dialects.actions:ACTIONS",
    "commands": "sayso.dialects.commands:COMMANDS",
    "chat": "sayso.dialects.chat:CHAT",
}
"""Where each dialect is; it is imported when it is asked for."""
BATCHES = frozenset({"lines", "commands"})
"""Dialects whose text is one batch; in the others each proposal stands for itself."""
WHOLE_OR_NONE = frozenset({"commands"})
"""Dialects of which nothing runs when one proposal is invalid (T-103)."""
EXACT = frozenset({"commands"})
"""Dialects in which a name is taken letter for letter (T-98)."""


def providers() -> tuple[Provider, ...]:
    """Return sayso's own providers and those that other packages offer under `sayso.providers`."""
    return (*PROVIDERS, *(offer.load() for offer in offered()))


def dialect(name: str) -> Dialect:
    """Return a dialect by name. Raises `SetupError` for one that there is not."""
    if name not in DIALECTS:
        raise SetupError(f"there is no dialect “{name}”; there are: {', '.join(DIALECTS)}", "dialect.unknown")
    return cast("Dialect", load(DIALECTS[name]))
