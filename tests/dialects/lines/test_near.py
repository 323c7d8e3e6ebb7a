"""Suggestions for names that are not known."""

import pytest

from sayso.dialects.lines.forms import FormsOf
from sayso.dialects.lines.near import Near
from tests.dialects.replies import OPERATIONS

NEAR = Near(FormsOf(OPERATIONS))


def near(*ids: str) -> Near:
    return Near(FormsOf(dict.fromkeys(ids, OPERATIONS["file.move"])))


@pytest.mark.req("T-10")
def test_a_name_written_as_several_words_is_put_together():
    assert NEAR.spelled("DO NOT DISTURB ON") == "DO_NOT_DISTURB ON"
    assert NEAR.spelled("Do not\tdisturb  on please") == "DO_NOT_DISTURB on please"


@pytest.mark.parametrize("line", ["MOVE_FIEL a b", "move_fil", "MOVE_FILES\tx", "MOVEFILE", "FILE_RENAME a"])
def test_a_name_of_the_same_meaning_is_near(line: str):
    assert NEAR.nearest(line) == (line.split(maxsplit=1)[0], ["MOVE_FILE"])
    assert NEAR.spelled(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "FLY_TO",
        "???",
        "Notify me",
        "click here",
        "screenshot",
        "moved",
        "SPEA\u212a",
        "MOVE_FIEL.",
        "UNDELETE_FILE x",
        "_" * 1000,
        "A" * 99,
    ],
)
def test_nothing_is_near_a_name_of_another_kind(line: str):
    assert NEAR.nearest(line)[1] == []
    assert NEAR.spelled(line) == ""


@pytest.mark.req("T-10")
def test_a_name_of_at_most_five_words_is_put_together():
    made = near("a.b_c_d_e", "a.b_c_d_e_f", "a.b_c")

    assert made.spelled("a b c d e") == "A_B_C_D_E"
    assert made.spelled("a b c d e f") == "A_B_C_D_E f"
    assert made.spelled("a b c d e f g h") == "A_B_C_D_E f g h"
    assert made.spelled("a b c d") == "A_B_C d"


@pytest.mark.req("PA-12")
def test_a_long_line_is_not_repeated():
    assert NEAR.spelled("MOVE FILE " + "x" * 230) == "MOVE_FILE " + "x" * 230
    assert NEAR.spelled("MOVE FILE " + "x" * 231) == "MOVE_FILE"
    assert NEAR.spelled("MOVE FILE " + "x" * 1000) == "MOVE_FILE"
    assert NEAR.spelled("MOVE" + " " * 240 + "FILE") == ""
    assert NEAR.nearest("A" * 1000) == ("A" * 240, [])
    assert NEAR.hint("A" * 1000) == ""


@pytest.mark.parametrize("line", ["", "MOVE_FILE a", "move_file a b", "Notify"])
def test_a_name_that_there_is_needs_no_other(line: str):
    assert NEAR.nearest(line) == ("", [])


@pytest.mark.req("X-11")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("FILE_GET x", "Did you mean FILE_READ or FILE_LIST?"),
        ("UNDELETE_HABIT x", "Of that kind there are: HABIT_ADD, HABIT_EDIT, HABIT_DELETE, HABIT_LOG."),
        ("FLY x", ""),
        ("habit Run", ""),
        ("FILE_GET(x)", ""),
        ("", ""),
    ],
)
def test_a_sentence_says_what_may_be_meant_or_what_there_is(line: str, says: str):
    assert NEAR.hint(line) == says


def test_a_command_that_is_not_there_is_not_near():
    made = Near(FormsOf({"open.app": OPERATIONS["file.move"]}))

    assert made.nearest("APP_OPEN x") == ("APP_OPEN", [])
