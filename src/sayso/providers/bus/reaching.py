"""Connect to a socket in the file system, also where whoever listens takes nobody in any more."""

from socket import AF_UNIX, socket

import anyio
from anyio.abc import UNIXSocketStream

TICK = 0.02


async def reached(path: str) -> UNIXSocketStream:
    """Connect, however long that takes; who gives up leaves nothing behind. Raises `OSError`."""
    made = socket(AF_UNIX)
    try:
        made.settimeout(0)
        while True:
            try:
                made.connect(path)
            except BlockingIOError:
                # Too many wait to be taken in, and nothing tells when there is room again.
                await anyio.sleep(TICK)
            else:
                return await UNIXSocketStream.from_socket(made)
    except BaseException:
        made.close()
        raise
