"""Each operation on tabs and pages in Firefox: done, nothing to do, missing, ambiguous, ended, or hanging."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.browser import BROWSER
from tests.desktop_env.browser import Around
from tests.desktop_env.firefox import Firefox
from tests.journeys.browsing import alone, comes_to_what_is_said, home_at
from tests.journeys.outcomes import Case, cases, must_all_have_failed, run_all, stopped

pytestmark = [pytest.mark.thorough, pytest.mark.needs("firefox-esr")]
OPERATIONS = [operation.id for operation in BROWSER.operations]


@pytest.mark.req("T-23", "S1-36", "BR-06")
@pytest.mark.parametrize("case", cases("firefox"))
async def test_what_came_of_it_is_told_as_it_is(case: Case, firefox_around: Around, scratch_home: Path, tmp_path: Path):
    await comes_to_what_is_said(case, firefox_around, tmp_path / "own")


@pytest.fixture
def firefox(scratch_home: Path) -> Iterator[Firefox]:
    with alone("firefox-esr", Firefox) as made:
        yield made


@pytest.mark.req("T-23", "X-05", "X-07")
async def test_a_firefox_that_hangs_ends_each_in_a_failure_within_seconds(firefox: Firefox, tmp_path: Path):
    with stopped(firefox.process.pid):
        found = await run_all("firefox", lambda name: home_at(tmp_path / name, firefox))

    must_all_have_failed(found, OPERATIONS, "answer")


@pytest.mark.req("T-23", "X-05", "BR-10")
async def test_a_firefox_that_has_ended_is_named_by_each(firefox: Firefox, tmp_path: Path):
    firefox.process.kill()
    firefox.process.wait()

    found = await run_all("firefox", lambda name: home_at(tmp_path / name, firefox))

    must_all_have_failed(found, OPERATIONS, "browser")
