"""Pages of a Chromium: what is read and done inside them."""

from collections.abc import Iterator

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.browser.cdp.page import inside
from sayso.providers.browser.cdp.session import Chromium, Connected, open_tabs
from sayso.providers.browser.model import Returned
from sayso.providers.browser.remote.settings import Endpoint
from sayso.runtime.system import SystemClock
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Showing


@pytest.fixture
def now(around: Around) -> Iterator[Connected]:
    around.web.pages["/lies"] = (
        "<title>x</title><script>Object.defineProperty(HTMLElement.prototype, 'innerText', {get: () => 'lie'});"
        "Array.from = () => []; window.told = 1</script><p>the truth</p>"
    )
    around.chromium.arrange([around.web.url("/lies#part")])
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())
    with chromium.connected() as now:
        yield now
    chromium.close()


@pytest.mark.needs("chromium")
@pytest.mark.req("X-13")
def test_data_is_never_taken_for_code(now: Connected):
    data = "'); window.told = 2; ('"
    with inside(now, open_tabs(now)[0].id) as page:
        found = page.call(dict[str, str], "find", data)

    assert found == {"problem": "selector"}


@pytest.mark.needs("chromium")
def test_a_page_cannot_lie_about_its_text(now: Connected, around: Around):
    with inside(now, open_tabs(now)[0].id) as page:
        page.loaded()
        text = page.call(dict[str, object], "text", 100)
        whole = page.frame.whole

    assert text == {"text": "the truth", "total": 9}
    assert whole == around.web.url("/lies#part")
    assert around.chromium.evaluate("typeof selectAll + told") == "undefined1"


@pytest.mark.needs("chromium")
def test_a_tab_that_is_gone_is_told(now: Connected):
    for tab in (f"{now.key}.GONE", "another1.GONE"):
        with pytest.raises(ProviderError, match="no longer open"), inside(now, tab):
            pass


@pytest.mark.needs("chromium")
def test_a_function_that_fails_is_told(now: Connected):
    with inside(now, open_tabs(now)[0].id) as page, pytest.raises(ProviderError, match="cannot be looked into"):
        page.call(object, "no such function")


VALUES = [
    ("document.title", "Page"),
    ("1 + 1", "2"),
    ("const a = 3; a * 2", "6"),
    ("[1, 'ü', null]", '[1, "ü", null]'),
    ("({a: {b: true}})", '{"a": {"b": true}}'),
    ("undefined", ""),
    ("null", "null"),
    ("NaN", "NaN"),
    ("10n", "10n"),
    ("await Promise.resolve('later')", "later"),
    ("Promise.resolve('later')", "later"),
    ("window.told", "by the page"),
    ("'\\u0000\\n'", "\0\n"),
    ("`half \\ud83d`", "half \N{REPLACEMENT CHARACTER}"),
]


@pytest.mark.needs("chromium")
@pytest.mark.req("S1-44", "C-09")
async def test_a_value_is_told_as_text(page: Showing):
    trial = page("<script>window.told = 'by the page'</script>")
    told: list[Fact] = []

    for code, _ in VALUES:
        (left,) = await trial.do(await trial.plan("page.run_js", code=code))
        told += left.facts

    assert [each.text for each in told if isinstance(each, Returned)] == [text for _, text in VALUES]
    assert all(isinstance(each, Returned) and each.total_chars == len(each.text) for each in told)


@pytest.mark.needs("chromium")
@pytest.mark.req("T-55")
async def test_a_long_value_is_cut(page: Showing):
    trial = page("")

    (left,) = await trial.do(await trial.plan("page.run_js", code="'🙂'.repeat(25000)"))

    (fact,) = left.facts
    assert isinstance(fact, Returned)
    assert (fact.text, fact.total_chars, fact.truncated) == ("🙂" * 10_000, 25_000, True)


@pytest.mark.needs("chromium")
async def test_a_script_that_goes_elsewhere_is_waited_for(page: Showing, around: Around):
    trial = page("")

    await trial.do(await trial.plan("page.run_js", code=f"location.href = {around.web.url('/gone')!r}"))

    assert around.chromium.shown() == [around.web.url("/gone")]


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-04")
async def test_a_script_runs_in_the_page_that_was_approved_or_nowhere(page: Showing, around: Around):
    trial = page("")
    plan = await trial.plan("page.run_js", code="document.title = 'ran'")
    around.chromium.go(around.web.url("/bank"))

    with pytest.raises(ProviderError, match="was left or loaded again since"):
        await trial.do(plan)

    assert around.chromium.evaluate("document.title") == "/bank"
