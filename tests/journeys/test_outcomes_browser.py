"""Each operation on tabs and pages: done, nothing to do, missing, ambiguous, a browser that has ended or hangs."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sayso.providers.browser import BROWSER
from tests.desktop_env.browser import Around, Chromium
from tests.journeys.browsing import alone, comes_to_what_is_said, home_at
from tests.journeys.outcomes import Case, cases, incomplete, must_all_have_failed, run_all, stopped

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
def chromium(scratch_home: Path) -> Iterator[Chromium]:
    with alone("chromium", Chromium) as made:
        yield made


@pytest.mark.thorough
@pytest.mark.timeout(60)
@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_browser_that_hangs_ends_each_in_a_failure_within_seconds(chromium: Chromium, tmp_path: Path):
    with ExitStack() as hanging:
        found = await run_all(
            "browser",
            lambda name: home_at(tmp_path / name, chromium),
            first="TAB_URL",
            then=lambda: hanging.enter_context(stopped(chromium.process.pid)),
        )

    must_all_have_failed(found, OPERATIONS, "the browser ended, or does not answer")


@pytest.mark.timeout(60)
@pytest.mark.req("T-23", "X-05", "BR-10")
async def test_a_browser_that_has_ended_is_named_by_each(chromium: Chromium, tmp_path: Path):
    def end() -> None:
        chromium.process.kill()
        chromium.process.wait()

    found = await run_all("browser", lambda name: home_at(tmp_path / name, chromium), first="TAB_URL", then=end)

    must_all_have_failed(found, OPERATIONS, "browser")
