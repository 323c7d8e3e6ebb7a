"""The deeds of the suite cover every step a file backend can do."""

import pytest

from sayso.providers.files.steps import STEPS
from sayso.testing.file_deeds import DEEDS, deed_of
from tests.providers.files.staged import MemoryStage


async def test_every_step_is_done_or_taken_back_by_a_deed():
    deeds = [await deed_of(name, MemoryStage()) for name in DEEDS]

    assert {type(step) for deed in deeds for step in (deed.do, deed.undo)} == set(STEPS)


@pytest.mark.parametrize("name", DEEDS)
async def test_each_deed_says_what_it_leaves_and_how_it_is_spoilt(name: str):
    stage = MemoryStage()
    deed = await deed_of(name, stage)
    before = stage.tree()

    deed.spoil(stage)

    assert deed.leaves
    assert stage.tree() != before
