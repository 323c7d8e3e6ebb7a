"""`sayso sessions` shows what was said, renames, and forgets at the person's own word alone."""

import json
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


@pytest.fixture
def session(person: Path, tmp_path: Path) -> str:
    """Have a conversation and return its id."""
    file = tmp_path / "replies.json"
    file.write_text(json.dumps(["Hello\x1b Ana."]))
    return sayso("ask", "I am", "Ana", "--entry", "chat", "--model", f"replay:{file}", "--json").document["session"]


def test_sessions_are_listed_shown_and_renamed(session: str):
    (listed,) = sayso("sessions", "--json").document["sessions"]
    renamed = sayso("sessions", "rename", session, "My", "name")
    shown, data = sayso("sessions", "show", session), sayso("sessions", "show", session, "--json").document

    assert (listed["id"], listed["name"], listed["entry"], listed["count"]) == (session, "I am Ana", "chat", 1)
    assert (renamed.code, renamed.out) == (0, "It is called “My name” now.\n")
    assert "│ I am Ana" in shown.out
    assert "│ Hello\\u{1b} Ana." in shown.out
    assert (data["name"], data["exchanges"][0]["words"]) == ("My name", "I am Ana")
    assert session in sayso("sessions").out


def test_only_the_person_forgets_a_session(session: str, sit: Sit):
    refused = sayso("sessions", "delete", session)
    screen = sit("sessions", "delete", session)

    assert (refused.code, screen.end()) == (3, 0)
    assert "It is forgotten" in screen.text
    assert sayso("sessions", "--json").document["sessions"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show",), "which session"),
        (("rename", "x"), "new name"),
        (("show", "x"), "no session “x”"),
        (("forget",), "forget"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(person: Path, words: tuple[str, ...], said: str):
    run = sayso("sessions", *words)

    assert (run.code, said in run.err) == (2, True)


def test_where_nothing_was_said_that_is_told(person: Path):
    assert sayso("sessions").out == "There is no session yet; “sayso ask” begins one.\n"
