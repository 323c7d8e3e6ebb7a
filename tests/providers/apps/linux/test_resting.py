"""A window is watched until it is as wanted, or does not move any more."""

from collections.abc import Sequence

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.resting import Resting
from sayso.providers.apps.linux.screen import Shown


def at(left: int) -> Shown:
    return Shown("1", ("Pad",), None, Bounds(left, 0, left + 10, 10))


def watching(looks: Sequence[Shown | None], quiet: float = 0.05) -> Resting:
    left = list(looks)

    async def look(_: str) -> Shown | None:
        return left.pop(0) if len(left) > 1 else left[0]

    return Resting(look, quiet)


async def test_it_is_told_as_soon_as_it_is_as_wanted():
    assert await watching([at(0), at(1), at(2)], quiet=60).rest("1", lambda now: now.bounds.left == 2)


async def test_a_window_that_stays_elsewhere_is_not_waited_for():
    assert not await watching([at(0), at(1)]).rest("1", lambda now: now.bounds.left == 2)


async def test_a_moment_may_be_named_for_one_watch():
    assert not await watching([at(0)], quiet=60).rest("1", lambda _: False, quiet=0.01)


@pytest.mark.req("X-13")
async def test_a_window_that_never_rests_is_not_watched_for_ever():
    restless = iter(range(10**6))

    async def look(_: str) -> Shown | None:
        return at(next(restless))

    assert not await Resting(look, 60).rest("1", lambda _: False)


async def test_a_window_that_is_closed_meanwhile_is_named():
    with pytest.raises(ProviderError, match="the window was closed meanwhile"):
        await watching([at(0), None]).rest("1", lambda _: False)
