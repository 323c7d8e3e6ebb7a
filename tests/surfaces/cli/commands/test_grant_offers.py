"""A permission on the screen: whole, in the person's words, with foreign parts made visible and odd letters named."""

import os
import pty
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

import sayso
from sayso.assembly import Home
from sayso.core.decision import Decision
from sayso.core.grant import Grant, GrantOffer, VariableArgument, Wish
from sayso.core.record import Progress, Record, State
from sayso.runtime.grants import BacktestResult, GrantBacktest
from sayso.runtime.results import Report
from sayso.surfaces.cli.commands.grants import (
    add_hint,
    ask_to_permit,
    grant_lines,
    in_words,
    offer_lines,
    state_lines,
    trial_lines,
)
from sayso.surfaces.cli.terminal import PromptTerminal, Terminal
from sayso.surfaces.cli.text import Style
from sayso.testing.fakes import Says

GRANT = Grant(
    "grant_1",
    "file.write",
    {"path": "~/a.md", "loud": True},
    "2026-12-21T12:00:00.000Z",
    "2026-11-21T12:00:00.000Z",
    (VariableArgument("content", "any"),),
    learnt_from="do_1",
    given_by="terminal",
    entry="cli",
)


def text(lines: list[str]) -> str:
    return "\n".join(lines)


def told(lines: list[str]) -> str:
    return " ".join(text(lines).split())


def test_everything_fixed_and_varying_is_shown():
    shown = told(grant_lines(replace(GRANT, most_uses=3), 80, "/home/ana"))

    assert "fixed path: “~/a.md” fixed loud: true varies content: anything" in shown
    assert "3 times at most" in shown


def test_a_fixed_text_of_many_lines_is_shown_whole_behind_a_bar():
    long = "\n".join(f"line {number}" for number in range(300))

    lines = grant_lines(replace(GRANT, fixed={"content": long}), 80, "")

    assert text(lines).count("│ line") == 300
    assert f"a text of {len(long):,} characters" in text(lines)


@pytest.mark.req("AV-01", "AV-02")
def test_nothing_foreign_acts_on_the_screen_and_odd_letters_are_named():
    shown = text(grant_lines(replace(GRANT, fixed={"to": "\x1b[2J\u0440\u0430ypal.com\u202e"}), 80, ""))

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "look" in shown
    assert "CYRILLIC" in shown


def test_an_offer_says_what_it_is_like_and_how_it_could_be_wider():
    offer = GrantOffer(Wish("do_1"), GRANT, (VariableArgument("path", "folder", "/home/ana", ".md"),), "sha256:0")

    shown = told(offer_lines(offer, "Write “~/a.md”", 80, "/home/ana"))

    assert "file.write without a question, like do_1: Write “~/a.md”" in shown
    assert "wider --vary path would allow any name ending in “.md” directly in “~”" in shown


def test_how_it_stands_is_told():
    holds = told(state_lines(GRANT, None, 80))
    revoked = replace(GRANT, revoked_at="2026-11-23T12:00:00Z", revoked_by="click")
    ended = told(state_lines(replace(revoked, uses=1, last_used="2026-11-22T12:00:00Z"), "revoked", 80))

    assert "by terminal (cli) used 0 times" in holds
    assert "used once, last 2026-11-22" in ended
    assert "revoked 2026-11-23" in ended
    assert "by click; it allows nothing any more" in ended


def _tried(number: int, answer: str = "allowed", why: str = "", *, no: bool = False) -> BacktestResult:
    record = Record(
        number, f"do_{number}", "run_1", 0, "2026-11-22T12:00:00Z", "", "", "", "file.write", {}, Progress(State.DONE),
        plan={"summary": f"Write “{number}”"},
    )  # fmt: skip
    return BacktestResult(record, "allowed" if answer == "allowed" else "asked", why, no)


def test_the_history_is_counted_and_your_own_no_comes_first():
    trial = GrantBacktest(
        (_tried(1, no=True), *(_tried(number) for number in range(2, 12)), _tried(12, "asked", "“a” is not"))
    )

    lines = trial_lines(trial, 100)

    assert "of 12 actions asked about so far, 11 would have been allowed, and 1 would still be asked about" in told(
        lines
    )
    assert "careful do_1 would have been allowed, and you said no to it: Write “1”" in told(lines)
    assert "… 3 more; --json lists all" in text(lines)
    assert "because “a” is not" in text(lines)
    assert "more; --json" not in text(trial_lines(trial, 100, 100))


def test_an_empty_history_is_told():
    assert "no past action like this was asked about" in text(trial_lines(GrantBacktest(), 80))


def test_one_sentence_has_the_persons_own_time():
    assert "until 2026-12-21 " in in_words(GRANT, "")


async def moved(home: Home, folder: Path, number: int) -> Report:
    """Move a file with the person's yes."""
    (folder / f"{number}.txt").write_text("x")
    text = f"MOVE_FILE ~/Documents/{number}.txt ~/Documents/moved-{number}.txt"
    return await home.run(text, approver=Says(True))


async def test_the_line_comes_with_the_third_yes_and_not_with_the_fourth(scratch_home: Path, tmp_path: Path):
    folder = scratch_home / "Documents"
    folder.mkdir()
    async with sayso.open_home(str(tmp_path / "own")) as home:
        told = [await add_hint(home, await moved(home, folder, number)) for number in range(4)]
        several = await add_hint(home, [await moved(home, folder, 4)])

    lines = [sum("“sayso grants suggest”" in line for line in one.warnings) for one in told if isinstance(one, Report)]
    assert lines == [0, 0, 1, 0]
    assert isinstance(several, list)
    assert several[0].warnings == ()


async def test_nothing_is_said_where_nobody_was_asked(tmp_path: Path, scratch_home: Path):
    nothing = Report("run_1", "lines", ())
    async with sayso.open_home(str(tmp_path / "own")) as home:
        assert await add_hint(home, nothing) is nothing
        assert await add_hint(home, []) == []


OFFER = GrantOffer(
    Wish("do_1"), Grant("", "file.move", {}, "2026-12-21T12:00:00Z", "2026-11-21T12:00:00Z"), (), "sha256:1"
)


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
        self.shown += prompt + ("" if self._typed is None else "\n")
        return self._typed


def asked(line: str | None) -> tuple[Decision, str]:
    terminal = Pretended(line)
    decision = ask_to_permit(
        PromptTerminal(terminal, "gorodi", Style(), lambda: 0, lambda: False), OFFER, ["what is permitted"]
    )
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
    assert "\nno; nothing is permitted\n" in shown


def test_what_is_permitted_stands_before_the_question_and_the_word_marks_it():
    _, shown = asked(None)

    head, question = "sayso asks before this is permitted from now on.", "gorodi: Permit this from now on? [y/N]"
    assert shown.startswith(f"{head}\n\n│ what is permitted\n\n{question}")


@pytest.mark.req("AV-06")
def test_what_was_typed_before_the_question_could_be_seen_does_not_count():
    master, slave = pty.openpty()
    readable, writable = os.pipe()
    os.write(master, b"y\n")
    os.write(writable, b"!")  # and then the person leaves

    decision = ask_to_permit(
        PromptTerminal(Terminal(slave), "gorodi", Style(), lambda: readable, lambda: False), OFFER, []
    )

    assert not decision.yes
    for descriptor in (master, slave, readable, writable):
        os.close(descriptor)
