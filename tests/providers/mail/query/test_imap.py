"""A server is asked in its own words, with texts as literals, and never for less than the query finds."""

from datetime import UTC, datetime

import pytest

from sayso.providers.mail.query.imap import Search, Server, to_imap
from sayso.providers.mail.query.narrowing import Literal
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC)
INBOX = Server("inbox", keywords=lambda name: (name.upper(),) if name == "urgent" else (), unicode=True)


def asked(query: str, server: Server = INBOX) -> Search | None:
    return to_imap(parse(query, ASKED), server)


def spelled(search: Search | None) -> str:
    assert search is not None
    return " ".join(one if isinstance(one, str) else repr(one.data.decode()) for one in search.key)


@pytest.mark.parametrize(
    ("query", "key", "exact"),
    [
        ("is:unread is:starred", "NOT ( SEEN ) FLAGGED", True),
        ("larger:10 -smaller:5k", "LARGER 10 NOT ( SMALLER 5120 )", True),
        ("label:urgent", "KEYWORD URGENT", True),
        ("in:inbox is:read", "SEEN", True),
        ("in:anywhere", "ALL", True),
        ("from:a@x.org", "FROM 'a' FROM 'x' FROM 'org'", False),
        ("-from:a", "ALL", False),
        ("-(is:read is:starred)", "NOT ( SEEN FLAGGED )", True),
        ("a OR is:read", "OR ( TEXT 'a' ) ( SEEN )", False),
        ("after:2025/01/01", "SINCE 31-Dec-2024", False),
        ("before:2025/01/01", "BEFORE 2-Jan-2025", False),
        ("larger:9999999999", "ALL", False),
        ("rfc822msgid:<a@x>", "HEADER Message-ID 'a@x'", False),
        ("subject:grüße", "SUBJECT 'grüße'", False),
        ("grüße", "OR ( TEXT 'grüße' ) ( TEXT 'gr' TEXT 'e' TEXT '&' )", False),
    ],
)
def test_each_term_is_asked_for_as_far_as_the_server_means_it(query: str, key: str, exact: bool):
    search = asked(query)

    assert spelled(search) == key
    assert search is not None
    assert search.exact is exact


def test_a_mailbox_in_which_nothing_can_be_is_not_asked():
    assert asked("in:sent") is None
    assert asked("label:none from:a") is None
    assert asked("from:a", Server("trash")) is None
    assert asked("from:a in:trash", Server("trash")) is not None


def test_a_server_that_folds_no_letters_is_asked_for_the_plain_ones():
    search = asked("subject:grüße from:ünal subject:日本", Server("inbox"))

    assert spelled(search) == "SUBJECT 'gr' SUBJECT 'e' FROM 'nal'"
    assert search is not None
    assert search.charset is None


def test_the_charset_is_named_where_a_text_is_not_ascii():
    search = asked("subject:grüße")

    assert search is not None
    assert search.charset == "UTF-8"


@pytest.mark.req("ML-07")
@pytest.mark.parametrize("text", ['a") ALL (', "{3}", "a\\b", "a*%"])
def test_no_text_is_said_but_as_a_literal(text: str):
    search = asked(f"rfc822msgid:“{text.replace(chr(34), '')}” subject:“x{text.replace(chr(34), '')}”")

    assert search is not None
    assert {one for one in search.key if isinstance(one, str)} == {"HEADER", "Message-ID", "SUBJECT"}


def test_gmail_is_asked_in_its_own_language():
    search = asked("from:a “b c” ü", Server("inbox", gmail=True))

    assert search == Search(("X-GM-RAW", Literal('from:a "b c" ü'.encode())), exact=True)
