"""A page is looked at from a world that its own scripts cannot reach."""

from collections.abc import Iterator

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser.remote.driver import Spoken
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking

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
