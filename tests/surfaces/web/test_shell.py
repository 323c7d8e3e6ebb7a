"""What stands around every view of the page: keys, colours, the undo bar, and how much goes over the wire."""

import gzip

import pytest
from playwright.async_api import expect

from sayso.surfaces.web.application import static_files
from tests.web_env.states import failing, show
from tests.web_env.windows import Site


def test_the_page_weighs_at_most_100_kb_on_the_wire():
    weight = sum(len(gzip.compress(body)) for body, _ in static_files().values())

    assert weight <= 100_000


@pytest.mark.needs("chromium")
async def test_single_keys_move_and_help_and_can_be_switched_off(site: Site):
    async with site.window() as window:
        runs = [await site.waits("one.txt"), await site.waits("two.txt")]
        cards = window.page.locator("sayso-card")
        await expect(cards).to_have_count(2)
        on = "[...document.querySelectorAll('sayso-card')].findIndex(one => one.contains(document.activeElement))"
        press = window.page.keyboard.press

        await cards.first.focus()
        await press("j")
        moved = await window.run(on)
        await press("k")
        back = await window.run(on)
        await press("?")
        help_text = await window.page.get_by_role("dialog").inner_text()
        await window.page.locator("dialog input").click()
        await press("Escape")
        await expect(window.page.get_by_role("dialog")).to_be_hidden()
        await press("j")
        without = await window.run(on)
        await window.run("localStorage.clear()")

        assert (moved, back) == (1, 0)
        assert "say yes to the card" in help_text
        assert without == back
        for run in runs:
            await site.home.decline(run, "command")
        await expect(cards).to_have_count(0)


@pytest.mark.req("S2-33")
@pytest.mark.needs("chromium")
async def test_what_was_done_is_taken_back_from_the_undo_bar(site: Site):
    async with site.window() as window:
        await site.waits("bar.txt")
        await window.answer("bar.txt", "yes")
        bar = window.page.locator("#undo.open")
        await expect(bar).to_contain_text("s")
        deleted = not site.exists("bar.txt")
        told = await bar.inner_text()

        await bar.get_by_role("button").first.click()
        await expect(bar.locator(".results")).to_be_visible()

        assert deleted
        assert "10 s" in told or "9 s" in told
        assert told.startswith("Deleted “~/Documents/bar.txt”")
        assert site.exists("bar.txt")
        await window.has("You said yes.")


@pytest.mark.thorough
@pytest.mark.needs("chromium")
async def test_pause_is_one_click_in_every_view_and_every_window_says_so(site: Site):
    async with site.window() as one, site.window() as two:
        await one.page.bring_to_front()
        await one.page.get_by_role("button", name="Pause").click()
        await expect(two.page.locator("#paused")).to_contain_text("All is paused")
        paused = site.home.settings.policy.paused
        await one.page.get_by_role("button", name="Resume everything").click()
        await expect(one.page.get_by_role("button", name="Yes, resume")).to_be_in_viewport()
        await one.change()
        await expect(two.page.locator("#paused")).to_be_hidden()

        assert paused
        assert not site.home.settings.policy.paused


@pytest.mark.needs("chromium")
async def test_what_cannot_be_read_is_said_and_not_shown_as_if_there_were_none(site: Site):
    async with site.window() as window:
        await window.page.route("**/api/**", failing)
        await window.page.reload()

        await show(window, "chat")
        await expect(window.page.locator("sayso-chat .welcome .note")).to_contain_text("could not be read")
        await show(window, "settings")
        await expect(window.page.locator("#wrong")).to_contain_text("could not be read")
        settings = await window.page.locator("sayso-settings").inner_text()

        assert "There are none" not in settings


def test_no_part_of_a_view_begins_with_a_heading_two_levels_down():
    made = b"".join(body for path, (body, _) in static_files().items() if path.endswith(".js"))

    assert b'make("h4"' not in made
