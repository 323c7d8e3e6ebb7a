"""What the rules say when they do nothing names what was said and what to do."""

from sayso.models.embedded import saying


def test_what_was_not_understood_is_quoted_on_one_line():
    said = saying.not_understood(["a\nb “c”"])

    assert '“a b "c"”' in said
    assert "\n" not in said
    assert "sayso config model" in said


def test_what_cannot_be_done_is_named():
    assert "“tab.close”" in saying.switched_off("tab.close")
    assert "“blocks”" in saying.unsayable("tab.close", "blocks")
    assert saying.is_a_question("close it?")
    assert not saying.is_a_question("could you close it?")
