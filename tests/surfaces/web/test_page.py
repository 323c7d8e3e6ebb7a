"""The page in a real browser, over the real server: what the person sees there, and what a click does."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect

import sayso
from sayso.assembly import Home
from tests.desktop_env.browser import Around
from tests.patience import patience
from tests.web_env.page import serving

pytestmark = pytest.mark.needs("chromium")
BUTTONS = {"no": "button.no", "yes": "button.yes"}


class Tab:
    """One window of the page, as the person has it in front; it keeps every complaint of the browser."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._asked = 0
        self._loaded = False
        self.complaints: list[str] = []

    async def call(self, method: str, **params: Any) -> Any:
        """Call a method of the browser."""
        self._asked += 1
        asked = self._asked
        await self._wire.send(json.dumps({"id": asked, "method": method, "params": params}))
        with anyio.fail_after(patience()):
            while (answer := json.loads(await self._wire.recv())).get("id") != asked:
                self._hear(answer)
        return answer["result"]

    def _hear(self, event: dict[str, Any]) -> None:
        match event:
            case {"method": "Page.loadEventFired"}:
                self._loaded = True
            case {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": complaint}}:
                self.complaints.append(str(complaint))
            case {"method": "Runtime.consoleAPICalled", "params": {"type": "error" | "warning" | "assert"} as said}:
                self.complaints.append(str(said["args"]))
            # An answer such as “409” is one that the page knows what to do with.
            case {"method": "Log.entryAdded", "params": {"entry": {"source": source, "level": "error"} as entry}}:
                if source != "network":
                    self.complaints.append(str(entry))
            case _:
                pass

    async def go(self, address: str) -> None:
        """Show an address, and return when its scripts have been run."""
        self._loaded = False
        await self.call("Page.navigate", url=address)
        with anyio.fail_after(patience()):
            while not self._loaded:
                self._hear(json.loads(await self._wire.recv()))

    async def run(self, script: str) -> Any:
        """Return what a script is in the page."""
        asked = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in asked, asked
        return asked["result"].get("value")

    async def see(self, condition: str) -> None:
        """Wait until something holds in the page."""
        ran = f"new Promise(done => {{ const look = () => ({condition}) ? done(1) : setTimeout(look, 20); look() }})"
        with anyio.fail_after(patience(20)):
            await self.run(ran)

    async def text(self) -> str:
        """Return what the page shows."""
        return await self.run("document.querySelector('main').innerText")

    async def click(self, what: str) -> None:
        """Click on the middle of an element, with the mouse."""
        at = await self.run(
            f"(() => {{ const it = {what}; it.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            "const box = it.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    async def press(self, key: str) -> None:
        """Press a key."""
        code = {"Enter": 13, " ": 32}[key]
        for kind in ("keyDown", "keyUp"):
            text = "\r" if key == "Enter" else key
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, text=text)

    async def answer(self, title: str, said: str) -> None:
        """Answer a card as somebody does who means it: again, while the page says that it came too soon."""
        button = f"{card(title)}.querySelector('{BUTTONS[said]}')"
        await self.see(f"{card(title)} && {button}")
        await self.see(f"{button}.scrollIntoView({{block: 'end'}}) || {card(title)}.deliberate.seenEnd")
        await self.see(f"performance.now() - {card(title)}.deliberate.since > 450")
        await self.click(button)


class Browser:
    """The windows of one browser that was let in, and the home whose page they show."""

    def __init__(self, home: Home, folder: Path, url: str, opens: Callable[[str], Any]) -> None:
        self.home = home
        self.folder = folder
        self.url = url
        self.open = opens

    async def waits(self, *names: str) -> str:
        """Let the deletion of these new files wait, and return its run."""
        for name in names:
            (self.folder / "Documents" / name).write_text("kept")
        return (await self.home.run("\n".join(f"DELETE_FILE ~/Documents/{name}" for name in names))).run

    def exists(self, name: str) -> bool:
        """Return whether a file is still there."""
        return (self.folder / "Documents" / name).exists()


def card(title: str) -> str:
    """Return the script of the card with this in its title."""
    return f"[...document.querySelectorAll('sayso-card')].find(one => one.innerText.includes({json.dumps(title)}))"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def opened(folder: Path, around: Around, settings: str = "") -> AsyncGenerator[Browser]:
    """Serve the page of a new home while the block runs, to a browser that was let in."""
    (folder / "own").mkdir()
    (folder / "own" / "config.toml").write_text(settings)
    (folder / "Documents").mkdir()
    chromium = around.chromium
    own = chromium.call("Target.createBrowserContext")["browserContextId"]

    @asynccontextmanager
    async def opens(address: str) -> AsyncGenerator[Tab]:
        target = chromium.call("Target.createTarget", url="about:blank", browserContextId=own)["targetId"]
        async with connect(f"ws://127.0.0.1:{chromium.port}/devtools/page/{target}", max_size=None) as wire:
            tab = Tab(wire)
            for method in ("Page.enable", "Runtime.enable", "Log.enable"):
                await tab.call(method)
            await tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
            await tab.go(address)
            await tab.see("document.querySelector('sayso-waiting').known || !document.querySelector('#closed').hidden")
            yield tab
            await tab.run("1")
            assert tab.complaints == []
        chromium.call("Target.closeTarget", targetId=target)

    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
    ):
        async with opens(f"{url}#token={token}") as tab:
            assert await tab.run("location.href") == url  # the token is not kept in the address
            assert "Nothing waits for you" in await tab.text()
        yield Browser(home, folder, url, opens)
    chromium.call("Target.disposeBrowserContext", browserContextId=own)


@pytest.fixture(scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory, chromium_around: Around) -> AsyncGenerator[Browser]:
    async with opened(tmp_path_factory.mktemp("page"), chromium_around) as browser:
        yield browser


async def test_a_yes_a_no_and_an_undo_do_what_they_say_in_two_windows(browser: Browser):
    async with browser.open(browser.url) as one, browser.open(browser.url) as two:
        await browser.waits("yes.txt")
        await browser.waits("no.txt")
        await two.see(f"{card('yes.txt')} && {card('no.txt')}")

        await one.answer("yes.txt", "yes")
        await one.see(f"{card('yes.txt')}.ended")
        await one.run(f"{card('no.txt')}.reason.value = 'it belongs in Archive'")
        await one.answer("no.txt", "no")
        await one.see(f"{card('no.txt')}.ended")

        await two.see("document.querySelectorAll('sayso-card').length === 0")
        assert (browser.exists("yes.txt"), browser.exists("no.txt")) == (False, True)
        assert "it belongs in Archive" in str((await browser.home.log())[0].marks.error)

        await two.run("location.hash = 'history'")
        await two.see("document.querySelector('.undo')")
        await two.click("document.querySelector('.undo')")
        await two.see("document.querySelector('sayso-row .note .yes')")
        await two.click("document.querySelector('sayso-row .note .yes')")
        await two.see("document.querySelector('sayso-row .results')")
        assert browser.exists("yes.txt")


@pytest.mark.req("AV-08")
async def test_a_click_that_is_not_meant_answers_nothing(browser: Browser):
    async with browser.open(browser.url) as tab:
        run = await browser.waits("meant.txt")
        await tab.see(card("meant.txt"))
        yes = f"{card('meant.txt')}.yes"

        focus_on_no = await tab.run(f"document.activeElement === {card('meant.txt')}.no")
        await tab.run(f"{yes}.click()")
        by_script = await tab.text()
        await tab.see(f"performance.now() - {card('meant.txt')}.deliberate.since > 450")
        await tab.run(f"dispatchEvent(new Event('blur')); dispatchEvent(new Event('focus')); {yes}.focus()")
        await tab.press("Enter")
        by_first_key = await tab.text()
        await tab.run(f"{card('meant.txt')}.deliberate.restart(); {card('meant.txt')}.deliberate.since += 1e6")
        await tab.click(yes)
        too_soon = await tab.text()

        assert focus_on_no
        assert "not a script" in by_script
        assert "first click only brings this window to the front" in by_first_key
        assert "faster than anybody reads" in too_soon
        assert browser.exists("meant.txt")
        await browser.home.decline(run, "command")
        await tab.see("document.querySelectorAll('sayso-card').length === 0")


@pytest.mark.req("AV-13")
async def test_what_comes_later_moves_no_card_under_a_hand(browser: Browser):
    async with browser.open(browser.url) as tab:
        first = await browser.waits("older.txt")
        await tab.see(card("older.txt"))
        await tab.see(f"performance.now() - {card('older.txt')}.deliberate.since > 450")
        shown = await tab.run(f"{card('older.txt')}.deliberate.since")

        second = await browser.waits("newer.txt")
        await tab.see(card("newer.txt"))

        await tab.see(f"{card('older.txt')}.deliberate.since > {shown}")
        assert await tab.run("document.querySelectorAll('button.yes').length") == len((first, second))
        assert browser.exists("older.txt")
        for run in (first, second):
            await browser.home.decline(run, "command")
        await tab.see("document.querySelectorAll('sayso-card').length === 0")


@pytest.mark.req("AV-04")
@pytest.mark.thorough
async def test_a_long_card_is_answered_only_when_its_end_was_seen_and_other_peoples_names_are_inert(browser: Browser):
    names = [f"<b>bold\u202egpj.{number}" for number in range(30)]
    async with browser.open(browser.url) as tab:
        run = await browser.waits(*names)
        await tab.see("document.querySelector('sayso-card')")
        await tab.see("document.querySelector('sayso-card').deliberate.seenStart")

        await tab.run("document.querySelector('sayso-card').yes.focus({preventScroll: true})")
        await tab.press("Enter")
        told = await tab.text()

        assert "Read the card to its end first" in told
        assert "<b>bold⟨U+202E⟩gpj.7" in told
        assert await tab.run("document.querySelectorAll('b').length") == 0
        assert all(browser.exists(name) for name in names)
        await browser.home.decline(run, "command")


@pytest.mark.thorough
async def test_what_takes_something_away_is_confirmed_once_more_where_the_settings_say_so(
    tmp_path: Path, chromium_around: Around
):
    async with (
        opened(tmp_path, chromium_around, "[policy]\nconfirm_destructive_clicks = true\n") as browser,
        browser.open(browser.url) as tab,
    ):
        await browser.waits("twice.txt")

        await tab.answer("twice.txt", "yes")
        await tab.see(f"{card('twice.txt')}.sure && !{card('twice.txt')}.busy")
        after_one = browser.exists("twice.txt")
        await tab.answer("twice.txt", "yes")
        await tab.see(f"{card('twice.txt')}.ended")

        assert (after_one, browser.exists("twice.txt")) == (True, False)


@pytest.mark.thorough
async def test_a_browser_that_is_not_let_in_is_told_what_to_do(tmp_path: Path, chromium_around: Around):
    async with opened(tmp_path, chromium_around) as browser, browser.open(browser.url) as tab:
        kind = "{'Content-Type': 'application/json'}"
        await tab.run(f"fetch('/api/leave', {{method: 'POST', headers: {kind}, body: '{{}}'}})")
        await tab.see("!document.querySelector('#closed').hidden")

        assert "sayso serve" in await tab.text()
