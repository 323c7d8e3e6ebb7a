"""The history in a real browser: found again, looked at, and rewound to a moment."""

import re
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Browser, expect

import sayso
from tests.web_env.windows import Site, site_of
from tests.web_env.world import WORLD

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory, page_browser: Browser) -> AsyncGenerator[Site]:
    async with site_of(tmp_path_factory.mktemp("history"), page_browser, WORLD) as site:
        yield site


async def do(site: Site, text: str, entry: str = "cli") -> None:
    await site.home.run(text, approver=sayso.Client(lambda _: True, "terminal"), entry=entry)


@pytest.mark.req("S0-87", "S2-50")
async def test_all_since_a_moment_is_taken_back_over_files_tabs_mail_calendar_and_tasks(site: Site):
    documents = site.folder / "Documents"
    await do(site, 'WRITE_FILE ~/Documents/kept.txt "first"')
    await do(site, 'WRITE_FILE ~/Documents/kept.txt "second"\nCREATE_FOLDER ~/Documents/deep')
    await do(site, 'TASK_EDIT "Call Ann" "Call Bob"\nTAB_CLOSE [2]\nCALENDAR_UPDATE_EVENT "e1" "Retro"', "automation")
    await do(site, 'MAIL_SEND "a@example.org" "Hello" "x"')
    async with site.window() as window:
        await window.show("history")
        rows = window.page.locator("sayso-row")
        await expect(rows.first).to_contain_text("Send “Hello” to a@example.org")
        await expect(rows.first).to_contain_text("yes at the terminal")
        await expect(rows.nth(1)).to_contain_text("Changed “Review”")
        await expect(rows.nth(1)).to_contain_text("from automation")

        first = rows.filter(has_text="Replace the content")
        await first.get_by_text("Details").click()
        await expect(first.locator(".diff .added")).to_have_text("+second")
        digest = await first.locator("dd", has_text="sha256:").inner_text()
        await first.get_by_role("button", name="Rewind to before this…").click()
        await expect(window.page.locator(".rewind .list li")).to_have_count(5)
        await expect(window.page.locator(".rewind .told")).to_contain_text("a sent mail cannot be called back")
        before = (documents / "kept.txt").read_text()
        take = window.page.get_by_role("button", name="Take back 5")
        await take.scroll_into_view_if_needed()
        rewind = "document.querySelector('sayso-history').rewind.deliberate.since"
        await window.see(f"performance.now() - {rewind} > 450")
        await take.click()
        await window.has("What can be taken back was taken back.")
        await expect(window.page.locator(".rewind .told")).to_contain_text("a sent mail cannot be called back")

    assert digest in {row.digest for row in await site.home.log()}
    assert (before, (documents / "kept.txt").read_text()) == ("second", "first")
    assert not (documents / "deep").exists()
    done = await site.home.run('TAB_LIST\nTASK_EDIT "Call Ann" "Call Eve"')
    assert "two.example" in done.outcomes[0].text
    await site.home.decline(done.run, "command")


async def test_what_was_taken_back_is_not_said_to_be_done_and_details_tell_times_as_the_rows_do(site: Site):
    await do(site, "CREATE_FOLDER ~/Documents/gone")
    (made,) = [row.id for row in await site.home.log() if "gone" in row.summary]
    await site.home.undo(made)
    (undone,) = [row for row in await site.home.log() if row.id == made]
    async with site.window(f"{site.url}#history") as window:
        row = window.page.locator("sayso-row").filter(has=window.page.locator(".state.undone")).filter(has_text="gone")
        told = await row.inner_text()
        await row.get_by_text("Details").click()
        ended = row.locator("dt", has_text="ended").locator("xpath=following-sibling::dd[1]/time")
        shown, exact = await ended.inner_text(), await ended.get_attribute("title")

    assert "taken back" in told
    assert "Created" not in told
    assert re.fullmatch("(.* )?[0-9]{2}:[0-9]{2}", shown)
    assert exact == undone.marks.ended_at


async def test_a_moment_is_typed_into_a_field_that_has_one(site: Site):
    async with site.window() as window:
        await window.page.set_viewport_size({"width": 390, "height": 500})
        await window.page.goto(f"{site.url}#history")
        await window.page.get_by_role("button", name="Rewind…").click()
        await window.page.get_by_role("button", name="a day ago").click()
        moment = window.page.get_by_label("As it was at")
        await moment.focus()
        for key in "01022031":
            await window.page.keyboard.press(key)
            await window.page.evaluate("new Promise(requestAnimationFrame)")

        await expect(window.page.get_by_label("As it was at")).to_have_value(re.compile("2031-01-02T"))


async def test_actions_are_found_by_words_and_filters_and_the_journal_is_verified(site: Site):
    await do(site, "CREATE_FOLDER ~/Documents/needle", "mcp")
    await do(site, "CREATE_FOLDER ~/Documents/hay")
    async with site.window() as window:
        await window.show("history")
        rows = window.page.locator("sayso-row")
        await window.page.get_by_role("searchbox").fill("NEEDLE")
        await expect(rows).to_have_count(1)
        await window.page.get_by_role("searchbox").fill("")
        await window.page.get_by_label("From anywhere").select_option("mcp")
        await expect(rows).to_have_count(1)
        await expect(rows).to_contain_text("from an agent (MCP)")
        await window.page.get_by_label("From anywhere").select_option("the terminal")
        await expect(rows.filter(has_text="hay")).to_contain_text("from the terminal")
        await expect(rows.filter(has_text="needle")).to_have_count(0)
        await window.page.get_by_label("From anywhere").select_option("")
        then = await rows.filter(has_text="hay").locator("time").first.get_attribute("datetime")
        day = await window.run(f"new Date('{then}').toLocaleDateString('sv')")
        await window.page.get_by_text("On the day", exact=True).click()  # it is seen, and leads to its field
        await expect(window.page.get_by_label("On the day")).to_be_focused()
        await window.page.get_by_label("On the day").fill(day)
        await expect(rows.filter(has_text="hay")).to_have_count(1)
        await window.page.get_by_label("All states").select_option("failed")
        await window.has("Nothing fits what you look for.")
        await window.page.get_by_role("button", name="Verify").click()
        await window.has("✓ The journal is intact")


async def test_one_click_shows_or_hides_what_dry_runs_would_have_done(site: Site):
    await site.home.run("CREATE_FOLDER ~/Documents/dry", dry_run=True)
    async with site.window(f"{site.url}#history") as window:
        told, planned = window.page.locator(".dry"), window.page.locator("sayso-row .state.planned")
        await expect(told).to_contain_text("1 action of a dry run is not shown.")
        hidden = await planned.count()
        await told.get_by_role("button").click()
        await expect(planned).to_have_count(1)
        await told.get_by_role("button", name="Hide them").click()
        await expect(planned).to_have_count(0)
        dated = "import('/static/parts.js').then(({time}) => time('2026-03-14T09:05:00').textContent)"
        when = await window.run(dated)

    assert (hidden, when) == (0, "2026-03-14 09:05")  # as sayso's sentences write it
