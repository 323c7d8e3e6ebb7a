"""Questions are asked one by one; what is hidden is not shown, and the terminal is left as it was."""

import termios

import pytest

from sayso.surfaces.cli.interview import Left
from tests.surfaces.cli.interviews import Typist


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

    with pytest.raises(Left):
        typist.interview.ask("Name")
    with pytest.raises(Left):
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
