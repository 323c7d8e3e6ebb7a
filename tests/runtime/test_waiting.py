"""A hold is waited out to its end, or until there is nothing to wait for."""

import anyio
import pytest

from sayso.runtime.clock import SystemClock
from sayso.runtime.waiting import AtOnce, Held, Silently
from sayso.testing.fakes import FakeClock

HELD = Held(("Send",), ("do_1",), 5)


async def looks_while(each: float) -> list[float]:
    """Return when it was looked, where so many seconds go by between two looks."""
    clock = FakeClock()
    looks: list[float] = []

    async def over() -> bool:
        looks.append(clock.monotonic())
        clock.advance(seconds=each)
        return False

    await Silently(clock).wait(HELD, over)
    return looks


async def test_it_ends_when_the_time_is_up():
    assert await looks_while(1) == [0, 1, 2, 3, 4]
    assert await looks_while(0.75) == [0, 0.75, 1.5, 2.25, 3, 3.75, 4.5]


async def test_whoever_was_stopped_meanwhile_still_has_the_rest():
    assert await looks_while(600) == [0, 600, 1200, 1800, 2400]


async def test_it_ends_at_once_when_there_is_nothing_to_wait_for():
    looks: list[int] = []

    async def over() -> bool:
        looks.append(1)
        return True

    await Silently(SystemClock()).wait(HELD, over)
    await AtOnce().wait(HELD, over)

    assert looks == [1]


async def test_before_each_look_it_is_told_how_long_it_still_is_and_others_go_on_meanwhile():
    clock, left, went = FakeClock(), list[float](), list[float]()

    async def over() -> bool:
        clock.advance(seconds=1)
        return False

    async def beside() -> None:
        went.append(left[-1])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beside)
        await Silently(clock).counted(HELD, over, left.append)

    assert (left, went) == ([5, 4, 3, 2, 1], [5])


async def test_it_is_looked_several_times_a_second(monkeypatch: pytest.MonkeyPatch):
    clock, slept = FakeClock(), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds=max(seconds, 0.01))

    async def over() -> bool:
        return False

    monkeypatch.setattr(anyio, "sleep", sleep)
    await Silently(clock).wait(HELD, over)

    assert max(slept) <= 0.25
    assert sum(slept) == pytest.approx(HELD.seconds, abs=0.1)
