"""What the browser itself says of its tabs is told as it came, without sayso's own pages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.providers.browser.address import announce_page
from sayso.providers.browser.remote.backend import Live
from tests.desktop_env.browser import Around
from tests.desktop_env.session import wait_for

pytestmark = pytest.mark.needs("chromium")


@pytest.mark.req("S4-40", "T-109")
async def test_the_browsers_own_words_name_every_tab_and_are_cut(around: Around, making: Callable[..., Live]):
    urls = [around.web.url(f"/{number}") for number in (1, 2)]
    around.chromium.arrange(urls)
    wait_for(lambda: {"/1", "/2"} <= {each["title"] for each in around.chromium.get("/json/list")}, "the titles")
    reads = making().reads

    raw = await reads.raw(10_000)

    assert {(tab["url"], tab["title"], tab["type"]) for tab in json.loads(raw)} == {
        (urls[0], "/1", "tab"),
        (urls[1], "/2", "tab"),
    }
    assert await reads.raw(7) == raw[:7]


@pytest.mark.req("S4-40", "BR-01")
async def test_pages_of_sayso_itself_are_not_among_them(
    around: Around, making: Callable[..., Live], scratch_home: Path
):
    around.chromium.arrange([around.web.url("/1"), around.free.url("/approve")])
    reads = making().reads

    before = await reads.raw(10_000)
    with announce_page(str(scratch_home.parent / "sayso"), around.free.port):
        raw = await reads.raw(10_000)

    assert "/approve" in before
    assert [tab["url"] for tab in json.loads(raw)] == [around.web.url("/1")]
