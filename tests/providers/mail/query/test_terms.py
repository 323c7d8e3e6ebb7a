"""A query knows which mailboxes it searches."""

from datetime import UTC, datetime

from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))


def read(query: str):
    return parse(query, ASKED)


def test_trash_and_spam_are_searched_only_when_named():
    assert not read("a").searches("trash")
    assert not read("-in:trash").searches("trash")
    assert read("in:trash").searches("trash")
    assert not read("in:trash").searches("spam")
    assert read("a in:anywhere").searches("spam")
