"""What a script came to is told within bounds."""

from sayso.core.errors import Uncertain
from sayso.providers.browser.facts import Returned
from sayso.providers.browser.live import scripts


def test_what_it_returned_is_cut_with_its_length_told():
    assert scripts.returned("t", "short") == Returned("t", "short", 5)
    assert scripts.returned("t", "x" * 10_001) == Returned("t", "x" * 10_000, 10_001, truncated=True)


def test_the_first_line_of_what_went_wrong_is_told():
    assert str(scripts.wrong("TypeError: x\n  at y")).endswith("stays: TypeError: x")
    assert str(scripts.wrong("")).endswith("stays: of its own")


def test_what_did_not_end_is_uncertain():
    assert isinstance(scripts.too_long(), Uncertain)
    assert isinstance(scripts.left(), Uncertain)
