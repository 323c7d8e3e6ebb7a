"""The score of a set is told without its wishes, unless they are asked for."""

import pytest

from tests.assistant.scoring import answers, main, told
from tests.assistant.worlds import DEVELOPMENT


def test_a_score_tells_what_wants_something_by_kind_and_what_was_left_alone():
    score = told(list(answers(DEVELOPMENT[0], 40))).splitlines()

    assert score[-2].startswith("wanting ")
    assert score[-1].startswith("left alone ")
    assert " of " in score[-1]


def test_wishes_of_a_set_are_printed_only_when_asked_for(capsys: pytest.CaptureFixture[str]):
    main([str(DEVELOPMENT[0])])
    silent = capsys.readouterr().out
    words = {answer.case.words for answer in answers(DEVELOPMENT[0], 10)}

    assert not any(one in silent for one in words)
