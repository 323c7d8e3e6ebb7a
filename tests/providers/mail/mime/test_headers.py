"""Headers are read as they were meant, and nothing in one can add to another."""

from email.header import Header

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.mime.headers import addresses, decoded, headers_of


@given(
    st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=60), st.sampled_from(["utf-8", "utf-16"])
)
def test_encoded_words_come_back_as_text(text: str, charset: str):
    written = Header(f"ü {text}", "utf-8" if charset == "utf-16" else charset).encode()

    assert "".join(decoded(written.replace("\n", "").encode()).split()) == "".join(f"ü {text}".split())


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (b"plain", "plain"),
        (b"=?utf-8?b?5pel?= =?utf-8?b?5pys?=", "日本"),
        (b"=?utf-8?b?5pc=?= =?utf-8?b?pQ==?=", "日"),
        (b"=?iso-8859-1?q?=E9?= and =?koi8-r?b?0NLJ18XU?=", "é and привет"),
        (b"=?utf-8*de?q?gr=C3=BC=C3=9Fe?=", "grüße"),
        (b"gr\xc3\xbc\xc3\x9fe", "grüße"),
        (b"gr\xfc\xdfe", "grüße"),
        (b"=?nonsense?q?a?=", "a"),
        (b"=?utf-8?q?broken", "=?utf-8?q?broken"),
    ],
)
def test_each_way_of_writing_is_read(raw: bytes, wanted: str):
    assert decoded(raw) == wanted


@pytest.mark.req("ML-01")
def test_an_encoded_word_adds_no_line_and_no_address():
    subject, sender = b"=?utf-8?q?a=0D=0ABcc:_evil=40x.test?=", b"=?utf-8?q?=22a=2C_evil=40x.test=22?= <me@y>"

    head = headers_of(b"Subject: %b\nFrom: %b\n" % (subject, sender))

    assert head.line("subject") == "a Bcc: evil@x.test"
    assert head.addresses("from") == ('""a, evil@x.test"" <me@y>',)


def test_fields_are_unfolded_and_the_first_counts():
    head = headers_of(b"X: 1\r\nSubject: a\r\n\tb\r\nSUBJECT: other\r\nno field\r\n continues it\r\n\r\nX: body\r\n")

    assert head.line("subject") == "a b"
    assert head.raw("x") == b" 1"


@pytest.mark.parametrize(
    "raw", [b"(" * 60_000, b"(" * 500 + b"a@x.test", b'"<' * 30_000, b"[" * 60_000, b"\\" * 60_000]
)
def test_a_field_that_goes_deeper_and_deeper_is_shown_as_it_stands(raw: bytes):
    assert addresses(raw)
    assert addresses(b"ana@x.test, (" + raw)


def test_remarks_in_brackets_are_no_harm():
    found = addresses(b"ana@x.test (Ana (at home)), bo@x.test")

    assert [one.rpartition("<")[2].rstrip(">") for one in found] == ["ana@x.test", "bo@x.test"]


@given(st.binary(max_size=300))
def test_no_head_is_too_broken(data: bytes):
    head = headers_of(data)

    for name in (*head.fields, "to"):
        assert "\n" not in head.line(name)
        assert isinstance(addresses(head.raw(name)), tuple)
