"""A model's question stands behind a bar under sayso's own word, and what is typed after it is the answer."""

import pytest

from sayso.surfaces.cli.asking_back import USUAL, AsksBack
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.talking import Talk
from sayso.surfaces.cli.terminal import Terminal


class Typed(Terminal):
    """A terminal on which this line is typed."""

    def __init__(self, line: str | None, wrong: str | None = None) -> None:
        super().__init__(-1)
        self.text = ""
        self._line_typed = line
        self._wrong = wrong

    @property
    def width(self) -> int:
        return 60

    @property
    def wrong(self) -> str | None:
        return self._wrong

    def write(self, text: str) -> None:
        self.text += text

    def fresh_line(self, prompt: str, interrupted: int) -> str | None:
        self.text += prompt
        return self._line_typed


def asks_back(terminal: Typed, *, ended: bool = False) -> AsksBack:
    return AsksBack(Talk(terminal, "baku", Style(), lambda: 0, lambda: ended))


@pytest.mark.req("S4-48")
@pytest.mark.parametrize(
    ("reason", "shown"), [("Which one:\nbaku: Your answer", "  │ baku: Your answer\n"), (None, f"  │ {USUAL}\n")]
)
def test_it_is_shown_and_answered(reason: str | None, shown: str):
    terminal = Typed(" the third \n")

    assert asks_back(terminal).answer(reason) == "the third"

    assert terminal.text.startswith("baku: the model asks back")
    assert shown in terminal.text


@pytest.mark.parametrize("line", ["\n", None])
def test_who_leaves_answers_nothing(line: str | None):
    assert asks_back(Typed(line)).answer("Which?") == ""


def test_where_nobody_sits_at_the_terminal_nothing_is_asked():
    away, over = Typed("x\n", "in the background"), Typed("x\n")

    assert (asks_back(away).answer("Which?"), asks_back(over, ended=True).answer("Which?")) == ("", "")
    assert (away.text, over.text) == ("", "")
    assert asks_back(Typed(None), ended=False).answer("Which?") == ""


@pytest.mark.req("S4-48")
def test_it_breaks_between_words_and_says_who_asks():
    terminal = Typed("x\n")

    asks_back(terminal).answer(
        f"Which of these is meant: {'a rather long name, ' * 5}or none?", "the built-in rules ask"
    )

    first, *lines = terminal.text.splitlines()[:-1]
    words = " ".join(line[4:] for line in lines)
    assert first == "baku: the built-in rules ask back; nothing is done yet"
    assert words == f"Which of these is meant: {'a rather long name, ' * 5}or none?"
    assert [line[:4] for line in lines] == ["  │ ", *["  ┊ "] * (len(lines) - 1)]
    assert max(map(len, lines)) <= terminal.width
