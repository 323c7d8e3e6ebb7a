"""What a setting may hold."""

from typing import Any

import pytest

from sayso.config import kinds
from sayso.config.kinds import NotOfKind, ValueKind, found, number, one_of


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (kinds.FLAG, True, True),
        (kinds.LINE, "Ana", "Ana"),
        (kinds.TEXTS, [], ()),
        (kinds.TEXTS, ["a", "b"], ("a", "b")),
        (kinds.LENGTH, "24h", 86_400),
        (kinds.SIZE, "1 KiB", 1024),
        (kinds.SIZE, 5, 5),
        (kinds.PATH, "~/Mail", "~/Mail"),
        (kinds.PATHS, ["/srv", "~"], ("/srv", "~")),
        (kinds.ADDRESS, "", ""),
        (kinds.ADDRESS, "postgresql://ana@db.example.org/sayso", "postgresql://ana@db.example.org/sayso"),
        (kinds.FLAG_OR_LINE, False, False),
        (kinds.FLAG_OR_LINE, "starttls", "starttls"),
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
        (kinds.FLAG, 1),
        (kinds.FLAG, "true"),
        (kinds.LINE, ""),
        (kinds.LINE, "a\nb"),
        (kinds.LINE, 3),
        (kinds.TEXTS, "a"),
        (kinds.TEXTS, ["a", 1]),
        (kinds.TEXTS, [""]),
        (kinds.LENGTH, 24),
        (kinds.LENGTH, "soon"),
        (kinds.SIZE, -1),
        (kinds.SIZE, True),
        (kinds.SIZE, 1.5),
        (kinds.PATH, "Mail"),
        (kinds.PATH, "~bo/Mail"),
        (kinds.PATHS, ["Mail"]),
        (kinds.PATHS, "~/Mail"),
        (kinds.ADDRESS, "nowhere"),
        (kinds.ADDRESS, "http://[::1"),
        (kinds.ADDRESS, "http://a/\u202e"),
        (kinds.ADDRESS, "postgresql://ana:pw@db/sayso"),
        (kinds.FLAG_OR_LINE, 1),
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
    assert found(value) == words
