"""Read the text that a command is given: a file or standard input, as UTF-8 and nothing else."""

import os

from sayso.core.errors import SetupError
from sayso.surfaces.cli.here import Here

PIECE = 1 << 16


def read_text(name: str, here: Here, most: int | None = None) -> str:
    """Return the text of the file `name`, or of standard input for `-`.

    Line ends and a byte order mark are left as they are. With `most`, no more than one byte beyond
    is read, and what is too long comes back too long and perhaps mended. Raises `SetupError`.
    """
    data = _bytes(name, here, most)
    if most is not None and len(data) > most:
        return data.decode("utf-8", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        what = "standard input" if name == "-" else name
        raise SetupError(
            f"{what} is not UTF-8 text: byte {wrong.start} is 0x{data[wrong.start]:02x} ({wrong.reason})", "input.utf8"
        ) from None


def _bytes(name: str, here: Here, most: int | None) -> bytes:
    if name == "-":
        return _standard_input(here, most)
    try:
        with os.fdopen(os.open(name, os.O_RDONLY | os.O_CLOEXEC), "rb") as opened:
            return opened.read(-1 if most is None else most + 1)
    except (OSError, ValueError) as wrong:
        why = wrong.strerror if isinstance(wrong, OSError) else str(wrong)
        raise SetupError(f"“{name}” cannot be read: {why}", "input.unreadable") from None


def _standard_input(here: Here, most: int | None) -> bytes:
    if here.stdin is None:
        raise SetupError("there is no text to read: standard input is closed", "input.closed")
    if here.stdin.isatty():
        here.tell("reading from the terminal; Ctrl-D on a line of its own ends the text")
    kept: list[bytes] = []
    size = 0
    while most is None or size <= most:
        piece = os.read(here.stdin.fileno(), PIECE)
        if not piece:
            break
        kept.append(piece)
        size += len(piece)
    return b"".join(kept)
