"""A terminal counts only where a person types at it now, one question at a time."""

import os
import pty
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pytest

from sayso.surfaces.cli.terminal import (
    USUAL_NEAR,
    AsksBack,
    InterviewLeft,
    NoTerminal,
    PromptTerminal,
    QuestionUnanswered,
    Terminal,
    find_terminal,
    why_not,
)
from sayso.surfaces.cli.text import Block, Style
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import Typist
from tests.surfaces.cli.person import sayso

ASK_TWICE = Path(__file__).with_name("ask_twice.py")


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


@pytest.mark.req("AV-06")
def test_a_terminal_that_does_not_control_this_process_is_none(ends: tuple[int, int]):
    assert why_not(ends[1]) is not None


def test_where_there_is_none_the_reason_is_said():
    found = find_terminal("/nowhere/tty")

    assert isinstance(found, NoTerminal)
    assert found.why == "there is no terminal here"


def test_a_file_is_no_terminal(tmp_path: Path):
    (tmp_path / "tty").write_text("y\n")

    assert isinstance(find_terminal(str(tmp_path / "tty")), NoTerminal)


def test_a_narrow_or_unknown_width_counts_as_eighty(ends: tuple[int, int]):
    assert Terminal(ends[1]).width == 80


@pytest.mark.req("AV-07")
def test_two_questions_at_once_are_put_one_after_the_other(scratch_home: Path, sit: Sit):
    screen = sit(argv=[sys.executable, str(ASK_TWICE)])
    first = screen.see("Do this? [y/N]")
    assert first.count("[y/N]") == 1

    asked = "first" if "the first effect" in first else "second"
    other = "second" if asked == "first" else "first"
    screen.type("y\n")
    # What is typed before its prompt is shown is no answer to it.
    screen.until(lambda text: "[y/N]" in text.partition(f"the {other} effect")[2])
    screen.type("n\n")
    screen.end()

    assert f"{asked}: True" in screen.text
    assert f"{other}: False" in screen.text


ALONE = [
    "approve run_0D8M2YQ5Z3F4K",
    "settle do_0D8M2YQ5Z3F4K done",
    "grants revoke grant_x",
    "grants revoke --all",
    "grants add do_0D8M2YQ5Z3F4K",
    "resume",
    "config set policy.mode never",
    "config profile safe",
]


@pytest.mark.parametrize("words", ALONE)
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_program_is_told_how_the_person_does_it(words: str, json: tuple[str, ...]):
    run = sayso(*words.split(), *json)

    assert run.code == 3
    assert "type it" in run.err
    if json:
        assert run.document["code"].startswith("terminal.")


BLOCKS = [Block((f"head {n}", *(f"line {n}.{m}" for m in range(4))), frozenset({n})) for n in range(4)]


class Typed(Terminal):
    """A terminal of a given height on which these lines are typed, one at each prompt."""

    def __init__(self, lines: list[str | None], height: int, width: int = 60) -> None:
        super().__init__(-1)
        self.lines = lines
        self.written: list[str] = []
        self._height = height
        self._width = width

    @property
    def height(self) -> int:
        return self._height

    @property
    def width(self) -> int:
        return self._width

    def write(self, text: str) -> None:
        self.written.append(text)

    def fresh_line(self, prompt: str, interrupted: int) -> str | None:
        self.written.append(prompt)
        line = self.lines.pop(0)
        self.written += [] if line is None else ["\n"]
        return line


def a_talk(*lines: str | None, height: int = 10, width: int = 60) -> tuple[PromptTerminal, Typed]:
    terminal = Typed(list(lines), height, width)
    return PromptTerminal(terminal, "bobobo", Style(), lambda: 0, lambda: False), terminal


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

    text = "".join(part for part in terminal.written if not part.startswith(("bobobo", "\n")))
    assert text.split("\n")[:-1] == [f"│ {line}" for block in BLOCKS for line in block.lines]


def test_what_stands_above_and_below_takes_room():
    talk, terminal = a_talk("", "", "", "", "", height=16)

    talk.show(BLOCKS, above=6, below=4)

    assert terminal.written[0].count("\n") == 4
    assert terminal.written[1].startswith("bobobo: 16 more lines")


@pytest.mark.req("X-10")
def test_where_the_process_is_to_end_no_line_is_no_answer():
    terminal = Typed([None, None, "y"], 10)
    talk = PromptTerminal(terminal, "bobobo", Style(), lambda: 0, lambda: True)

    with pytest.raises(QuestionUnanswered):
        talk.line("Do this?")
    with pytest.raises(QuestionUnanswered):
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


class AskingBackTyped(Terminal):
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


def asks_back(terminal: AskingBackTyped, *, ended: bool = False) -> AsksBack:
    return AsksBack(PromptTerminal(terminal, "baku", Style(), lambda: 0, lambda: ended))


@pytest.mark.req("S4-48")
@pytest.mark.parametrize(
    ("reason", "shown"), [("Which one:\nbaku: Your answer", "\n│ baku: Your answer\n"), (None, f"\n│ {USUAL_NEAR}\n")]
)
def test_it_is_shown_and_answered(reason: str | None, shown: str):
    terminal = AskingBackTyped(" the third \n")

    assert asks_back(terminal).answer(reason) == "the third"

    assert terminal.text.startswith("the model asks back; nothing is done yet\n")
    assert terminal.text.endswith("\nbaku: Your answer (Enter leaves it): ")
    assert shown in terminal.text


@pytest.mark.parametrize("line", ["\n", None])
def test_who_leaves_answers_nothing(line: str | None):
    assert asks_back(AskingBackTyped(line)).answer("Which?") == ""


def test_where_nobody_sits_at_the_terminal_nothing_is_asked():
    away, over = AskingBackTyped("x\n", "in the background"), AskingBackTyped("x\n")

    assert (asks_back(away).answer("Which?"), asks_back(over, ended=True).answer("Which?")) == ("", "")
    assert (away.text, over.text) == ("", "")
    assert asks_back(AskingBackTyped(None), ended=False).answer("Which?") == ""


@pytest.mark.req("S4-48")
def test_it_breaks_between_words_and_says_who_asks():
    terminal = AskingBackTyped("x\n")

    asks_back(terminal).answer(
        f"Which of these is meant: {'a rather long name, ' * 5}or none?", "the built-in rules ask"
    )

    first, *lines = terminal.text.splitlines()[:-1]
    words = " ".join(line[2:] for line in lines)
    assert first == "the built-in rules ask back; nothing is done yet"
    assert words == f"Which of these is meant: {'a rather long name, ' * 5}or none?"
    assert {line[:2] for line in lines} == {"│ "}
    assert max(map(len, lines)) <= terminal.width


def test_nothing_typed_means_what_is_usual_and_odd_characters_are_asked_again(typist: Typist):
    thread = typist.types(("Name [x]", b"\n"), ("Name [x]", b"a\x02b\n"), ("once more", b""), ("Name", b" y \n"))

    assert typist.interview.ask("Name", "x") == "x"
    assert typist.interview.ask("Name", "x") == "y"
    thread.join(5)


def test_a_yes_is_a_yes(typist: Typist):
    thread = typist.types(("[y/N]", b"\n"), ("[Y/n]", b"\n"), ("[y/N]", b"perhaps\n"), ("[y/N]", b"YES\n"))

    said = [typist.interview.yes("Do?", usual=usual) for usual in (False, True, False)]

    assert said == [False, True, True]
    thread.join(5)


def test_one_of_the_words_is_chosen(typist: Typist):
    thread = typist.types(("Which [1]", b"7\n"), ("Which [1]", b"2\n"))

    assert typist.interview.choose("Which", ("1", "2"), "1") == "2"
    thread.join(5)


@pytest.mark.req("AU-04")
def test_what_is_hidden_is_never_on_the_screen_and_the_terminal_is_as_before(typist: Typist):
    before = termios.tcgetattr(typist.slave)
    thread = typist.types(("Password", b" s3cret word \n"))

    typed = typist.interview.hidden("Password")
    thread.join(5)
    typist.interview.say("end")
    typist.sees("end")

    assert typed == " s3cret word "
    assert b"s3cret" not in typist.seen
    assert termios.tcgetattr(typist.slave) == before


def test_the_end_of_input_is_leaving(typist: Typist):
    before = termios.tcgetattr(typist.slave)
    thread = typist.types(("Name", b"\x04"), ("Password", b"\x04"))

    with pytest.raises(InterviewLeft):
        typist.interview.ask("Name")
    with pytest.raises(InterviewLeft):
        typist.interview.hidden("Password")

    assert termios.tcgetattr(typist.slave) == before
    thread.join(5)


def test_foreign_words_are_made_visible(typist: Typist):
    typist.interview.say("a\x1b[2Jb")
    typist.interview.show("c\x07")
    typist.interview.good("d")
    typist.interview.bad("e")
    typist.sees("✗ e")

    assert b"\x1b[2J" not in typist.seen
    assert b"\x07" not in typist.seen
