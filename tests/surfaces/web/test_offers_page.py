"""What a reply offers, in a real browser: its texts as they were written, its buttons, and what each of them sends."""

import json
import re
from typing import Any

import pytest
from anyio import Event
from playwright.async_api import Page, Route, WebSocket, expect

import sayso
from sayso.testing.model_server import playing
from tests.web_env.talking import block, on_button, talk, talk_with
from tests.web_env.windows import Site

pytestmark = pytest.mark.needs("chromium")

ACTION = """
config = {
    "id": "note_down", "name": "Note down", "description": "Adds a reminder.",
    "parameterSchema": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
}

async def handler(params, context):
    await context.create_reminder(params["what"], due="2031-01-01 10:00")
    return {"success": True, "message": "Noted " + params["what"]}
"""

MILK = "Create the reminder “Milk”, due 2031-01-01 10:00"


def offer(**more: str) -> dict[str, Any]:
    """Return an offer of the person's own action, as a model writes it."""
    return {"templateId": "note_down", "label": "Note it", "params": {"what": "Milk"}, **more}


def action(site: Site, text: str = ACTION) -> None:
    """Write an action of the person's own."""
    actions = site.folder / "own" / "actions"
    actions.mkdir(mode=0o700, exist_ok=True)
    (actions / "note_down.py").write_text(text)


class Frames:
    """The messages of a window's socket, in both directions."""

    def __init__(self, page: Page) -> None:
        self.sent: list[Any] = []
        self.told: list[Any] = []
        page.on("websocket", self._follow)

    def _follow(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self.sent.append(json.loads(frame)))
        socket.on("framereceived", lambda frame: self.told.append(json.loads(frame)))

    def of(self, kind: str) -> list[Any]:
        """Return all messages of a type."""
        return [one for one in (*self.sent, *self.told) if one["type"] == kind]


@pytest.mark.thorough
@pytest.mark.req("S2-16", "S2-17", "S2-29", "S2-31", "S2-32")
async def test_each_of_several_proposals_has_a_button_and_they_are_done_in_any_order(site: Site):
    ideas = ("milk", "tea", "rice")
    reply = "Some ideas.\n\n\n\n\nTake any.\n\nOr none.\n\n" + "\n\n".join(map(block, ideas))
    async with talk(site, reply, *["Noted."] * 3) as chat:
        await chat.say("What do I need?")
        await expect(chat.offers).to_have_text([on_button(f"Add the task “{one}”", f"Note {one}") for one in ideas])
        said = await chat.replies.first.inner_text()

        there: list[set[str]] = []
        presses = {"rice": ["milk", "tea"], "milk": ["tea"], "tea": []}
        for name, left in presses.items():
            await chat.press(f"Note {name}")
            await expect(chat.offers).to_have_text([on_button(f"Add the task “{one}”", f"Note {one}") for one in left])
            there.append({"milk", "tea", "rice"} & {*await chat.tasks()})

    assert said == "Some ideas.\n\nTake any.\n\nOr none."
    assert there == [{"rice"}, {"rice", "milk"}, {"rice", "milk", "tea"}]


@pytest.mark.thorough
@pytest.mark.req("S3-20", "S3-21", "S3-23", "S3-83", "S3-50")
async def test_a_reply_with_actions_is_its_text_and_a_button_for_each_with_label_tooltip_and_style(site: Site):
    action(site)
    written = 'Note <b>Milk</b> & "more" *now*'
    envelope = {
        "content": "I can note that.",
        "actions": [
            offer(label=written, description="For <i>later</i>"),
            offer(label="Second", style="secondary"),
            offer(label="Third", style="pink"),
        ],
    }
    async with talk(site, json.dumps(envelope)) as chat:
        frames = Frames(chat.page)
        await chat.page.reload()
        await chat.say("Note milk")
        await expect(chat.offers).to_have_count(3)
        buttons = await chat.offers.evaluate_all("all => all.map(one => [one.textContent, one.title, one.className])")
        found = [await chat.page.get_by_role("button", name=name).count() for name in (written, "Second", "Third")]
        said = await chat.page.locator("sayso-offers li > .quiet:has(bdi)").all_text_contents()
        told = frames.of("action_instances")
        shown = await chat.window.text()

    assert buttons == [
        [on_button(MILK, written), "For <i>later</i>", "primary"],
        [on_button(MILK, "Second"), MILK, "secondary"],
        [on_button(MILK, "Third"), MILK, "primary"],
    ]
    assert found == [1, 1, 1]
    assert said == ["The model says “For <i>later</i>”."]
    assert [one["label"] for message in told for one in message["actions"]] == [written, "Second", "Third"]
    assert "I can note that." in shown
    assert "templateId" not in shown


REMIND = 'create_reminder(params["what"], due="2031-01-01 10:00")'
DROP = ACTION.replace(REMIND, 'do("task.delete", target=params["what"])')


@pytest.mark.thorough
async def test_a_label_that_repeats_what_the_button_says_stands_there_once_and_a_long_one_is_cut(site: Site):
    action(site)
    actions = [offer(label='create the reminder "Milk", due 2031-01-01 10:00.'), offer(label="x" * 500)]
    async with talk(site, json.dumps({"actions": actions})) as chat:
        await chat.say("Note milk")
        await expect(chat.offers).to_have_text([MILK, on_button(MILK, "x" * 199 + "…")])
        shown = await chat.page.locator("sayso-offers .steps").text_content() or ""

    assert f"The model calls it “{'x' * 500}”." in shown


@pytest.mark.req("T-69", "S2-12", "S3-20")
async def test_a_button_says_and_shows_what_a_click_does_whatever_the_model_calls_it(site: Site):
    action(site, DROP)
    yes = sayso.Client(lambda _: True)
    await site.home.run('TASK_ADD "Wine"\nTASK_ADD "Milk"', approver=yes)
    label = "Keep” it. sayso: “checked \u202eas it is"
    task = json.dumps({"type": "delete_task", "taskText": "Wine", "label": label})
    own = json.dumps({"actions": [offer(label=label, style="secondary", description="nothing ”\nhappens")]})
    reply = f"```json-action\n{task}\n```\n\n```json\n{own}\n```"
    async with talk(site, reply) as chat:
        await chat.say("Tidy up")
        await expect(chat.offers).to_have_count(2)
        buttons = await chat.offers.evaluate_all("all => all.map(one => [one.textContent, one.title, one.className])")
        shown = await chat.page.locator("sayso-offers .steps").text_content() or ""
        laid = await chat.page.locator("sayso-offers .told").evaluate_all(
            "all => all.map(one => getComputedStyle(one).display)"
        )

    called = "“Keep”” it. sayso: ““checked ⟨U+202E⟩as it is”"
    assert {*laid} == {"block"}  # a title above its list
    assert buttons == [
        [f"Delete “Wine” (danger) The model calls it {called}", "Delete “Wine”", "danger"],
        [f"Delete “Milk” (danger) The model calls it {called}", "The model says: “nothing ”” happens”", "danger"],
    ]
    assert "The model says “nothing ””\nhappens”." in shown


@pytest.mark.thorough
@pytest.mark.req("S3-51", "S3-73", "S3-74", "S3-75", "S3-76")
async def test_a_click_and_its_result_go_over_the_socket_as_the_messages_say(site: Site):
    action(site)
    async with talk(site, json.dumps({"actions": [offer()]}), "Fine.") as chat:
        frames = Frames(chat.page)
        await chat.page.reload()
        await chat.say("Note milk")
        await chat.press("Create the reminder “Milk”")
        await expect(chat.page.locator("sayso-message.system")).to_contain_text("Noted Milk")
        await chat.over()
        session = (await chat.window.run("location.hash")).split("/")[1]

    ((instance,),) = [one["actions"] for one in frames.of("action_instances")]
    (clicked,), (result,) = frames.of("execute_action"), frames.of("action_result")
    assert frames.told[0]["type"] == "action_templates"
    assert [one["id"] for one in frames.told[0]["templates"]] == ["note_down"]
    assert clicked == {"type": "execute_action", "instanceId": instance["instanceId"], "sessionId": session}
    assert (result["instanceId"], result["sessionId"], result["result"]["success"]) == (
        instance["instanceId"],
        session,
        True,
    )


@pytest.mark.thorough
@pytest.mark.req("T-83")
async def test_a_button_waits_from_the_click_until_its_result_or_until_the_line_is_lost(site: Site):
    action(site)
    lost = Event()

    async def lose(route: Route) -> None:
        await lost.wait()
        await route.abort("connectionreset")

    async with talk(site, json.dumps({"actions": [offer()]}), "Fine.") as chat:
        await chat.say("Note milk")
        await chat.page.route("**/api/decide", lose)
        await chat.press(MILK)
        await expect(chat.offers).to_have_text(["..."])
        waits = await chat.offers.is_disabled()
        lost.set()
        await expect(chat.offers).to_have_text([on_button(MILK, "Note it")])
        free = await chat.offers.is_enabled()
        await chat.page.unroute("**/api/decide")
        await chat.press(MILK)
        await expect(chat.page.locator("sayso-message.system")).to_contain_text("Noted Milk")
        await expect(chat.offers).to_have_count(0)

    assert (waits, free) == (True, True)


@pytest.mark.thorough
async def test_a_no_in_the_chat_has_its_reason_which_the_model_is_told(site: Site):
    with playing(block("soap"), "Not then.") as model:
        async with talk_with(site, model) as chat:
            await chat.say("What do I need?")
            await expect(chat.offers).to_have_count(1)
            reason, no = chat.page.locator("sayso-offers input"), chat.page.locator("sayso-offers .no")
            await expect(reason).to_have_accessible_name("Reason for a no")
            await reason.fill("there is soap")
            await reason.press("Enter")
            await chat.ready(no)
            await no.click()
            await expect(chat.offers).to_have_count(0)
            await expect(chat.replies).to_have_text("Not then.")
            tasks = await chat.tasks()

    assert "soap" not in tasks
    assert "there is soap" in json.dumps(model.heard[-1].body)


@pytest.mark.thorough
@pytest.mark.req("AV-08")
async def test_an_own_action_is_no_answer_to_what_stands_beside_it_and_counts_once_it_was_in_view(site: Site):
    action(site)
    reply = f"{block('beside it')}\n\n```json\n{json.dumps({'actions': [offer()]})}\n```"
    async with talk(site, reply, "Fine.") as chat:
        await chat.say("Note milk")
        await expect(chat.offers).to_have_count(2)
        own = chat.page.get_by_role("button", name="Note it")
        await chat.ready(own)
        await own.focus()
        await chat.page.keyboard.press("a")
        by_key = await chat.page.locator("sayso-offers .note").all_inner_texts()
        await own.evaluate("it => { it.closest('sayso-offers').deliberateOf(it.dataset.id).since += 1e6 }")
        await own.click()
        too_soon = await chat.page.locator("sayso-offers .note").all_inner_texts()
        waits = await chat.offers.count()
        tasks = await chat.tasks()

    assert "Press this button itself, if you mean it." in by_key
    assert any("faster than anybody reads" in one for one in too_soon)
    assert (waits, "beside it" in tasks) == (2, False)


@pytest.mark.req("S2-48")
async def test_a_rename_shows_the_old_and_the_new_text_before_the_button_that_does_it(site: Site):
    await site.home.run('TASK_ADD "Hire VP"', approver=sayso.Client(lambda _: True))
    label, deed = 'Rename <b>it</b> & "more"', "Rename “Hire VP” to “Hire CFO”"
    edit = json.dumps({"type": "edit_task", "taskText": "Hire VP", "newText": "Hire CFO", "label": label})
    async with talk(site, f"```json-action\n{edit}\n```", "Fine.") as chat:
        await chat.say("It is a CFO")
        await expect(chat.offers).to_have_text([on_button(deed, label)])
        shown = await chat.page.locator("sayso-offers .steps").inner_text()
        before = await chat.tasks()
        await chat.press(label)
        await expect(chat.offers).to_have_count(0)
        after = await chat.tasks()

    assert shown.startswith("Rename “Hire VP” to “Hire CFO”")
    assert ("Hire VP" in before, "Hire CFO" in before) == (True, False)
    assert ("Hire VP" in after, "Hire CFO" in after) == (False, True)


@pytest.mark.thorough
@pytest.mark.req("S3-04", "S3-12", "S3-28")
async def test_one_click_runs_an_action_with_its_icon_and_what_it_suggests_becomes_a_button(site: Site):
    more = '"message": "Noted", "suggestedActions": [{"templateId": "note_down", "label": "More", "params": params}]'
    action(site, ACTION.replace('"message": "Noted " + params["what"]', more).replace('"id":', '"icon": "📌", "id":'))
    async with talk(site, json.dumps({"actions": [offer()]}), "Fine.") as chat:
        await chat.say("Note milk")
        await chat.press("Create the reminder “Milk”")
        await expect(chat.offers).to_have_text([on_button("Run “Note down”", "More")])
        await chat.over()
        await chat.window.show("actions")
        await chat.window.has("📌 Note down")

    assert "Milk" in [record.arguments.get("title") for record in await site.home.log()]


@pytest.mark.thorough
@pytest.mark.req("S2-39", "S2-42", "S2-43", "X-19")
async def test_what_is_completed_or_not_there_has_no_button_and_a_label_is_shown_with_its_emoji(site: Site):
    yes = sayso.Client(lambda _: True)
    await site.home.run('TASK_ADD "Wine"\nTASK_COMPLETE "Wine"', approver=yes)
    gone = [{"type": "delete_task", "taskText": text, "label": f"Delete {text}"} for text in ("Wine", "zzz")]
    reply = "\n\n".join([*(f"```json-action\n{json.dumps(one)}\n```" for one in gone), block("Käse 🧀")])
    async with talk(site, reply) as chat:
        await chat.say("Tidy up")
        await expect(chat.offers).to_have_text([on_button("Add the task “Käse 🧀”", "Note Käse 🧀")])


@pytest.mark.req("S2-12", "S2-28", "S2-51")
async def test_each_button_stands_below_its_own_sentence_and_card_and_is_dead_until_these_were_in_view(site: Site):
    ideas = [f"{name} {'word ' * 80}" for name in "abc"]
    labels = ["Note it", "Add the task", "Keep"]
    async with talk(site, "\n\n".join(map(block, ideas, labels))) as chat:
        await chat.page.set_viewport_size({"width": 900, "height": 500})
        await chat.say("What do I need?")
        await expect(chat.offers).to_have_count(len(ideas))
        await chat.ready(chat.offers.first)
        rows = chat.page.locator("sayso-offers ol > li")
        named = await chat.offers.all_text_contents()
        texts = await rows.evaluate_all(
            "all => all.map(one => [...one.querySelectorAll('p.text, button')].map(it => it.textContent.slice(14, 16)))"
        )
        seen = "all => all.map(one => one.closest('sayso-offers').deliberateOf(one.dataset.id)).map(one => one.seenEnd)"
        first = await chat.offers.evaluate_all(seen)
        all_of_them = chat.page.locator("sayso-offers .all")
        of = "document.querySelector('sayso-offers:not([hidden])').deliberateOf('all')"
        await all_of_them.evaluate("one => one.scrollIntoView({block: 'center'})")
        await chat.window.see(f"performance.now() - {of}.since > 450")
        await all_of_them.click()
        told = await chat.page.locator("sayso-offers article > .note").inner_text()

    assert [text.split(" The model")[1:] for text in named] == [[" calls it “Note it”"], [], [" calls it “Keep”"]]
    assert texts == [[f"{name} "] * 2 for name in "abc"]
    assert (first[0], first[-1]) == (True, False)
    assert re.fullmatch(r"Number \d was never in view\. Look at all of them first\.", told)
