"""What was kept too long or takes too much room goes, the oldest first, and its note says so for as long again."""

import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.files.steps import Exchange, Keep, Replace, Unkeep, Write
from tests.providers.files.local.desk import TOKEN, Desk

LATER = {"days": 91}


async def keep(desk: Desk, name: str, token: str, size: int = 4) -> None:
    path = desk.file(name, b"x" * size)
    await desk.do(Keep(str(path), token), await desk.facts(path))
    desk.clock.advance(hours=1)


def kept(desk: Desk) -> list[str]:
    return sorted(place.name for place in (desk.own / "trash").iterdir() if (place / "item").exists())


async def test_what_is_too_old_goes(one_desk: Desk):
    await keep(one_desk, "a", "a1")
    one_desk.clock.advance(**LATER)
    await keep(one_desk, "b", "b1")

    assert one_desk.backend.prune() == 1
    assert kept(one_desk) == ["b1"]
    assert one_desk.backend.prune() == 0


async def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path):
    desk = Desk(tmp_path, options={"undo_bytes": 250})
    for name in ("a1", "b1", "c1"):
        await keep(desk, name, name, size=100)

    assert desk.backend.prune() == 1
    assert kept(desk) == ["b1", "c1"]


async def test_a_way_back_that_is_over_says_since_when_and_why(one_desk: Desk):
    await keep(one_desk, "a", TOKEN)
    path = one_desk.file("b")
    await one_desk.do(Replace(str(path), "new", TOKEN + "2"), await one_desk.facts(path))
    one_desk.clock.advance(**LATER)
    one_desk.backend.prune()

    for step in (Unkeep(str(one_desk.documents / "a"), TOKEN), Exchange(str(path), TOKEN + "2")):
        with pytest.raises(ProviderError, match=r"since 2026-03-14.*90 days.*that time is over") as said:
            await one_desk.do(step)
        assert said.value.code == "undo.expired"
    assert path.read_text() == "new"


async def test_the_note_goes_in_the_end(one_desk: Desk):
    await keep(one_desk, "a", TOKEN)
    for _ in range(2):
        one_desk.clock.advance(**LATER)
        one_desk.backend.prune()

    assert list((one_desk.own / "trash").iterdir()) == []
    with pytest.raises(ProviderError) as said:
        await one_desk.do(Unkeep(str(one_desk.documents / "a"), TOKEN))
    assert said.value.code == "undo.expired"


async def test_what_is_being_built_counts_for_no_room(tmp_path: Path):
    desk = Desk(tmp_path, options={"undo_bytes": 1})
    built: list[int] = []

    def prune(label: str) -> None:
        if label == "files.write.noted":
            built.append(Desk(tmp_path, options={"undo_bytes": 1}).backend.prune())

    desk.kill = prune
    desk.open()
    await desk.do(Write(str(desk.documents / "a"), "content", TOKEN))

    assert built == [0]
    assert (desk.documents / "a").read_text() == "content"


async def test_a_place_without_a_note_goes_by_its_age(one_desk: Desk):
    place = one_desk.own / "trash" / "half"
    place.mkdir(parents=True)
    (one_desk.own / "trash").chmod(0o700)
    (place / "item").write_text("half")
    (one_desk.own / "trash" / "stray").write_text("no place")

    assert one_desk.backend.prune() == 0
    os.utime(place, (0, 0))
    assert one_desk.backend.prune() == 1
    assert not place.exists()
    assert (one_desk.own / "trash" / "stray").exists()
