"""A port for a server that has to be told one before it listens."""

import os
import socket
from contextlib import suppress

_LOWEST, _HOW_MANY = 20_000, 12_000
"""Below those that the system hands to whoever asks for any, so that nobody gets it between choosing and listening."""


def free_port() -> int:
    """Return a port on which nothing listens."""
    while True:
        port = _LOWEST + int.from_bytes(os.urandom(4)) % _HOW_MANY
        with suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            return port
