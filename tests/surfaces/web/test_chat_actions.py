"""What a conversation on the page offers: a click does exactly what was shown, once, and every window sees it."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from sayso.core.errors import ProposalError, Stale
from sayso.testing.model_server import Play
from tests.web_env.chatting import Chatting, Told, chatting

ACTION = """
config = {
    "id": "note_down", "name": "Note down", "description": "Adds a reminder.",
    "parameterSchema": {
        "type": "object",
        "properties": {"what": {"type": "string", "description": "What to note."}},
        "required": ["what"],
    },
}

async def handler(params, context):
    await context.create_reminder(params["what"], due="2031-01-01 10:00")
    more = {"templateId": "note_down", "label": "One more", "params": {"what": "More"}, "style": "secondary"}
    return {"success": True, "message": "Noted " + params["what"], "suggestedActions": [more]}
"""


@pytest.fixture
async def page(tmp_path: Path) -> AsyncGenerator[Chatting]:
    """Return the page of a home of its own: conversations that are decided go on by themselves, with any model."""
    actions = tmp_path / "own" / "actions"
    actions.mkdir(parents=True, mode=0o700)
    (actions / "note_down.py").write_text(ACTION)
    async with chatting(tmp_path) as made:
        yield made


async def offered(page: Chatting, *replies: Play) -> Any:
    """Return a conversation in which a model replied this."""
    session = await page.begin()
    with page.model(*replies, "Fine.\n"):
        await page.say(session, "What could be done?")
        return await page.ended(session)


def tasks(*names: str) -> str:
    """Return a reply that proposes to add these tasks."""
    blocks = [f'```json-action\n{{"type": "add_task", "text": "{name}", "label": "Add {name}"}}\n```' for name in names]
    return "\n\n".join(["Some ideas.", *blocks])


def take(*buttons: Mapping[str, Any], answer: str = "yes", **more: object) -> dict[str, object]:
    return {
        "take": [{name: one[name] for name in ("id", "digest", "nonce")} for one in buttons],
        "answer": answer,
        **more,
    }


async def states(page: Chatting, ids: Sequence[str]) -> list[str]:
    return [(await page.get(f"/api/rows/{id_}"))["row"]["state"] for id_ in ids]


@pytest.mark.req("S2-29", "S2-30", "S2-31")
async def test_buttons_are_pressed_in_any_order_and_only_the_pressed_one_goes(page: Chatting):
    found = await offered(page, tasks("one", "two", "three"))
    session, buttons = found["id"], found["buttons"]
    left: list[list[str]] = []

    for at in (1, 0, 2):
        now = {one["id"]: one for one in (await page.session(session))["buttons"]}
        done = await page.post(f"/api/sessions/{session}/offers", take(now[buttons[at]["id"]]))
        assert [one["state"] for one in done.json()["results"]] == ["done"]
        left.append([one["label"] for one in (await page.session(session))["buttons"]])

    assert left == [["Add one", "Add three"], ["Add three"], []]
    assert [one["row"]["approved_by"] for one in (await page.session(session))["messages"][1]["outcomes"]] == [
        "click"
    ] * 3


@pytest.mark.req("S2-51")
async def test_apply_all_does_all_in_the_order_shown_and_tells_of_each(page: Chatting):
    found = await offered(page, tasks("red", "green", "blue"))

    done = await page.post(f"/api/sessions/{found['id']}/offers", take(*found["buttons"]))

    results = done.json()["results"]
    assert [one["id"] for one in results] == [one["id"] for one in found["buttons"]]
    assert [one["state"] for one in results] == ["done"] * 3
    assert [one["arguments"]["text"] for one in results] == ["red", "green", "blue"]


async def test_a_no_by_a_button_has_its_reason_and_the_model_is_told_of_both(page: Chatting):
    session = await page.begin()
    with page.model(tasks("milk", "tea"), "Only tea then.\n") as model:
        await page.say(session, "What could be done?")
        milk, tea = (await page.ended(session))["buttons"]
        no = await page.post(f"/api/sessions/{session}/offers", take(milk, answer="no", reason="there is milk"))
        asked_meanwhile = len(model.heard)
        yes = await page.post(f"/api/sessions/{session}/offers", take(tea))
        found = await page.ended(session, 2)

    assert [one.json()["results"][0]["state"] for one in (no, yes)] == ["declined", "done"]
    assert asked_meanwhile == 1
    assert found["messages"][-1]["text"] == "Only tea then."
    assert "there is milk" in json.dumps(model.heard[1].body), model.heard[1].body["messages"][-1]
    assert "is done now: Add the task" in json.dumps(model.heard[1].body)


@pytest.mark.req("TO-03")
async def test_an_answer_counts_once_for_what_its_button_showed_in_its_conversation(page: Chatting):
    found, other = await offered(page, tasks("left", "right")), await page.begin()
    left, right = found["buttons"]
    path = f"/api/sessions/{found['id']}/offers"

    wrong = [
        await page.post(path, take({**left, "digest": right["digest"]})),
        await page.post(path, take({**left, "nonce": right["nonce"]})),
        await page.post(f"/api/sessions/{other}/offers", take(left)),
        await page.post(path, take({**left, "id": "do_0000000000000"})),
    ]
    unfit = [await page.post(path, body) for body in (take(), take(left, answer="maybe"), take(left, role="admin"))]
    before = await states(page, [left["id"], right["id"]])
    fresh = (await page.session(found["id"]))["buttons"][0]
    once = await page.post(path, take(fresh))
    again = await page.post(path, take(fresh))

    codes = ["page.changed", "page.nonce", "page.answered", "page.answered"]
    assert [one.json()["code"] for one in wrong] == codes
    assert [one.status_code for one in unfit] == [400] * 3
    assert before == ["waiting", "waiting"]
    assert (once.status_code, again.json()["code"]) == (200, "page.answered")


@pytest.mark.req("S2-49")
async def test_where_the_settings_want_it_what_takes_something_away_is_asked_twice(page: Chatting):
    file = page.file("twice.txt")
    (page.folder / "own" / "config.toml").write_text("[policy]\nconfirm_destructive_clicks = true\n")
    session = await page.begin()
    report = await page.home.run(f"DELETE_FILE {file}", session=session)
    (button,) = (await page.session(session))["buttons"]

    first = await page.post(f"/api/sessions/{session}/offers", take(button))
    (fresh,) = (await page.session(session))["buttons"]
    there = file.exists()
    second = await page.post(f"/api/sessions/{session}/offers", take(fresh, sure=True))
    page.settings("")

    assert (first.json()["code"], there) == ("page.twice", True)
    assert [one["state"] for one in second.json()["results"]] == ["done"]
    assert [one.id for one in await page.home.log_of(report.run)] == [button["id"]]


ENVELOPE = json.dumps(
    {"actions": [{"templateId": "note_down", "label": "Note it", "description": "Now", "params": {"what": "Milk"}}]}
)
OFFER = f"I can note that.\n\n```json\n{ENVELOPE}\n```\n"


async def clicked(told: Told, instance: Mapping[str, Any]) -> None:
    await told.send(
        {"type": "execute_action", "instanceId": instance["instanceId"], "sessionId": instance["sessionId"]}
    )


@pytest.mark.req("S3-51", "S3-73", "S3-74", "S3-75", "C-19")
async def test_an_offered_action_is_told_to_its_windows_and_its_one_result_comes_once_its_card_was_answered(
    page: Chatting,
):
    session = await page.begin()

    with page.model(OFFER, "Done.\n"):
        async with page.socket(session) as one, page.socket(session) as two, page.socket() as third:
            await page.say(session, "Note milk")
            made = await one.until("action_instances")
            (instance,) = made["actions"]
            await clicked(one, instance)
            await page.ended(session)
            (action,) = (await page.session(session))["actions"]
            cards = (await page.get("/api/waiting"))["waiting"]
            card = next(card for card in cards if card["run"] == action["run"])
            answer = {**{name: card[name] for name in ("run", "digest", "nonce")}, "answer": "yes"}
            decided = await page.post("/api/decide", answer)
            results = [await told.until("action_result") for told in (one, two)]
            more = await one.until("action_instances")
            found = await page.ended(session, 2)
            await third.until("session", session=session, status="idle")

    assert one.messages[0]["type"] == third.messages[0]["type"] == "action_templates"
    assert [template["id"] for template in one.messages[0]["templates"]] == ["note_down"]
    assert list(instance) == [
        *("instanceId", "templateId", "label", "params", "style", "sessionId", "createdAt", "description")
    ]
    assert (made["sessionId"], instance["label"], instance["style"]) == (session, "Note it", "primary")
    assert (action["state"], action["name"]) == ("waiting", "Note down")
    assert "Milk" in action["text"]
    assert decided.status_code == 200
    assert results[0] == results[1]
    assert (results[0]["instanceId"], results[0]["sessionId"]) == (instance["instanceId"], session)
    assert (results[0]["result"]["success"], results[0]["result"]["message"]) == (True, "Noted Milk")
    assert [offer["label"] for offer in more["actions"]] == ["One more"]
    said = [one_ for one_ in found["messages"] if one_["role"] == "system"]
    assert [(one_["text"], one_["instance"]) for one_ in said] == [("Note down: Noted Milk", instance["instanceId"])]
    assert not {"action_result", "action_instances"} & {told["type"] for told in third.messages}
    assert [told["type"] for told in one.messages].count("action_result") == 1
    logged = (await page.get("/api/actions/note_down/log"))["rows"]
    assert [row["instanceId"] for row in logged] == [instance["instanceId"]]


@pytest.mark.req("S3-76")
async def test_a_click_without_its_members_or_on_an_offer_of_another_conversation_runs_nothing(page: Chatting):
    found, other = await offered(page, OFFER), await page.begin()
    (action,) = found["actions"]
    before = len((await page.get("/api/rows"))["rows"])

    async with page.socket(other) as told:
        await told.send({"type": "execute_action", "sessionId": other})
        missing = await told.until("error")
        await clicked(told, action["instance"])
        foreign = await told.until("action_result")
        await clicked(told, {"instanceId": "act_none", "sessionId": other})
        unknown = await told.until("action_result", instanceId="act_none")

    assert "instanceId" in missing["message"]
    assert missing["sessionId"] == other
    assert [one["result"]["message"] for one in (foreign, unknown)] == ["Action instance not found"] * 2
    assert (await page.session(found["id"]))["actions"][0]["state"] == "waiting"
    rows = (await page.get("/api/rows"))["rows"]
    assert {one["state"] for one in rows[: len(rows) - before]} <= {"invalid", "refused", "failed"}


async def test_a_no_to_the_card_of_an_offer_is_its_result(page: Chatting):
    found = await offered(page, OFFER)
    (action,) = found["actions"]

    async with page.socket(found["id"]) as told:
        for instance in (action["instance"], action["instance"], {"instanceId": "act_none", "sessionId": found["id"]}):
            await clicked(told, instance)
        await told.until("action_result", instanceId="act_none")  # by then, the two before it wait
        await page.home.decline(action["run"], "terminal", "not now")
        results = [await told.until("action_result") for _ in range(2)]

    assert [one["result"]["success"] for one in results] == [False, False]
    assert "not now" in results[0]["result"]["message"]
    assert (await page.session(found["id"]))["actions"][0]["state"] == "failed"


@pytest.mark.req("S3-70")
async def test_when_a_file_of_an_action_changes_every_page_is_told(page: Chatting):
    async with page.socket() as told:
        page.action(ACTION.replace("note_down", "other").replace("Note down", "Other"), "other")
        changed = await told.until("action_templates")
    async with page.socket() as later:
        pass
    (page.folder / "own" / "actions" / "other.py").unlink()

    assert [one["id"] for one in changed["templates"]] == ["note_down", "other"]
    assert later.messages[0] == changed


async def test_of_answers_by_a_button_a_card_and_a_command_one_counts(page: Chatting):
    found = await offered(page, tasks("race"))
    (button,) = found["buttons"]
    waiting = (await page.get("/api/waiting"))["waiting"]
    card = next(one for one in waiting if one["run"] == button["run"])
    counted: list[str] = []

    async def by_button() -> None:
        answer = await page.post(f"/api/sessions/{found['id']}/offers", take(button))
        counted.extend(["button"] * (answer.status_code == 200))

    async def by_card() -> None:
        body = {**{name: card[name] for name in ("run", "digest", "nonce")}, "answer": "yes"}
        counted.extend(["card"] * ((await page.post("/api/decide", body)).status_code == 200))

    async def by_command() -> None:
        with suppress(ProposalError, Stale):
            await page.home.decline(button["run"], "command")
            counted.append("command")

    async with anyio.create_task_group() as together:
        for one in (by_button, by_card, by_command) * 5:
            together.start_soon(one)

    assert len(counted) == 1
    assert len(await states(page, [button["id"]])) == 1


SUM_UP = """
config = {
    "id": "sum_up", "name": "Sum up", "description": "Has a model sum it up.", "repeatable": True,
    "parameterSchema": {"type": "object", "properties": {"what": {"type": "string", "description": "What."}}},
}
async def handler(params, context):
    return {"success": True, "message": await context.call_agent(prompt=params["what"])}
"""


@pytest.mark.parametrize(("said", "message"), [("yes", "All is well"), ("no", "not now")])
async def test_what_a_handler_asks_while_it_runs_is_a_card_on_the_page_and_the_answer_lets_it_go_on(
    page: Chatting, said: str, message: str
):
    page.action(SUM_UP, "sum_up")
    done: list[httpx2.Response] = []
    decided, told_of = httpx2.Response(500), ""

    async def run() -> None:
        done.append(await page.post("/api/actions/sum_up/run", {"params": {"what": f"Ana {said}"}}))

    async def card(told: Told) -> dict[str, Any]:
        while True:
            for one in (await page.get("/api/waiting"))["waiting"]:
                if f"Ana {said}" in json.dumps(one):
                    return one
            await told.until("changed")

    with page.model("All is well"):
        async with page.socket() as told, anyio.create_task_group() as together:
            together.start_soon(run)
            asked = await card(told)
            answer = {**{name: asked[name] for name in ("run", "digest", "nonce")}, "answer": said}
            decided = await page.post("/api/decide", {**answer, "reason": "not now" if said == "no" else ""})
            told_of = asked["steps"][0]["operation"]

    (page.folder / "own" / "actions" / "sum_up.py").unlink()
    result = done[0].json()["result"]
    assert (decided.status_code, told_of) == (200, "agent.call")
    assert (result["success"], message in result["message"]) == (said == "yes", True)
    assert not any(f"Ana {said}" in json.dumps(one) for one in (await page.get("/api/waiting"))["waiting"])
