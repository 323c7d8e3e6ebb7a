"""Each operator is understood or named (T-47)."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))
HERE = Path(__file__).parent


def read(query: str):
    return parse(query, ASKED)


def cases(name: str) -> list[dict[str, str]]:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


@pytest.mark.req("T-47")
@pytest.mark.parametrize("case", cases("wrong.json"), ids=lambda case: case["query"])
def test_what_is_wrong_or_not_understood_is_named(case: dict[str, str]):
    with pytest.raises(ProposalError) as wrong:
        read(case["query"])

    assert case["says"] in str(wrong.value)
    assert "\n" not in str(wrong.value)
    assert wrong.value.code == "mail.query"
