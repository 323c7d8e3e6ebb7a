"""What came of a call is one text for the model."""

from typing import Any

import pytest

from sayso.dialects.feedback import Note
from sayso.dialects.tools.answering import answer

NOTE = Note("failed", 0, "", "It is not there. Look first.")


@pytest.mark.req("S1-32", "S1-33")
@pytest.mark.parametrize(
    ("state", "given", "note", "says"),
    [
        ("done", {"success": True, "output": "Moved file"}, None, "Moved file"),
        ("done", {"success": True, "output": ""}, None, ""),
        ("failed", {"success": False, "error": "It is not there"}, NOTE, NOTE.sentence),
        ("refused", {"success": False, "error": "No"}, None, "No"),
    ],
)
def test_it_is_what_was_done_or_what_to_do_next(state: str, given: dict[str, Any], note: Note | None, says: str):
    assert answer({"state": state, "id": "do_1"}, given, note) == says


def test_what_waits_is_not_to_be_called_again():
    said = answer({"state": "waiting", "id": "do_1"}, {"success": False, "error": "waiting for your decision"}, None)

    assert said == (
        "The person has not decided yet (do_1), and nothing has been done. Do not call it again; you will be told."
    )
