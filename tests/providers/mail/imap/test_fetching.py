"""Of messages no more is fetched than is shown; text in any charset and of any size is read."""

import base64

import pytest

from sayso.providers.mail.texts import LISTED
from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over

CHARSETS = {
    "utf-8": "grüße 日本",
    "iso-8859-1": "grüße",
    "windows-1252": "“grüße” €",
    "iso-8859-15": "10 €",
    "iso-8859-2": "Žluťoučký",
    "iso-8859-7": "καλημέρα",
    "koi8-r": "привет",
    "windows-1251": "Привет",
    "shift_jis": "東京",
    "iso-2022-jp": "会議",
    "gb18030": "报告",
    "big5": "報告",
    "euc-kr": "회의",
    "utf-7": "grüße",
}


def in_charset(charset: str, text: str) -> bytes:
    word = base64.b64encode(text.encode(charset)).decode()
    head = f"Subject: =?{charset}?b?{word}?=\r\nMessage-ID: <{charset}@x.test>\r\nMIME-Version: 1.0\r\n"
    kind = f"Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return f"{head}{kind}{word}\r\n".encode()


@pytest.mark.needs("dovecot")
async def test_a_dozen_charsets_are_read(server: Accounts):
    person = server.person()
    server.put(
        person, [(in_charset(name, text), number, "") for number, (name, text) in enumerate(CHARSETS.items(), 10)]
    )
    there = over(server, person)

    found = await there.reads.inbox(50, include_read=True)

    assert {one.message_id[1:-8]: (one.subject, one.body_text) for one in found} == {
        name: (text, text) for name, text in CHARSETS.items()
    }
    there.close()


@pytest.mark.needs("dovecot")
async def test_two_megabytes_are_got_whole_and_listed_by_their_beginning(server: Accounts):
    person, text = server.person(), "0123456789abcde\n" * 131_072
    server.put(person, [(b"Message-ID: <big@x.test>\r\n\r\n" + text.replace("\n", "\r\n").encode(), 10, "")])
    there = over(server, person)

    (listed,) = await there.reads.inbox(1, include_read=True)
    (whole,) = await there.reads.get(("<big@x.test>",))

    assert listed.body_text == text[:LISTED]
    assert 0.9 < (LISTED + listed.text_left) / len(text) < 1.2
    assert (whole.body_text, whole.text_left) == (text, 0)
    there.close()


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize(
    "data",
    [
        b"Message-ID: <b@x.test>\r\nContent-Type: multipart/mixed\r\n\r\nno boundary",
        b"Message-ID: <b@x.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nnever closed",
        b"Message-ID: <b@x.test>\r\nContent-Type: nonsense\r\nContent-Transfer-Encoding: magic\r\n\r\n\xff\xfe",
        b"Message-ID: <b@x.test>\r\nSubject: \xff\xfe\r\nDate: never\r\nFrom: @@@\r\n\r\n",
        b"Message-ID: <b@x.test>\r\nContent-Type: text/html\r\n\r\n<script>",
    ],
)
async def test_broken_mail_is_read_as_far_as_it_goes(server: Accounts, data: bytes):
    person = server.person()
    server.put(person, [(data, 10, "")])
    there = over(server, person)

    (listed,) = await there.reads.inbox(1, include_read=True)
    (whole,) = await there.reads.get(("<b@x.test>",))

    assert whole == listed
    there.close()
