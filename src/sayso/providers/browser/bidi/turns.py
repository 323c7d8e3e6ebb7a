"""Take turns with Firefox: it speaks with one at a time, so whoever speaks with it holds a lock and keeps the notes."""

import fcntl
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.ports import Clock
from sayso.providers.browser.bidi.known import Notes
from sayso.providers.browser.own_pages import private

FOLDER = "firefox"
PATIENCE = 60.0
"""Seconds; what another sayso does in a page may take half of that."""
TICK = 0.02


class Kept:
    """The notes while one's turn lasts; each change is written at once."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.notes = self._read()

    def _read(self) -> Notes:
        size = os.fstat(self._handle).st_size
        try:
            return msgspec.json.decode(os.pread(self._handle, size, 0), type=Notes)
        except msgspec.MsgspecError:
            return Notes()

    def keep(self, notes: Notes) -> None:
        """Keep other notes."""
        if notes == self.notes:
            return
        self.notes = notes
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, msgspec.json.encode(notes), 0)


@contextmanager
def turn(own: str, name: str, clock: Clock) -> Generator[Kept]:
    """Yield the notes on one browser once it is one's turn. Raises `ProviderError` when that takes too long."""
    path = private(own, FOLDER) / name
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        end = clock.monotonic() + PATIENCE
        while not _taken(handle):
            if clock.monotonic() > end:
                raise ProviderError("another sayso is busy in that browser; try again once it is done", "browser.busy")
            threading.Event().wait(TICK)
        yield Kept(handle)
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
