"""Canonical JSON is what RFC 8785 says, and digests stand for exactly one value."""

import hashlib
import json
import math
from itertools import pairwise
from types import MappingProxyType

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.core.encoding import (
    EXACT_INTEGER,
    LONG_TEXT,
    NotUtf8,
    canonical,
    decode_pieces,
    digest,
    ecmascript,
    shorten_text,
)

EXACT = st.integers(-EXACT_INTEGER, EXACT_INTEGER)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
VALUES = st.recursive(
    st.none() | st.booleans() | EXACT | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=20,
)


@given(VALUES)
@example({"\U0001f600": 1, "\ue000": 2})
@example({"\U0001f600": 1, "a": 0, "\ue000": 2})
@example([1e21, 1e-7, 123456789012345680000.0, -0.0, 5e-324, 9007199254740993.0])
def test_agrees_with_an_independent_implementation(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # pyright: ignore[reportArgumentType]


WRITTEN = {
    0.0: "0", 5.0: "5", -5.0: "-5", 0.5: "0.5", -0.25: "-0.25", 0.001: "0.001", 0.000001: "0.000001",
    0.0000015: "0.0000015", 0.0000001: "1e-7", -0.00000015: "-1.5e-7", 1.5: "1.5", 100.0: "100", 120.5: "120.5",
    1e20: "100000000000000000000", 1.25e20: "125000000000000000000", 1e21: "1e+21", 1.25e21: "1.25e+21",
    123456789.125: "123456789.125", 5e-324: "5e-324", 1.7976931348623157e308: "1.7976931348623157e+308",
}  # fmt: skip


@pytest.mark.parametrize("number", WRITTEN)
def test_a_number_is_written_as_ecmascript_writes_it(number: float) -> None:
    assert ecmascript(number) == WRITTEN[number]


EMPTY: tuple[list[object], dict[str, object]] = ([], {})


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"\U0001f600": 1, "a": 0, "\ue000": 2, "A": 3}, '{"A":3,"a":0,"\U0001f600":1,"\ue000":2}'),
        ({"b": 1, "a": 0, "B": 2}, '{"B":2,"a":0,"b":1}'),
        ([None, True, False, "", *EMPTY], '[null,true,false,"",[],{}]'),
        (-0.0, "0"),
        ((1, [2, (3,)]), "[1,[2,[3]]]"),
        ([1, (2, [3])], "[1,[2,[3]]]"),
        (MappingProxyType({"b": [1], "a": {"c": None}}), '{"a":{"c":null},"b":[1]}'),
        (2**53 - 1, "9007199254740991"),
        (1 - 2**53, "-9007199254740991"),
        (2**53, '"9007199254740992"'),
        (-(2**53), '"-9007199254740992"'),
    ],
    ids=[
        "names by their UTF-16 units", "plain names", "words and empty things", "minus zero", "tuple", "list",
        "any mapping", "largest", "smallest", "no double holds it", "nor this",
    ],
)  # fmt: skip
def test_a_value_has_one_form(value: object, written: str) -> None:
    assert canonical(value).decode() == written


@given(NUMBERS)
def test_a_number_reads_back_as_the_same_double(number: float) -> None:
    assert float(ecmascript(number)) == number


@pytest.mark.parametrize(
    ("value", "says"),
    [
        *(([number], "no place in JSON") for number in (math.nan, math.inf, -math.inf)),
        ("\ud800", "surrogate"),
        ({1: 2}, "text keys"),
        ({"a": {1}}, "set is not"),
    ],
)
def test_what_json_cannot_say_is_an_error(value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        canonical(value)


@pytest.mark.parametrize("held", ["a\ud800", {"\ud800": 1, "b": 2}, ["\udfff"]], ids=["text", "key", "list"])
def test_a_lone_surrogate_is_an_error_in_a_digest_too(held: object) -> None:
    with pytest.raises(ValueError, match="surrogate"):
        digest(held)


def test_a_long_text_with_a_lone_surrogate_stands_by_its_hash() -> None:
    text = "\ud800" * LONG_TEXT

    assert shorten_text(text) == {
        "sha256": hashlib.sha256(b"\xed\xa0\x80" * LONG_TEXT).hexdigest(),
        "bytes": 3 * LONG_TEXT,
    }


def test_a_digest_is_the_same_for_a_list_and_a_tuple_and_whatever_mapping_holds_it() -> None:
    long = "x" * (LONG_TEXT + 1)

    assert digest([long]) == digest((long,)) == digest([shorten_text(long)])
    assert digest(MappingProxyType({"b": [1], "a": None})) == digest({"a": None, "b": [1]})


def test_a_long_text_stands_in_a_digest_by_hash_and_length() -> None:
    short, long = "é" * 2048, "é" * 2048 + "x"

    instead = {"sha256": hashlib.sha256(long.encode()).hexdigest(), "bytes": 4097}
    assert (shorten_text("x"), shorten_text(short), shorten_text(long)) == ("x", short, instead)
    assert digest({"a": [long, short]}) == "sha256:" + hashlib.sha256(canonical({"a": [instead, short]})).hexdigest()


def test_a_digest_is_the_hash_of_the_canonical_form() -> None:
    value = {"b": [1, 2.0], "a": "x"}

    expected = hashlib.sha256(b'{"a":"x","b":[1,2]}').hexdigest()

    assert digest(value) == f"sha256:{expected}"


@given(VALUES, VALUES)
def test_different_values_have_different_digests(one: object, other: object) -> None:
    same = json.loads(rfc8785.dumps(one)) == json.loads(rfc8785.dumps(other))  # pyright: ignore[reportArgumentType]

    if not same:
        assert digest(one) != digest(other)


TEXT = "aé€😀\r\n\ufeff\x00ü"


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(places), len(data)]
    return [data[start:end] for start, end in pairwise(ends)]


@pytest.mark.req("PA-05")
@given(st.text(max_size=20), st.data())
def test_any_cut_gives_the_same_text(text: str, data: st.DataObject):
    encoded = text.encode()
    places = data.draw(st.lists(st.integers(0, len(encoded)), max_size=5))

    assert "".join(decode_pieces(cut(encoded, places))) == text


@pytest.mark.req("PA-05")
def test_a_character_is_told_when_its_last_byte_has_come():
    assert list(decode_pieces([bytes([byte]) for byte in TEXT.encode()])) == list(TEXT)
    assert list(decode_pieces([])) == list(decode_pieces([b"", b""])) == []


@pytest.mark.parametrize(
    ("data", "at", "byte"),
    [
        (b"a\xff", 1, 0xFF),
        (b"\xc3", 0, 0xC3),
        ("é".encode() + b"\xe2\x82x", 2, 0xE2),
        (b"ab\xed\xa0\x80", 2, 0xED),
        (b"abc\x80", 3, 0x80),
        (b"\xf0\x9f\x92", 0, 0xF0),
    ],
)
def test_the_place_of_what_is_no_text_is_the_same_however_it_is_cut(data: bytes, at: int, byte: int):
    for pieces in ([data], *([data[:end], data[end:]] for end in range(1, len(data))), [bytes([one]) for one in data]):
        with pytest.raises(NotUtf8) as wrong:
            list(decode_pieces(pieces))

        assert (wrong.value.at, wrong.value.byte) == (at, byte)


@given(st.binary(max_size=12), st.data())
def test_what_is_no_text_is_refused_where_python_refuses_it(data: bytes, draws: st.DataObject):
    pieces = cut(data, draws.draw(st.lists(st.integers(0, len(data)), max_size=4)))
    try:
        wanted: object = data.decode()
    except UnicodeDecodeError as wrong:
        wanted = (wrong.start, data[wrong.start])

    try:
        found: object = "".join(decode_pieces(pieces))
    except NotUtf8 as wrong:
        found = (wrong.at, wrong.byte)

    assert found == wanted
