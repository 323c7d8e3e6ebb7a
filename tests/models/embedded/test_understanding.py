"""All that words may mean is found, each with its arguments or what is in doubt."""

from sayso.models.embedded.intents import intents
from sayso.models.embedded.readings import Several
from sayso.models.embedded.understanding import Listener, arguments_of
from sayso.models.embedded.words import words_of
from tests.models.embedded.scenes import scene


def heard(text: str, *, alone: bool = False):
    words = words_of(text)
    return Listener(scene(text), intents()).of(words, [word.text for word in words], alone=alone)


def test_every_meaning_has_its_arguments():
    found = [one for one in heard("remind me to call Ana at six") if one.doubt is None]

    assert {"title": "call Ana", "due": "2026-03-04 18:00"} in [dict(one.arguments) for one in found]


def test_a_doubt_keeps_what_is_known_so_that_an_answer_can_go_on():
    found = next(one for one in heard("add a subtask varnish to the repair task") if isinstance(one.doubt, Several))

    assert found.slot is not None
    assert (found.slot.name, found.said) == ("task", {"text": "varnish"})
    done = arguments_of(found.intent, {**(found.said or {}), "task": "Repair the garden gate"}, scene(""))
    assert done == {"parent": "Repair the garden gate", "text": "varnish"}


def test_what_is_for_a_wish_alone_is_not_looked_for_in_a_part_of_one():
    assert heard("gimp") == []
    assert [one.intent.means for one in heard("gimp", alone=True)] == ["app.open"]


def test_words_that_fit_nothing_mean_nothing():
    assert heard("") == []
    assert heard("colourless green ideas") == []
