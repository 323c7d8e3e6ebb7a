"""What a wish was read as is judged by signs for and against it; some words stop it whatever they say."""

from collections.abc import Mapping
from math import e

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.clauses import parts_of
from sayso.models.builtin.decide import Reading, Stretch, decide
from sayso.models.builtin.judge import Branch, Scene, Weighed, likelihood, shipped, signs_of, use
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.outcomes import Filled
from sayso.models.builtin.tokens import tokenize
from tests.models.builtin.scenes import utterance


def likely(said: str) -> float:
    readings: tuple[Reading, ...] = decide(utterance(said)).readings
    return max((one.likely for one in readings), default=0.0)


def test_a_plain_wish_is_likelier_read_right_than_a_vague_one() -> None:
    assert likely("shut the reddit tab") > likely("reddit, hmm, whatever")


def test_a_row_of_trees_adds_up_what_each_says_of_the_signs() -> None:
    use(((Branch("odds", 0.5, 1, 2), Branch(level=-2.0), Branch(level=2.0)), (Branch(level=1.0),)))
    try:
        low, high, none = likelihood({"odds": 0.5}), likelihood({"odds": 0.6}), likelihood({})
    finally:
        use(shipped())

    assert (low, high, none) == pytest.approx((1 / (1 + e), e**3 / (1 + e**3), 1 / (1 + e)))


def test_a_bare_number_and_what_points_nowhere_ask_for_nothing() -> None:
    assert decide(utterance("3")).doubt
    assert decide(utterance("the other one")).doubt


def test_what_is_to_stay_is_not_taken_away() -> None:
    assert decide(utterance("the reddit tab stays open, do not close it")).doubt


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


def test_what_is_to_be_looked_for_is_not_guessed_from_words_around_it() -> None:
    decision = decide(utterance("I wrote about wasps, in between the swearing. Can you search my notes for it?"))

    assert decision.doubt or "{'text': 'wasps'}" in str(decision.readings[0].found)


def test_a_clause_with_or_is_a_reason_and_no_text() -> None:
    decision = decide(utterance("remind me in half an hour to turn off the tap, or we'll end up with a second pond"))

    assert "turn off the tap" in str(decision.readings[0].found)
    assert "pond" not in str(decision.readings[0].found)


@pytest.mark.parametrize(
    "said",
    [
        "the moss tab is no use after all, so shut the reddit tab", "I don't need it any more, shut the reddit tab",
        "shut the reddit tab, if you'd be so kind",
    ],
)  # fmt: skip
def test_idioms_and_polite_words_are_no_conditions_and_name_not_everything(said: str) -> None:
    decision = decide(utterance(said))

    assert decision.doubt in {"", "which"}
    assert decision.readings[0].operation == "tab.close"


def test_a_command_of_a_shell_is_only_what_it_does_there() -> None:
    decision = decide(utterance("mkdir documents/ferns"))

    assert decision.doubt or decision.readings[0].operation == "file.mkdir"


@pytest.mark.parametrize("said", ["shut all reddit tabs and any other", "whether it rains or not, shut the reddit tab"])
def test_all_and_whether_still_stop_what_they_are_about(said: str) -> None:
    assert decide(utterance(said)).doubt


@pytest.mark.parametrize("said", ["the signal is bad in here, one whole bar", "signal late again, typical"])
def test_the_name_of_a_program_in_everyday_speech_is_not_one(said: str) -> None:
    assert decide(utterance(said)).doubt


def signs(operation: str, said: str, *arguments: Mapping[str, Json]) -> dict[str, float]:
    words = tokenize(said)
    told = utterance(said)
    found = find_mentions(words, told)
    stretch = Stretch(words, told)
    weighed = Weighed(
        operation, Filled(arguments, 1.0, 0), words, found, cover=1.0, pointed=False, more=False,
        taken=frozenset(), known=frozenset(),
    )  # fmt: skip
    return signs_of(
        weighed, Scene(stretch.heard, stretch.heard, parts_of(words), found, (), words, question=False, utterance=told)
    )


def test_what_was_said_and_has_no_place_in_the_arguments_is_a_sign() -> None:
    found = signs("app.activate", "signal right", {"name": "Signal"})

    assert found["side lost"] > 0
    assert "side lost" not in signs("app.activate", "signal", {"name": "Signal"})


def test_a_file_that_is_moved_to_where_it_is_is_a_sign() -> None:
    here, there = ({"source": "/home/ines/a.pdf", "destination": path} for path in ("~/a.pdf", "~/b/a.pdf"))

    assert signs("file.move", "move a.pdf", here)["changes nothing"] == 1
    assert signs("file.move", "move a.pdf to b", there)["changes nothing"] == 0
