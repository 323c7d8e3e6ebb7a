"""Words are the more alike the fewer letters differ."""

from sayso.models.builtin.similarity import likeness


def test_words_are_alike_by_their_letters():
    assert likeness("reddit", "reddit") == 100
    assert likeness("abc", "xyz") == 0
    assert likeness("slack", "stack") < 85 < likeness("redit", "reddit")
