"""Pages of a Firefox: what is read and done inside them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Fact
from sayso.providers.browser.bidi.page import as_text
from sayso.providers.browser.bidi.protocol import Value
from sayso.providers.browser.model import Returned
from sayso.providers.browser.remote.driver import Spoken
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.cdp.test_page import VALUES
from tests.providers.browser.conftest import Showing, a_file


def number(value: object) -> dict[str, object]:
    return {"type": "number", "value": value}


TEXT = {"type": "string", "value": "ü"}
YES = {"type": "boolean", "value": True}


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("undefined", None, ""),
        ("null", None, "null"),
        ("string", "ü\n", "ü\n"),
        ("number", 6, "6"),
        ("number", 1.5, "1.5"),
        ("number", "NaN", "NaN"),
        ("number", "-0", "-0"),
        ("boolean", True, "true"),
        ("bigint", "10", "10n"),
        ("date", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"),
        ("array", [number(1), TEXT, {"type": "null"}, number("NaN")], '[1, "ü", null, null]'),
        ("object", [["a", {"type": "object", "value": [["b", YES]]}]], '{"a": {"b": true}}'),
        ("map", [[number(1), {"type": "bigint", "value": "2"}]], '{"1": "2n"}'),
        ("set", [{"type": "undefined"}, {"type": "function"}], '[null, "[function]"]'),
        ("regexp", {"pattern": "a+", "flags": "i"}, "/a+/i"),
        ("regexp", {"pattern": "a"}, "/a/"),
        ("function", None, "[function]"),
        ("window", {"context": "x"}, "[window]"),
        ("array", None, '"[array]"'),
    ],
)  # fmt: skip
def test_each_kind_has_its_text(type_: str, value: Any, text: str):
    assert as_text(Value(type_, value)) == text


@pytest.fixture
def now(around: Around, spoken: Speaking) -> Iterator[Spoken]:
    around.web.pages["/lies"] = (
        "<title>x</title><script>Object.defineProperty(HTMLElement.prototype, 'innerText', {get: () => 'lie'});"
        "Array.from = () => []; JSON.stringify = () => '[]'; window.told = 1</script><p>the truth</p>"
    )
    around.chromium.arrange([around.web.url("/lies#part")])
    with spoken().connected() as now:
        yield now


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("X-13")
def test_data_is_never_taken_for_code(now: Spoken):
    data = "'); window.told = 2; ('"
    with now.inside(now.tabs()[0].id) as page:
        found = page.call(dict[str, str], "find", data)

    assert found == {"problem": "selector"}


@pytest.mark.needs("firefox-esr")
def test_a_page_cannot_lie_about_its_text(now: Spoken, around: Around):
    with now.inside(now.tabs()[0].id) as page:
        page.loaded()
        text = page.call(dict[str, object], "text", 100)
        url, fact = page.url, page.fact

    assert text == {"text": "the truth", "total": 9}
    assert url == fact.url == around.web.url("/lies#part")


@pytest.mark.needs("firefox-esr")
def test_a_tab_that_is_gone_is_told(now: Spoken):
    with pytest.raises(ProviderError, match="no longer open"), now.inside("another.1"):
        pass


@pytest.mark.needs("firefox-esr")
def test_a_function_that_fails_is_told(now: Spoken):
    with now.inside(now.tabs()[0].id) as page, pytest.raises(ProviderError, match="cannot be looked into"):
        page.call(object, "no such function")


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-04")
def test_a_load_is_told_from_the_next_of_the_same_page(now: Spoken, around: Around):
    with now.inside(now.tabs()[0].id) as page:
        before = page.fact
        page.again()
        same = page.fact
        with page.loading():
            page.call(bool, "settled")
    assert same == before


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("S1-45", "S1-46", "S1-47", "BR-10", "BR-07")
async def test_a_page_is_clicked_filled_pictured_and_left_and_what_it_asks_gets_no(page: Showing, around: Around):
    around.web.pages["/file"] = a_file
    trial = page(
        "<button id=b onclick=\"document.title='clicked'\">Go</button><div id=f contenteditable>old</div>"
        "<a id=n href=/next>next</a>"
    )

    await trial.do(await trial.plan("page.click", selector="#b"))
    await trial.do(await trial.plan("page.fill", selector="#f", value="new"))
    did = around.chromium.evaluate("document.title + f.innerText")
    picture = Path(str((await trial.answer("page.screenshot")).data["path"])).read_bytes()
    with pytest.raises(ProviderError, match="a file to download and no page"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/file")))
    await trial.do(await trial.plan("page.click", selector="#n"))
    with pytest.raises(Uncertain, match="the page asked “Sure"):
        await trial.do(await trial.plan("page.run_js", code="document.title = String(confirm('Sure?'))"))

    assert (did, picture[:4]) == ("clickednew", b"\x89PNG")
    assert around.chromium.shown() == [around.web.url("/next")]
    assert around.chromium.evaluate("document.title") == "false"


MORE = [
    ("const now = await Promise.resolve(3); window.later = now", ""),
    ("// nothing", ""),
    ("new Map([[1, new Set([2])]])", '{"1": [2]}'),
]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("S1-44", "C-09")
async def test_a_value_is_told_as_text(page: Showing):
    trial = page("<script>window.told = 'by the page'</script>")
    told: list[Fact] = []

    for code, _ in [*VALUES, *MORE]:
        (left,) = await trial.do(await trial.plan("page.run_js", code=code))
        told += left.facts

    assert [each.text for each in told if isinstance(each, Returned)] == [text for _, text in [*VALUES, *MORE]]
    assert all(isinstance(each, Returned) and each.total_chars == len(each.text) for each in told)


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("T-55")
async def test_a_long_value_is_cut(page: Showing):
    trial = page("")

    (left,) = await trial.do(await trial.plan("page.run_js", code="'🙂'.repeat(25000)"))

    (fact,) = left.facts
    assert isinstance(fact, Returned)
    assert (fact.text, fact.total_chars, fact.truncated) == ("🙂" * 10_000, 25_000, True)


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
async def test_a_script_runs_once(page: Showing, around: Around):
    trial = page("<script>window.count = 0</script>")

    with pytest.raises(ProviderError, match="SyntaxError"):
        await trial.do(await trial.plan("page.run_js", code="window.count += 1; eval('await 1')"))

    assert around.chromium.evaluate("window.count") == 1


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
async def test_a_script_that_goes_elsewhere_is_waited_for(page: Showing, around: Around):
    trial = page("")

    await trial.do(await trial.plan("page.run_js", code=f"location.href = {around.web.url('/gone')!r}"))

    assert around.chromium.shown() == [around.web.url("/gone")]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-04")
async def test_a_script_runs_in_the_page_that_was_approved_or_nowhere(page: Showing, around: Around):
    trial = page("")
    plan = await trial.plan("page.run_js", code="document.title = 'ran'")
    around.chromium.go(around.web.url("/bank"))

    with pytest.raises(ProviderError):
        await trial.do(plan)

    assert around.chromium.evaluate("document.title") == "/bank"
