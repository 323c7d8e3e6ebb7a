"""Read the settings and the journal of a home without opening it, where opening is not necessary."""

from collections.abc import Callable
from typing import TypeVar, cast

from sayso.assembly.journal_view import journal_as_it_is, journal_view
from sayso.assembly.parts import read_settings
from sayso.config import Settings, places
from sayso.config.paths import open_to_others
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.journal.reader import JournalReader
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.context import CommandContext

T = TypeVar("T")


UNWRITABLE = frozenset({"journal.full", "journal.read_only", "upkeep.unwritable"})


def settings_of(here: CommandContext) -> Settings:
    """Return the settings."""
    return read_settings(here.environ)


def close_folders(here: CommandContext) -> None:
    """Close sayso's folders to other users, and warn the person of folders that stay open (`open_to_others`)."""
    for folder in open_to_others(places(here.environ), named=bool(here.environ.get("SAYSO_HOME"))):
        here.tell(f"sayso: others may look into {quoted(folder)}; “sayso doctor” says how to close it")


def read_journal(here: CommandContext, read: Callable[[JournalReader], T]) -> T:
    """Return what `read` returns for the journal; the home is opened only if `journal_view` yields None.

    Where nothing can be written, on a full disk or in a read-only home, the person is told so, and the journal is read
    as it is. Raises what `open_home` and `read` raise.
    """
    settings = _settings_or_none(here)
    if settings is not None:
        with journal_view(settings, SystemClock().now()) as reader:
            if reader is not None:
                close_folders(here)
                return read(reader)
    try:
        return cast("T", load("sayso.surfaces.cli.home:read_in_home")(here, read))
    except SetupError as wrong:
        if settings is None or wrong.code not in UNWRITABLE:
            raise
        here.tell(f"sayso: {wrong}. What was written before is shown all the same.")
        with journal_as_it_is(settings) as reader:
            return read(reader)


def _settings_or_none(here: CommandContext) -> Settings | None:
    try:
        return settings_of(here)
    except SetupError:
        return None  # opening the home reports what is wrong with the settings
