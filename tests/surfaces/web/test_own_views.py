"""What the person keeps and sets on the page, in a real browser: lists, their own actions, automation, settings."""

import pytest
from playwright.async_api import Locator, expect

from tests.web_env.windows import Site, Window

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


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


async def test_an_own_action_is_previewed_run_after_a_yes_and_logged(site: Site):
    actions = site.folder / "own" / "actions"
    actions.mkdir()
    (site.folder / "Documents" / "old.txt").write_text("kept")
    async with site.window() as window:
        await window.show("actions")
        await window.has("sayso template new")

        (actions / "broken.py").write_text("config = {}")
        (actions / "put_away.py").write_text(ACTION)
        await window.show("waiting")
        await window.show("actions")
        await window.has("One file cannot be used")
        action = window.page.locator("sayso-action")
        await action.get_by_text("Preview or run it").click()
        await action.get_by_role("button", name="Preview").click()
        await window.has("name is missing.")
        await action.get_by_label("name (required)").fill("old.txt")
        await action.get_by_label("days").fill("7")
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
