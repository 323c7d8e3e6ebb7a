"""A session is named after its first words, on one short line."""

from sayso.core.sessions import NAME, named_after


def test_a_name_is_one_line_and_not_too_long():
    assert named_after(" switch\n to   reddit ") == "switch to reddit"
    assert named_after("x" * NAME) == "x" * NAME
    assert len(named_after("x" * 200)) == NAME
