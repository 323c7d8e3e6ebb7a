"""The beginning of a page that was read is remembered, on one line and short."""

import pytest

from sayso.providers.browser.live.summaries import MOST, Summaries


@pytest.mark.req("T-110")
def test_the_beginning_is_remembered_for_that_address_alone():
    summaries = Summaries()

    summaries.add("t", "http://a/", "one\n\n two  " + "x" * 500)

    assert summaries.of("t", "http://a/") == "one two " + "x" * 192
    assert summaries.of("t", "http://b/") == ""


def test_the_oldest_are_forgotten():
    summaries = Summaries()

    for number in range(MOST + 1):
        summaries.add(str(number), "u", "text")

    assert (summaries.of("0", "u"), summaries.of("1", "u")) == ("", "text")
