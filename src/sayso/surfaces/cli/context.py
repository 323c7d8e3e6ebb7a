"""The context of one command: its streams, environment, terminal width and settings."""

import io
import json
import os
import stat
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from msgspec import Struct

from sayso.core.encoding import Json, NotUtf8, decode_pieces
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.quotes import quoted, visible
from sayso.surfaces.cli.text import Style, sentence, style_for

OUT, ERR = 1, 2
"""File descriptors of the standard output and the standard error."""


class Unprintable(OSError):
    """Printed output could not be written."""


class CommandContext(Struct, frozen=True):
    """The streams, the environment and the output format of one command."""

    out: TextIO
    err: TextIO
    stdin: BinaryIO | None
    environ: Mapping[str, str]
    json: bool = False

    @property
    def style(self) -> Style:
        """Return the style for the standard output."""
        return style_for(self.out, self.environ)

    def print(self, *lines: str) -> None:
        """Print lines for a person; the caller has already escaped untrusted text in them."""
        with _printing():
            for line in lines:
                print(line, file=self.out)

    def write(self, text: str) -> None:
        """Print a text unchanged."""
        with _printing():
            self.out.write(text)

    def document(self, document: Json | Mapping[str, Json]) -> None:
        """Print one JSON document, in ASCII only, so that no character in it can control or mislead a terminal."""
        with _printing():
            json.dump(document, self.out, ensure_ascii=True, indent=None if self.out.isatty() is False else 2)
            self.out.write("\n")

    def document_lines(self, documents: Iterable[Mapping[str, Json]]) -> None:
        """Print one JSON document per line, each as soon as `documents` yields it."""
        for document in documents:
            with _printing():
                print(json.dumps(document, ensure_ascii=True), file=self.out, flush=True)

    def tell(self, told: str) -> None:
        """Print a message to the standard error, on a terminal between its words where a line ends.

        If that fails, later messages are discarded without an error.
        """
        with suppress(OSError):
            self.out.flush()
        try:
            wide = _width() if self.err.isatty() else UNLIMITED
            print("\n".join(sentence(visible(told), wide, "", "  ")), file=self.err, flush=True)
        except OSError:
            discard(ERR)


def this_process(environ: Mapping[str, str], *, as_json: bool) -> CommandContext:
    """Return the context of this process; characters that the locale cannot encode are printed as escapes."""
    _fill_what_is_closed()
    out, err = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (out, err):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(OSError):  # earlier output that cannot be flushed is reported by the next print
                reconfigure(errors="backslashreplace")
    return CommandContext(out, err, getattr(sys.stdin, "buffer", None), environ, as_json)


@contextmanager
def _printing() -> Generator[None]:
    """Turn an `OSError` of the output into `Unprintable`, so that it is not taken for an error of the command."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as wrong:
        raise Unprintable(wrong.errno, wrong.strerror) from wrong


def discard(number: int) -> None:
    """Redirect a file descriptor to the null device, so that later output to it is lost and causes no error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def _nowhere() -> TextIO:
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")


def _fill_what_is_closed() -> None:
    """Replace closed standard streams, so that no file opened later gets their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


UNLIMITED = 1 << 24


def terminal_width(here: CommandContext) -> int:
    """Return the maximum width of lines: 40 to 120 columns on a terminal, `UNLIMITED` if the output goes elsewhere."""
    if not here.out.isatty():
        return UNLIMITED
    return _width()


def _width() -> int:
    return max(40, min(load("shutil:get_terminal_size")((80, 24)).columns, 120))


PIECE = 1 << 16


def read_text(name: str, here: CommandContext, most: int | None = None) -> str:
    """Return the text of the file `name`, or of standard input for `-`. Raises `SetupError`.

    Line ends and a byte order mark are kept. If the input exceeds `most` bytes, so does the returned text, which may be
    incomplete and contain replacement characters.
    """
    pieces = list(_pieces(name, here, most))
    if most is not None and sum(map(len, pieces)) > most:
        return b"".join(pieces).decode("utf-8", "replace")
    try:
        return "".join(decode_pieces(pieces))
    except NotUtf8 as wrong:
        what = "standard input" if name == "-" else name
        raise SetupError(f"{what} is not UTF-8 text: {wrong}", "input.utf8") from None


def read_piped(here: CommandContext, most: int) -> str:
    """Return the text in the pipe or file that is the standard input; empty for anything else. Raises `SetupError`.

    The person is told that the text is used, because they may not have meant it.
    """
    if here.stdin is None:
        return ""
    try:
        mode = os.fstat(here.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        return ""
    text = read_text("-", here, most)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > most:
        raise SetupError(f"what is piped in is longer than {most} bytes, the most that is read", "input.long")
    if text.strip():
        here.tell(f"sayso: {len(text):,} characters from standard input go along as data (< /dev/null leaves them out)")
    return text


@contextmanager
def new_file(file: str) -> Generator[TextIO]:
    """Yield a new private file, which is on the disk when the block has ended; if that fails, it is removed.

    Raises `SetupError` if the file exists already or cannot be written.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise SetupError(f"{quoted(file)} is there already, and is not overwritten", "export.exists") from None
    except OSError as error:
        raise SetupError(f"{quoted(file)} cannot be written: {error.strerror}", "export.unwritable") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
            yield opened
            opened.flush()
            os.fsync(descriptor)
    except OSError as error:
        Path(file).unlink()
        why = f"{quoted(file)} could not be written, and was removed: {error.strerror}"
        raise SetupError(why, "export.unwritable") from error
    except BaseException:
        Path(file).unlink()
        raise


def _pieces(name: str, here: CommandContext, most: int | None) -> Iterator[bytes]:
    if name == "-":
        yield from _standard_input(here, most)
        return
    try:
        with os.fdopen(os.open(name, os.O_RDONLY | os.O_CLOEXEC), "rb") as opened:
            yield opened.read(-1 if most is None else most + 1)
    except (OSError, ValueError) as wrong:
        why = wrong.strerror if isinstance(wrong, OSError) else str(wrong)
        raise SetupError(f"{quoted(name)} cannot be read: {why}", "input.unreadable") from None


def _standard_input(here: CommandContext, most: int | None) -> Iterator[bytes]:
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
