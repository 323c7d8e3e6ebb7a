"""Trying a backend out fails loudly when something is not as it should be."""

import pytest

from sayso.providers.desktop import DESKTOP, memory
from sayso.providers.desktop.model import DesktopState
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial, equal, refusal_of, so


def a_trial() -> Trial:
    return Trial(DESKTOP, memory.backend(DesktopState(), NumberedIds()))


def test_a_difference_is_shown_from_both_sides():
    with pytest.raises(AssertionError, match="the level: 3 is not 4"):
        equal(3, 4, "the level")


def test_a_claim_that_fails_is_named():
    with pytest.raises(AssertionError, match="the sky is green"):
        so([], "the sky is green")


async def test_a_read_is_no_plan_and_a_plan_no_read():
    with pytest.raises(AssertionError, match="answers instead"):
        await a_trial().plan("clipboard.read")
    with pytest.raises(AssertionError, match="plans instead"):
        await a_trial().answer("speech.say", text="x")


async def test_arguments_pass_the_door_first():
    with pytest.raises(AssertionError, match="arguments of sound"):
        await a_trial().plan("sound.set_volume", level=101)


async def test_what_has_no_way_back_is_not_taken_back():
    trial = a_trial()
    plan = await trial.plan("notify.show", title="A", message="B")
    lefts = await trial.do(plan)

    with pytest.raises(AssertionError, match="no way back"):
        await trial.take_back(plan, lefts)


async def test_what_is_done_and_should_be_refused_is_a_failure():
    with pytest.raises(AssertionError, match="should have been refused"):
        await refusal_of(a_trial().answer("clipboard.read"))
