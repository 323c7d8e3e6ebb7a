"""Suggestions for names that are not known."""

import difflib

import pytest

from sayso.dialects.lines.near import Near

NEAR = Near(["MOVE_FILE", "DO_NOT_DISTURB", "SPEAK", "NOTIFY"])


@pytest.mark.req("T-10")
def test_a_name_written_as_several_words_is_put_together():
    assert NEAR.spelled("DO NOT DISTURB ON") == "DO_NOT_DISTURB ON"
    assert NEAR.spelled("Do not\tdisturb  on please") == "DO_NOT_DISTURB on please"


@pytest.mark.parametrize("line", ["MOVE_FIEL a b", "move_fil", "MOVE_FILES\tx"])
def test_a_misspelt_name_is_near(line: str):
    assert NEAR.nearest(line) == (line.split(maxsplit=1)[0], "MOVE_FILE")
    assert NEAR.spelled(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "FLY_TO",
        "???",
        "Notify me",
        "speak",
        "moved",
        "SPEA\u212a",
        "MOVE_FOLDER",
        "MOVE_FIEL.",
        "_" * 1000,
        "A" * 99,
    ],
)
def test_nothing_is_near_a_name_of_another_kind(line: str):
    assert NEAR.nearest(line)[1] == ""
    assert NEAR.spelled(line) == ""


@pytest.mark.req("T-10")
def test_a_name_of_at_most_five_words_is_put_together():
    near = Near(["A_B_C_D_E", "A_B_C_D_E_F", "A_B_C"])

    assert near.spelled("a b c d e") == "A_B_C_D_E"
    assert near.spelled("a b c d e f") == "A_B_C_D_E f"
    assert near.spelled("a b c d e f g h") == "A_B_C_D_E f g h"
    assert near.spelled("a b c d") == "A_B_C d"


@pytest.mark.req("PA-12")
def test_a_long_line_is_not_repeated():
    assert NEAR.spelled("MOVE FILE " + "x" * 230) == "MOVE_FILE " + "x" * 230
    assert NEAR.spelled("MOVE FILE " + "x" * 231) == "MOVE_FILE"
    assert NEAR.spelled("MOVE FILE " + "x" * 1000) == "MOVE_FILE"
    assert NEAR.spelled("MOVE" + " " * 240 + "FILE") == ""
    assert NEAR.nearest("A" * 1000) == ("A" * 240, "")


@pytest.mark.parametrize("line", ["", "MOVE_FILE a", "move_file a b", "Notify"])
def test_a_name_that_there_is_needs_no_other(line: str):
    assert NEAR.nearest(line) == ("", "")


def test_only_names_of_a_usual_length_are_searched_for():
    near = Near(["A_" + "B" * 36])

    assert near.nearest("A_" + "B" * 38)[1] == "A_" + "B" * 36
    assert near.nearest("A_" + "B" * 39)[1] == ""


@pytest.mark.req("PA-12")
def test_only_so_many_names_are_searched_for():
    near = Near(["MOVE_FILE"])
    for number in range(99):
        near.nearest("A_" + "B" * (number // 26 + 1) + chr(65 + number % 26))

    assert near.nearest("MOVE_FILES")[1] == "MOVE_FILE"
    assert near.nearest("MOVE_FIEL")[1] == ""
    assert near.spelled("MOVE FILE a") == "MOVE_FILE a"


@pytest.mark.req("PA-12")
def test_a_name_is_searched_for_once(monkeypatch: pytest.MonkeyPatch):
    near = Near(["MOVE_FILE"])
    assert near.nearest("MOVE_FIEL a") == ("MOVE_FIEL", "MOVE_FILE")

    monkeypatch.delattr(difflib, "get_close_matches")

    assert near.nearest("MOVE_FIEL b") == ("MOVE_FIEL", "MOVE_FILE")
