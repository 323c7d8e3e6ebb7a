"""Take a picture of every view of the page in every state, and look for text that is cut, overlaps or is hard to read.

Writes `.build/screenshots/index.html`. Ends with 1 if anything is wrong.
"""

import html
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import anyio
from playwright.async_api import Browser, async_playwright

from tests.desktop_env.browser import Chromium
from tests.desktop_env.session import Session
from tests.web_env.looks import Looked, look, whole
from tests.web_env.states import STATES, show, sites_of, views

_TO = Path(__file__).parent.parent.parent / ".build" / "screenshots"
_WIDTHS = (1280, 768, 390)


class Picture(NamedTuple):
    """One picture, and what is wrong in it."""

    view: str
    state: str
    theme: str
    width: int
    looked: Looked

    @property
    def file(self) -> str:
        """Return the name of its file."""
        return f"{self.view}-{self.state}-{self.theme}-{self.width}.png"


async def take(browser: Browser, folder: Path) -> list[Picture]:
    """Take all pictures."""
    pictures: list[Picture] = []
    async with sites_of(folder, browser) as sites:
        for state in STATES:
            for width in _WIDTHS:
                size = {"width": width, "height": 844}
                async with sites.window(state if width == _WIDTHS[0] else _again(state), viewport=size) as window:
                    for view in await views(window):
                        await show(window, view)
                        for theme in ("light", "dark"):
                            await window.run(f"document.documentElement.dataset.theme = '{theme}'")
                            pictures.append(Picture(view, state, theme, width, await look(window.page)))
                            async with whole(window.page):
                                await window.page.screenshot(path=_TO / pictures[-1].file, animations="disabled")
    return pictures


def _again(state: str) -> str:
    return "full" if state == "waiting" else state


def index(pictures: Iterable[Picture]) -> str:
    """Return the page that shows all pictures, with what is wrong beside each."""
    parts = ["<!doctype html><meta charset=utf-8><title>Pictures of the page</title>"]
    parts.append(
        "<style>body{font:14px sans-serif}figure{display:inline-block;vertical-align:top;margin:8px;width:320px}"
    )
    parts.append("img{width:100%;border:1px solid #999}li{color:#b00}</style>")
    last = ""
    for one in sorted(pictures, key=lambda one: (one.view, one.state)):
        if one.view != last:
            parts.append(f"<h1>{html.escape(one.view)}</h1>")
        last = one.view
        wrong = "".join(f"<li>{html.escape(fault)}</li>" for fault in one.looked.faults)
        caption = f"{one.state}, {one.theme}, {one.width} px, {one.looked.nodes} elements judged"
        parts.append(f"<figure><a href='{one.file}'><img src='{one.file}' loading=lazy></a>")
        parts.append(f"<figcaption>{caption}<ul>{wrong}</ul></figcaption></figure>")
    return "\n".join(parts)


async def main() -> int:
    """Take the pictures, and print what is wrong."""
    _TO.mkdir(parents=True, exist_ok=True)
    session = Session()
    try:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.connect_over_cdp(Chromium(session, "--hide-scrollbars").url)
            with tempfile.TemporaryDirectory() as folder:
                pictures = await take(browser, Path(folder))
    finally:
        session.close()
    (_TO / "index.html").write_text(index(pictures), "utf-8")
    told: dict[str, list[str]] = {}
    for one in pictures:
        for fault in one.looked.faults:
            told.setdefault(f"{one.view}: {fault}", []).append(f"{one.state}/{one.theme}/{one.width}")
    for fault, where in told.items():
        print(f"{fault}\n    in {len(where)}: {' '.join(where[:6])}")
    for advice in sorted({f"{one.view}: {advice}" for one in pictures for advice in one.looked.advice}):
        print(f"advice: {advice}")
    judged = sum(one.looked.nodes for one in pictures)
    print(f"{len(pictures)} pictures in {_TO}; axe-core judged {judged} elements; {len(told)} faults")
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(anyio.run(main, backend="asyncio"))
