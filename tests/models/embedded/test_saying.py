"""What the rules say when they do nothing names what was said and what to do."""

import pytest

from sayso.models.embedded import saying


def test_what_was_not_understood_is_quoted_on_one_line():
    said = saying.not_understood(["a\nb “c”"])

    assert '“a b "c"”' in said
    assert "\n" not in said
    assert "sayso config model" in said


@pytest.mark.parametrize("words", ["undo", "Undo that", "please undo the last thing", "take it back", "revert!"])
def test_whoever_wants_something_back_is_told_the_command(words: str):
    assert saying.not_understood([words]) == saying.BACK


@pytest.mark.parametrize("words", ["help", "Help me", "what can you do"])
def test_whoever_asks_for_help_is_told_what_is_known(words: str):
    assert saying.not_understood([words]) == f"{saying.CAN} {saying.MORE}"


@pytest.mark.parametrize("words", ["helpers", "take it back to the shop", "what can you do for Ana", "redo"])
def test_what_only_begins_like_that_was_not_understood(words: str):
    assert "was not understood" in saying.not_understood([words])


def test_what_cannot_be_done_is_named():
    assert "“tab.close”" in saying.switched_off("tab.close")
    assert "“blocks”" in saying.unsayable("tab.close", "blocks")
    assert saying.is_a_question("close it?")
    assert not saying.is_a_question("could you close it?")
