"""Words in two alphabets that look alike are found, and ordinary words of any language are not."""

import pytest

from sayso.surfaces.cli.scripts import warnings


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("\u0440\u0430ypal", "U+0440 CYRILLIC SMALL LETTER ER"),
        ("~/Documents/in\u03bfvoice.pdf", "U+03BF GREEK SMALL LETTER OMICRON"),
        ("ana@ex\u0430mple.org", "U+0430 CYRILLIC SMALL LETTER A"),
        ("\uff50aypal", "U+FF50 FULLWIDTH LATIN SMALL LETTER P"),
    ],
)
@pytest.mark.req("AV-02")
def test_a_mixed_word_is_named_with_its_odd_letter(text: str, named: str):
    (sentence,) = warnings(text)

    assert named in sentence


@pytest.mark.req("AV-02")
def test_a_word_wholly_in_lookalikes_before_a_latin_domain_is_named():
    (sentence,) = warnings("https://\u0440\u0430\u0443.com/")

    assert "looks like Latin letters" in sentence


@pytest.mark.parametrize(
    "text", ["plain/path.txt", "Grüße", "Привет мир", "Ελληνικά", "日本語 text", "документ.txt", "a1b2", "Ægir", ""]
)
def test_ordinary_words_are_left_alone(text: str):
    assert warnings(text) == []
