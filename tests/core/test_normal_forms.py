"""A text has its normal form, and one that is made to be slow to compose takes no longer than any other."""

import unicodedata

import pytest

from sayso.core.normal_forms import Form, normal_form

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ["", "plain", "é", "e\u0301\u0323", "각", "ﬁ", "─" * 200, "🙂" * 200, "a" + "\u0301" * 30]
)
def test_a_text_has_the_normal_form_of_unicode(text: str, form: Form):
    assert normal_form(text, form) == unicodedata.normalize(form, text)


def test_equal_texts_have_equal_forms_however_many_marks_they_have():
    assert normal_form("e" + "\u0301" * 100) == normal_form(normal_form("e" + "\u0301" * 100))


def test_a_million_marks_are_composed_at_once():
    # Who sorts all of them comes to the limit of every test.
    assert len(normal_form("\u0323\u0301" * 500_000)) < 1_100_000
