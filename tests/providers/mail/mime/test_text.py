"""Bytes become text in whatever charset they were written, also when that is named wrongly."""

import base64
import quopri
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.mime.text import about, base64_of, decoded_bytes, one_line, text_of, text_of_html, tidy

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


@given(st.binary(max_size=300))
def test_what_was_encoded_comes_back(data: bytes):
    assert decoded_bytes(base64.encodebytes(data), "BASE64 ") == data
    assert decoded_bytes(quopri.encodestring(data, quotetabs=True), "quoted-printable") == data
    assert decoded_bytes(data, "8bit") == data


@given(st.binary(min_size=3, max_size=300), st.integers(0, 400))
def test_base64_that_was_cut_off_gives_its_beginning(data: bytes, cut: int):
    found = base64_of(base64.encodebytes(data)[:cut])

    assert data.startswith(found)
    assert len(found) >= min(len(data), max(0, cut - cut // 76 - 4) * 3 // 4 - 3)


@pytest.mark.parametrize("data", [b"", b"=", b"A", b"====", b"A=B=C=D", b"\xff\xfe", b"!!!!"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "x-unknown", ""])
def test_nothing_is_too_broken(data: bytes, encoding: str):
    assert isinstance(decoded_bytes(data, encoding), bytes)


def test_the_size_of_a_file_is_about_what_it_will_have():
    data = b"x" * 10_000

    assert abs(about("base64", len(base64.encodebytes(data).replace(b"\n", b"\r\n"))) - len(data)) < 100
    assert about("7bit", 12) == 12


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Hi&nbsp;<b>you</b></p><p>Bye</p>", "Hi you\n\nBye"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ('<a href="https://x.y/?a=1&amp;b=2">go</a>', "go (https://x.y/?a=1&b=2)"),
        ('<a href="https://x.y/">https://x.y/</a>', "https://x.y/"),
        ('<a href="javascript:alert(1)">go</a>', "go"),
        ("<script>alert('<p>')</script><style>p {}</style>text", "text"),
        ("<head><title>T</title></head><body>text</body>", "text"),
        ("1 < 2 &lt;b&gt; <!-- no --> 3", "1 < 2 <b> 3"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1\t2\n\n3"),
        ('<img alt=">" src="x">after', "after"),
        ("<p title='it''s'>x", "x"),
        ("plain\n\ntext", "plain text"),
        ("unclosed <b", "unclosed"),
        ("", ""),
    ],
)
def test_a_page_reads_as_a_person_sees_it(source: str, text: str):
    assert text_of_html(source) == text


@pytest.mark.parametrize(
    "piece",
    ['<a ">"', "</td>", "<a ", "</a>", "<", "<a '\">", "<script>", "<!x", "<head>", "<!--", "&", '<a href="'],
)
def test_time_is_linear_whatever_is_in_it(piece: str):
    source = piece * (400_000 // len(piece))

    start = time.process_time()
    text_of_html(source)

    assert time.process_time() - start < 5
