"""Words to a person stand among blocks so that no reader takes them for one."""

import pytest

from sayso.dialects.prose import prose, remark


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one\ntwo\n", "one\ntwo"),
        ("`a` and ``b``", "`a` and ``b``"),
        ("```json\n{}\n```", "````\n```json\n{}\n```\n````"),
        ("`````", "``````\n`````\n``````"),
        ("~~~\nx\n~~~", "````\n~~~\nx\n~~~\n````"),
        ("~~~~~\nx", "``````\n~~~~~\nx\n``````"),
        ("“```json-action", "````\n“```json-action\n````"),
    ],
)
def test_what_holds_a_fence_stands_in_a_longer_one(text: str, said: str):
    assert remark(text) == said


def test_an_empty_line_stands_between_the_parts():
    assert prose(["a", "b\nc"]) == "a\n\nb\nc\n"
    assert prose(["a"]) == "a\n"
    assert prose([]) == ""
