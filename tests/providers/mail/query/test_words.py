"""Words are runs of letters and digits, compared in any case and form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.query.words import place, spaced, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ("hello", "world")),
        ("a.b@x-y.org", ("a", "b", "x", "y", "org")),
        ("invoice_2024.PDF", ("invoice", "2024", "pdf")),
        ("U\u0308nal ÜNAL", ("ünal", "ünal")),
        ("日本語 text", ("日", "本", "語", "text")),
        ("don't", ("don", "t")),
        ("🎉 - …", ()),
        ("", ()),
    ],
)
def test_a_text_is_cut_into_its_words(text: str, words: tuple[str, ...]):
    assert words_of(text) == words


@given(st.text(), st.text())
def test_words_of_two_texts_are_those_of_both(one: str, other: str):
    assert words_of(f"{one} {other}") == (*words_of(one), *words_of(other))
    assert spaced(one).split() == list(words_of(one))


def test_mailboxes_and_labels_go_by_gmails_spelling():
    assert place(" My Old/Label ") == "my-old-label"
    assert place("Junk") == place("spam") == "spam"
