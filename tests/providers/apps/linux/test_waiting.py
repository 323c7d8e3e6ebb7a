"""Waiting ends with what was waited for, or in time."""

from collections.abc import Iterator

from sayso.providers.apps.linux.waiting import until


async def test_it_ends_as_soon_as_there_is_something():
    answers: Iterator[str] = iter(["", "", "here", "later"])

    async def look() -> str:
        return next(answers)

    assert await until(look, 5) == "here"
    assert next(answers) == "later"


async def test_it_ends_in_time_when_nothing_comes():
    async def look() -> None:
        return None

    assert await until(look, 0.03) is None
