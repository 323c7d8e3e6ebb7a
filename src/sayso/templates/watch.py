"""Tell a long-running program of the person's own actions whenever their folder has changed."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Never

import anyio

from sayso.templates.library import Library, load_library

COLLECTED_FOR = 0.2
"""Seconds between two glances at the folder; changes within that time are told as one (T-84)."""
AGAIN = 10
"""How many glances after a change read the files whatever their times say.

A file can change twice within one tick of the file system's clock and keep its size, so its times alone prove nothing
until some ticks have passed.
"""
Signature = tuple[tuple[str, int, int, int, int], ...]


class LibraryWatch:
    """The usable actions of a folder, which is looked at again and again.

    `library` is replaced as a whole, after the new one was read. A run that began with an action of the old one keeps
    the code of that action. `changed` is called with each new library that differs from the one before.
    """

    def __init__(
        self,
        folder: Callable[[], Path],
        changed: Callable[[Library], None],
        wait: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._folder = folder
        self._changed = changed
        self._wait = wait
        # The signature is older than what is read, so a change between the two is found at the next glance.
        self._seen = signature(folder())
        self._again = AGAIN
        self.library: Library = load_library(folder())

    async def run(self) -> Never:
        """Look again after each wait, until cancelled."""
        while True:
            await self._wait(COLLECTED_FOR)
            if self.is_due():
                # What is written in several pieces is read once it is whole.
                await self._wait(COLLECTED_FOR)
                self.look()

    def is_due(self) -> bool:
        """Return whether the files have to be read again."""
        now = signature(self._folder())
        if now != self._seen:
            self._again = AGAIN
        return self._again > 0

    def look(self) -> None:
        """Read the folder, and tell of it if its actions or their warnings have changed."""
        folder = self._folder()
        now = signature(folder)
        self._again = AGAIN if now != self._seen else self._again - 1
        self._seen = now
        fresh = load_library(folder)
        if fresh != self.library:
            self.library = fresh
            self._changed(fresh)


def signature(folder: Path) -> Signature:
    """Return what changes with any file of code in the folder; empty if the folder cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted((one.name, *_stamp(one)) for one in entries if one.name.endswith(".py")))
    except OSError:
        return ()


def _stamp(entry: os.DirEntry[str]) -> tuple[int, int, int, int]:
    try:
        # A link is followed: what counts is the file that is read.
        is_ = entry.stat()
    except OSError:
        return (0, 0, 0, 0)
    # ctime, unlike mtime, also changes with the permissions, and no program can set it back.
    return (is_.st_ino, is_.st_size, is_.st_ctime_ns, is_.st_mtime_ns)
