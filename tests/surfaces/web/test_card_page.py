"""The card in a real browser: what would happen is seen before it is executed, edited, left out or always allowed."""

import re
import unicodedata
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

import sayso
from sayso.core.quotes import is_unseen
from tests.web_env.windows import Site, Window, site_of
from tests.web_env.world import WORLD

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory, page_browser: Browser) -> AsyncGenerator[Site]:
    async with site_of(tmp_path_factory.mktemp("cards"), page_browser, WORLD) as site:
        for name in "abcdef":
            (site.folder / "Documents" / f"{name}.txt").write_text("old\nkept\n")
        yield site


async def seen(window: Window, card: Locator) -> None:
    """Return when a card was seen to its end, and for so long that an answer counts."""
    await card.locator(".yes").scroll_into_view_if_needed()
    told = await card.element_handle()
    await window.page.wait_for_function("it => performance.now() - it.deliberate.since > 450", arg=told)


@pytest.mark.req("S0-91", "S0-92", "S0-93", "S0-94", "S2-51")
async def test_steps_are_numbered_grouped_left_out_and_executed_by_keys_alone(site: Site):
    moved = "MOVE_FILE ~/Documents/d.txt ~/Documents/new/d.txt"
    deleted = "\n".join(f"DELETE_FILE ~/Documents/{name}.txt" for name in "abc")
    run = (
        await site.home.run(f"{deleted}\nCREATE_FOLDER ~/Documents/new\n{moved}\nCREATE_FOLDER ~/Documents/other")
    ).run
    async with site.window() as window:
        card = window.card("Suggested Actions")
        await expect(card.locator("h2")).to_have_text("🤖 Suggested Actions (6)")
        shown = await card.locator(".steps > li").evaluate_all("all => all.map(one => one.dataset.n)")
        texts = await card.locator(".steps > li > label").all_inner_texts()
        members = await card.locator(".members li").all_inner_texts()
        await expect(card.get_by_role("button", name="Cancel")).to_be_focused()

        for key in ("j", "j"):
            await window.page.keyboard.press(key)
        await window.page.keyboard.press("x")
        await expect(card.locator(".lacks").filter(visible=True)).to_have_text("Left out: it needs 4.")
        await expect(card.locator(".yes")).to_have_text("Execute 4 of 6")
        await seen(window, card)
        await window.page.keyboard.press("a")
        await window.has("You said yes.")

    assert shown == ["1–3", "4", "5", "6"]
    assert texts[0].startswith("Delete 3 files in “~/Documents”")
    assert members == ["“a.txt”", "“b.txt”", "“c.txt”"]
    states = [record.state.value for record in await site.home.log_of(run)]
    assert states == ["done", "done", "done", "declined", "skipped", "done"]


@pytest.mark.req("S0-94", "AV-10")
async def test_what_was_edited_is_asked_about_as_new(site: Site):
    await site.home.run('WRITE_FILE "~/Documents/e.txt" "new\\nkept\\n"')
    async with site.window() as window:
        card = window.card("e.txt")
        await expect(card.locator(".diff .added")).to_have_text("+new")
        await card.get_by_role("button", name="Edit…").click()
        await card.get_by_role("textbox", name="content").fill("newer\nkept\n")
        await seen(window, card)
        await card.get_by_role("button", name="Check the edit").click()

        again = window.card("As you edited it")
        await expect(again.locator(".diff .added")).to_have_text("+newer")
        await window.has("nothing is approved by editing")
        before = (site.folder / "Documents" / "e.txt").read_text()
        await window.answer("As you edited it", "yes")
        await window.has("You said yes.")
        await expect(window.page.get_by_text("Edited and checked.")).to_be_hidden()
        await window.page.keyboard.press("Enter")  # the focus is on Close
        await expect(window.page.get_by_role("heading", name="Waiting")).to_be_focused()
        await window.has("Nothing waits for you.")

    assert before == "old\nkept\n"
    assert (site.folder / "Documents" / "e.txt").read_text() == "newer\nkept\n"


async def test_what_was_edited_by_keys_begins_in_view_so_that_a_yes_by_key_counts(site: Site):
    lines = "\\n".join(f"line {number}" for number in range(30))
    await site.home.run(f'WRITE_FILE "~/Documents/f.txt" "{lines}"')
    async with site.window() as window:
        await expect(window.card("f.txt").get_by_role("button", name="Cancel")).to_be_focused()
        await window.page.keyboard.press("e")
        field = window.card("f.txt").get_by_role("textbox", name="content")
        await field.fill((await field.input_value()).replace("line 29", "the last"))
        await seen(window, window.card("f.txt"))
        await window.card("f.txt").get_by_role("button", name="Check the edit").press("Enter")

        again = window.card("As you edited it")
        await expect(again.get_by_role("button", name="Cancel")).to_be_focused()
        await expect(again.locator("h2")).to_be_in_viewport()
        await seen(window, again)
        await window.page.keyboard.press("a")
        await window.has("You said yes.")

    assert (site.folder / "Documents" / "f.txt").read_text().endswith("the last")


async def test_enter_in_a_field_checks_the_edit_where_nothing_is_offered_to_be_allowed(site: Site):
    (site.folder / "Documents" / "g.txt").write_text("kept")
    await site.home.run("MOVE_FILE ~/Documents/g.txt ~/Documents/h.txt")
    async with site.window() as window:
        card = window.card("g.txt")
        await expect(card.get_by_role("button", name="Always allow…")).to_be_visible()
        await card.get_by_role("button", name="Edit…").click()
        await expect(card.get_by_role("button", name="Always allow…")).to_be_hidden()
        await card.get_by_role("textbox", name="destination").fill("~/Documents/i.txt")
        await window.page.keyboard.press("Enter")
        await expect(window.card("As you edited it").locator("h2")).to_contain_text("i.txt")

        assert (site.exists("g.txt"), site.exists("i.txt")) == (True, False)
        await window.answer("As you edited it", "no")
        await window.has("You said no")


async def test_what_became_of_several_actions_is_told_of_each_by_its_name(site: Site):
    for name in ("one", "two"):
        (site.folder / "Documents" / f"{name}.txt").write_text("x")
    await site.home.run("DELETE_FILE ~/Documents/one.txt\nDELETE_FILE ~/Documents/two.txt")
    async with site.window() as window:
        card = window.card("Suggested Actions")
        await expect(card).to_contain_text("Asked from a program")
        await card.locator("input.one").nth(1).uncheck()
        await window.answer("Suggested Actions", "yes")

        told = window.page.locator("sayso-card .results li")
        await expect(told.nth(0)).to_contain_text("Deleted “~/Documents/one.txt”")
        await expect(told.nth(1)).to_contain_text(
            "Delete “~/Documents/two.txt”; it goes to the Trash: you left this out"
        )


async def test_what_another_view_answered_is_not_told_again_and_an_empty_view_leads_to_a_card(site: Site):
    async with site.window() as window:
        asked = (await site.home.run("CREATE_FOLDER ~/Documents/here")).run
        await expect(window.card("here")).to_be_visible()
        await window.show("chat")
        await site.home.decline(asked, "click")
        await window.see("!document.querySelector('sayso-waiting sayso-card')")
        await window.show("waiting")
        await window.has("Nothing waits for you.")

        assert "answered" not in await window.text()
        await window.page.get_by_role("main").get_by_role("link", name="chat").click()
        await window.has("Say what you want done")


@pytest.mark.req("AV-11")
async def test_a_permission_is_given_only_with_its_terms_before_the_eyes(site: Site):
    for text in ("new", "other"):
        await site.home.run(f'WRITE_FILE "~/Documents/note.txt" "{text}"', approver=sayso.Client(lambda _: True))
    await site.home.run('WRITE_FILE "~/Documents/note.txt" "one"')
    async with site.window() as window:
        card = window.card("note.txt")
        await card.get_by_role("button", name="Always allow…").click()
        offer = card.locator(".offer")
        await expect(offer).to_contain_text("any name ending in “.txt” directly in “~/Documents”")
        await expect(offer).to_contain_text(re.compile(r"Of \d+ alike that .*, [1-9]\d* would have been allowed"))
        await expect(card.locator(".yes")).to_have_text("Execute")
        await offer.get_by_role("checkbox").check()
        await expect(card.locator(".yes")).to_have_text("Execute and allow")
        await window.answer("note.txt", "yes")
        await window.has("is permitted from now on")

    (grant,) = await site.home.grants.all()
    assert (grant.operation, grant.given_by) == ("file.write", "click")
    await site.home.grants.revoke(grant.id)


async def test_while_all_is_paused_execute_is_dead_and_says_why(site: Site):
    run = (await site.home.run("CREATE_FOLDER ~/Documents/held")).run
    config = Path(site.home.settings.places.config)
    kept = config.read_text()
    async with site.window() as window:
        card = window.card("held")
        await expect(card.locator(".yes")).to_be_enabled()

        await window.page.get_by_role("button", name="Pause").click()
        await expect(card.locator(".yes")).to_be_disabled()
        await expect(card).to_contain_text("All is paused; resume first. This goes on waiting; only a no counts now.")
        await seen(window, card)
        await card.locator(".yes").click(force=True)
        await expect(card.locator(".note")).to_have_text("All is paused; resume first.")
        config.write_text("[policy\n")
        await window.page.reload()
        await expect(window.page.locator("#paused")).to_contain_text(
            "All is paused until the settings can be read again."
        )
        await expect(window.page.locator("#paused").get_by_role("button", name="Resume")).to_be_hidden()
        await expect(window.card("held")).to_contain_text("The settings cannot be read: ")
        config.write_text(kept)
        await window.page.reload()
        await expect(window.card("held").locator(".yes")).to_be_enabled()
        await window.card("held").get_by_role("button", name="Cancel").wait_for()

    assert [record.state.value for record in await site.home.log_of(run)] == ["waiting"]
    await site.home.decline(run, "command")


async def test_who_loses_a_race_is_told_who_answered(site: Site):
    async with site.window() as window:
        run = (await site.home.run("CREATE_FOLDER ~/Documents/raced")).run
        await expect(window.card("raced")).to_be_visible()
        await site.home.decline(run, "terminal")

        await window.has("“Create folder “~/Documents/raced”” was answered with no at the terminal.")


@pytest.mark.thorough
async def test_a_mail_windows_tabs_and_an_event_are_drawn_as_what_they_are(site: Site):
    body = "word " * 900 + "the last"
    runs = [
        await site.home.run(f'MAIL_SEND "a@example.org, b@example.org" "Hello" "{body}" "c@example.org"'),
        await site.home.run('APP_PLACE "Clock" left\nTAB_CLOSE [1,2]\nCALENDAR_UPDATE_EVENT "e1" "Retro"'),
    ]
    async with site.window() as window:
        mail, others = window.card("Hello"), window.card("Suggested Actions")

        assert await mail.locator(".mail .person").all_inner_texts() == [
            "you@example.invalid", "a@example.org", "b@example.org", "c@example.org",
        ]  # fmt: skip
        await expect(mail.locator(".mail pre")).to_contain_text("the last")
        assert (await mail.text_content() or "").count("the last") == 1
        await expect(others.locator(".monitors rect")).to_have_count(4)
        await expect(others.locator(".tabs li")).to_have_count(2)
        await expect(others.locator(".differs tbody tr").first).to_have_text("titleReviewRetro")
        for run in runs:
            await site.home.decline(run.run, "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)


@pytest.mark.req("AV-03")
async def test_the_page_writes_out_all_that_the_terminal_writes_out_and_leaves_emoji_and_scripts(site: Site):
    unseen = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in {"Cn", "Co", "Cs"}]
    unseen = [one for one in unseen if is_unseen(one) and one not in "\n\t"]
    kept = ["❤️ 👨‍👩‍👧 🇩🇪 1️⃣ 👍🏽 ©", "नमस्ते", "שָׁלוֹם", "a\nb\tc", "e\u0301" + "\u0323" * 3]
    script = "async all => { const { visible } = await import('/static/parts.js'); return all.map(visible) }"
    async with site.window() as window:
        shown = await window.page.evaluate(script, [f"a{one}b" for one in unseen])
        piled = await window.page.evaluate(script, ["e" + "\u0301" * 6, "\u0301e"])
        same = await window.page.evaluate(script, kept)

    assert len(unseen) > 300
    assert shown == [f"a⟨U+{ord(one):04X}⟩b" for one in unseen]
    assert piled == ["e" + "\u0301" * 4 + "⟨U+0301⟩" * 2, "⟨U+0301⟩e"]
    assert same == kept


@pytest.mark.req("AV-03")
async def test_a_long_padded_text_is_shown_to_its_end_and_what_cannot_be_seen_is_written_out(site: Site):
    padded = "begin" + " " * 500 + "\u202etxt" + r"\n" * 301 + "word " * 2000 + "the harmful end"
    run = (await site.home.run(f'SEND_EMAIL "a@example.org" "Padded" "{padded}"')).run
    async with site.window() as window:
        card = window.card("Padded")
        body = card.locator(".mail pre")
        await expect(body).to_contain_text("the harmful end")
        text = await body.inner_text()
        await card.locator("h2").scroll_into_view_if_needed()
        await card.locator(".yes").evaluate("it => it.focus({preventScroll: true})")
        await window.page.keyboard.press("Enter")
        await expect(card.locator(".note")).to_have_text("Read the card to its end first.")
        await site.home.decline(run, "command")
        await expect(card).to_have_count(0)

    assert "begin⟨500 blanks⟩⟨U+202E⟩txt" in text
    assert "⟨300 empty lines⟩" in text
