"""Bugs for the soak run; each lets something grow, or never end, in this process."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sayso.assembly.settings_watch import ReloadingSettings
from sayso.journal.sqlite import SqliteJournal
from sayso.providers.files.local.backend import LocalBackend
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import is_over
from tests.harness.planting import always, everywhere, method
from tests.harness.told import Planted


def _also(owner: type, name: str, more: Callable[..., object]) -> None:
    """Do something more each time a method is called."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: object, *given: Any, **named: Any) -> Any:
            more(self)
            return sound(self, *given, **named)

        return worse

    method(owner, name, make)


def descriptor() -> None:
    """Leave a descriptor open with each lock."""

    def open_one(locks: object) -> None:
        os.dup(0)

    _also(FileLocks, "_open", open_one)


def memory() -> None:
    """Keep something of each commit for ever."""
    kept: list[bytes] = []

    def keep(journal: object) -> None:
        kept.append(os.urandom(2**16))

    _also(SqliteJournal, "commit", keep)


def thread() -> None:
    """Start a thread with each commit that waits for what never comes."""
    never = threading.Event()

    def start(journal: object) -> None:
        threading.Thread(target=never.wait, daemon=True).start()

    _also(SqliteJournal, "commit", start)


def kept() -> None:
    """Never let go of what was kept for a way back."""
    method(LocalBackend, "prune", always(always(0)))


def immortal() -> None:
    """Let what waits wait for ever."""
    everywhere(is_over, always(False))


def audit() -> None:
    """Never remove what is old from the journal."""

    async def worse(self: SqliteJournal, before: str) -> None:
        return None

    method(SqliteJournal, "prune", always(worse))


def temporary() -> None:
    """Leave a file behind with each lock."""

    def leave(locks: FileLocks) -> None:
        folder = Path(str(vars(locks)["_folder"])).parent / "tmp"
        folder.mkdir(exist_ok=True)
        (folder / str(len(list(folder.iterdir())))).touch()

    _also(FileLocks, "_open", leave)


def stale() -> None:
    """Read the settings once and never again."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: ReloadingSettings) -> Any:
            return vars(self).get("_good") or sound(self)

        return worse

    method(ReloadingSettings, "__call__", make)


PLANTED: Planted = {
    "descriptor": descriptor,
    "memory": memory,
    "thread": thread,
    "kept": kept,
    "immortal": immortal,
    "audit": audit,
    "temporary": temporary,
    "stale": stale,
}
