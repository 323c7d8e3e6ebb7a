"""Long lists come by the page, and what was not shown does not count as shown."""

import os
import pty
import struct
from collections.abc import Callable, Iterator
from fcntl import ioctl
from termios import TIOCSWINSZ

import pytest

from sayso.surfaces.cli.preview import Block
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.talking import Talk, Unanswered
from sayso.surfaces.cli.terminal import Terminal

BLOCKS = [Block((f"head {n}", *(f"line {n}.{m}" for m in range(4))), frozenset({n})) for n in range(4)]


class Typed(Terminal):
    """A terminal of a given height on which these lines are typed, one at each prompt."""

    def __init__(self, lines: list[str | None], height: int) -> None:
        super().__init__(-1)
        self.lines = lines
        self.written: list[str] = []
        self._height = height

    @property
    def height(self) -> int:
        return self._height

    @property
    def width(self) -> int:
        return 60

    def write(self, text: str) -> None:
        self.written.append(text)

    def fresh_line(self, prompt: str, interrupted: int) -> str | None:
        self.written.append(prompt)
        return self.lines.pop(0)


def a_talk(*lines: str | None, height: int = 10) -> tuple[Talk, Typed]:
    terminal = Typed(list(lines), height)
    return Talk(terminal, "bobobo", Style(), lambda: 0, lambda: False), terminal


def test_what_fits_is_shown_at_once():
    talk, terminal = a_talk(height=40)

    assert talk.show(BLOCKS) == {0, 1, 2, 3}
    assert "".join(terminal.written).count("line") == 16


def test_a_screen_of_unknown_height_is_not_cut_into_pages():
    talk, _ = a_talk(height=0)

    assert talk.show(BLOCKS) == {0, 1, 2, 3}


@pytest.mark.req("AV-03")
@pytest.mark.parametrize(
    ("answers", "shown"), [(["q"], {0}), (["", "q"], {0, 1, 2}), ([None], {0}), (["", ""], {0, 1, 2, 3})]
)
def test_only_what_was_shown_whole_counts_as_shown(answers: list[str | None], shown: set[int]):
    talk, terminal = a_talk(*answers)

    assert talk.show(BLOCKS) == shown
    assert "bobobo: 12 more lines; Enter shows them, q stops here " in terminal.written


def test_pages_leave_nothing_out_and_repeat_nothing():
    talk, terminal = a_talk(*[""] * 9, height=7)

    talk.show(BLOCKS)

    text = "".join(part for part in terminal.written if not part.startswith("bobobo"))
    assert text.split("\n")[:-1] == [line for block in BLOCKS for line in block.lines]


def test_what_stands_above_and_below_takes_room():
    talk, terminal = a_talk("", "", "", "", "", height=16)

    talk.show(BLOCKS, above=6, below=4)

    assert terminal.written[0].count("\n") == 4
    assert terminal.written[1].startswith("bobobo: 16 more lines")


@pytest.mark.req("X-10")
def test_where_the_process_is_to_end_no_line_is_no_answer():
    terminal = Typed([None, None, "y"], 10)
    talk = Talk(terminal, "bobobo", Style(), lambda: 0, lambda: True)

    with pytest.raises(Unanswered):
        talk.line("Do this?")
    with pytest.raises(Unanswered):
        talk.show(BLOCKS)
    assert talk.line("Do this?") == "y"


@pytest.fixture
def opened() -> Iterator[Callable[[int], Terminal]]:
    master, slave = pty.openpty()

    def of_height(lines: int) -> Terminal:
        ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
        return Terminal(slave)

    yield of_height
    os.close(master)
    os.close(slave)


def test_a_terminals_height_is_what_it_says(opened: Callable[[int], Terminal]):
    assert opened(33).height == 33
    assert opened(0).height == 0
