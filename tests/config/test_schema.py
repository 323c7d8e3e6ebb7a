"""Lengths of time and sizes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.config import schema
from sayso.config.schema import (
    BY_NAME,
    KEYS,
    SECTIONS,
    NotOfKind,
    ValueKind,
    bytes_in,
    describe_found,
    keys_of,
    length_said,
    number,
    one_of,
    seconds,
    size_said,
)


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
    assert seconds(length_said(number)) == number
    assert bytes_in(size_said(number)) == number


def test_the_largest_whole_unit_is_written():
    assert (length_said(86_400), length_said(172_800), length_said(90), length_said(0)) == ("24h", "2d", "90s", "0s")
    assert (size_said(2 * 2**30), size_said(1000), size_said(0)) == ("2 GiB", "1000 B", "0 B")


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (schema.FLAG, True, True),
        (schema.LINE, "Ana", "Ana"),
        (schema.TEXTS, [], ()),
        (schema.TEXTS, ["a", "b"], ("a", "b")),
        (schema.LENGTH, "24h", 86_400),
        (schema.SIZE, "1 KiB", 1024),
        (schema.SIZE, 5, 5),
        (schema.PATH, "~/Mail", "~/Mail"),
        (schema.PATHS, ["/srv", "~"], ("/srv", "~")),
        (schema.ADDRESS, "", ""),
        (schema.ADDRESS, "postgresql://ana@db.example.org/sayso", "postgresql://ana@db.example.org/sayso"),
        (schema.FLAG_OR_LINE, False, False),
        (schema.FLAG_OR_LINE, "starttls", "starttls"),
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
        (schema.FLAG, 1),
        (schema.FLAG, "true"),
        (schema.LINE, ""),
        (schema.LINE, "a\nb"),
        (schema.LINE, 3),
        (schema.TEXTS, "a"),
        (schema.TEXTS, ["a", 1]),
        (schema.TEXTS, [""]),
        (schema.LENGTH, 24),
        (schema.LENGTH, "soon"),
        (schema.SIZE, -1),
        (schema.SIZE, True),
        (schema.SIZE, 1.5),
        (schema.PATH, "Mail"),
        (schema.PATH, "~bo/Mail"),
        (schema.PATHS, ["Mail"]),
        (schema.PATHS, "~/Mail"),
        (schema.ADDRESS, "nowhere"),
        (schema.ADDRESS, "http://[::1"),
        (schema.ADDRESS, "http://a/\u202e"),
        (schema.ADDRESS, "postgresql://ana:pw@db/sayso"),
        (schema.FLAG_OR_LINE, 1),
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


FIXED = """
policy.mode policy.roots policy.allowed_apps policy.allowed_operations policy.waive_floor policy.strict_apps
policy.stop_on_error policy.paused policy.waiting_expires policy.grant_expires policy.undo_keep policy.undo_bytes
limits.actions_per_run limits.reply_bytes limits.argument_bytes limits.waiting automation.enabled model.name journal.url
mail.kind mail.path mail.address mail.name mail.hold_seconds mail.host mail.port mail.user mail.auth mail.smtp_host
mail.smtp_port mail.tls calendar.kind calendar.path calendar.url calendar.user calendar.timezone notes.kind notes.path
browser.kind browser.cdp_url apps.kind
""".split()  # noqa: SIM905 - a list of words reads best as words
DEFAULTS = {
    "policy.mode": "destructive",
    "policy.allowed_operations": ["*"],
    "policy.waive_floor": [],
    "policy.strict_apps": False,
    "policy.stop_on_error": False,
    "policy.paused": False,
    "policy.waiting_expires": "24h",
    "policy.grant_expires": "30d",
    "policy.undo_keep": "90d",
    "policy.undo_bytes": "2 GiB",
    "limits.actions_per_run": 5000,
    "limits.reply_bytes": "16 MiB",
    "limits.argument_bytes": "8 MiB",
    "limits.waiting": 200,
    "automation.enabled": True,
    "model.name": "embedded",
    "journal.url": "",
}


@pytest.mark.parametrize("name", FIXED)
def test_every_fixed_key_is_there(name: str):
    assert name in BY_NAME


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.req("X-16")
def test_the_fixed_defaults_hold(name: str):
    assert BY_NAME[name].default_said == DEFAULTS[name]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.full)
def test_each_key_says_what_it_is_for_and_takes_its_own_default(key: object):
    from_list = BY_NAME[getattr(key, "full", "")]

    assert from_list.says.endswith(".")
    assert from_list.default is None or from_list.kind.read(from_list.default_said) == from_list.default


def test_no_key_stands_twice():
    assert len(BY_NAME) == len(KEYS)
    assert sum(len(keys_of(section)) for section in SECTIONS) == len(KEYS)
