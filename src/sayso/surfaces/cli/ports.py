"""Reads the number of a port from the command line."""

import argparse

from sayso.core.quotes import quoted

_LONGEST = 5


def port(text: str) -> int:
    """Return the port that a text names. Raises `ArgumentTypeError`."""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST and int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"{quoted(text[:60])} is no port; use a number from 0 to 65535")
    return int(text)
