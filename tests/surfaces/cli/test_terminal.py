"""A terminal counts only where a person types at it now, one question at a time."""

import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal, why_not
from tests.surfaces.cli.conftest import Sit

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
