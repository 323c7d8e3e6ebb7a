"""One lock per store, shared by all processes: an `flock` on a file of its own."""

import fcntl
import os
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

import anyio

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.runtime.services import log_warning

BETWEEN_TRIES = 0.005
"""Seconds between two tries while another process has the lock."""


MOST_SAID = 4096
"""How many bytes can be told to another process."""
HOSTING = "hosting"
"""The name by which a process is marked that hosts triggers and rings reminders."""


class FileLocks:
    """Locks as files in `folder`, which is made with mode 0700 if missing; the kernel frees those of a dead process."""

    def __init__(self, folder: Path, *, tell_after: float = 3.0, patience: float = 120.0) -> None:
        """Set the seconds after which a lock wait is logged (`tell_after`) and after which it fails (`patience`)."""
        self._folder = folder
        self._tell_after = tell_after
        self._patience = patience

    @asynccontextmanager
    async def hold(self, stores: Iterable[str]) -> AsyncGenerator[None]:
        """Hold the locks of these stores, taken in order of name so that two runs never wait for each other."""
        async with AsyncExitStack() as held:
            for store in sorted(set(stores)):
                await held.enter_async_context(self._one(store))
            yield

    @asynccontextmanager
    async def attempt(self, stores: Iterable[str]) -> AsyncGenerator[bool]:
        """Try to take the locks of these stores without waiting; the context manager yields whether all were taken."""
        opened: list[int] = []
        try:
            for store in set(stores):
                opened.append(self._open(store))
                if not _try_lock(opened[-1]):
                    yield False
                    return
            yield True
        finally:
            for handle in opened:
                os.close(handle)

    @contextmanager
    def present(self, name: str) -> Generator[None]:
        """Make `anybody` return True for this name until the context ends; several processes may do so at once."""
        handle = self._open(name)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def asking(self, name: str) -> Generator[Callable[[], bytes]]:
        """Do the same as `present`, for a name that is needed once: its file is removed again.

        Yields what returns the latest that `answer` was given under this name.
        """
        file = self._folder / f"{name}.lock"
        try:
            with self.present(name):
                yield file.read_bytes
        finally:
            file.unlink(missing_ok=True)

    def answer(self, name: str, said: bytes) -> None:
        """Tell whoever is inside `asking` with this name; in one write, so that no half of it is read."""
        with suppress(OSError):  # nobody asks any more
            handle = os.open(self._folder / f"{name}.lock", os.O_WRONLY | os.O_NOFOLLOW)
            try:
                os.pwrite(handle, said.ljust(MOST_SAID)[:MOST_SAID], 0)
            finally:
                os.close(handle)

    def anybody(self, name: str) -> bool:
        """Return whether any process is inside `present` or `asking` with this name; this creates no file."""
        try:
            handle = os.open(self._folder / f"{name}.lock", os.O_NOFOLLOW)  # opened for reading
        except OSError:
            return False
        try:
            return not _try_lock(handle)
        finally:
            os.close(handle)

    @contextmanager
    def alone(self, name: str) -> Generator[bool]:
        """Yield whether nobody else is inside `alone` with this name, in any process; the file is removed again."""
        name = load("hashlib:sha256")(name.encode("utf-8", "replace")).hexdigest()[:32]  # a file name, whatever it is
        while True:
            handle = self._open(name)
            if not _try_lock(handle):
                os.close(handle)
                yield False
                return
            if self._is_there(handle, name):
                break
            os.close(handle)  # whoever had it has just removed it
        try:
            yield True
        finally:
            (self._folder / f"{name}.lock").unlink(missing_ok=True)
            os.close(handle)

    def _is_there(self, handle: int, name: str) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), (self._folder / f"{name}.lock").stat())
        except FileNotFoundError:
            return False

    @asynccontextmanager
    async def _one(self, store: str) -> AsyncGenerator[None]:
        handle = self._open(store)
        try:
            await self._lock_in_time(handle, store)
            yield
        finally:
            os.close(handle)

    async def _lock_in_time(self, handle: int, store: str) -> None:
        begin, told = anyio.current_time(), False
        while not _try_lock(handle):
            waited = anyio.current_time() - begin
            if waited > self._patience:
                sentence = f"another run of sayso has been acting on {quoted(store)} for {self._patience:g} seconds"
                raise SetupError(f"{sentence}; nothing was done, try again when it has ended", "lock.busy")
            if waited > self._tell_after and not told:
                log_warning("another run of sayso is acting on “%s”; this one waits for it", store)
                told = True
            await anyio.sleep(BETWEEN_TRIES)

    def _open(self, store: str) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(self._folder / f"{store}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
