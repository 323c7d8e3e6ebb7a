"""Each operation on tabs and pages: done, nothing to do, missing, ambiguous, a browser that has ended or hangs."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest

import sayso
from sayso.providers.browser import BROWSER
from tests.desktop_env.browser import Around, Chromium, serving
from tests.desktop_env.fixtures import session
from tests.journeys.browsing import FORM, comes_to_what_is_said, home_at
from tests.journeys.ground import yes
from tests.journeys.outcomes import Case, cases, incomplete, lines, told

pytestmark = pytest.mark.needs("chromium")
OPERATIONS = [operation.id for operation in BROWSER.operations]


@pytest.mark.req("X-05", "T-23")
def test_every_operation_has_each_outcome_or_a_reason_why_there_is_none():
    assert incomplete("browser", OPERATIONS) == []


@pytest.mark.req("T-23", "S0-42", "S1-36", "BR-06")
@pytest.mark.parametrize("case", cases("browser"))
async def test_what_came_of_it_is_told_as_it_is(case: Case, around: Around, scratch_home: Path, tmp_path: Path):
    await comes_to_what_is_said(case, around, tmp_path / "own")


@pytest.fixture
def alone() -> Iterator[Chromium]:
    """Return a browser that a test may stop and end, with one page."""
    with session("chromium") as made, serving() as site:
        site.pages["/form"] = FORM
        chromium = Chromium(made)
        chromium.arrange([site.url("/form"), site.url("/second")])
        yield chromium


async def all_at_once(chromium: Chromium, folder: Path, between: Callable[[], None]) -> dict[str, tuple[str, str]]:
    """Connect a home for each operation, let something happen, then try all; return what came of each."""
    found: dict[str, tuple[str, str]] = {}
    connected = 0
    happened = anyio.Event()
    wanted = lines("browser")

    async def one(operation: str, line: str) -> None:
        nonlocal connected
        async with sayso.open_home(str(home_at(folder / operation, chromium))) as home:
            assert told(await home.run("TAB_URL"))[1] == "done"
            connected += 1
            if connected == len(wanted):
                between()
                happened.set()
            await happened.wait()
            _, *rest = told(await home.run(line.replace("{site}", "http://127.0.0.1:9"), approver=yes()))
            found[operation] = (rest[0], rest[1])

    async with anyio.create_task_group() as together:
        for operation, line in wanted.items():
            together.start_soon(one, operation, line)
    return found


@pytest.mark.thorough
@pytest.mark.timeout(60)
@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_browser_that_hangs_ends_each_in_a_failure_within_seconds(
    alone: Chromium, scratch_home: Path, tmp_path: Path
):
    try:
        found = await all_at_once(alone, tmp_path, lambda: os.kill(alone.process.pid, signal.SIGSTOP))
    finally:
        os.kill(alone.process.pid, signal.SIGCONT)

    assert {(state, said.partition(";")[0]) for state, said in found.values()} == {
        ("failed", "the browser ended, or does not answer")
    }
    assert set(found) == set(OPERATIONS)


@pytest.mark.timeout(60)
@pytest.mark.req("T-23", "X-05", "BR-10")
async def test_a_browser_that_has_ended_is_named_by_each(alone: Chromium, scratch_home: Path, tmp_path: Path):
    def end() -> None:
        alone.process.kill()
        alone.process.wait()

    found = await all_at_once(alone, tmp_path, end)

    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all("browser" in sentence for _, sentence in found.values()), found
    assert set(found) == set(OPERATIONS)
