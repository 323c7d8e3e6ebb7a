"""Windows of the page in a real browser, over the real server of a home."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, ViewportSize

import sayso
from sayso.assembly import Home
from tests.patience import patience
from tests.web_env.line import Line, line
from tests.web_env.page import serving

_DESK: ViewportSize = {"width": 1000, "height": 800}
_TELLS = "addEventListener('securitypolicyviolation', e => console.error('CSP:', e.violatedDirective, e.blockedURI))"


class Window:
    """One window of the page, as the person has it in front; it keeps every complaint of the browser.

    `page` is Playwright's. When the window is closed, complaints fail the test, so that none is overlooked.
    """

    def __init__(self, page: Page, wire: Line | None) -> None:
        self.page = page
        self.line = wire
        """What lies between this window and the server, if it was asked for; None otherwise."""
        self.chat = "chat"
        """Where the conversation is that is looked at in this window."""
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, said: ConsoleMessage) -> None:
        # An answer such as “409” is one that the page knows what to do with, and so is a server that is away.
        by_the_network = said.text.startswith(("Failed to load resource:", "WebSocket connection to "))
        if said.type in {"error", "warning", "assert"} and not by_the_network:
            self.complaints.append(said.text)

    async def run(self, script: str) -> Any:
        """Return what an expression is in the page."""
        return await self.page.evaluate(script)

    async def see(self, condition: str) -> None:
        """Wait until something holds in the page."""
        await self.page.wait_for_function(f"() => {{ return {condition} }}")

    async def text(self) -> str:
        """Return what the page shows, without its bar."""
        return await self.page.inner_text("main")

    async def has(self, text: str) -> None:
        """Wait until the page shows a text."""
        await self.page.get_by_role("main").get_by_text(text).first.wait_for()

    async def show(self, view: str) -> None:
        """Go to a view by its link."""
        await self.page.locator(f"nav a[data-view={view}]").click()

    def card(self, title: str) -> Locator:
        """Return the card with this in it."""
        return self.page.locator("sayso-card").filter(has_text=title, visible=True)

    async def read(self, title: str) -> Locator:
        """Return the card with this in it when it was seen to its end, and for so long that an answer counts."""
        card = self.card(title)
        await self._until_meant(card)
        return card

    async def _until_meant(self, question: Locator) -> None:
        """Have a question in view until a click on its yes counts."""
        await question.locator(".yes").scroll_into_view_if_needed()
        told = await question.element_handle()
        await self.page.wait_for_function("it => performance.now() - it.deliberate.since > 450", arg=told)

    async def answer(self, title: str, said: Literal["yes", "no"]) -> None:
        """Answer a card as somebody does who means it."""
        await (await self.read(title)).locator(f"button.{said}").click()

    async def change(self) -> None:
        """Say yes to the change that the page asks about, as somebody who means it."""
        asked = self.page.locator("article.sure").filter(visible=True)
        await self._until_meant(asked)
        await asked.locator(".yes").click()


class Site:
    """A home whose page is served, and a browser that was let in."""

    def __init__(self, home: Home, folder: Path, url: str, browser: Browser, settings: str) -> None:
        self.home = home
        self.folder = folder
        self.settings = settings
        self.url = url
        self._browser = browser
        self._context: BrowserContext | None = None

    async def enter(self, token: str) -> None:
        """Let the browser in."""
        self._context = await self._new_context()
        async with self.window(f"{self.url}#token={token}") as window:
            assert window.page.url == self.url  # the token is not kept in the address
            await window.has("Say what you want done")

    async def close(self) -> None:
        """Forget the browser's cookies."""
        if self._context is not None:
            await self._context.close()

    async def _new_context(self, viewport: ViewportSize = _DESK, **options: Any) -> BrowserContext:
        context = await self._browser.new_context(viewport=viewport, **options)
        context.set_default_timeout(patience(20) * 1000)
        await context.add_init_script(_TELLS)
        return context

    @asynccontextmanager
    async def window(self, address: str | None = None) -> AsyncGenerator[Window]:
        """Have one more window of the person's browser while the block runs; it shows what waits if not told."""
        assert self._context is not None
        async with _window(self._context, address or f"{self.url}#waiting") as window:
            yield window

    @asynccontextmanager
    async def far_window(self, **options: Any) -> AsyncGenerator[Window]:
        """Have a window with a line of its own, which can be slow or cut; options are those of a Playwright context."""
        assert self._context is not None
        async with line() as wire:
            proxy = {"server": f"socks5://127.0.0.1:{wire.port}", "bypass": "<-loopback>"}
            context = await self._new_context(proxy=proxy, **options)
            for kept in await self._context.cookies():
                assert "name" in kept
                assert "value" in kept
                await context.add_cookies([{"name": kept["name"], "value": kept["value"], "url": self.url}])
            try:
                async with _window(context, f"{self.url}#waiting", wire) as window:
                    yield window
            finally:
                await context.close()

    async def waits(self, *names: str) -> str:
        """Let the deletion of these new files wait, and return its run."""
        for name in names:
            (self.folder / "Documents" / name).write_text("kept")
        return (await self.home.run("\n".join(f"DELETE_FILE ~/Documents/{name}" for name in names))).run

    def exists(self, name: str) -> bool:
        """Return whether a file is still there."""
        return (self.folder / "Documents" / name).exists()


@asynccontextmanager
async def _window(context: BrowserContext, address: str, wire: Line | None = None) -> AsyncGenerator[Window]:
    page = await context.new_page()
    window = Window(page, wire)
    try:
        await page.goto(address)
        await window.see("document.querySelector('sayso-waiting').known || !document.querySelector('#closed').hidden")
        yield window
        await window.run("1")
        assert not window.complaints, "; ".join(window.complaints)
    finally:
        await page.close()


@asynccontextmanager
async def site_of(folder: Path, browser: Browser, settings: str = "") -> AsyncGenerator[Site]:
    """Serve the page of a new home while the block runs, to a browser that was let in."""
    (folder / "own").mkdir()
    (folder / "own" / "config.toml").write_text(settings)
    (folder / "Documents").mkdir()
    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
    ):
        site = Site(home, folder, url, browser, settings)
        try:
            await site.enter(token)
            yield site
        finally:
            await site.close()
