"""Bytes become text in whatever charset they were written, also when that is named wrongly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.mime.charsets import one_line, text_of, tidy

WRITTEN = [
    ("utf-8", "grüße 日本"),
    ("iso-8859-1", "grüße"),
    ("windows-1252", "“grüße” €"),
    ("iso-8859-15", "10 €"),
    ("iso-8859-2", "Žluťoučký"),
    ("iso-8859-7", "καλημέρα"),
    ("koi8-r", "привет"),
    ("windows-1251", "Привет"),
    ("shift_jis", "東京"),
    ("iso-2022-jp", "会議 東京"),
    ("euc-jp", "東京"),
    ("gb2312", "报告"),
    ("gb18030", "报告"),
    ("big5", "報告"),
    ("euc-kr", "회의"),
    ("utf-7", "grüße"),
    ("utf-16", "grüße"),
    ("macintosh", "grüße"),
]


@pytest.mark.parametrize(("charset", "text"), WRITTEN)
def test_a_text_in_each_charset_is_read(charset: str, text: str):
    assert text_of(text.encode(charset), charset) == text


@pytest.mark.parametrize("charset", [None, "", "unknown-8bit", "x-nonsense", "base64", "utf-8", "us-ascii"])
def test_without_a_charset_that_holds_it_is_utf8_or_what_windows_writes(charset: str | None):
    assert text_of("grüße".encode(), charset) == "grüße"
    assert text_of("grüße “x”".encode("cp1252"), charset) == "grüße “x”"


def test_a_long_text_with_few_letters_beyond_ascii_keeps_them():
    text = "plain words " * 40 + "naïve grüße"

    assert text_of(text.encode("cp1252"), "iso-8859-1") == text


@given(st.binary(max_size=200), st.sampled_from([name for name, _ in WRITTEN] + ["x", "idna", "hex"]))
def test_no_bytes_are_too_broken_to_be_text(data: bytes, charset: str):
    assert isinstance(text_of(data, charset), str)


def test_line_ends_are_plain_and_control_characters_gone():
    assert tidy("a\r\nb\rc\x00\x1b[31m\td") == "a\nb\nc[31m\td"
    assert one_line(" a\r\n b\u2028c\x85d\x00 ") == "a b c d"
