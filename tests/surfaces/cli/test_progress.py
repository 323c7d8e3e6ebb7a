"""What lasts is told of on a terminal, and wiped before anything else is written."""

import io
import threading

import pytest

from sayso.surfaces.cli.progress import progress

XTERM = {"TERM": "xterm"}


class _Terminal(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, s: str) -> int:
        if "working" in s:
            self.told.set()
        return super().write(s)


def test_what_lasts_is_told_of_and_wiped():
    stream = _Terminal()

    with progress(stream, "working", XTERM):
        assert stream.told.wait(20)

    assert stream.getvalue().endswith("\r\x1b[K")


def test_while_a_question_stands_nothing_is_written():
    stream = _Terminal()

    with progress(stream, "working", XTERM) as telling:
        assert stream.told.wait(20)
        with telling.quiet():
            before = stream.getvalue()
            assert before.endswith("\r\x1b[K")
            threading.Event().wait(0.8)

            assert stream.getvalue() == before


def test_what_is_over_soon_is_not_told_of():
    stream = _Terminal()

    with progress(stream, "working", XTERM):
        pass

    assert stream.getvalue() == ""


def test_nothing_is_told_to_a_file():
    stream = io.StringIO()

    with progress(stream, "working", XTERM):
        threading.Event().wait(0.6)

    assert stream.getvalue() == ""


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": ""}, {}])
def test_nothing_is_told_to_a_terminal_that_cannot_wipe_a_line(environ: dict[str, str]):
    stream = _Terminal()

    with progress(stream, "working", environ):
        threading.Event().wait(0.6)

    assert stream.getvalue() == ""
