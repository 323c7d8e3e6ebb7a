"""A whole message is read from its bytes, however it was put together or broken."""

from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.mime.shape import attachments_of
from sayso.providers.mail.mime.whole import joined, read_whole


def rich() -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = "x"
    made.set_content("Grüße\n")
    made.add_alternative("<p>Grüße</p>", subtype="html")
    made.add_attachment(b"\x00\x01" * 500, maintype="application", subtype="pdf", filename="Übersicht 1.pdf")
    made.add_attachment("a,b\n", subtype="csv", filename="t.csv")
    return made


def test_text_and_attachments_are_read():
    read = read_whole(rich().as_bytes())

    assert read.text().strip() == "Grüße"
    assert [(one.number, one.name, one.type, one.size) for one in attachments_of(read.root)] == [
        (1, "Übersicht 1.pdf", "application/pdf", 1000),
        (2, "t.csv", "text/csv", 4),
    ]
    assert read.file(1) == b"\x00\x01" * 500
    assert (read.file(0), read.file(3)) == (None, None)


def test_a_message_in_a_message_is_a_file():
    outer = EmailMessage()
    outer.set_content("see below")
    outer.add_attachment(rich())

    read = read_whole(outer.as_bytes())

    assert read.text().strip() == "see below"
    assert [one.type for one in attachments_of(read.root)] == ["message/rfc822"]
    assert b"Subject: x" in (read.file(1) or b"")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no header at all",
        b"Content-Type: multipart/mixed\n\nno boundary",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nnever closed",
        b"Content-Type: text/plain; charset=\xff\xfe\n\ntext",
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 300,
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000)),
        b"Content-Transfer-Encoding: base64\n\n!!!not base64!!!",
        b"Content-Disposition: attachment; filename*=utf-8''%ff%zz; filename*0*=x\nContent-Type: a/b\n\nx",
        b"Content-Type: text/plain; charset=unknown-8bit\n\n\xff\xfe\x00",
    ],
)
def test_a_broken_message_is_read_as_far_as_it_goes(data: bytes):
    read = read_whole(data)

    assert isinstance(read.text(), str)
    assert isinstance(attachments_of(read.root), tuple)


@given(st.binary(max_size=400))
def test_no_bytes_are_too_broken(data: bytes):
    assert isinstance(read_whole(data).text(), str)


def test_a_body_of_two_megabytes_is_read_whole():
    text = "line of text, ünï\n" * 110_000
    made = EmailMessage()
    made.set_content(text, cte="base64")

    assert read_whole(made.as_bytes()).text() == text


def test_several_texts_are_one():
    assert joined(["a\n", "", "b"]) == "a\n\nb"
    assert joined(["a\n"]) == "a\n"
