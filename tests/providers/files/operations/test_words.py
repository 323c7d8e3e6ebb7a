"""Sizes, counts and links are said as a person would."""

import pytest

from sayso.providers.files.operations.words import about_links, size_in_words, things


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (1, "1 byte"), (12345, "12,345 bytes")])
def test_sizes_are_exact(size: int, words: str):
    assert size_in_words(size) == words


@pytest.mark.parametrize(("count", "words"), [(0, "0 things"), (1, "1 thing"), (2000, "2,000 things")])
def test_things_are_counted(count: int, words: str):
    assert things(count) == words


@pytest.mark.parametrize("said", ["~/Documents/a", "/home/ana/Documents/a", "~/Documents/b/../a", "~/Documents//a/"])
def test_a_path_that_leads_where_it_reads_needs_no_word(said: str):
    assert about_links(said, "/home/ana/Documents/a") == ()


@pytest.mark.parametrize("said", ["~/Documents/l", "/home/ana/l/a", "~/Docs/a"])
def test_a_path_that_leads_elsewhere_says_where(said: str):
    assert about_links(said, "/home/ana/Documents/a") == (f"“{said}” leads to “/home/ana/Documents/a”",)
