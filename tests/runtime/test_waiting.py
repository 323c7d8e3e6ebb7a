"""A hold is waited out to its end, or until there is nothing to wait for."""

from sayso.runtime.clock import SystemClock
from sayso.runtime.waiting import AtOnce, Held, Silently
from sayso.testing.fakes import FakeClock

HELD = Held(("Send",), ("do_1",), 5)


async def test_it_ends_when_the_time_is_up():
    clock = FakeClock()
    looks: list[float] = []

    async def over() -> bool:
        looks.append(clock.monotonic())
        clock.advance(seconds=2)
        return False

    await Silently(clock).wait(HELD, over)

    assert looks == [0, 2, 4]


async def test_it_ends_at_once_when_there_is_nothing_to_wait_for():
    async def over() -> bool:
        return True

    await Silently(SystemClock()).wait(HELD, over)
    await AtOnce().wait(HELD, over)
