"""What is wrong with the order of words and signs is said before anything is read."""

from datetime import UTC, datetime
from time import process_time

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))


def read(query: str):
    return parse(query, ASKED)


@pytest.mark.parametrize(
    "query",
    ["(" * 1000, "-" * 2000, "-(" * 900, '"' * 1999, "a OR " * 399, "{" * 1000 + "}" * 1000, "from:" * 400, "a" * 9999],
    ids=lambda query: query[:8],
)
def test_what_is_deep_or_long_is_refused_at_once(query: str):
    began = process_time()

    with pytest.raises(ProposalError):
        read(query)

    assert process_time() - began < 1
