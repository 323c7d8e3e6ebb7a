"""A session shows every tab with what its page says of itself, also beside a page that does not answer."""

import pytest

from sayso.core.errors import ProviderError
from tests.desktop_env.browser import Around
from tests.desktop_env.session import wait_for
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.conftest import HANGS, Hang

pytestmark = pytest.mark.needs("firefox-esr")


@pytest.mark.thorough
@pytest.mark.req("S4-41")
def test_tabs_come_in_the_order_of_windows_and_then_of_tabs(around: Around, spoken: Speaking):
    urls = [around.web.url(f"/{number}") for number in range(4)]
    around.chromium.arrange(urls[:2], urls[2:])

    with spoken().connected() as now:
        found = now.tabs()

    assert [tab.url for tab in found] == urls
    assert [tab.title for tab in found] == ["/0", "/1", "/2", "/3"]
    assert [tab.active for tab in found[:2]] == [True, False]
    assert [tab.active for tab in found[2:]].count(True) == 1


def test_a_tab_that_another_opened_names_it(around: Around, spoken: Speaking):
    around.web.pages["/opens"] = "<title>x</title><script>function go() { window.open('/opened') }</script>"
    around.chromium.arrange([around.web.url("/opens")])
    with around.chromium.speaking() as person:
        (tab,) = person.tabs()
        person.call(
            "script.evaluate",
            expression="go()",
            target={"context": tab["context"]},
            awaitPromise=False,
            userActivation=True,
        )

    with spoken().connected() as now:
        first, second = now.tabs()

    assert (first.opener, second.opener) == ("", first.id)


@pytest.mark.thorough
@pytest.mark.usefixtures("impatient")
def test_a_page_that_hangs_is_listed_all_the_same(around: Around, spoken: Speaking, hang: Hang):
    urls = [around.web.url("/1"), around.web.url("/2", "localhost")]
    around.chromium.arrange(urls)
    # While it asks for something, Firefox lets a page answer; after that it does not.
    busy = f"{HANGS}; for (const end = Date.now() + 5000; Date.now() < end;);"
    hang.over.set()
    around.chromium.evaluate(f"void setTimeout(() => {{ {busy} }})", urls[0])
    wait_for(hang.began.is_set, "a page that hangs")

    with spoken().connected() as now:
        found = now.tabs()

    assert [tab.url for tab in found] == urls
    assert found[1].title == "/2"


def test_an_id_of_a_tab_that_is_gone_is_told(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])

    with spoken().connected() as now:
        (tab,) = now.tabs()
        for gone in (f"{tab.id}9", "another.1"):
            with pytest.raises(ProviderError, match="no longer open"):
                now.now.context(gone)
        knows = [now.knows(tab.id), now.knows(f"{tab.id}9"), now.knows("another.1")]

    assert knows == [True, True, False]
