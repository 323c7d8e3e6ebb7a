"""A query finds on a server what it means, also where the server cannot tell."""

import pytest

from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over

FILE = b"Content-Type: text/plain; name=plan.txt\r\nContent-Disposition: attachment"
LETTERS = [
    b"Message-ID: <1@x.test>\r\nFrom: Ana <ana@x.test>\r\nSubject: The report\r\nBcc: b@x.test\r\n\r\nsee below\r\n",
    b"Message-ID: <2@x.test>\r\nFrom: Bo <bo@x.test>\r\nSubject: reporting\r\n\r\nthe category\r\n",
    b"Message-ID: <3@x.test>\r\nFrom: Cy <cy@x.test>\r\n" + FILE + b"\r\n\r\ncat\r\n",
]


@pytest.mark.req("S3-34", "S3-35")
@pytest.mark.needs("dovecot")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("subject:report", [1]),
        ("from:ana OR from:bo", [2, 1]),
        ("category", [2]),
        ("bcc:b@x.test", [1]),
        ("has:attachment", [3]),
        ("filename:plan", [3]),
        ("rfc822msgid:2@x.test", [2]),
        ("-from:ana -from:cy", [2]),
        ("is:unread", [3, 2, 1]),
    ],
)
async def test_a_query_finds_what_it_means(server: Accounts, query: str, found: list[int]):
    person = server.person()
    server.put(person, [(data, 1000 * number, "") for number, data in enumerate(LETTERS, 1)])
    there = over(server, person)

    messages = await there.reads.query(query, 9)

    assert [one.message_id for one in messages] == [f"<{number}@x.test>" for number in found]
    there.close()
