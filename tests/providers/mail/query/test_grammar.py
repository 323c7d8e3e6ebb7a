"""A query is read as Gmail's help describes it."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.mail.query.match import leaves
from sayso.providers.mail.query.parser import Asked, parse

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))
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
