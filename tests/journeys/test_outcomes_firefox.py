"""Each operation on tabs and pages in Firefox: done, nothing to do, missing, ambiguous, ended, or hanging."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import sayso
from sayso.providers.browser import BROWSER
from tests.desktop_env.browser import Around, serving
from tests.desktop_env.firefox import Firefox
from tests.desktop_env.fixtures import session
from tests.journeys.browsing import FORM, comes_to_what_is_said, home_at
from tests.journeys.ground import yes
from tests.journeys.outcomes import Case, cases, lines, told

pytestmark = [pytest.mark.thorough, pytest.mark.needs("firefox-esr")]
OPERATIONS = {operation.id for operation in BROWSER.operations}


@pytest.mark.req("T-23", "S1-36", "BR-06")
@pytest.mark.parametrize("case", cases("firefox"))
async def test_what_came_of_it_is_told_as_it_is(case: Case, firefox_around: Around, scratch_home: Path, tmp_path: Path):
    await comes_to_what_is_said(case, firefox_around, tmp_path / "own")


@pytest.fixture
def alone() -> Iterator[Firefox]:
    """Return a Firefox that a test may stop and end, with one page."""
    with session("firefox-esr") as made, serving() as site:
        site.pages["/form"] = FORM
        firefox = Firefox(made)
        firefox.arrange([site.url("/form"), site.url("/second")])
        yield firefox


async def all_at_once(firefox: Firefox, folder: Path) -> dict[str, tuple[str, str]]:
    """Try every operation, each in a home of its own; return what came of each."""
    found: dict[str, tuple[str, str]] = {}

    async def one(operation: str, line: str) -> None:
        async with sayso.open_home(str(home_at(folder / operation, firefox))) as home:
            _, state, sentence = told(await home.run(line.replace("{site}", "http://127.0.0.1:9"), approver=yes()))
            found[operation] = (state, sentence)

    async with anyio.create_task_group() as together:
        for operation, line in lines("firefox").items():
            together.start_soon(one, operation, line)
    return found


@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_firefox_that_hangs_ends_each_in_a_failure_within_seconds(
    alone: Firefox, scratch_home: Path, tmp_path: Path
):
    os.kill(alone.process.pid, signal.SIGSTOP)
    try:
        found = await all_at_once(alone, tmp_path)
    finally:
        os.kill(alone.process.pid, signal.SIGCONT)

    assert set(found) == OPERATIONS
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("answer" in sentence for _, sentence in found.values()), found


@pytest.mark.req("T-23", "X-05", "BR-10")
async def test_a_firefox_that_has_ended_is_named_by_each(alone: Firefox, scratch_home: Path, tmp_path: Path):
    alone.process.kill()
    alone.process.wait()

    found = await all_at_once(alone, tmp_path)

    assert set(found) == OPERATIONS
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("browser" in sentence for _, sentence in found.values()), found
