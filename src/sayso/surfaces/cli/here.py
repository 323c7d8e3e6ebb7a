"""Where a command runs: its streams, its environment, and whether a program reads what it prints."""

import io
import json
import os
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO

from sayso.core.canonical import Json
from sayso.core.values import dataclass
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.style import Style, style_for

OUT, ERR = 1, 2
"""The numbers of the standard streams."""


class Unprintable(OSError):
    """What was to be printed could not be written."""


@dataclass(frozen=True)
class Here:
    """What a command may read and write."""

    out: TextIO
    err: TextIO
    stdin: BinaryIO | None
    environ: Mapping[str, str]
    json: bool = False

    @property
    def style(self) -> Style:
        """Return the colours of what is printed."""
        return style_for(self.out, self.environ)

    def print(self, *lines: str) -> None:
        """Print lines for a person; foreign parts of them were made visible before."""
        with _printing():
            for line in lines:
                print(line, file=self.out)

    def write(self, text: str) -> None:
        """Print a text as it is."""
        with _printing():
            self.out.write(text)

    def document(self, document: Json | Mapping[str, Json]) -> None:
        """Print one JSON document. Only ASCII: whatever shows it, nothing in it can act or hide."""
        with _printing():
            json.dump(document, self.out, ensure_ascii=True, indent=None if self.out.isatty() is False else 2)
            self.out.write("\n")

    def document_lines(self, documents: Iterable[Mapping[str, Json]]) -> None:
        """Print one JSON document a line, each as soon as it is known."""
        for document in documents:
            with _printing():
                print(json.dumps(document, ensure_ascii=True), file=self.out, flush=True)

    def tell(self, sentence: str) -> None:
        """Say something beside what is printed; where nobody can be told, what is done stays as it is."""
        with suppress(OSError):
            self.out.flush()
        try:
            print(visible(sentence), file=self.err, flush=True)
        except OSError:
            discard(ERR)


def this_process(environ: Mapping[str, str], *, as_json: bool) -> Here:
    """Return the streams of this process; a character its locale cannot show is written as its number."""
    _fill_what_is_closed()
    out, err = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (out, err):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(OSError):  # what could not be written before cannot be now; that is told when it is printed
                reconfigure(errors="backslashreplace")
    return Here(out, err, getattr(sys.stdin, "buffer", None), environ, as_json)


@contextmanager
def _printing() -> Generator[None]:
    """Let a fault of the output be told from one of what is printed about."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as wrong:
        raise Unprintable(wrong.errno, wrong.strerror) from wrong


def discard(number: int) -> None:
    """Let what is printed there from now on be lost: nobody reads it, and nobody complains at the end either."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def _nowhere() -> TextIO:
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")


def _fill_what_is_closed() -> None:
    """Let no file that is opened later get the number of a closed standard stream."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
