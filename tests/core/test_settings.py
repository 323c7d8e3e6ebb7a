"""Kinds of settings, lengths of time and sizes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core import settings
from sayso.core.settings import (
    NotOfKind,
    ValueKind,
    bytes_in,
    describe_found,
    format_length,
    format_size,
    number,
    one_of,
    seconds,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "length"),
    [("24h", 86_400), ("30d", 2_592_000), ("90d", 7_776_000), ("10s", 10), ("5 m", 300), ("2w", 1_209_600), ("0s", 0)],
)
def test_a_length_of_time_is_read(text: str, length: int):
    assert seconds(text) == length


@pytest.mark.parametrize("text", ["", "24", "h", "-1h", "1.5h", "1h30m", "24H", "1y", "999999999999d", "\u0663h"])
def test_what_is_no_length_of_time_is_none(text: str):
    assert seconds(text) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2 GiB", 2_147_483_648),
        ("16 MiB", 16_777_216),
        ("8MiB", 8_388_608),
        ("1.5 KiB", 1536),
        ("10 kB", 10_000),
        ("0 B", 0),
        ("512 b", 512),
    ],
)
def test_a_size_is_read(text: str, size: int):
    assert bytes_in(text) == size


@pytest.mark.parametrize("text", ["", "2", "GiB", "-1 B", "2 GiBs", "1e3 B", "9999999999999999 TiB"])
def test_what_is_no_size_is_none(text: str):
    assert bytes_in(text) is None


@given(st.integers(0, 10**9))
def test_what_is_written_is_read_again(number: int):
    assert seconds(format_length(number)) == number
    assert bytes_in(format_size(number)) == number


def test_the_largest_whole_unit_is_written():
    assert (format_length(86_400), format_length(172_800), format_length(90), format_length(0)) == (
        "24h",
        "2d",
        "90s",
        "0s",
    )
    assert (format_size(2 * 2**30), format_size(1000), format_size(0)) == ("2 GiB", "1000 B", "0 B")


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (settings.FLAG, True, True),
        (settings.LINE, "Ana", "Ana"),
        (settings.TEXTS, [], ()),
        (settings.TEXTS, ["a", "b"], ("a", "b")),
        (settings.LENGTH, "24h", 86_400),
        (settings.SIZE, "1 KiB", 1024),
        (settings.SIZE, 5, 5),
        (settings.PATH, "~/Mail", "~/Mail"),
        (settings.PATHS, ["/srv", "~"], ("/srv", "~")),
        (settings.ADDRESS, "", ""),
        (settings.ADDRESS, "postgresql://ana@db.example.org/sayso", "postgresql://ana@db.example.org/sayso"),
        (settings.FLAG_OR_LINE, False, False),
        (settings.FLAG_OR_LINE, "starttls", "starttls"),
        (one_of("a", "b"), "b", "b"),
        (number(1, 3), 3, 3),
    ],
)
def test_a_value_of_its_kind_is_read(kind: ValueKind, value: Any, read: Any):
    assert kind.read(value) == read
    assert kind.read(kind.write(read)) == read


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (settings.FLAG, 1),
        (settings.FLAG, "true"),
        (settings.LINE, ""),
        (settings.LINE, "a\nb"),
        (settings.LINE, 3),
        (settings.TEXTS, "a"),
        (settings.TEXTS, ["a", 1]),
        (settings.TEXTS, [""]),
        (settings.LENGTH, 24),
        (settings.LENGTH, "soon"),
        (settings.SIZE, -1),
        (settings.SIZE, True),
        (settings.SIZE, 1.5),
        (settings.PATH, "Mail"),
        (settings.PATH, "~bo/Mail"),
        (settings.PATHS, ["Mail"]),
        (settings.PATHS, "~/Mail"),
        (settings.ADDRESS, "nowhere"),
        (settings.ADDRESS, "http://[::1"),
        (settings.ADDRESS, "http://a/\u202e"),
        (settings.ADDRESS, "postgresql://ana:pw@db/sayso"),
        (settings.FLAG_OR_LINE, 1),
        (one_of("a"), "A"),
        (number(1, 3), 4),
        (number(0, 1), True),
        (number(1, 3), "2"),
    ],
)
def test_a_value_of_another_kind_is_not(kind: ValueKind, value: Any):
    with pytest.raises(NotOfKind):
        kind.read(value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "true"),
        ("x", '"x"'),
        ("x" * 61, f'"{"x" * 60}…"'),
        (3, "the number 3"),
        ([1], "a list"),
        ({}, "a table"),
        (None, "a NoneType"),
    ],
)
def test_what_was_found_is_said_in_words(value: Any, words: str):
    assert describe_found(value) == words
