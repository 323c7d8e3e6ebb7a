"""Fixtures of sayso's own page in a real browser: one browser in each test process, one server in each module."""

from collections.abc import AsyncGenerator, Iterator

import pytest
from playwright.async_api import Browser, async_playwright, expect

from tests.desktop_env.browser import Chromium
from tests.desktop_env.session import Session
from tests.patience import patience
from tests.web_env.windows import Site, site_of


@pytest.fixture(scope="session")
def page_chromium() -> Iterator[str]:
    """Return where the browser of this test process listens that shows sayso's own page."""
    session = Session()
    try:
        yield Chromium(session, "--hide-scrollbars").url
    finally:
        session.close()


@pytest.fixture(scope="module")
async def page_browser(page_chromium: str) -> AsyncGenerator[Browser]:
    """Return this browser, driven by Playwright."""
    expect.set_options(timeout=patience(20) * 1000)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(page_chromium)
        yield browser
        await browser.close()


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory, page_browser: Browser) -> AsyncGenerator[Site]:
    """Return the page of a home that all tests of a module share, in a browser that was let in."""
    async with site_of(tmp_path_factory.mktemp("page"), page_browser) as site:
        yield site
