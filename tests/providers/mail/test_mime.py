"""Bytes become text in whatever charset they were written, also when that is named wrongly."""

import base64
import quopri
from email.header import Header
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.mime import (
    MOST_PARAMETERS,
    MimePart,
    about,
    addresses,
    attachments_of,
    base64_of,
    decode_bytes,
    decode_field,
    file_name,
    headers_of,
    join_texts,
    one_line,
    parse_message,
    text_of,
    text_of_html,
    text_of_part,
    texts_of,
    tidy,
)
from tests.providers.mail.letters import CHARSETS


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_text_in_each_charset_is_read(charset: str):
    assert text_of(CHARSETS[charset].encode(charset), charset) == CHARSETS[charset]


@pytest.mark.parametrize("charset", [None, "", "unknown-8bit", "x-nonsense", "base64", "utf-8", "us-ascii"])
def test_without_a_charset_that_holds_it_is_utf8_or_what_windows_writes(charset: str | None):
    assert text_of("grüße".encode(), charset) == "grüße"
    assert text_of("grüße “x”".encode("cp1252"), charset) == "grüße “x”"


def test_a_long_text_with_few_letters_beyond_ascii_keeps_them():
    text = "plain words " * 40 + "naïve grüße"

    assert text_of(text.encode("cp1252"), "iso-8859-1") == text


@given(st.binary(max_size=200), st.sampled_from([*CHARSETS, "x", "idna", "hex"]))
def test_no_bytes_are_too_broken_to_be_text(data: bytes, charset: str):
    assert isinstance(text_of(data, charset), str)


def test_line_ends_are_plain_and_control_characters_gone():
    assert tidy("a\r\nb\rc\x00\x1b[31m\td") == "a\nb\nc[31m\td"
    assert one_line(" a\r\n b\u2028c\x85d\x00 ") == "a b c d"


@given(st.binary(max_size=300))
def test_what_was_encoded_comes_back(data: bytes):
    assert decode_bytes(base64.encodebytes(data), "BASE64 ") == data
    assert decode_bytes(b"=\n".join(b"=%02X" % byte for byte in data), "quoted-printable") == data
    plain = data.replace(b"\r", b"")  # quopri gives all line ends of a text the form of its first
    assert decode_bytes(quopri.encodestring(plain, quotetabs=True), "quoted-printable") == plain
    assert decode_bytes(data, "8bit") == data


@given(st.binary(min_size=3, max_size=300), st.integers(0, 400))
def test_base64_that_was_cut_off_gives_its_beginning(data: bytes, cut: int):
    found = base64_of(base64.encodebytes(data)[:cut])

    assert data.startswith(found)
    assert len(found) >= min(len(data), max(0, cut - cut // 76 - 4) * 3 // 4 - 3)


@pytest.mark.parametrize("data", [b"", b"=", b"A", b"====", b"A=B=C=D", b"\xff\xfe", b"!!!!"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "x-unknown", ""])
def test_nothing_is_too_broken(data: bytes, encoding: str):
    assert isinstance(decode_bytes(data, encoding), bytes)


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
    source = piece * (1_200_000 // len(piece))

    # Who looks for an end to the last character, again for each piece, comes to the limit of every test.
    assert len(text_of_html(source)) <= len(source)


@given(
    st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=60), st.sampled_from(["utf-8", "utf-16"])
)
def test_encoded_words_come_back_as_text(text: str, charset: str):
    written = Header(f"ü {text}", "utf-8" if charset == "utf-16" else charset).encode()

    assert "".join(decode_field(written.replace("\n", "").encode()).split()) == "".join(f"ü {text}".split())


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
    assert decode_field(raw) == wanted


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


PLAIN, PAGE = MimePart("text/plain", "1.1", size=50), MimePart("text/html", "1.2", size=90)
ATTACHED_PAGE = MimePart("text/html", "2", disposition="attachment")
EITHER = MimePart("multipart/alternative", "1", parts=(PLAIN, PAGE))


def mixed(*parts: MimePart) -> MimePart:
    return MimePart("multipart/mixed", "", parts=parts)


@pytest.mark.parametrize(
    ("root", "sections", "names"),
    [
        (MimePart("text/plain", "1"), ["1"], []),
        (MimePart("text/html", "1", name="page.html"), ["1"], []),
        (EITHER, ["1.1"], []),
        (MimePart("multipart/alternative", "", parts=(MimePart("text/plain", "1", size=2), PAGE)), ["1.2"], []),
        (mixed(EITHER, MimePart("application/pdf", "2", name="a.pdf")), ["1.1"], ["a.pdf"]),
        (mixed(MimePart("text/plain", "1"), MimePart("text/plain", "2", name="notes.txt")), ["1"], ["notes.txt"]),
        (mixed(MimePart("text/plain", "1"), ATTACHED_PAGE), ["1"], ["part-1.html"]),
        (mixed(MimePart("text/plain", "1"), MimePart("text/plain", "2")), ["1", "2"], []),
        (mixed(MimePart("message/rfc822", "1")), [], ["part-1.eml"]),
        (mixed(), [], []),
    ],
    ids=str,
)
def test_text_and_files_are_told_apart(root: MimePart, sections: list[str], names: list[str]):
    assert [part.section for part in texts_of(root)] == sections
    assert [one.name for one in attachments_of(root)] == names


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        (r"C:\Users\a.doc", "a.doc"),
        ("a\r\nb\x00.txt", "a b .txt"),
        ("..", "part-3.pdf"),
        ("rechnung\u202efdp.exe", "rechnung_fdp.exe"),
        ("x" * 400 + ".pdf", "x" * 120),
        ("", "part-3.pdf"),
    ],
    ids=ascii,
)
def test_a_name_is_plain_whatever_the_sender_wrote(said: str, shown: str):
    assert file_name(MimePart("application/pdf", "2", name=said), 3) == shown


def test_a_page_says_its_charset_itself_where_nobody_else_does():
    page = '<head><meta http-equiv=Content-Type content="text/html; charset=koi8-r"></head>привет'.encode("koi8-r")

    assert text_of_part(MimePart("text/html", "1"), page) == "привет"


def test_what_was_cut_off_gives_its_beginning():
    assert text_of_part(MimePart("text/plain", "1", "base64", "utf-8"), b"Z3LDvMOfZSBhbmQgbW9y") == "grüße and mor"
    assert text_of_part(MimePart("text/plain", "1", "quoted-printable", "utf-8"), b"gr=C3=BC=C3=9Fe=") == "grüße"


def rich() -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = "x"
    made.set_content("Grüße\n")
    made.add_alternative("<p>Grüße</p>", subtype="html")
    made.add_attachment(b"\x00\x01" * 500, maintype="application", subtype="pdf", filename="Übersicht 1.pdf")
    made.add_attachment("a,b\n", subtype="csv", filename="t.csv")
    return made


def test_text_and_attachments_are_read():
    read = parse_message(rich().as_bytes())

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

    read = parse_message(outer.as_bytes())

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
    read = parse_message(data)

    assert isinstance(read.text(), str)
    assert isinstance(attachments_of(read.root), tuple)


@given(st.binary(max_size=400))
def test_no_bytes_are_too_broken(data: bytes):
    assert isinstance(parse_message(data).text(), str)


def test_a_body_of_two_megabytes_is_read_whole():
    text = "line of text, ünï\n" * 110_000
    made = EmailMessage()
    made.set_content(text, cte="base64")

    assert parse_message(made.as_bytes()).text() == text


def test_several_texts_are_one():
    assert join_texts(["a\n", "", "b"]) == "a\n\nb"
    assert join_texts(["a\n"]) == "a\n"


@pytest.mark.parametrize("field", ["Content-Type: text/plain", "Content-Disposition: attachment"])
def test_a_field_with_very_many_parameters_is_read_up_to_a_limit(field: str):
    many = "".join(f"; a*{number}=x" for number in range(100_000))

    before = parse_message(f"{field}; filename=a.txt; name=a.txt{many}\r\n\r\nx".encode()).root
    after = parse_message(f"{field}{many}; filename=a.txt; name=a.txt\r\n\r\nx".encode()).root

    assert (before.name, after.name) == ("a.txt", "")
    assert (before.type, before.size) == (after.type, after.size) == ("text/plain", 1)


def test_a_field_with_as_many_parameters_as_are_read_keeps_its_last_one():
    most = "; a=b" * (MOST_PARAMETERS - 1)

    assert parse_message(f"Content-Type: a/b{most}; name=c\r\n\r\nx".encode()).root.name == "c"
    assert parse_message(f"Content-Type: a/b{most}; a=b; name=c\r\n\r\nx".encode()).root.name == ""


def test_parts_that_are_nested_deeper_than_is_read_are_one_text():
    opens = (f"Content-Type: multipart/mixed; boundary=x{level}\r\n\r\n--x{level}\r\n" for level in range(300))

    parsed = parse_message("".join(opens).encode() + b"\r\n" + b"words in it\r\n" * 1000)

    assert parsed.text().count("words in it") == 1000


def test_a_message_that_is_attached_is_kept_with_its_fields_as_they_were_folded():
    inner = b"Subject: " + b"a b;" * 50 + b"\n folded\nX-Name: J\xfcrgen\n\nwords\n"

    parsed = parse_message(b"Content-Type: message/rfc822\n\n" + inner)

    assert parsed.contents["1"] == inner
