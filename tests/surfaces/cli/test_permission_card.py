"""A permission on the screen: whole, in the person's words, with foreign parts made visible and odd letters named."""

from dataclasses import replace

import pytest

from sayso.core.grant import Grant, Offer, Varies, Wish
from sayso.core.record import Marks, Record, State
from sayso.runtime.trying import Trial, Tried
from sayso.surfaces.cli.permission_card import grant_lines, in_words, offer_lines, state_lines, trial_lines

GRANT = Grant(
    "grant_1",
    "file.write",
    {"path": "~/a.md", "loud": True},
    "2026-12-21T12:00:00.000Z",
    "2026-11-21T12:00:00.000Z",
    (Varies("content", "any"),),
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
    offer = Offer(Wish("do_1"), GRANT, (Varies("path", "folder", "/home/ana", ".md"),), "sha256:0")

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
    assert "by click; it answers nothing any more" in ended


def _tried(number: int, answer: str = "allowed", why: str = "", *, no: bool = False) -> Tried:
    record = Record(
        number, f"do_{number}", "run_1", 0, "2026-11-22T12:00:00Z", "", "", "", "file.write", {}, Marks(State.DONE),
        plan={"summary": f"Write “{number}”"},
    )  # fmt: skip
    return Tried(record, "allowed" if answer == "allowed" else "asked", why, no)


def test_the_history_is_counted_and_your_own_no_comes_first():
    trial = Trial((_tried(1, no=True), *(_tried(number) for number in range(2, 12)), _tried(12, "asked", "“a” is not")))

    lines = trial_lines(trial, 100)

    assert "of 12 actions asked about so far, 11 would have been allowed, and 1 stay asked" in told(lines)
    assert "careful do_1 would have been allowed, and you said no to it: Write “1”" in told(lines)
    assert "… 3 more; --json lists all" in text(lines)
    assert "because “a” is not" in text(lines)
    assert "more; --json" not in text(trial_lines(trial, 100, 100))


def test_an_empty_history_is_told():
    assert "no past action like this was asked about" in text(trial_lines(Trial(), 80))


def test_one_sentence_has_the_persons_own_time():
    assert "until 2026-12-21 " in in_words(GRANT, "")
