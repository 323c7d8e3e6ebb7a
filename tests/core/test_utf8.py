"""Bytes that come in pieces are the text they are together, wherever they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.utf8 import NotUtf8, decoded

TEXT = "aé€😀\r\n\ufeff\x00ü"


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(places), len(data)]
    return [data[start:end] for start, end in pairwise(ends)]


@pytest.mark.req("PA-05")
@given(st.text(max_size=20), st.data())
def test_any_cut_gives_the_same_text(text: str, data: st.DataObject):
    encoded = text.encode()
    places = data.draw(st.lists(st.integers(0, len(encoded)), max_size=5))

    assert "".join(decoded(cut(encoded, places))) == text


@pytest.mark.req("PA-05")
def test_a_character_is_told_when_its_last_byte_has_come():
    told = list(decoded([bytes([byte]) for byte in TEXT.encode()]))

    assert told == list(TEXT)


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
            list(decoded(pieces))

        assert (wrong.value.at, wrong.value.byte) == (at, byte)


@given(st.binary(max_size=12), st.data())
def test_what_is_no_text_is_refused_where_python_refuses_it(data: bytes, draws: st.DataObject):
    pieces = cut(data, draws.draw(st.lists(st.integers(0, len(data)), max_size=4)))
    try:
        wanted: object = data.decode()
    except UnicodeDecodeError as wrong:
        wanted = (wrong.start, data[wrong.start])

    try:
        found: object = "".join(decoded(pieces))
    except NotUtf8 as wrong:
        found = (wrong.at, wrong.byte)

    assert found == wanted


def test_nothing_is_no_text():
    assert list(decoded([])) == list(decoded([b"", b""])) == []
