"""A page is looked at from a world that its own scripts cannot reach."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.remote.driver import Spoken
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.conftest import Showing, a_file

pytestmark = pytest.mark.needs("firefox-esr")


@pytest.fixture
def now(around: Around, spoken: Speaking) -> Iterator[Spoken]:
    around.web.pages["/lies"] = (
        "<title>x</title><script>Object.defineProperty(HTMLElement.prototype, 'innerText', {get: () => 'lie'});"
        "Array.from = () => []; JSON.stringify = () => '[]'; window.told = 1</script><p>the truth</p>"
    )
    around.chromium.arrange([around.web.url("/lies#part")])
    with spoken().connected() as now:
        yield now


@pytest.mark.req("X-13")
def test_data_is_never_taken_for_code(now: Spoken):
    data = "'); window.told = 2; ('"
    with now.inside(now.tabs()[0].id) as page:
        found = page.call(dict[str, str], "find", data)

    assert found == {"problem": "selector"}


def test_a_page_cannot_lie_about_its_text(now: Spoken, around: Around):
    with now.inside(now.tabs()[0].id) as page:
        page.loaded()
        text = page.call(dict[str, object], "text", 100)
        url, fact = page.url, page.fact

    assert text == {"text": "the truth", "total": 9}
    assert url == fact.url == around.web.url("/lies#part")


def test_a_tab_that_is_gone_is_told(now: Spoken):
    with pytest.raises(ProviderError, match="no longer open"), now.inside("another.1"):
        pass


def test_a_function_that_fails_is_told(now: Spoken):
    with now.inside(now.tabs()[0].id) as page, pytest.raises(ProviderError, match="cannot be looked into"):
        page.call(object, "no such function")


@pytest.mark.req("BR-04")
def test_a_load_is_told_from_the_next_of_the_same_page(now: Spoken, around: Around):
    with now.inside(now.tabs()[0].id) as page:
        before = page.fact
        page.again()
        same = page.fact
        with page.loading():
            page.call(bool, "settled")
    assert same == before


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
