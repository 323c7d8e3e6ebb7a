"""Words are the more alike the fewer letters differ."""

from sayso.models.builtin.similarity import similarity


def test_words_are_alike_by_their_letters():
    assert similarity("reddit", "reddit") == 100
    assert similarity("abc", "xyz") == 0
    assert similarity("slack", "stack") < 85 < similarity("redit", "reddit")
