"""What was said is written down as it is meant: hesitation is left out, and a slip that was put right is put right."""

import pytest

from sayso.models.builtin.spoken import written
from sayso.models.builtin.world import Utterance, world_of
from tests.models.builtin.scenes import NOW, context

WORLD = world_of(context())


def told(said: str) -> tuple[str, bool]:
    utterance, unclear = written(Utterance(said, WORLD, NOW))
    return utterance.text, unclear


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("um open the, uh, second tab", "open the, second tab"),
        ("note that um we are late", "note that we are late"),
        ('write "um, well" into the note', 'write "um, well" into the note'),
        ("remind me of the summit", "remind me of the summit"),
        ("um", ""),
        ("mail ana at example dot org about lunch", "mail ana@example.org about lunch"),
        ("open notes dot txt", "open notes.txt"),
    ],
)
def test_hesitation_is_left_out_and_addresses_are_one_word(said: str, left: str):
    assert told(said) == (left, False)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("remind me at eight no make it quarter to eight", "remind me at quarter to eight"),
        ("remind me at eight, no, nine to call ana", "remind me at nine to call ana"),
        ("set a timer for ten, no wait, for twelve minutes", "set a timer for twelve minutes"),
        ("lunch on tuesday at noon no wait friday at one", "lunch on friday at one"),
        ("set volume to 30 no sorry 40", "set volume to 40"),
        ("put the volume at fifty actually sixty", "put the volume at sixty"),
        ("quit firefox no wait signal", "quit signal"),
        ("quit firefox no sorry not firefox quit signal", "quit signal"),
        ("switch to moss i mean fern", "switch to fern"),
        ("close the reddit tab scratch that mute the sound", "mute the sound"),
        ("delete the ladder task no wait mark it as done", "mark the ladder task as done"),
        ("rename the plan to roses no um tulips", "rename the plan to tulips"),
    ],
)
def test_a_slip_that_was_put_right_is_put_right(said: str, meant: str):
    assert told(said) == (meant, False)


@pytest.mark.parametrize("said", ["close the moss tab, no wait, don't", "write to Ana no wait Bob tomorrow or so"])
def test_a_correction_that_is_not_understood_is_told(said: str):
    assert told(said) == (said, True)


@pytest.mark.parametrize(
    "said",
    ["no, make it the second one", "remind me that there is no milk", 'note "no wait" as a title',
     "note no one came at nine", "remind me at nine to actually call mum", "look at the dot in the middle"],
)  # fmt: skip
def test_what_only_looks_like_a_correction_stays(said: str):
    assert told(said)[1] is False
