"""The keyboard and a screen reader go on where they were, in a real browser, whatever is drawn anew, hidden or gone."""

import pytest
from playwright.async_api import expect

import sayso
from tests.web_env.windows import Site, Window

pytestmark = pytest.mark.needs("chromium")

HAS = "document.activeElement"


async def at(window: Window) -> str:
    """Return what has the focus, as a screen reader names it; the page itself is “BODY”."""
    named = f"{HAS}.getAttribute('aria-label') ?? {HAS}.textContent.trim().slice(0, 40)"
    return await window.run(f"{HAS} === document.body ? 'BODY' : {named}")


async def test_the_focus_goes_to_the_next_row_when_the_one_that_had_it_is_gone(site: Site):
    for text in ("First", "Second", "Third"):
        await site.home.run(f"TASK_ADD {text}", approver=sayso.Client(lambda _: True))
    async with site.window() as window:
        await window.show("tasks")
        rows = window.page.locator("sayso-task")
        await rows.nth(0).get_by_role("checkbox").focus()
        await window.page.keyboard.press("Space")
        await expect(rows).to_have_text(["Second", "Third"])
        await expect(rows.nth(0)).to_be_focused()

        await rows.nth(1).get_by_role("button", name="Delete").focus()
        await window.page.keyboard.press("Enter")
        await expect(rows).to_have_text(["Second"])
        await expect(rows.nth(0)).to_be_focused()
        await window.page.keyboard.press("x")
        await expect(rows).to_have_count(0)

        assert await at(window) != "BODY"


async def test_what_is_drawn_anew_keeps_the_focus_and_a_question_gives_it_back_to_what_asked(site: Site):
    (site.folder / "own" / "config.toml").write_text(
        '[[trigger]]\nname = "tidy"\nsays = "tidy up"\nlines = "TASK_ADD x"\n'
    )
    async with site.window() as window:
        await window.show("automation")
        trigger = window.page.locator("sayso-trigger")
        await trigger.get_by_role("button", name="Pause").focus()
        await window.page.keyboard.press("Enter")
        await expect(trigger.get_by_role("button", name="Go on")).to_be_focused()

        await trigger.get_by_role("button", name="Delete").focus()
        await window.page.keyboard.press("Enter")
        await expect(trigger.get_by_role("button", name="No, leave it")).to_be_focused()
        await window.page.keyboard.press("Enter")
        await expect(trigger.get_by_role("button", name="Delete")).to_be_focused()

        await window.page.get_by_label("Find an operation").fill("speech")
        box = window.page.get_by_label("speech.say")
        await box.focus()
        await window.page.keyboard.press("Space")
        await expect(box).not_to_be_checked()
        await expect(box).to_be_focused()


async def test_a_link_into_another_view_takes_the_focus_along_and_a_click_beside_everything_takes_it_away(site: Site):
    run = await site.waits("gone.txt")
    async with site.window() as window:
        await window.answer("gone.txt", "yes")
        await window.has("You said yes.")
        await window.page.get_by_role("link", name="See it in the history").focus()
        await window.page.keyboard.press("Enter")
        await expect(window.page.get_by_role("heading", name="History")).to_be_focused()

        await window.page.get_by_role("searchbox", name="Find", exact=True).focus()
        await window.page.mouse.click(990, 790)
        await window.has("gone.txt")
        await site.home.undo(run)
        await expect(window.page.locator("sayso-row .state.undone").first).to_be_visible()

        assert await window.run(f"{HAS}.matches('body, main')")


async def test_the_focus_is_never_given_to_a_yes(site: Site):
    runs = [await site.waits("one.txt"), await site.waits("two.txt")]
    async with site.window() as window:
        await window.card("two.txt").locator(".yes").focus()
        await site.home.decline(runs[1], "command")
        await expect(window.page.locator("sayso-card")).to_have_count(1)
        focused = await at(window)
        await site.home.decline(runs[0], "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)

        assert focused not in ("BODY", "Execute")
        assert await at(window) != "BODY"


async def test_a_yes_that_had_the_focus_before_does_not_get_it_back(site: Site):
    run = await site.waits("one.txt")
    async with site.window() as window:
        card = window.card("one.txt")
        await card.locator(".yes").focus()
        button = "Object.assign(document.createElement('button'), {id: 'further', className: 'further'})"
        await window.run(f"document.querySelector('sayso-card .yes').after({button})")
        await window.page.locator("#further").focus()
        await window.run("document.getElementById('further').remove()")
        await expect(card.locator(":focus")).to_have_count(1)
        focused = await at(window)
        await site.home.decline(run, "command")

        assert focused not in ("BODY", "Execute")


async def test_an_address_with_the_name_of_a_request_goes_to_its_card(site: Site):
    runs = [await site.waits(f"{name}.txt") for name in ("old", "middle", "new")]
    (waiting,) = [one for one in await site.home.pending() if one.run == runs[0]]
    async with site.window(f"{site.url}#waiting/{runs[1]}") as window:
        await expect(window.card("middle.txt").locator(".no")).to_be_focused()
        await window.run(f"location.hash = 'waiting/{waiting.id}'")
        await expect(window.card("old.txt").locator(".no")).to_be_focused()
        await expect(window.card("old.txt").locator("h2")).to_be_in_viewport()
        await window.run("location.hash = 'waiting/run_none'")
        await window.has("What this address names does not wait any more")
        for run in runs:
            await site.home.decline(run, "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)
