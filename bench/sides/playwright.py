"""List the tabs of a running browser so many times with Playwright: address and title of every page."""

import sys
from importlib import import_module
from typing import Any

from bench.serving import serve


def listed(browser: Any) -> list[tuple[str, str]]:
    """Go through all pages, as whoever uses Playwright does."""
    return [(page.url, page.title()) for context in browser.contexts for page in context.pages]


def main(url: str) -> None:
    """List the tabs n times; the answer is how many there were."""
    started: Any = import_module("playwright.sync_api").sync_playwright().start()
    browser: Any = started.chromium.connect_over_cdp(url)
    try:
        serve(lambda n: [len(listed(browser)) for _ in range(n)][-1])
    finally:
        started.stop()


if __name__ == "__main__":
    main(sys.argv[1])
