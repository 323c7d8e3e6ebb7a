"""A message is read strictly, or it is none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.templates.messages import MOST_CHARACTERS, Ask, Failed, Result, Says, read_message, read_result


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"type":"ask","operation":"mail.get","arguments":{"id":"a"}}', Ask("mail.get", {"id": "a"})),
        (b'{"type":"says","text":"x","level":"warn"}', Says("x", "warn")),
        (b'{"type":"failed","why":"x"}', Failed("x")),
        (b'{"type":"failed"}', None),
        (b'{"type":"failed","why":"x","more":1}', None),
        (b'{"why":"x"}', None),
        (b"null", None),
    ],
)
def test_it_is_one_of_five(line: bytes, message: object):
    assert read_message(line) == message


@given(st.binary(max_size=200))
def test_whatever_comes_is_a_message_or_none(line: bytes):
    read_message(line)


@pytest.mark.req("S3-26", "S3-27", "S3-28", "S3-29")
def test_a_result_has_the_names_of_s3():
    given: dict[str, Any] = {
        "success": True,
        "message": "m",
        "data": {},
        "suggestedActions": [{}],
        "refreshInbox": True,
    }

    assert read_result(given) == Result(True, "m", {}, [{}], True)
    assert read_result({"success": True, "message": "m", "suggested_actions": []}) == (
        "what the handler returned is no result: “result” has no field “suggested_actions”"
    )


def test_a_message_is_a_line_and_no_book():
    whole = read_result({"success": True, "message": "x" * MOST_CHARACTERS})
    longer = read_result({"success": True, "message": "x" * (MOST_CHARACTERS + 1)})

    assert isinstance(whole, Result)
    assert longer == "what the handler returned is no result: “result.message”: it is longer than 4,000 characters"
