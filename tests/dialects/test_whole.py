"""A reply that is one document may stand bare or in one fence."""

import pytest

from sayso.dialects.whole import Whole, unfenced


@pytest.mark.parametrize(
    ("text", "document", "line"),
    [
        ("{}", "{}", 1),
        ("\n```json\n{}\n```\n", "{}\n", 3),
        ("```\n{}\n```", "{}\n", 2),
        ("~~~~json\n{}\n~~~~", "{}\n", 2),
        ("```json\n{}\n````", "{}\n", 2),
        ("  ```json\n{}\n  ```", "{}\n", 2),
        ("```json\n{}\n```x", "```json\n{}\n```x", 1),
        ("```json\n{}\n``", "```json\n{}\n``", 1),
        ("```json\n{} ```", "```json\n{} ```", 1),
        ("x\n```json\n{}\n```", "x\n```json\n{}\n```", 1),
        ("```", "```", 1),
        ("```json\n", "```json\n", 1),
        ("```json\n```", "", 2),
    ],
)
def test_one_fence_around_everything_is_taken_off(text: str, document: str, line: int):
    assert unfenced(text) == (document, line)


def test_pieces_come_back_as_one_text():
    whole = Whole()
    for piece in ("a", "", "b"):
        whole.add(piece)

    assert whole.take() == "ab"
