"""The page in a real browser, over the real server: what the person sees there, and what a click does."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.web_env.states import failing
from tests.web_env.windows import Site, Window, site_of

pytestmark = pytest.mark.needs("chromium")


async def test_a_yes_a_no_and_an_undo_do_what_they_say_in_two_windows(site: Site):
    async with site.window() as one, site.far_window() as two:
        assert two.line is not None
        two.line.delay = 0.05
        await site.waits("yes.txt")
        await site.waits("no.txt")
        await expect(two.card("yes.txt")).to_be_visible()
        await expect(two.card("no.txt")).to_be_visible()

        await one.answer("yes.txt", "yes")
        await one.has("You said yes.")
        await one.card("no.txt").get_by_label("Reason for a no").fill("it belongs in Archive")
        await one.answer("no.txt", "no")
        await one.has("You said no; nothing of it was done.")

        await expect(two.page.locator("sayso-card")).to_have_count(0)
        assert (site.exists("yes.txt"), site.exists("no.txt")) == (False, True)
        assert "it belongs in Archive" in str((await site.home.log())[0].marks.error)

        await two.show("history")
        await two.page.get_by_role("button", name="Undo…").first.click()
        await two.page.get_by_role("button", name="Take it back").click()
        await expect(two.page.locator("sayso-row .results")).to_be_visible()
        assert site.exists("yes.txt")


@pytest.mark.thorough
async def test_two_windows_show_the_same_text_in_each_view_though_one_of_them_has_a_slow_line(site: Site):
    runs: list[str] = []

    async def same(one: Window, two: Window, text: str) -> str:
        for window in (one, two):
            await expect(window.page.locator("main > .view:not([hidden])")).to_contain_text(text)
        await expect(two.page.locator("main")).to_have_text(await one.text(), use_inner_text=True)
        return text

    async with site.window() as one, site.far_window() as two:
        assert two.line is not None
        two.line.delay = 0.05
        runs.append(await site.waits("first.txt", "second.txt"))
        told = [await same(one, two, "Suggested Actions (2)")]
        for view in ("history", "tasks", "automation"):
            await one.show(view)
            await two.show(view)
            if view == "history":
                await site.home.decline(runs[0], "terminal")
                told.append(await same(one, two, "no at the terminal"))
            elif view == "tasks":
                await two.page.get_by_label("New task").fill("From afar")
                await two.page.keyboard.press("Enter")
                told.append(await same(one, two, "From afar"))
            else:
                await one.page.get_by_role("radio", name="Always asks").click()
                await expect(two.page.get_by_role("radio", name="Always asks")).to_be_checked()

    assert len(told) == len(("a card", "a row", "a task"))


@pytest.mark.req("AV-08")
async def test_a_click_that_is_not_meant_answers_nothing(site: Site):
    async with site.window() as window:
        run = await site.waits("meant.txt")
        card = window.card("meant.txt")
        yes, no = card.locator(".yes"), card.locator(".no")
        await expect(no).to_be_focused()

        await yes.evaluate("it => it.click()")
        by_script = await window.text()
        await window.read("meant.txt")
        await window.run("dispatchEvent(new Event('blur')), dispatchEvent(new Event('focus'))")
        await yes.press("Enter")
        by_first_key = await window.text()
        await card.evaluate("it => { it.deliberate.restart(); it.deliberate.since += 1e6 }")
        await yes.click()
        too_soon = await window.text()

        assert "not a script" in by_script
        assert "first click only brings this window to the front" in by_first_key
        assert "faster than anybody reads" in too_soon
        assert site.exists("meant.txt")
        await site.home.decline(run, "command")
        await expect(card).to_have_count(0)


async def test_a_card_of_which_a_part_was_answered_elsewhere_is_a_new_one_that_says_so_and_waits_for_its_moment(
    site: Site,
):
    async with site.window() as window:
        run = await site.waits("stays.txt", "leaves.txt")
        old = await (await window.read("Suggested Actions (2)")).element_handle()
        (leaves,) = [one for one in await site.home.pending() if "leaves.txt" in str(one.arguments)]
        await site.home.decline(leaves.id, "command")
        card = window.card("stays.txt")
        await expect(card.locator(".note")).to_have_text("This has changed since you saw it. Look at it again.")
        await expect(card.locator("h2")).not_to_contain_text("Suggested Actions")
        kept = await window.page.evaluate("one => one.isConnected", old)
        await window.answer("stays.txt", "no")
        await window.has("You said no")

    assert not kept
    assert [one.state.value for one in await site.home.log_of(run)] == ["declined", "declined"]


@pytest.mark.req("AV-13")
async def test_what_comes_later_moves_no_card_under_a_hand(site: Site):
    async with site.window() as window:
        first = await site.waits("older.txt")
        shown = await (await window.read("older.txt")).evaluate("it => it.deliberate.since")

        second = await site.waits("newer.txt")
        await expect(window.card("newer.txt")).to_be_visible()

        (older,) = await window.card("older.txt").element_handles()
        await window.page.wait_for_function("([it, shown]) => it.deliberate.since > shown", arg=[older, shown])
        await expect(window.page.locator("button.yes")).to_have_count(len((first, second)))
        assert site.exists("older.txt")
        for run in (first, second):
            await site.home.decline(run, "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)


@pytest.mark.req("AV-08")
async def test_what_has_moved_by_whatever_is_looked_at_for_a_moment_again_before_an_answer_counts(site: Site):
    async with site.window() as window:
        run = await site.waits("moved.txt")
        card = await window.read("moved.txt")

        shown, still = [await card.evaluate("it => it.deliberate.since") for _ in range(2)]
        await window.run("void document.querySelector('main').prepend(document.createElement('hr'))")
        moved, told = await card.evaluate("it => [it.deliberate.since, it.deliberate.moved]")

        assert (shown == still, shown < moved, told) == (True, True, True)
        await site.home.decline(run, "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)


async def test_a_line_that_was_cut_is_said_and_what_came_meanwhile_is_shown_once_it_is_back(site: Site):
    async with site.far_window() as window:
        assert window.line is not None
        window.line.cut()
        await window.has("The server does not answer.")
        run = await site.waits("meanwhile.txt")

        window.line.mend()

        await expect(window.card("meanwhile.txt")).to_be_visible()
        await expect(window.page.locator("#away")).to_be_hidden()
        await site.home.decline(run, "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)


async def test_what_could_not_be_read_is_said_and_read_again(site: Site):
    async with site.window() as window:
        await window.page.route("**/api/waiting", failing)
        run = await site.waits("unread.txt")
        await window.has("The journal cannot be read.")
        await expect(window.page.locator("#link")).to_have_text("Not up to date")

        await window.page.unroute_all()
        await window.page.get_by_role("button", name="Try again").click()

        await expect(window.card("unread.txt")).to_be_visible()
        await expect(window.page.locator("#wrong")).to_be_hidden()
        await expect(window.page.locator("#link")).to_have_text("Up to date")
        await site.home.decline(run, "command")
        await expect(window.page.locator("sayso-card")).to_have_count(0)


UNTRUSTED = "(() => { try { document.body.innerHTML = 'x' } catch (no) { return no.name } })()"


async def test_what_the_browser_complains_of_fails_a_test_of_the_page(site: Site):
    taken: list[str] = []

    async def complain() -> None:
        async with site.window() as window, window.page.expect_event("pageerror"):
            await window.run("document.body.setAttribute('style', 'color: red')")
            taken.append(
                await window.run("(() => { try { document.body.innerHTML = 'x' } catch (no) { return no.name } })()")
            )
            await window.run("setTimeout(() => { throw Error('not so') }) > 0")

    with pytest.raises(AssertionError, match=r"(?s)CSP: style-src-attr.*CSP: require-trusted-types-for.*not so"):
        await complain()
    assert taken == ["TypeError"]


@pytest.mark.req("AV-04")
@pytest.mark.thorough
async def test_a_long_card_is_answered_only_when_its_end_was_seen_and_other_peoples_names_are_inert(site: Site):
    names = [f"<b>bold\u202egpj.{number}" for number in range(45)]
    async with site.window() as window:
        run = await site.waits(*names)
        card = window.page.locator("sayso-card")
        await expect(card).to_be_visible()
        await window.see("document.querySelector('sayso-card').deliberate.seenStart")
        below = await card.evaluate("it => it.deliberate.end.getBoundingClientRect().top - innerHeight")

        await card.evaluate("it => it.yes.focus({preventScroll: true})")
        await window.page.keyboard.press("Enter")
        told = await window.text()

        assert below > 0
        assert "Read the card to its end first" in told
        assert "<b>bold⟨U+202E⟩gpj.7" in told
        await expect(window.page.locator("b")).to_have_count(0)
        assert all(site.exists(name) for name in names)
        await site.home.decline(run, "command")


@pytest.mark.thorough
async def test_what_takes_something_away_is_confirmed_once_more_where_the_settings_say_so(
    tmp_path: Path, page_browser: Browser
):
    async with (
        site_of(tmp_path, page_browser, "[policy]\nconfirm_destructive_clicks = true\n") as site,
        site.window() as window,
    ):
        await site.waits("twice.txt")

        await window.answer("twice.txt", "yes")
        await expect(window.card("twice.txt").locator(".yes")).to_have_text("Yes, I am sure")
        after_one = site.exists("twice.txt")
        await window.answer("twice.txt", "yes")
        await window.has("You said yes.")

        assert (after_one, site.exists("twice.txt")) == (True, False)


@pytest.mark.thorough
async def test_a_browser_that_is_not_let_in_is_told_what_to_do(tmp_path: Path, page_browser: Browser):
    async with site_of(tmp_path, page_browser) as site, site.window() as window:
        kind = "{'Content-Type': 'application/json'}"
        await window.run(f"fetch('/api/leave', {{method: 'POST', headers: {kind}, body: '{{}}'}}).then(() => 1)")
        await expect(window.page.locator("#closed")).to_be_visible()

        assert "sayso serve" in await window.text()
