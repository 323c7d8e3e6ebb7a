"""What stands around every view of the page: keys, colours, the undo bar, and how much goes over the wire."""

import gzip

import pytest

from sayso.surfaces.web.application import static_files
from tests.surfaces.web.test_page import Browser, anyio_backend, browser, card

__all__ = ["anyio_backend", "browser"]


def test_the_page_weighs_at_most_100_kb_on_the_wire():
    weight = sum(len(gzip.compress(body)) for body, _ in static_files().values())

    assert weight <= 100_000


@pytest.mark.needs("chromium")
async def test_single_keys_move_and_help_and_can_be_switched_off(browser: Browser):
    async with browser.open(browser.url) as tab:
        runs = [await browser.waits("one.txt"), await browser.waits("two.txt")]
        await tab.see("document.querySelectorAll('sayso-card').length === 2")
        on = "[...document.querySelectorAll('sayso-card')].findIndex(one => one.contains(document.activeElement))"

        async def press(key: str) -> None:
            code = {"Escape": 27}.get(key, ord(key[0].upper()))
            text = key if len(key) == 1 else ""
            await tab.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
            await tab.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

        await tab.run("document.querySelector('sayso-card').focus()")
        await press("j")
        moved = await tab.run(on)
        await press("k")
        back = await tab.run(on)
        await press("?")
        help_text = await tab.run("document.querySelector('dialog[open]').innerText")
        await tab.click("document.querySelector('dialog input')")
        await press("Escape")
        closed = await tab.run("document.querySelector('dialog[open]')")
        await press("j")
        without = await tab.run(on)
        await tab.run("localStorage.clear()")

        assert (moved, back) == (1, 0)
        assert "say yes to the card" in help_text
        assert closed is None
        assert without == back
        for run in runs:
            await browser.home.decline(run, "command")


@pytest.mark.req("S2-33")
@pytest.mark.needs("chromium")
async def test_what_was_done_is_taken_back_from_the_undo_bar(browser: Browser):
    async with browser.open(browser.url) as tab:
        await browser.waits("bar.txt")
        await tab.answer("bar.txt", "yes")
        await tab.see("document.querySelector('#undo.open')")
        deleted = not browser.exists("bar.txt")
        told = await tab.run("document.querySelector('#undo').innerText")

        await tab.click("document.querySelector('#undo button')")
        await tab.see("document.querySelector('#undo .results')")

        assert deleted
        assert "10 s" in told or "9 s" in told
        assert browser.exists("bar.txt")
        assert await tab.run(f"{card('bar.txt')}.ended")
