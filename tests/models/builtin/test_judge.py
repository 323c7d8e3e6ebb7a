"""What a wish was read as is judged by signs for and against it; some words stop it whatever they say."""

import pytest

from sayso.models.builtin.decide import Reading, decide
from sayso.models.builtin.judge import likelihood
from tests.models.builtin.scenes import utterance


def likely(said: str) -> float:
    readings: tuple[Reading, ...] = decide(utterance(said)).readings
    return max((one.likely for one in readings), default=0.0)


def test_a_plain_wish_is_likelier_read_right_than_a_vague_one() -> None:
    assert likely("shut the reddit tab") > likely("reddit, hmm, whatever")


def test_a_likelihood_is_a_share_whatever_the_signs_are() -> None:
    assert 0 <= likelihood({"odds": -1e9}) <= likelihood({}) <= likelihood({"odds": 1e9}) <= 1


@pytest.mark.parametrize(
    "said",
    ["shut the reddit tab, no, forget it", "if it rains shut the reddit tab", "shut the reddit tab, and all others"],
)
def test_words_that_take_a_wish_back_stop_it_however_sure_it_is(said: str) -> None:
    assert decide(utterance(said)).doubt


def test_half_of_two_wishes_is_not_done() -> None:
    decision = decide(utterance("open signal and print the plan"))

    assert decision.doubt or len(decision.readings) > 1
