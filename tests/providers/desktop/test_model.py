"""The steps of the desktop store are known to whoever reads the journal, by names that stay."""

from typing import get_args

import pytest
from msgspec.structs import fields

from sayso.core.codec import Codec
from sayso.core.plan import Step
from sayso.providers.desktop.model import (
    FACTS,
    STEPS,
    ClipboardText,
    DoNotDisturb,
    NotificationShown,
    OutputVolume,
    SpeechRunning,
    Steps,
    describe_change,
)


def test_every_step_of_the_union_is_listed_once():
    assert set(get_args(Steps)) == set(STEPS)
    assert len({step.step for step in STEPS}) == len(STEPS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step)
def test_a_step_names_its_store_and_only_fields_it_has(step: type[Step]):
    names = {field.name for field in fields(step)}

    assert step.store == "desktop"
    assert names.issuperset((*step.paths, *step.apps))


def test_every_fact_has_a_name_of_its_own():
    names = [fact.fact for fact in FACTS]

    assert all(names)
    assert sorted(Codec((), FACTS).facts) == sorted([*names, "as_left"])


def test_what_moved_on_is_named_as_a_person_knows_it():
    assert describe_change(ClipboardText("text", "…")) == "the clipboard holds something else by now"
    assert describe_change(OutputVolume("output", 30)) == "the volume is no longer 30"
    assert describe_change(DoNotDisturb("focus", on=True)) == "do not disturb is no longer on"
    assert describe_change(SpeechRunning("t")) == "nothing of this is being said any more"
    assert describe_change(NotificationShown("t")) == "the desktop is no longer as it was"


def test_a_volume_is_compared_by_what_both_tell():
    level, told = OutputVolume("speaker", 40), OutputVolume("speaker", 40, channels=(26214, 13107))

    assert level.matches(told)
    assert told.matches(level)
    assert not told.matches(OutputVolume("speaker", 40, channels=(26214, 26214)))
    assert not level.matches(OutputVolume("speaker", 41))
    assert not level.matches(ClipboardText("text", "…"))
