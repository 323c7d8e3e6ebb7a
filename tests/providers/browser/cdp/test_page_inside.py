"""A page is looked at from a world that its own scripts cannot reach."""

from collections.abc import Iterator

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp.page import inside
from sayso.providers.browser.cdp.session import Chromium, Connected, open_tabs
from sayso.providers.browser.remote.settings import Endpoint
from sayso.runtime.system import SystemClock
from tests.desktop_env.browser import Around

pytestmark = pytest.mark.needs("chromium")


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


@pytest.mark.req("X-13")
def test_data_is_never_taken_for_code(now: Connected):
    data = "'); window.told = 2; ('"
    with inside(now, open_tabs(now)[0].id) as page:
        found = page.call(dict[str, str], "find", data)

    assert found == {"problem": "selector"}


def test_a_page_cannot_lie_about_its_text(now: Connected, around: Around):
    with inside(now, open_tabs(now)[0].id) as page:
        page.loaded()
        text = page.call(dict[str, object], "text", 100)
        whole = page.frame.whole

    assert text == {"text": "the truth", "total": 9}
    assert whole == around.web.url("/lies#part")
    assert around.chromium.evaluate("typeof selectAll + told") == "undefined1"


def test_a_tab_that_is_gone_is_told(now: Connected):
    for tab in (f"{now.key}.GONE", "another1.GONE"):
        with pytest.raises(ProviderError, match="no longer open"), inside(now, tab):
            pass


def test_a_function_that_fails_is_told(now: Connected):
    with inside(now, open_tabs(now)[0].id) as page, pytest.raises(ProviderError, match="cannot be looked into"):
        page.call(object, "no such function")
