"""A wish that no pattern covers is done only where it is sure, and never where words take it back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.models.builtin.clauses import focus_of, parts_of
from sayso.models.builtin.decide import decide, has_more, units_of
from sayso.models.builtin.outcomes import Filled
from sayso.models.builtin.spoken import corrected
from sayso.models.builtin.tokens import join_words, tokenize
from tests.models.builtin.scenes import utterance


def done(said: str) -> list[tuple[str, object]]:
    decision = decide(utterance(said))
    found = () if decision.doubt else decision.readings
    filled = [(one.operation, one.found.arguments) for one in found if isinstance(one.found, Filled)]
    return [(operation, dict(each)) for operation, arguments in filled for each in arguments]


def test_remarks_around_an_order_are_left_out() -> None:
    parts = parts_of(tokenize("I have read enough, so shut the reddit tab, because my eyes hurt"))

    assert join_words(focus_of(parts)) == "shut the reddit tab"
    assert [part.order for part in parts] == [False, True, False]
    assert [part.telling for part in parts] == [True, False, True]


def test_typing_errors_are_corrected_but_not_in_names() -> None:
    words = tokenize("clsoe the tabel and moss")

    assert join_words(corrected(words, utterance("").world)).startswith("close ")
    assert "moss" in join_words(corrected(words, utterance("").world))


@pytest.mark.parametrize(
    ("said", "deeds"),
    [
        ("my ears hurt, do me a favour and turn the volume down to 20", [("sound.set_volume", {"level": 20})]),
        ("well I have seen enough of it, shut the reddit tab", [("tab.close", {"indices": [1]})]),
        (
            "ages ago I wrote down something about yuzu, can you search my notes for it",
            [("note.find", {"text": "yuzu"})],
        ),
    ],
)
def test_a_chatty_wish_is_done(said: str, deeds: list[tuple[str, object]]) -> None:
    assert done(said) == deeds


@pytest.mark.parametrize(
    "said",
    [
        "never chuck the reddit tab", "Ana told me to chuck the reddit tab", "if it rains chuck the reddit tab",
        "chuck the reddit tab, no wait, forget it", "maybe I should chuck the reddit tab", "print the plan", "",
        "would it be wise to quit signal", "get rid of every tab there is", "I dreamt that signal was quit",
        "chuck the netflix tab", "chuck the reddit tab at six",
    ],
)  # fmt: skip
def test_nothing_is_done_that_may_not_be_wished(said: str) -> None:
    assert done(said) == []


def test_what_only_tells_stays_a_remark_behind_and_or_a_colon() -> None:
    parts = parts_of(tokenize("the kettle boils and the soup is ready: mute the sound, before I go and make tea"))

    assert [join_words(part.words) for part in parts if part.order] == ["mute the sound"]
    assert [part.telling for part in parts if not part.order] == [True] * (len(parts) - 1)


@given(st.text(max_size=80))
def test_any_text_is_decided_without_an_error(said: str) -> None:
    decide(utterance(said))


MUTE = ("sound.set_volume", {"level": 0})
SHUT = ("tab.close", {"indices": [1]})


@pytest.mark.parametrize(
    ("said", "deeds"),
    [
        ("mute and shut the reddit tab", [MUTE, SHUT]),
        ("shut the reddit tab, then mute the sound", [SHUT, MUTE]),
        ("mute the sound. also shut the reddit tab please", [MUTE, SHUT]),
        ("mute the sound, my head hurts, and shut the reddit tab", [MUTE, SHUT]),
        ("shut the reddit tab and shut the reddit tab", [SHUT]),
        ("shut the reddit tab and then mute the sound", [SHUT, MUTE]),
        ("my head hurts: shut the reddit tab and mute the sound", [SHUT, MUTE]),
        ("mute and do not disturb on", [MUTE, ("focus.set_dnd", {"state": "ON"})]),
        ("moss tab up front and shut the reddit tab", [("tab.switch", {"index": 3}), SHUT]),
        ("shut the reddit tab adn mute teh sound", [SHUT, MUTE]),
        ("shut the reddit tab and mute the sound, then I can think", [SHUT, MUTE]),
    ],
)
def test_several_orders_are_done_in_their_order_each_once(said: str, deeds: list[tuple[str, object]]) -> None:
    assert done(said) == deeds


@pytest.mark.parametrize(
    "said",
    [
        "mute the sound and shut the netflix tab", "mute the sound and shut the tab about the plans of aliens",
        "shut the reddit tab and then print it", "mute the sound and, if it rains, shut the reddit tab",
        "close the reddit tab, and send it to Ana",
    ],
)  # fmt: skip
def test_of_several_orders_none_is_done_if_one_is_not_clear(said: str) -> None:
    assert done(said) == []


def test_a_monitor_that_was_said_for_the_first_of_two_windows_is_no_word_of_the_second() -> None:
    said = "could you kindly put firefox on the left half of the right monitor please, and then gimp and signal"

    assert decide(utterance(said)).readings


def test_units_are_orders_with_what_follows_each_and_without_remarks() -> None:
    wish = utterance("I am tired, shut the reddit tab, the one about plants, and mute the sound because it hurts")

    units = units_of(parts_of(tokenize(wish.text)), wish)

    assert [join_words(unit.words)[:9] for unit in units] == ["shut the ", "mute the "]


def test_a_text_keeps_orders_that_stand_inside_it() -> None:
    decision = decide(utterance('remind me at six to "mute the sound and shut the reddit tab"'))

    assert [one.operation for one in decision.readings] == ["reminder.create"]


def test_another_order_beside_a_reading_is_noticed() -> None:
    wish = utterance("shut the reddit tab and mute the sound")
    parts = parts_of(tokenize(wish.text))
    reading = decide(utterance("shut the reddit tab")).readings[0]

    assert has_more(reading, parts, wish)
    assert not has_more(reading, parts[:1], wish)
