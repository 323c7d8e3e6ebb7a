"""Lamps are turned on and off, and back to how they were, if nobody touched them meanwhile."""

from msgspec.structs import replace
from sayso.testing.harness import Trial, refusal_of

from lamps.memory import named, pretended
from lamps.provider import LAMPS


async def test_a_lamp_that_was_turned_on_goes_back_to_how_it_was():
    backend = pretended(named(["desk", "hall"]))
    trial = Trial(LAMPS, backend)
    plan = await trial.plan("lamp.on", name="desk", brightness=40)

    lefts = await trial.do(plan)

    assert backend.world.lamps == {"desk": 40, "hall": 0}
    await trial.take_back(plan, lefts)
    assert backend.world.lamps == {"desk": 0, "hall": 0}


async def test_a_lamp_that_somebody_turned_since_is_left_alone():
    backend = pretended(named(["desk"]))
    trial = Trial(LAMPS, backend)
    plan = await trial.plan("lamp.on", name="desk")
    lefts = await trial.do(plan)
    backend.world = replace(backend.world, lamps={"desk": 7})

    no = await refusal_of(trial.take_back(plan, lefts))

    assert "no longer as it was" in str(no)
    assert backend.world.lamps == {"desk": 7}


async def test_a_batch_sees_the_lamps_as_its_earlier_steps_would_leave_them():
    trial = Trial(LAMPS, pretended(named(["desk"])))
    trial.imagine(await trial.plan("lamp.on", name="desk"))

    again = await trial.plan("lamp.on", name="desk")
    off = await trial.plan("lamp.off", name="desk")

    assert again.changes == ()
    assert off.summary == "Turn off the lamp “desk”"


async def test_an_unknown_lamp_is_named_with_those_there_are():
    trial = Trial(LAMPS, pretended(named(["desk", "hall"])))

    no = await refusal_of(trial.plan("lamp.off", name="cellar"))

    assert str(no) == "there is no lamp “cellar”; there are: desk, hall"
