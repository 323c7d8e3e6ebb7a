"""Read the text that a command is given: a file or standard input, as UTF-8 and nothing else."""

import os
from collections.abc import Iterator

from sayso.core.errors import SetupError
from sayso.core.utf8 import NotUtf8, decoded
from sayso.surfaces.cli.here import Here

PIECE = 1 << 16


def read_text(name: str, here: Here, most: int | None = None) -> str:
    """Return the text of the file `name`, or of standard input for `-`.

    Line ends and a byte order mark are left as they are. With `most`, no more than one byte beyond
    is read, and what is too long comes back too long and perhaps mended. Raises `SetupError`.
    """
    pieces = list(_pieces(name, here, most))
    if most is not None and sum(map(len, pieces)) > most:
        return b"".join(pieces).decode("utf-8", "replace")
    try:
        return "".join(decoded(pieces))
    except NotUtf8 as wrong:
        what = "standard input" if name == "-" else name
        raise SetupError(f"{what} is not UTF-8 text: {wrong}", "input.utf8") from None


def _pieces(name: str, here: Here, most: int | None) -> Iterator[bytes]:
    if name == "-":
        yield from _standard_input(here, most)
        return
    try:
        with os.fdopen(os.open(name, os.O_RDONLY | os.O_CLOEXEC), "rb") as opened:
            yield opened.read(-1 if most is None else most + 1)
    except (OSError, ValueError) as wrong:
        why = wrong.strerror if isinstance(wrong, OSError) else str(wrong)
        raise SetupError(f"“{name}” cannot be read: {why}", "input.unreadable") from None


def _standard_input(here: Here, most: int | None) -> Iterator[bytes]:
    if here.stdin is None:
        raise SetupError("there is no text to read: standard input is closed", "input.closed")
    if here.stdin.isatty():
        here.tell("reading from the terminal; Ctrl-D on a line of its own ends the text")
    size = 0
    while most is None or size <= most:
        piece = os.read(here.stdin.fileno(), PIECE)
        if not piece:
            return
        yield piece
        size += len(piece)
