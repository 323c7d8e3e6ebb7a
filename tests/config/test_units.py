"""Lengths of time and sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.config.units import bytes_in, length_said, seconds, size_said


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
