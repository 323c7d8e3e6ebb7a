"""Operations on tabs and pages as a person meets them: the pages, what others see of what was done, and each case."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import sayso
from tests.desktop_env.browser import Around, Browser, Chromium, serving
from tests.desktop_env.firefox import Firefox
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import wait_for
from tests.journeys.ground import a_home, yes
from tests.journeys.outcomes import Case

FORM = (
    "<title>Form</title><a href=/next>next</a><input id=q value=old><input id=r>"
    "<button id=b onclick='document.title=\"clicked\"'>Go</button>"
)
PAGES = {"": FORM, "empty": "<title>Empty</title>"}
Oracle = Callable[[Around, Path], bool]
ORACLES: Mapping[str, Oracle] = {
    "url.open": lambda around, own: around.chromium.shown()[0] == around.web.url("/new"),
    "tab.switch": lambda around, own: around.chromium.shown()[0] == around.web.url("/second"),
    "tab.close": lambda around, own: around.web.url("/second") not in around.chromium.shown(),
    "page.run_js": lambda around, own: around.chromium.evaluate("document.title") == "ran",
    "page.click": lambda around, own: around.chromium.evaluate("document.title") == "clicked",
    "page.fill": lambda around, own: around.chromium.evaluate("q.value") == "new",
    "page.screenshot": lambda around, own: any(f.read_bytes()[:4] == b"\x89PNG" for f in own.rglob("*.png")),
}
"""How others see that it was done, of what is no answer by itself."""


B = TypeVar("B", Chromium, Firefox)


@contextmanager
def alone(program: str, kind: type[B]) -> Generator[B]:
    """Start a browser that a test may stop and end, with one page in front."""
    with session(program) as made, serving() as site:
        site.pages["/form"] = FORM
        browser = kind(made)
        browser.arrange([site.url("/form"), site.url("/second")])
        yield browser


def home_at(own: Path, browser: Browser) -> str:
    """Return a new home whose settings lead to this browser."""
    kind = "bidi" if isinstance(browser, Firefox) else "cdp"
    return a_home(own, f'[browser]\nkind = "{kind}"\n{kind}_url = "{browser.url}"\n')


async def comes_to_what_is_said(case: Case, around: Around, own: Path) -> None:
    """Hold a case to what comes of it, as it is told and as others see it."""
    shown = case.page or "form"
    first = shown if shown == "about:blank" else around.web.url(f"/{shown}")
    around.web.pages[f"/{shown}"] = PAGES.get(case.page, FORM)
    around.chromium.arrange([first, around.web.url("/second"), around.web.url("/third")])
    wait_for(lambda: around.chromium.evaluate("document.readyState") == "complete", "the page")
    before = sorted(around.chromium.shown())

    async with sayso.open_home(home_at(own, around.chromium)) as home:
        report = await home.run(case.line.replace("{site}", around.web.url("")), approver=yes())

    case.must_be_told_as_it_is(report)
    if case.outcome == "success":
        assert ORACLES.get(case.operation, lambda around, own: True)(around, own)
    else:
        assert sorted(around.chromium.shown()) == before
