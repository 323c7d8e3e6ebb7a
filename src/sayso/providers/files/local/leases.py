"""Find out whether another program has a file open for writing, and keep it from opening it for a moment."""

import errno
import fcntl
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress

from sayso.core.errors import ProviderError


@contextmanager
def without_writers(descriptor: int, said: str) -> Generator[None]:
    """Hold a file, which is open for reading only, so that no program opens it for writing meanwhile.

    Raises `ProviderError` when one has it open already: what that goes on to write would not come to the new
    file. Where the system cannot tell, or does not tell somebody who is not the owner, nothing is held.
    """
    held = _held(descriptor, said)
    try:
        yield
    finally:
        if held:
            with suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _held(descriptor: int, said: str) -> bool:
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # Who wants to write is waited for by the kernel; the signal about it is one that does nothing.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as wrong:
        if wrong.errno == errno.EAGAIN:
            raise ProviderError(
                f"“{said}” is open for writing by another program; close it there first", "world.open"
            ) from wrong
        return False
    return True
