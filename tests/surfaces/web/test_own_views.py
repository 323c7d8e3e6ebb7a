"""What the person keeps and sets on the page, in a real browser: lists, their own actions, automation, settings."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from playwright.async_api import Locator, Route, expect

import sayso
from sayso.config import load
from sayso.core.decision import Decision
from sayso.core.grant import Wish
from tests.web_env.windows import Site, Window

pytestmark = pytest.mark.needs("chromium")


def task(window: Window, text: str) -> Locator:
    """Return the row of the task with this in its text."""
    return window.page.locator("sayso-task").filter(has_text=text)


async def test_tasks_are_kept_by_keyboard_and_by_mouse_and_every_step_is_taken_back(site: Site):
    async with site.window() as one, site.window() as two:
        await one.show("tasks")
        await two.show("tasks")
        page, tree = one.page, two.page.locator("sayso-task")
        await page.bring_to_front()  # a window behind another one is drawn only now and then

        await page.get_by_label("New task").press_sequentially("Dinner\nTaxes\nBuy wine\n")
        await expect(tree).to_have_text(["Dinner", "Taxes", "Buy wine"])
        await page.get_by_role("button", name="Move “Buy wine”").focus()
        await page.keyboard.press("ArrowUp")
        await expect(tree).to_have_text(["Dinner", "Buy wine", "Taxes"])
        await page.keyboard.press("ArrowRight")  # the handle still has the focus
        await expect(tree.nth(1)).to_have_attribute("aria-level", "2")

        await page.get_by_role("button", name="Move “Taxes”").drag_to(
            page.get_by_role("button", name="Move “Dinner”"), target_position={"x": 10, "y": 2}
        )
        await expect(tree).to_have_text(["Taxes", "Dinner", "Buy wine"])
        await task(one, "Taxes").get_by_role("button", name="Edit").click()
        await page.get_by_label("Text", exact=True).fill("Taxes of 2026")
        await two.page.get_by_role("checkbox", name="Dinner").check()  # what is typed in the other window stays
        await expect(task(one, "Dinner")).to_have_count(0)
        await page.keyboard.press("Enter")
        await expect(tree.first).to_have_text("Taxes of 2026")

        await task(one, "Buy wine").get_by_role("button", name="Delete").click()
        await expect(tree).to_have_text(["Taxes of 2026"])
        await page.get_by_role("button", name="Undo", exact=True).click()
        await expect(tree).to_have_text(["Taxes of 2026", "Buy wine"])


@pytest.mark.thorough
async def test_a_task_that_is_done_is_hidden_until_it_is_asked_for_and_can_be_opened_again(site: Site):
    async with site.window() as window:
        await window.show("tasks")
        await window.page.get_by_label("New task").press_sequentially("Water the roses\n")
        await window.page.get_by_role("checkbox", name="Water the roses").check()
        await expect(task(window, "Water the roses")).to_have_count(0)
        await window.page.get_by_role("checkbox", name="done").check()
        await expect(task(window, "Water the roses")).to_contain_text("done ")
        await window.page.get_by_role("checkbox", name="Water the roses").uncheck()
        await expect(task(window, "Water the roses")).to_have_count(1)
        await task(window, "Water the roses").get_by_role("button", name="Delete").click()
        await expect(task(window, "Water the roses")).to_have_count(0)


async def test_a_habit_is_kept_and_shows_its_days(site: Site):
    async with site.window() as window:
        await window.show("tasks")
        page, habit = window.page, window.page.locator("sayso-habit")

        await page.get_by_label("New habit").fill("Meditate")
        await page.locator("sayso-tasks").get_by_label("How often").select_option("weekly")
        await page.get_by_label("New habit").press("Enter")
        await expect(habit).to_contain_text("weekly · due now")
        await habit.get_by_role("button", name="Done now").click()

        await expect(habit.get_by_role("img")).to_have_accessible_name("Done on 1 of the last 14 days")
        await expect(habit).not_to_contain_text("due now")


ACTION = """
config = {
    "id": "put_away", "name": "Put away", "description": "Moves a file into another one's place.",
    "parameterSchema": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "description": "Which file."},
        "days": {"type": "integer", "default": 30},
        "how": {"type": "string", "enum": ["quickly", "slowly"]},
    }},
}

def handler(params, context):
    context.do("file.move", source=f"~/Documents/{params['name']}", destination="~/Documents/away.txt")
    context.log(f"older than {params['days']} days")
    return {"success": True, "message": "Put away"}
"""


async def test_an_own_action_is_seen_at_once_previewed_run_after_a_yes_and_logged(site: Site):
    actions = site.folder / "own" / "actions"
    actions.mkdir()
    (site.folder / "Documents" / "old.txt").write_text("kept")
    async with site.window() as window:
        await window.show("actions")
        await window.has("sayso template new")

        (actions / "broken.py").write_text("config = {}")
        (actions / "put_away.py").write_text(ACTION)
        await window.has("One file cannot be used")
        action = window.page.locator("sayso-action")
        await action.get_by_text("Preview or run it").click()
        await action.get_by_role("button", name="Preview").click()
        await window.has("name is missing.")
        await action.get_by_label("name", exact=True).fill("old.txt")
        await action.get_by_label("days (may be left out)").fill("7")
        await action.get_by_role("button", name="Preview").click()
        await window.has("It would say: Put away")
        previewed = site.exists("old.txt"), await site.home.pending()

        await action.get_by_role("button", name="Run…").click()
        await window.answer("old.txt", "yes")
        await window.has("You said yes.")
        await action.get_by_text("Log", exact=True).click()

        await expect(action.locator(".log li")).to_contain_text(["older than 7 days"])
        assert previewed == (True, [])
        assert (site.exists("old.txt"), site.exists("away.txt")) == (False, True)


@asynccontextmanager
async def late(window: Window, path: str) -> AsyncGenerator[Callable[[], Awaitable[None]]]:
    """Read a path, and give what lets the answer arrive; what is read after that arrives when the block ends."""
    refresh = "import('/static/store.js').then(({store}) => store.refresh())"
    read, arrives, again, ends = (anyio.Event() for _ in range(4))

    async def hold(route: Route) -> None:
        answer = await route.fetch()
        (again if read.is_set() else read).set()
        await (ends if again.is_set() else arrives).wait()
        await route.fulfill(response=answer)

    async def arrive() -> None:
        arrives.set()
        await again.wait()

    await window.run(refresh)
    await window.page.route(path, hold)
    await window.run(f"void {refresh}")
    await read.wait()
    yield arrive
    ends.set()
    await window.page.unroute_all(behavior="wait")


@pytest.mark.req("S0-84", "S0-85", "S0-86", "S0-87")
async def test_automate_starts_a_run_shows_its_trace_in_six_parts_and_the_newest_action_first(site: Site):
    (site.folder / "Documents" / "Invoices").mkdir()
    async with site.window() as window:
        await window.show("automation")
        page = window.page

        await page.get_by_label("Do this now").fill("make a folder called Bills in my documents")
        held = anyio.Event()

        async def hold(route: Route) -> None:
            await held.wait()
            await route.continue_()

        await page.route("**/api/automate", hold)
        wand = page.locator("button.wand")
        await wand.click()
        await expect(wand).to_have_text("One runs…")
        await expect(wand).to_be_disabled()
        held.set()
        await expect(wand).to_have_text("Automate")
        await expect(wand).to_be_enabled()
        trace = page.locator(".trace")
        parts = ("Context", "System Prompt", "User Prompt", "LLM Response", "Parsed Commands", "Execution Results")
        await expect(trace.locator("summary")).to_have_text([f"{n}. {part}" for n, part in enumerate(parts, 1)])
        await expect(trace).to_contain_text("file.mkdir")
        await expect(page.locator("sayso-done").first).to_contain_text("Bills")

        await page.get_by_label("Do this now").fill("hello")
        await page.get_by_role("button", name="Automate").click()
        await window.has("The reply had no commands.")
        await expect(trace.locator("summary")).to_have_count(6)


@pytest.mark.req("S0-79", "S0-88", "S0-89", "S0-90")
async def test_automation_is_switched_the_mode_set_and_what_may_run_limited(site: Site):
    async with site.window() as window:
        await window.show("automation")
        page, policy = window.page, "policy.allowed_operations"

        def mode(label: str) -> Locator:
            return page.get_by_role("radio", name=label)

        await mode("Always asks").click()
        await window.has("Changed.")
        report = await site.home.run('ADD_TASK "x"\nCREATE_FOLDER "~/Documents/Asked"')
        assert report.outcomes[-1].record.state == "waiting"
        await site.home.decline(report.run)

        await page.get_by_label("Find an operation").fill("speech")
        await page.get_by_label("speech.say").uncheck()
        await page.get_by_role("button", name="Save this change").click()
        await window.has("all others are refused")
        anew = load({"SAYSO_HOME": str(site.folder / "own"), "HOME": str(site.folder)})  # as after a restart
        assert "speech.say" not in str(anew.get(policy))
        assert "file.move" in str(anew.get(policy))
        await page.get_by_label("speech.say").check()
        await page.get_by_role("button", name="Save this change").click()
        await window.change()
        await expect(page.locator("sayso-automation")).to_contain_text("operations may run. Untick")
        assert site.home.settings.get(policy) == ["*"]

        async with late(window, "**/api/automation") as arrive:
            async with page.expect_response(lambda one: one.request.method == "POST"):
                await page.get_by_role("switch").click()
            await arrive()
            assert not await page.get_by_role("switch").is_checked()
        await window.has("Automation is off: triggers start nothing.")
        await page.get_by_label("Do this now").fill("make a folder called Never in my documents")
        await page.get_by_role("button", name="Automate").click()
        await window.has("Automation is off; “sayso config set automation.enabled true” turns it on.")
        assert not (site.folder / "Documents" / "Never").exists()
        await page.get_by_role("switch").click()
        await window.change()
        await mode("Destructive asks").click()
        await window.change()
        await expect(mode("Destructive asks")).to_be_checked()


async def test_when_a_trigger_starts_is_told_in_words_where_it_is_at_one_time_of_a_day(site: Site):
    asked = ["0 8 * * 1", "5 18 * * 1,3,7", "30 7 * * *", "weekdays 8:30", "*/5 * * * *"]
    async with site.window() as window:
        told = await window.run(f"import('/static/rows.js').then(({{often}}) => {asked}.map(often))")

    days = ["every Monday at 8:00", "every Monday, Wednesday, Sunday at 18:05", "every day at 7:30"]
    assert told == [*days, "weekdays 8:30", "*/5 * * * *"]


@pytest.mark.req("S0-88")
async def test_a_trigger_is_added_in_words_paused_and_deleted_only_after_its_question_was_answered(site: Site):
    words = "every weekday at 8:30 tell me what is on today"
    async with site.window() as window:
        await window.show("automation")
        page, trigger = window.page, window.page.locator("sayso-trigger")

        await page.get_by_label("A new trigger: when and what").fill(words)
        await page.keyboard.press("Enter")
        asked = page.locator("sayso-automation article.sure")
        await expect(asked).to_contain_text("weekdays at 8:30")
        await expect(asked.get_by_role("button", name="No, leave it")).to_be_focused()
        await expect(asked.get_by_role("button", name="Yes, add it")).to_be_visible()
        before = len(site.home.settings.triggers)
        await window.change()
        await expect(trigger).to_contain_text("weekdays 8:30 · next ")
        (made,) = site.home.settings.triggers
        lacks = page.locator("h2:text('Triggers') + .warn")
        await expect(lacks).to_contain_text("Nothing looks after your triggers now")
        await trigger.get_by_role("button", name="Pause").click()
        await expect(trigger).to_contain_text("paused")

        await trigger.get_by_role("button", name="Delete").click()
        await trigger.get_by_role("button", name="No, leave it").click()
        await expect(asked).to_have_count(0)
        kept = len(site.home.settings.triggers)
        await trigger.get_by_role("button", name="Delete").click()
        await expect(asked.get_by_role("button", name="Yes, delete it")).to_be_visible()
        await window.change()
        await expect(trigger).to_have_count(0)
        await window.has(f"“{made.name}” is deleted.")
        await expect(page.get_by_text("is written.")).to_have_count(0)

    assert (before, made.words, kept) == (0, "tell me what is on today", 1)
    assert list(site.home.settings.triggers) == []


async def test_a_standing_permission_is_listed_with_what_it_allowed_and_taken_back_by_one_click(site: Site):
    for name in ("one", "two", "three"):
        (site.folder / "Documents" / f"{name}.txt").write_text("kept")
    moves = [f"MOVE_FILE ~/Documents/{name}.txt ~/Documents/{name}.md" for name in ("one", "two", "three")]
    first = await site.home.run(moves[0], approver=sayso.Client(lambda _: True))
    offer = await site.home.grants.offer(Wish(first.outcomes[0].record.id, ("source", "destination")))
    await site.home.grants.give(offer, Decision(yes=True, by="click", digest=offer.digest))
    await site.home.run(moves[1])
    async with site.window() as window:
        await window.show("settings")
        grant = window.page.locator("sayso-grant")
        await expect(grant).to_contain_text("used once")
        await expect(grant.locator(".text time")).to_be_visible()  # when it ends, as people read it
        await grant.get_by_text("What it has allowed").click()
        allowed = await grant.locator(".said li").all_inner_texts()
        await grant.get_by_role("button", name="Take it back").click()
        await expect(grant).to_have_count(0)
        await window.has("There are none.")

    third = await site.home.run(moves[2])
    assert ["two.txt" in one for one in allowed] == [True]
    assert await site.home.grants.all() == []
    assert third.outcomes[0].record.state == "waiting"
    await site.home.decline(third.run)


async def test_everything_is_paused_seen_in_another_window_and_let_go_on_only_after_a_yes_that_was_meant(site: Site):
    async with site.window() as two, site.window() as one:
        await one.show("settings")
        await one.page.locator("sayso-settings").get_by_role("button", name="Pause everything").click()
        await expect(two.page.get_by_text("All is paused: nothing is done until")).to_be_visible()

        await one.page.get_by_role("button", name="Go on…").click()
        await one.page.get_by_role("button", name="Yes, resume").evaluate("it => it.click()")
        await one.has("Only you can answer, not a script.")
        assert site.home.settings.policy.paused
        await one.change()
        await one.has("Everything goes on.")
        assert not site.home.settings.policy.paused

        await one.page.get_by_label("Find a setting").fill("waive_floor")
        await one.has("sayso config set policy.waive_floor …")
        await one.show("numbers")
        await expect(one.page.get_by_role("img", name="Actions per day")).to_be_visible()


async def test_what_could_not_be_read_is_said(site: Site):
    async with site.window() as window:
        await window.page.route(
            "**/api/lists", lambda route: route.fulfill(status=500, json={"error": "it is damaged"})
        )

        await window.show("tasks")

        await window.has("This could not be read, so what you see may be out of date. It is damaged.")
        await window.page.unroute("**/api/lists")
        await window.show("history")
        await expect(window.page.locator("#wrong")).to_be_hidden()
