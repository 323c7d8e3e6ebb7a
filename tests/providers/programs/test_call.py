"""A call keeps words and values apart."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.programs.call import Call, Ended


def test_words_are_not_split():
    assert Call("a", ("b c",), ("d e",)).arguments() == ("b c", "d e")


@pytest.mark.req("X-07")
def test_values_stand_behind_the_end_of_options_where_there_is_one():
    assert Call("a", ("-w",), ("-x", "--"), dashes=True).arguments() == ("-w", "--", "-x", "--")
    assert Call("a", ("-w",), dashes=True).arguments() == ("-w",)


@pytest.mark.req("X-07")
def test_a_long_value_that_is_refused_is_shown_shortened():
    with pytest.raises(ProviderError) as no:
        Call("/usr/bin/a", (), ("-" + "x" * 500,)).arguments()

    assert str(no.value).startswith("“-xxx")
    assert "option of a;" in str(no.value)
    assert len(str(no.value)) < 200


def test_a_complaint_is_one_short_line():
    assert Ended("a", 1, errors=b"one\n  two\n").complaint == "one two"
    assert len(Ended("a", 1, errors=b"x" * 9000).complaint) == 401
    assert Ended("a", -15).complaint == "it was ended by signal 15"


def test_what_is_no_text_is_shown_as_far_as_it_is():
    assert Ended("a", 0, b"\xffa\r\n\n").text == "\ufffda"
