"""What the requirements say a person sees in a conversation, seen in a real browser."""

import json
from typing import Any

import pytest
from playwright.async_api import expect

import sayso
from sayso.assembly.actions import Actions
from sayso.config.write import set_keys
from tests.surfaces.web.test_offers_page import ACTION, action, offer
from tests.web_env.talking import Talk, talk
from tests.web_env.windows import Site

pytestmark = pytest.mark.needs("chromium")
TREE = 'TASK_ADD "Trip"\nTASK_ADD_SUBTASK "Trip" "Book train"\nTASK_ADD_SUBTASK "Trip" "Pack"\nTASK_COMPLETE "Pack"'
MILK = "Create the reminder “Milk”, due 2031-01-01 10:00"
ROLES = """
    for role, say in (("user", context.add_user_message), ("assistant", context.add_assistant_message)):
        await say(f"said as {role} in " + params["what"])
    await context.add_system_message("said as system in " + params["what"])
"""


def deletes(task: str) -> str:
    """Return what a model writes to propose that a task is deleted."""
    return f"```json-action\n{json.dumps({'type': 'delete_task', 'taskText': task, 'label': f'Delete {task}'})}\n```"


async def one_request(chat: Talk, text: str) -> None:
    """Say something to a conversation in which a model answers with a batch of commands."""
    await chat.page.get_by_label("How it works").select_option("commands")
    await chat.say(text)


async def plant(site: Site) -> list[Any]:
    """Make a task with subtasks, one of them done, and return all tasks."""
    await site.home.run(TREE, approver=sayso.Client(lambda _: True))
    return await all_tasks(site)


async def all_tasks(site: Site) -> list[Any]:
    tasks: Any = site.home.tools.backend("tasks").reads
    return await tasks.all_tasks()


@pytest.mark.thorough
@pytest.mark.req("S2-13")
async def test_what_is_said_before_and_behind_a_proposal_remains_and_the_proposal_is_no_text(site: Site):
    block = '```json-action\n{"type": "add_task", "text": "Pack"}\n```'
    async with talk(site, f"Before it.\n\n{block}\n\nBehind it.", "Fine.") as chat:
        await chat.say("Remind me to pack")
        await chat.ready(chat.offers)
        paragraphs = await chat.replies.locator("p").all_inner_texts()
        shown = await chat.window.text()

    assert paragraphs == ["Before it.", "Behind it."]
    assert "json-action" not in shown
    assert "add_task" not in shown


@pytest.mark.thorough
@pytest.mark.req("S2-35", "S2-49")
async def test_a_deleted_task_is_asked_about_twice_with_what_goes_along_and_undo_brings_all_of_it_back(site: Site):
    before = await plant(site)
    async with talk(site, deletes("Trip"), "Fine.") as chat:
        set_keys(site.home.settings.places, {"policy.confirm_destructive_clicks": True})
        await chat.say("The trip is off")
        await chat.press("Delete “Trip”")
        told = await chat.page.locator("sayso-offers:not([hidden])").inner_text()
        after_one = await all_tasks(site)
        await chat.press("Yes, I am sure")
        await expect(chat.page.locator(".outcomes .state.done")).to_be_visible()
        after_two = await chat.tasks()
        await chat.page.locator("#undo").get_by_role("button", name="Undo", exact=True).click()
        await expect(chat.page.locator("#undo .results")).to_be_visible()

    assert "2 subtasks" in told
    assert after_one == before
    assert "Trip" not in after_two
    assert await all_tasks(site) == before


@pytest.mark.thorough
@pytest.mark.req("S3-49")
async def test_an_offer_with_all_its_fields_is_a_button_whose_run_is_logged_and_told_in_the_chat(site: Site):
    action(site)
    whole = offer(
        instanceId="act_abc123", sessionId="session_xyz", createdAt="2025-01-06T10:30:00Z",
        description="For later", style="primary",
    )  # fmt: skip
    before = len(Actions(site.home).read_log("note_down"))

    async with talk(site, json.dumps({"type": "actions", "actions": [whole]}), "Fine.") as chat:
        await chat.say("Note milk")
        await chat.press(MILK)
        await expect(chat.page.locator("sayso-message.system")).to_contain_text("Note down: Noted Milk")
        await expect(chat.offers).to_have_count(0)

    assert len(Actions(site.home).read_log("note_down")) == before + 1


@pytest.mark.thorough
@pytest.mark.req("S3-45")
async def test_what_an_action_says_as_somebody_stands_in_its_own_conversation_alone(site: Site):
    line = '    await context.create_reminder(params["what"], due="2031-01-01 10:00")\n'
    action(site, ACTION.replace(line, ROLES.removeprefix("\n") + line))
    async with talk(site, json.dumps({"actions": [offer()]}), "Fine.", "Elsewhere.") as chat:
        await chat.say("Note milk")
        await chat.ready(chat.offers)
        await chat.offers.click()
        for role in ("user", "assistant", "system"):
            message = chat.page.locator(f"sayso-message.{role}").filter(has_text=f"said as {role} in Milk")
            await expect(message.last).to_be_visible()
        await chat.over()
        await chat.page.goto(f"{site.url}#chat/new")
        await chat.say("And here?")
        await expect(chat.replies).to_have_text(["Elsewhere."])

        assert "said as" not in await chat.page.locator("sayso-chat .messages").inner_text()


@pytest.mark.thorough
@pytest.mark.req("S4-12", "S4-48")
async def test_a_request_that_fits_nothing_is_answered_with_why_and_the_person_can_say_more(site: Site):
    why = "Could not find a task matching “xyz”. Did you mean “Trip”?"
    unclear = {"commands": [{"type": "file_mkdir"}], "needs_clarification": True, "clarification_reason": why}
    clear = {"commands": [{"type": "file_mkdir", "path": "~/Documents/xyz"}], "needs_clarification": False}
    async with talk(site, json.dumps(unclear), json.dumps(clear)) as chat:
        await one_request(chat, "make the folder")
        await expect(chat.replies).to_have_text([why])
        await chat.say("xyz in Documents")
        await expect(chat.page.locator(".outcomes .state.done")).to_be_visible()

    assert site.exists("xyz")


@pytest.mark.thorough
@pytest.mark.req("S4-04")
async def test_a_value_that_is_not_permitted_is_told_with_the_operation_the_argument_and_the_range(site: Site):
    loud = json.dumps({"commands": [{"type": "sound_set_volume", "level": 150}], "needs_clarification": False})
    async with talk(site, loud, loud) as chat:
        await one_request(chat, "as loud as it goes")
        told = chat.page.locator(".outcomes li")
        await expect(told).to_have_count(1)
        text = await told.inner_text()

    assert text.startswith("invalid")
    assert "Set the output volume" in text
    assert "“level” must be a whole number from 0 to 100" in text


@pytest.mark.thorough
@pytest.mark.req("S3-115")
async def test_an_offer_of_an_action_that_is_not_there_is_told_with_those_that_are(site: Site):
    action(site)
    reply = json.dumps({"content": "I can do that.", "actions": [offer(templateId="note_up")]})
    async with talk(site, reply, reply) as chat:
        await chat.say("Note milk")
        told = chat.page.locator(".outcomes li")
        await expect(told).to_have_count(1)
        text = await told.inner_text()

    assert 'Template "note_up" not found. Available templates: note_down' in text


@pytest.mark.thorough
@pytest.mark.req("S0-05", "X-09")
async def test_of_two_commands_the_one_that_fails_says_why_and_neither_is_done_before_a_yes(site: Site):
    await site.waits("first.txt", "second.txt")
    async with site.window() as window:
        card = await window.read("first.txt")
        held = site.exists("first.txt") and site.exists("second.txt")
        (site.folder / "Documents" / "second.txt").unlink()
        await card.locator(".yes").click()
        told = window.page.locator("sayso-card .results li")
        await expect(told).to_have_count(2)
        lines = await told.all_inner_texts()

    second, first = (await site.home.log())[:2]
    assert held
    assert (first.marks.approved_by, second.marks.approved_by) == ("click", "click")
    assert lines[0].startswith("done\nDeleted “~/Documents/first.txt”")
    assert "second.txt” has changed since it was looked at: it is gone" in lines[1]
