"""A message is found when, and only when, the query says so."""

from datetime import UTC, datetime

import pytest

from sayso.providers.mail.query.match import Letter, matches, needs
from sayso.providers.mail.query.parser import Asked, parse

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org",))
LETTER = Letter(
    received=datetime(2026, 3, 1, tzinfo=UTC),
    size=5000,
    mailbox="inbox",
    starred=True,
    labels=("Team/Old", "URGENT"),
    message_id="<1@x.org>",
    sender="Sarah Chen <sarah.chen@company.com>",
    to=("Ana <ana@x.org>", "bo@y.org"),
    cc=("cy@z.org",),
    bcc=("di@z.org",),
    subject="Weekly Update: Q1",
    body="The numbers are up.\nGrüße aus Köln",
    attachments=("report_final.PDF", ""),
)


@pytest.mark.req("S3-34", "S3-35")
@pytest.mark.parametrize(
    "query",
    [
        'from:sarah from:chen@company.com from:"sarah chen"',
        "to:ana to:bo@y.org to:cy to:di cc:cy@z.org bcc:di",
        'subject:"weekly update" subject:(q1 weekly) -subject:"update weekly"',
        "NUMBERS grüße köln ana@x.org sarah weekly",
        '"are up" "aus köln" -"numbers up" -report',
        "has:attachment filename:pdf filename:report -filename:doc",
        "is:unread is:starred -is:read",
        "in:inbox label:urgent label:team-old in:urgent -in:trash in:anywhere",
        "after:2026/03/01 before:2026/03/02 newer_than:31d older_than:30d",
        "larger:4999 smaller:5001 -larger:5000 -smaller:5000",
        "rfc822msgid:1@x.org rfc822msgid:<1@x.org>",
        "to:me -from:me",
        "{from:nobody subject:weekly} (a OR sarah) -(sarah nobody)",
    ],
)
def test_each_operator_finds_what_it_says(query: str):
    assert matches(parse(query, ASKED), LETTER)


@pytest.mark.parametrize(
    "query",
    ["from:sara", "from:ana", "cc:ana", "subject:week", "umber", "köl", '"up grüße aus weekly"', 'to:"org bo"'],
)
def test_parts_of_words_and_words_across_fields_find_nothing(query: str):
    assert not matches(parse(query, ASKED), LETTER)


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("is:unread larger:5 in:sent after:2025/01/01", set[str]()),
        ("from:a -subject:b rfc822msgid:c", {"headers"}),
        ("a", {"headers", "body"}),
        ("has:attachment {filename:a is:read}", {"attachments"}),
    ],
)
def test_only_what_the_query_is_about_needs_to_be_fetched(query: str, parts: set[str]):
    assert needs(parse(query, ASKED)) == parts
