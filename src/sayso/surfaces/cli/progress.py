"""Tell on a terminal that can wipe a line that something goes on, once it has taken longer than half a second."""

import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TextIO

from sayso.surfaces.cli.style import understands_codes

PATIENCE = 0.5
"""Seconds before anything is said, and between two sayings."""


class Progress:
    """Writes one line over and over, and wipes it when it is over or a question comes."""

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream = stream
        self._what = what
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._paused = 0
        self._shown = False
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._start = time.perf_counter()

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def end(self) -> None:
        """Wipe the line and say nothing more."""
        self._over.set()
        self._thread.join()
        self._wipe()

    @contextmanager
    def quiet(self) -> Generator[None]:
        """Say nothing while this lasts."""
        with self._lock:
            self._paused += 1
            self._wipe()
        try:
            yield
        finally:
            with self._lock:
                self._paused -= 1

    def _tell(self) -> None:
        while not self._over.wait(PATIENCE):
            with self._lock:
                if not self._paused:
                    seconds = time.perf_counter() - self._start
                    self._stream.write(f"\r{self._what} … {seconds:.0f} s\x1b[K")
                    self._stream.flush()
                    self._shown = True

    def _wipe(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


@contextmanager
def progress(stream: TextIO, what: str, environ: Mapping[str, str]) -> Generator[Progress]:
    """Tell on `stream` that `what` goes on, if it is a terminal that can wipe a line and it lasts."""
    telling = Progress(stream, what)
    tells = stream.isatty() and understands_codes(environ)
    if tells:
        telling.start()
    try:
        yield telling
    finally:
        if tells:
            telling.end()
