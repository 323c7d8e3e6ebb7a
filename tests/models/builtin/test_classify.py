"""What a clause asks for is told by learned weights, which are as new as what they were learned from."""

import msgspec
import pytest

from sayso.models.builtin.classify import NONE, features, guesses, learned, reasons
from sayso.models.builtin.learned import learned as learned_texts
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.tokens import tokenize
from tests.models.builtin.scenes import utterance
from tools.wishes import judging, train

ENOUGH = 0.5


def told(said: str) -> list[str]:
    words = tokenize(said)
    return features(words, find_mentions(words, utterance(said)))


@pytest.mark.parametrize(
    ("said", "operation"),
    [
        ("chuck the reddit tab away", "tab.close"),
        ("fire up gimp", "app.activate"),
        ("nudge me at six to water the ferns", "reminder.create"),
        ("it's way too loud, take the volume down to 20", "sound.set_volume"),
    ],
)
def test_a_clause_asks_for_what_its_words_are_used_for(said: str, operation: str) -> None:
    best = guesses(told(said))[0]

    assert best.label == operation
    assert best.probability > ENOUGH


def test_what_asks_for_nothing_has_a_label_of_its_own() -> None:
    assert guesses(told("my cat wonders why the sea is so loud"))[0].label == NONE


def test_what_decided_can_be_told() -> None:
    assert any("reddit" in one or "clos" in one for one in reasons(told("close reddit"), "tab.close", "tab.switch", 9))


def test_the_weights_are_as_new_as_what_they_were_learned_from() -> None:
    digests = {learned().digest, learned_texts().digest, msgspec.json.decode(judging.OUTPUT.read_bytes())["digest"]}

    assert digests == {train.digest()}, "run: python -m tools.wishes.train"


def test_the_weights_stay_small() -> None:
    assert train.OUTPUT.stat().st_size <= train.LARGEST * 1.1
