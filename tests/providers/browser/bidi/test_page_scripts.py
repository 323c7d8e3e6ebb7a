"""A script's value comes back as text, and what it goes to is waited for."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.browser.model import Returned
from tests.desktop_env.browser import Around
from tests.providers.browser.cdp.test_page_scripts import VALUES
from tests.providers.browser.conftest import Showing

pytestmark = [pytest.mark.needs("firefox-esr"), pytest.mark.thorough]
MORE = [
    ("const now = await Promise.resolve(3); window.later = now", ""),
    ("// nothing", ""),
    ("new Map([[1, new Set([2])]])", '{"1": [2]}'),
]


@pytest.mark.req("S1-44", "C-09")
async def test_a_value_is_told_as_text(page: Showing):
    trial = page("<script>window.told = 'by the page'</script>")
    told: list[Fact] = []

    for code, _ in [*VALUES, *MORE]:
        (left,) = await trial.do(await trial.plan("page.run_js", code=code))
        told += left.facts

    assert [each.text for each in told if isinstance(each, Returned)] == [text for _, text in [*VALUES, *MORE]]
    assert all(isinstance(each, Returned) and each.total_chars == len(each.text) for each in told)


@pytest.mark.thorough
@pytest.mark.req("T-55")
async def test_a_long_value_is_cut(page: Showing):
    trial = page("")

    (left,) = await trial.do(await trial.plan("page.run_js", code="'🙂'.repeat(25000)"))

    (fact,) = left.facts
    assert isinstance(fact, Returned)
    assert (fact.text, fact.total_chars, fact.truncated) == ("🙂" * 10_000, 25_000, True)


async def test_a_script_runs_once(page: Showing, around: Around):
    trial = page("<script>window.count = 0</script>")

    with pytest.raises(ProviderError, match="SyntaxError"):
        await trial.do(await trial.plan("page.run_js", code="window.count += 1; eval('await 1')"))

    assert around.chromium.evaluate("window.count") == 1


async def test_a_script_that_goes_elsewhere_is_waited_for(page: Showing, around: Around):
    trial = page("")

    await trial.do(await trial.plan("page.run_js", code=f"location.href = {around.web.url('/gone')!r}"))

    assert around.chromium.shown() == [around.web.url("/gone")]


@pytest.mark.thorough
@pytest.mark.req("BR-04")
async def test_a_script_runs_in_the_page_that_was_approved_or_nowhere(page: Showing, around: Around):
    trial = page("")
    plan = await trial.plan("page.run_js", code="document.title = 'ran'")
    around.chromium.go(around.web.url("/bank"))

    with pytest.raises(ProviderError):
        await trial.do(plan)

    assert around.chromium.evaluate("document.title") == "/bank"
