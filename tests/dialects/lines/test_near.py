"""Suggestions for names that are not known."""

import pytest

from sayso.dialects.lines.near import MOST_SEARCHES, Near

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
    "line", ["", "FLY_TO", "???", "Notify me", "speak", "moved", "SPEA\u212a", "_" * 1000, "A" * 1000]
)
def test_nothing_is_near_a_name_of_another_kind(line: str):
    assert NEAR.nearest(line)[1] == ""
    assert NEAR.spelled(line) == ""


def test_a_long_line_is_not_repeated():
    assert NEAR.spelled("MOVE FILE " + "x" * 1000) == "MOVE_FILE"


@pytest.mark.req("PA-12")
def test_only_so_many_names_are_searched_for():
    near = Near(["MOVE_FILE"])
    for number in range(MOST_SEARCHES):
        near.nearest("A_" + "B" * (number // 26 + 1) + chr(65 + number % 26))

    assert near.nearest("MOVE_FIEL")[1] == ""
    assert near.spelled("MOVE FILE a") == "MOVE_FILE a"
