"""One lock per store, held across processes by `flock` on a file of its own."""

import fcntl
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio

FIRST_WAIT, LONGEST_WAIT = 0.002, 0.05
"""Seconds between two tries while another process has the lock."""


class FileLocks:
    """Locks under `folder` (made with mode 0700 when missing); the kernel frees a dead process's ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def hold(self, stores: Iterable[str]) -> AsyncGenerator[None]:
        """Hold these stores' locks, taken in the order of their names so that two runs cannot wait for each other."""
        async with AsyncExitStack() as held:
            for store in sorted(set(stores)):
                await held.enter_async_context(self._one(store))
            yield

    @asynccontextmanager
    async def attempt(self, stores: Iterable[str]) -> AsyncGenerator[bool]:
        """Hold them if all are free at once."""
        opened: list[int] = []
        try:
            for store in sorted(set(stores)):
                opened.append(self._open(store))
                if not _taken(opened[-1]):
                    yield False
                    return
            yield True
        finally:
            for handle in opened:
                os.close(handle)

    @asynccontextmanager
    async def _one(self, store: str) -> AsyncGenerator[None]:
        handle = self._open(store)
        try:
            wait = FIRST_WAIT
            while not _taken(handle):
                await anyio.sleep(wait)
                wait = min(wait * 1.5, LONGEST_WAIT)
            yield
        finally:
            os.close(handle)

    def _open(self, store: str) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(self._folder / f"{store}.lock", flags, 0o600)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
