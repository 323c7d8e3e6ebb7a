"""A query is read as Gmail's help describes it, or refused in one sentence that names what is wrong."""

import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError, SetupError
from sayso.providers.mail.query.parser import AllOf, Asked, Query, Since, Words, parse

HERE = Path(__file__).parent
ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))
PIECES = st.sampled_from(
    [*'(){}"“”-', " ", "  ", "OR", "AND", "from:", "is:", "after:", "x:", "a", "b c", "unread", "2025/01/01", "ü", "9"]
)


def read(query: str) -> Query:
    return parse(query, ASKED)


@pytest.mark.req("S3-99", "S3-104")
def test_the_queries_of_the_shipped_actions_are_read():
    weekly = read('from:sarah.chen@company.com subject:"Weekly Update" newer_than:28d').term
    urgent = read("to:support@company.com newer_than:2d").term

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
        assert read(query).text == query


def test_without_lark_the_command_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "sayso.providers.mail.query.grammar", raising=False)
    monkeypatch.setitem(sys.modules, "lark", None)

    with pytest.raises(SetupError, match=r"pip install 'sayso\[mail\]'"):
        read("a")
