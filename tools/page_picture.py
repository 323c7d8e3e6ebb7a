"""Draw docs/images/page.png: a conversation on sayso's page in a scratch home, with a model whose words are set."""

from pathlib import Path

from playwright.async_api import async_playwright, expect

from tests.web_env.talking import block, talk
from tests.web_env.windows import site_of

REPLY = "\n\n".join(
    [
        "The flat in Lisbon is booked **from 9 May**. Before that, I would put on your list:",
        *(block(task, task) for task in ("Book the flight to Lisbon", "Ask Ana for the keys", "Pay the deposit")),
        "Tell me if something is missing.",
    ]
)


async def draw_page(folder: Path, picture: Path, binary: str) -> None:
    """Draw the page after one of three proposals was done with a click."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=binary, args=["--no-sandbox"])
        async with site_of(folder, browser) as site, talk(site, REPLY, "Noted.") as chat:
            await chat.page.set_viewport_size({"width": 1200, "height": 1070})
            await chat.say("What do I have to do before the trip to Lisbon?")
            await expect(chat.offers).to_have_count(3)
            await chat.press("Ask Ana")
            await expect(chat.page.locator("#undo.open")).to_be_visible()
            await chat.page.mouse.move(0, 0)
            await expect(chat.page.locator(".outcomes .state.done")).to_be_visible()
            await expect(chat.page.get_by_role("button", name="Apply both")).to_be_enabled()
            await chat.window.run("scrollTo(0, 0)")
            await chat.page.screenshot(path=picture)
        await browser.close()
