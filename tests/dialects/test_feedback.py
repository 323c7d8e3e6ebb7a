"""Notes wait for the next turn and are delivered once."""

import pytest

from sayso.dialects.feedback import Feedback, Note


@pytest.mark.req("X-11")
def test_notes_are_delivered_in_order_and_once():
    first, second = Note("declined", 0, "a", "No."), Note("failed", 1, "b", "Gone.")
    feedback = Feedback()

    feedback.add([first])
    feedback.add([second])

    assert feedback.take() == (first, second)
    assert feedback.take() == ()
