"""What the page tells, in a real browser: that something goes on, waits, has expired or was answered elsewhere."""

import json
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from anyio import Event as Gate
from anyio import to_thread
from playwright.async_api import Browser, Route, expect

from sayso.core.conversation import ReplyText
from sayso.testing.fakes import make_call
from tests.journal.exported import check_lines
from tests.web_env.talking import talk
from tests.web_env.windows import Site, Window, site_of
from tests.web_env.world import WORLD

pytestmark = pytest.mark.needs("chromium")


async def announced(window: Window, text: str) -> None:
    """Wait until a screen reader is told this."""
    await expect(window.page.locator("#said")).to_contain_text(text)


async def test_what_lasts_longer_than_half_a_second_is_said_to_go_on_until_it_has_ended(site: Site):
    held = Event()

    async def hold(route: Route) -> None:
        await to_thread.run_sync(held.wait)
        await route.continue_()

    async with site.window(f"{site.url}#history") as window:
        bar = window.page.get_by_role("progressbar", name="Working")
        await window.page.route("**/api/verify", hold)
        await window.page.get_by_role("button", name="Verify").click()
        await expect(bar).to_be_visible()
        told = await window.text()
        held.set()
        await window.has("The journal is intact")
        await expect(bar).to_be_hidden()

    assert "Reading all of the journal…" in told


@pytest.mark.req("X-18")
async def test_one_key_goes_to_the_newest_another_says_no_and_a_screen_reader_is_told_of_both(site: Site):
    old = await site.waits("older.txt")
    async with site.window(f"{site.url}#history") as window:
        await announced(window, "One request waits for you.")
        new = await site.waits("newer.txt")
        await announced(window, "2 requests wait for you.")
        await window.page.keyboard.press("n")
        await expect(window.card("newer.txt").locator(".no")).to_be_focused()
        told = await window.card("newer.txt").inner_text()
        await window.read("newer.txt")
        await window.page.keyboard.press("r")
        await announced(window, "You said no")
        states = [[one.state.value for one in await site.home.log_of(run)] for run in (old, new)]
        await site.home.decline(old, "notification")
        await announced(window, "was answered with no in a notification.")

    assert "expires in 24 hours" in told
    assert states == [["waiting"], ["declined"]]


@pytest.mark.thorough
async def test_what_nobody_answers_expires_before_the_eyes_and_nothing_is_done(tmp_path: Path, page_browser: Browser):
    async with (
        site_of(tmp_path, page_browser, '[policy]\nwaiting_expires = "4s"\n') as site,
        site.window() as window,
    ):
        await site.waits("late.txt")
        await expect(window.card("late.txt").locator(".expiry.soon")).to_contain_text("expires in")
        await announced(window, "has expired: nobody answered in time, and nothing of it was done.")
        await expect(window.page.locator("sayso-card")).to_have_count(0)

        assert site.exists("late.txt")


@pytest.mark.thorough
@pytest.mark.req("S0-84")
async def test_what_a_trigger_wants_is_a_card_and_each_trigger_has_its_wand(site: Site):
    (site.folder / "Documents" / "scan.txt").write_text("kept")
    triggers = [
        f'[[trigger]]\nname = "{name}"\nsays = "tidy"\nlines = "DELETE_FILE ~/Documents/scan.txt"\n' for name in "ab"
    ]
    (site.folder / "own" / "config.toml").write_text("\n".join(triggers))
    async with site.window(f"{site.url}#automation") as window:
        wands = window.page.locator("sayso-trigger").get_by_role("button", name="Automate")
        await expect(wands).to_have_count(2)
        drawn = [await wands.nth(place).locator("svg").count() for place in range(2)]
        await wands.first.click()
        await window.has("One action waits for your yes.")
        await window.page.get_by_role("link", name="Look at what waits").click()
        await window.answer("scan.txt", "yes")
        await window.has("You said yes.")
    (site.folder / "own" / "config.toml").write_text("")

    assert drawn == [1, 1]
    assert not site.exists("scan.txt")


@pytest.mark.thorough
async def test_the_history_is_saved_by_a_click_and_settings_show_model_folders_servers_and_checks(site: Site):
    await site.home.run("CREATE_FOLDER ~/Documents/proof")
    (site.folder / "own" / "config.toml").write_text('[model]\nname = "ollama:tiny"\n')
    async with site.window(f"{site.url}#history") as window:
        async with window.page.expect_download() as saved:
            await window.page.get_by_role("link", name="Export").click()
        lines = Path(await (await saved.value).path()).read_text("utf-8").splitlines()
        await window.show("settings")
        settings = window.page.locator("sayso-settings")
        await expect(settings.get_by_role("textbox", name="model.name")).to_have_value("ollama:tiny")
        await expect(settings.get_by_role("textbox", name="policy.roots")).to_have_value(f"{site.folder}/Documents")
        await expect(settings.get_by_role("heading", name="Wrapped MCP servers")).to_be_visible()
        await settings.get_by_role("button", name="Check now").click()
        await expect(settings.locator("details", has_text="works (")).to_be_visible()
    (site.folder / "own" / "config.toml").write_text("")

    assert check_lines(lines).ok


NOTIFIES = """
config = {
    "id": "note_down", "name": "Note down", "description": "Tells.",
    "parameterSchema": {"type": "object", "properties": {"how": {"type": "string"}}},
}

async def handler(params, context):
    context.notify("Milk is up", priority=params.get("how", "high"), type="success")
    await context.add_assistant_message("I told you.")
    return {"success": True, "message": "All told", "refreshInbox": True}
"""


@pytest.mark.thorough
@pytest.mark.req("S3-29", "S3-46", "S3-52")
async def test_an_own_action_notifies_is_logged_and_its_result_comes_last_and_is_read_anew(
    tmp_path: Path, page_browser: Browser
):
    offers = [{"templateId": "note_down", "label": "Tell me", "params": {"how": "high"}}]
    async with site_of(tmp_path, page_browser, WORLD) as site:
        actions = site.folder / "own" / "actions"
        actions.mkdir(mode=0o700)
        (actions / "note_down.py").write_text(NOTIFIES)
        async with talk(site, json.dumps({"actions": offers}), "Fine.", settings=WORLD) as chat:
            frames: list[str] = []
            chat.page.on(
                "websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame)))
            )
            await chat.page.reload()
            await chat.say("Tell me")
            await expect(chat.offers).to_have_count(1)
            asked: list[str] = []
            chat.page.on("request", lambda request: asked.append(request.url.rpartition("/api/")[2]))
            await chat.press("Tell me")
            await expect(chat.page.locator("sayso-message.system")).to_contain_text("All told")
            said = await chat.page.locator("sayso-message:is(.assistant, .system)").all_inner_texts()
            log = await chat.window.run("fetch('/api/actions/note_down/log').then((answer) => answer.json())")
            await chat.over()
            await chat.window.show("actions")
            action = chat.page.locator("sayso-action")
            await action.get_by_text("Preview or run it").click()
            await action.get_by_label("how").fill("loud")
            await action.get_by_role("button", name="Run…").click()
            await expect(action.locator(".note.bad")).to_contain_text("priority")
        shown = [row for row in await site.home.log() if row.operation == "notify.show"]

    results = [one for one in map(json.loads, frames) if one["type"] == "action_result"]
    assert [row.state.value for row in shown] == ["done"]
    assert "Milk is up" in str(shown[0].arguments)
    assert [one["result"].get("refreshInbox") for one in results] == [True]
    assert "state" in asked
    assert ["I told you." in said[-2], "All told" in said[-1]] == [True, True]
    assert "All told" in json.dumps(log)


@pytest.mark.thorough
@pytest.mark.req("S1-59", "S1-60")
async def test_what_a_model_is_doing_is_said_in_words_while_it_goes_on(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sayso.assistant.conversation.sys", SimpleNamespace(platform="darwin"))
    take, held = site.home.take, [Gate(), Gate()]
    gates = iter(held)

    async def slowly(*given: Any, **more: Any) -> Any:
        await next(gates).wait()
        return await take(*given, **more)

    monkeypatch.setattr(site.home, "take", slowly)
    first = [ReplyText("Let me look."), make_call("macos_auto", "call_1", action="calendar_today")]
    async with talk(site, first, [make_call("browser", "call_2", action="get_text")], "That is all.") as chat:
        await chat.say("What is on today?")
        for label, go_on in zip(("macOS: calendar today", "Safari: get text"), held, strict=True):
            await expect(chat.page.locator(".reply .working")).to_have_text(label)
            go_on.set()
        await expect(chat.replies).to_contain_text("That is all.")
