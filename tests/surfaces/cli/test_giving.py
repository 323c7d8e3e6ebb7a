"""The question whether something is permitted from now on: marked as sayso's own, and answered only by a yes."""

import os
import pty
import threading

import pytest

from sayso.core.grant import Grant, Offer, Wish
from sayso.core.verdict import Decision
from sayso.surfaces.cli.giving import Permitting
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.terminal import Terminal

OFFER = Offer(Wish("do_1"), Grant("", "file.move", {}, "2026-12-21T12:00:00Z", "2026-11-21T12:00:00Z"), (), "sha256:1")


class Pretended(Terminal):
    """A terminal at which one line is typed after the prompt was shown."""

    def __init__(self, line: str | None) -> None:
        self.shown = ""
        self._typed = line
        self.alone = threading.RLock()

    @property
    def width(self) -> int:
        return 80

    def write(self, text: str) -> None:
        self.shown += text

    def fresh_line(self, prompt: str, interrupted: int) -> str | None:
        self.shown += prompt
        return self._typed


def asked(line: str | None) -> tuple[Decision, str]:
    terminal = Pretended(line)
    decision = Permitting(terminal, "gorodi", Style(False), lambda: 0).ask(OFFER, ["  what is permitted"])
    return decision, terminal.shown


@pytest.mark.parametrize("line", ["y\n", "YES\n", " y \r\n"])
def test_a_yes_is_bound_to_what_was_shown(line: str):
    decision, shown = asked(line)

    assert decision == Decision(True, "terminal", "sha256:1")
    assert "no; nothing is permitted" not in shown


@pytest.mark.req("AV-05", "AV-06")
@pytest.mark.parametrize("line", ["\n", "n\n", "ye\n", "a\n", "always\n", "y y\n", None])
def test_anything_else_is_a_no(line: str | None):
    decision, shown = asked(line)

    assert not decision.yes
    assert "gorodi: no; nothing is permitted" in shown


def test_what_is_permitted_stands_before_the_question_and_the_word_marks_it():
    _, shown = asked(None)

    assert shown.index("gorodi: sayso asks before this is permitted") < shown.index("  what is permitted")
    assert shown.index("  what is permitted") < shown.index("gorodi: Permit this from now on? [y/N]")


@pytest.mark.req("AV-06")
def test_what_was_typed_before_the_question_could_be_seen_does_not_count():
    master, slave = pty.openpty()
    readable, writable = os.pipe()
    os.write(master, b"y\n")
    os.write(writable, b"!")  # and then the person leaves

    decision = Permitting(Terminal(slave), "gorodi", Style(False), lambda: readable).ask(OFFER, [])

    assert not decision.yes
    for descriptor in (master, slave, readable, writable):
        os.close(descriptor)
