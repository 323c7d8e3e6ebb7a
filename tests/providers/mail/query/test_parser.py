"""Queries are read, and what does not fit the grammar is an error."""

import json
import re
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError, SetupError
from sayso.core.provider import add_extra
from sayso.providers.mail.query.match import QueryMessage, leaves, matches, needs
from sayso.providers.mail.query.parser import (
    AllOf,
    Before,
    Query,
    QueryContext,
    Since,
    Words,
    fold_mailbox,
    parse,
    read_day,
    read_size,
    space_words,
    words_of,
)
from tests.counted import Calls

ASKED = QueryContext(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))
HERE = Path(__file__).parent


def read(query: str):
    return parse(query, ASKED)


def cases(name: str) -> list[dict[str, str]]:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


@pytest.mark.req("S3-35", "T-47")
@pytest.mark.parametrize("case", cases("read.json"), ids=lambda case: case["query"])
def test_two_ways_to_write_the_same_are_read_alike(case: dict[str, str]):
    assert read(case["query"]).term == read(case["same"]).term


@pytest.mark.parametrize("many", [100, 101])
def test_a_hundred_terms_are_taken_and_no_more(many: int):
    query = " ".join(["a"] * many)

    if many > 100:
        with pytest.raises(ProposalError, match="at most 100"):
            read(query)
    else:
        assert len(list(leaves(read(query).term))) == many


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ("hello", "world")),
        ("a.b@x-y.org", ("a", "b", "x", "y", "org")),
        ("invoice_2024.PDF", ("invoice", "2024", "pdf")),
        ("U\u0308nal ÜNAL", ("ünal", "ünal")),
        ("日本語 text", ("日", "本", "語", "text")),
        ("don't", ("don", "t")),
        ("🎉 - …", ()),
        ("", ()),
    ],
)
def test_a_text_is_cut_into_its_words(text: str, words: tuple[str, ...]):
    assert words_of(text) == words


@given(st.text(), st.text())
def test_words_of_two_texts_are_those_of_both(one: str, other: str):
    assert words_of(f"{one} {other}") == (*words_of(one), *words_of(other))
    assert space_words(one).split() == list(words_of(one))


def test_mailboxes_and_labels_go_by_gmails_spelling():
    assert fold_mailbox(" My Old/Label ") == "my-old-label"
    assert fold_mailbox("Junk") == fold_mailbox("spam") == "spam"


@pytest.mark.parametrize(
    ("query", "moment"),
    [
        ("before:2025/03/30", "2025-03-29T23:00:00Z"),
        ("before:2025/03/31", "2025-03-30T22:00:00Z"),
        ("older_than:1m", "2026-02-28T11:00:00Z"),
        ("older_than:13m", "2025-02-28T11:00:00Z"),
        ("older_than:2y", "2024-03-31T10:00:00Z"),
        ("older_than:2d", "2026-03-29T10:00:00Z"),
    ],
)
def test_days_begin_and_months_are_counted_in_the_persons_own_time(query: str, moment: str):
    asked = QueryContext(datetime(2026, 3, 31, 10, tzinfo=UTC), ZoneInfo("Europe/Berlin"))

    assert parse(query, asked).term == Before(datetime.fromisoformat(moment))


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("7", 7), ("1k", 1024), ("2MB", 2 * 1024**2), ("1G", 1024**3)])
def test_sizes_are_counted_in_powers_of_two(text: str, size: int):
    assert read_size("larger", text) == size


def test_a_day_that_clocks_begin_an_hour_late_begins_there():
    assert read_day("after", "2018/11/04", ZoneInfo("America/Sao_Paulo")) == datetime(2018, 11, 4, 3, tzinfo=UTC)


def test_trash_and_spam_are_searched_only_when_named():
    assert not read("a").searches("trash")
    assert not read("-in:trash").searches("trash")
    assert read("in:trash").searches("trash")
    assert not read("in:trash").searches("spam")
    assert read("a in:anywhere").searches("spam")


@pytest.mark.req("T-47")
@pytest.mark.parametrize("case", cases("wrong.json"), ids=lambda case: case["query"])
def test_what_is_wrong_or_not_understood_is_named(case: dict[str, str]):
    with pytest.raises(ProposalError) as wrong:
        read(case["query"])

    assert case["says"] in str(wrong.value)
    assert "\n" not in str(wrong.value)
    assert wrong.value.code == "mail.query"


@pytest.mark.parametrize(
    "query",
    ["(" * 1000, "-" * 2000, "-(" * 900, '"' * 1999, "a OR " * 399, "{" * 1000 + "}" * 1000, "from:" * 400, "a" * 9999],
    ids=lambda query: query[:8],
)
def test_what_is_deep_or_long_is_refused_at_once(query: str):
    read("from:ana")  # the grammar is made once

    with Calls() as calls, pytest.raises(ProposalError):
        read(query)

    # A few for each character; who tries each way to read it makes millions.
    assert calls.count < 100_000


PIECES = st.sampled_from(
    [*'(){}"“”-', " ", "  ", "OR", "AND", "from:", "is:", "after:", "x:", "a", "b c", "unread", "2025/01/01", "ü", "9"]
)


def parse_query(query: str) -> Query:
    return parse(query, ASKED)


@pytest.mark.req("S3-99", "S3-104")
def test_the_queries_of_the_shipped_actions_are_read():
    weekly = parse_query('from:sarah.chen@company.com subject:"Weekly Update" newer_than:28d').term
    urgent = parse_query("to:support@company.com newer_than:2d").term

    assert weekly == AllOf(
        (
            Words("from", ("sarah", "chen", "company", "com")),
            Words("subject", ("weekly", "update")),
            Since(ASKED.now - timedelta(days=28)),
        )
    )
    assert urgent == AllOf((Words("to", ("support", "company", "com")), Since(ASKED.now - timedelta(days=2))))


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=40))
def test_any_text_is_read_or_refused(query: str):
    with suppress(ProposalError):
        assert parse_query(query).text == query


def test_without_lark_the_command_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "sayso.providers.mail.query.grammar", raising=False)
    monkeypatch.setitem(sys.modules, "lark", None)

    with pytest.raises(SetupError, match=re.escape(add_extra("mail"))):
        parse_query("a")


MATCHED = QueryContext(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org",))
LETTER = QueryMessage(
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
    assert matches(parse(query, MATCHED), LETTER)


@pytest.mark.parametrize(
    "query",
    ["from:sara", "from:ana", "cc:ana", "subject:week", "umber", "köl", '"up grüße aus weekly"', 'to:"org bo"'],
)
def test_parts_of_words_and_words_across_fields_find_nothing(query: str):
    assert not matches(parse(query, MATCHED), LETTER)


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
    assert needs(parse(query, MATCHED)) == parts
