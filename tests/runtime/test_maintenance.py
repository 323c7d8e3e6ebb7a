"""Old ways back and old audit rows go once a day, and never while somebody acts."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.runtime.maintenance import Maintenance
from tests.runtime.given import Given, a_policy, given


class Shed:
    """Counts how often it was tidied."""

    name = "memory"
    reads = None
    imagines = False
    note = ""

    def __init__(self) -> None:
        self.tidied = 0

    def prune(self) -> int:
        self.tidied += 1
        return 1


def upkeep(it: Given, folder: Path, shed: Shed, pruned: list[str]) -> Maintenance:
    async def prune(before: str, unexposed: str) -> None:
        assert unexposed == before
        pruned.append(before)

    tools = replace(it.tools, backends={"files": shed})
    return Maintenance(tools, folder / "upkeep", prune)


async def test_it_is_done_once_a_day(tmp_path: Path) -> None:
    shed = Shed()
    pruned: list[str] = []
    async with given(tmp_path, policy=a_policy(audit_keep=2 * 86400)) as it:
        first = await upkeep(it, tmp_path, shed, pruned).daily()
        it.clock.advance(hours=23)
        same_day = await upkeep(it, tmp_path, shed, pruned).daily()
        it.clock.advance(hours=1)
        next_day = await upkeep(it, tmp_path, shed, pruned).daily()
        again = await upkeep(it, tmp_path, shed, pruned).daily()

    assert (first, same_day, next_day, again) == (False, False, True, False)
    assert shed.tidied == 1
    assert pruned == ["2026-03-13T12:00:00.000Z"]
    assert (tmp_path / "upkeep").stat().st_mode & 0o777 == 0o600


async def test_it_waits_while_somebody_acts(tmp_path: Path) -> None:
    shed = Shed()
    async with given(tmp_path) as it:
        await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=2)
        async with it.tools.locks.hold(["files"]):
            busy = await upkeep(it, tmp_path, shed, []).daily()
        free = await upkeep(it, tmp_path, shed, []).daily()

    assert (busy, free, shed.tidied) == (False, True, 1)


@pytest.mark.req("CR-05")
async def test_one_day_under_a_wrong_clock_lets_nothing_go(tmp_path: Path) -> None:
    shed = Shed()
    async with given(tmp_path) as it:
        await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=365)
        wrong = await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=-365)
        right = await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=1)
        next_day = await upkeep(it, tmp_path, shed, []).daily()

    assert (wrong, right, next_day, shed.tidied) == (False, False, True, 1)


async def test_after_a_long_absence_a_second_day_has_to_agree(tmp_path: Path) -> None:
    shed = Shed()
    async with given(tmp_path) as it:
        await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=30)
        first = await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=30)
        second = await upkeep(it, tmp_path, shed, []).daily()

    assert (first, second, shed.tidied) == (False, True, 1)


async def test_a_damaged_mark_begins_a_new_day(tmp_path: Path) -> None:
    shed = Shed()
    (tmp_path / "upkeep").write_text("yesterday")
    async with given(tmp_path) as it:
        assert not await upkeep(it, tmp_path, shed, []).daily()
        it.clock.advance(days=1)
        assert await upkeep(it, tmp_path, shed, []).daily()
