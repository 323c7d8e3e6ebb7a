"""The real world is asked once, and problems name a path as it was said."""

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.files.known import Known, asked, shown
from tests.providers.files.staged import MemoryStage


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{made.root}/a", b"alpha")
    return made


async def test_what_was_seen_stays_as_it_was_seen(stage: MemoryStage):
    known = Known(stage.backend().reads)
    first = await known.item(f"{stage.root}/a", "~/a")

    stage.file(f"{stage.root}/a", b"longer than before")

    assert await known.item(f"{stage.root}/a", "~/a") is first


async def test_a_missing_thing_is_named_as_each_asked_for_it(stage: MemoryStage):
    known = Known(stage.backend().reads)

    with pytest.raises(ProviderError, match="“~/Documents/no”"):
        await known.item(f"{stage.root}/no", "~/Documents/no")
    assert await known.item_or_none(f"{stage.root}/no") is None


async def test_a_folder_is_told_from_what_is_none_and_a_refusal_stays_one(stage: MemoryStage):
    known = Known(stage.backend().reads)

    assert await known.folder(stage.root) is not None
    assert await known.folder(f"{stage.root}/a") is None
    for _ in range(2):
        with pytest.raises(Refused):
            await known.folder("/etc")


async def test_a_problem_is_reworded_and_stays_what_it_is(stage: MemoryStage):
    with pytest.raises(ProviderError) as caught:
        await asked(stage.backend().reads.look, f"{stage.root}/no", "~/Documents/no")

    assert (str(caught.value), caught.value.code) == ("“~/Documents/no” is not there", "path.missing")


async def test_an_entry_is_found_by_its_path(stage: MemoryStage):
    known = Known(stage.backend().reads)

    entry = await known.entry(f"{stage.root}/a")

    assert entry is not None
    assert entry.size == 5
    assert await known.entry(f"{stage.root}/no") is None


@pytest.mark.parametrize(("name", "text"), [("é", "é"), ("\udcff.txt", "\\xff.txt")])
def test_a_name_that_is_no_text_shows_its_bytes(name: str, text: str):
    assert shown(name) == text
