"""The states in which every view of the page is looked at: a home that is filled, and what can be wrong with it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Route, expect

import sayso
from sayso.core.conversation import UserNote
from tests.patience import patience
from tests.web_env.talking import block, talk
from tests.web_env.windows import Site, Window, site_of
from tests.web_env.world import WORLD

STATES = ("empty", "full", "waiting", "error", "offline")
_LONG = "a-name-that-is-so-long-that-no-window-of-a-phone-could-ever-show-it-in-one-line-" * 2
DONE = (
    'CREATE_FOLDER "~/Documents/Trip"',
    'WRITE_FILE "~/Documents/Trip/list.md" "tent\\nstove\\nmap"',
    f'WRITE_FILE "~/Documents/{_LONG}.txt" "long"',
    'WRITE_FILE "~/Documents/report.txt" "first\\nsecond\\n"',
    'MOVE_FILE "~/Documents/report.txt" "~/Documents/Trip/report.txt"',
    'MOVE_FILE "~/Documents/nowhere.txt" "~/Documents/Trip/nowhere.txt"',
    'FLY_TO "the moon"',
    'APPEND_FILE "~/Documents/Trip/list.md" "\\nboots"',
)
_CLICKED = (
    'TASK_ADD "Buy oats"',
    'TASK_ADD "Plan the trip"',
    'TASK_ADD_SUBTASK "Plan the trip" "Ask Ada for the keys of the hut, and whether the stove works in the cold"',
    'TASK_ADD "Call the dentist"',
    'TASK_COMPLETE "Buy oats"',
    'HABIT_ADD "Stretch" 24',
    'HABIT_LOG "Stretch"',
)


_ACTION = """
config = {
    "id": "put_away", "name": "Put away", "description": "Moves a file out of the way.",
    "parameterSchema": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "description": "Which file."},
        "how": {"type": "string", "enum": ["quickly", "slowly"]},
    }},
}

async def handler(params, context):
    await context.create_reminder("look for " + params["name"], due="2031-01-01 10:00")
    return {"success": True, "message": "Put away"}
"""
_TRIGGERS = """
[[trigger]]
name = "wrap-up"
says = "wrap up the day"
schedule = "daily 18:00"
words = "make a folder called Today in my documents"

[[trigger]]
name = "tidy"
says = "put everything in order"
lines = "CREATE_FOLDER \\"~/Documents/Order\\""
"""


_PLAN = f"""## Before you go

The hut is **not booked** yet, and `list.md` has three things on it:

1. tent, 2.1 kg
2. stove – *the old one leaks*
3. map

| day | way | hours |
| --- | --- | --- |
| Friday | Bahnhof – hut | 3 |
| Saturday | hut – pass – hut | 6 |

I would note two things for you.

{block("Book the hut for two nights", "Note the hut")}

{block("Buy a new stove", "Note the stove")}
"""


async def talk_about_it(site: Site) -> str:
    """Talk with a model: a long reply, an action that was clicked on, what came of it; return where the chat is."""
    async with talk(site, _PLAN, "The shop at the station has some. Shall I put it on your list?") as chat:
        await chat.say("What is left to do for the trip?")
        await chat.press("Buy a new stove")
        await expect(chat.page.locator(".outcomes")).to_contain_text("Buy a new stove")
        await chat.say("And the gas?")
        await expect(chat.replies).to_have_count(2)
        return await chat.window.run("location.hash")


async def let_it_offer(site: Site) -> str:
    """Have a conversation in which actions of several kinds are offered, and return where it is."""
    offers = [
        {"type": "add_task", "text": "Call the hut about the key", "label": "Note it"},
        {"type": "delete_task", "taskText": "Plan the trip", "label": "Tidy up"},
        {"type": "add_task", "text": f"Read {_LONG} to its end", "label": "Long"},
    ]
    own = {"templateId": "put_away", "label": "Out of the way", "params": {"name": "old invoice.txt", "how": "slowly"}}
    reply = "This is what I would do.\n\n" + "\n\n".join(f"```json-action\n{json.dumps(one)}\n```" for one in offers)
    async with talk(site, reply, json.dumps({"content": "I can put it away.", "actions": [own]})) as chat:
        await chat.say("Put everything in order")
        await expect(chat.offers).to_have_count(len(offers))
        await chat.say("And the old invoice?")
        await expect(chat.offers).to_have_count(len(offers) + 1)
        return await chat.window.run("location.hash")


_USUAL = WORLD.replace('"always"', '"destructive"')


async def fill(site: Site) -> str:
    """Do, fail, take back and decline things in a home, as its person would in some days; return where the chat is."""
    own = site.folder / "own"
    (own / "actions").mkdir()
    (own / "actions" / "put_away.py").write_text(_ACTION)
    (own / "actions" / "broken.py").write_text("config = {}")
    await site.home.ask("make a folder called Bills in my documents", "automation")
    await site.home.sessions.tell(UserNote("mood", "tired", "2026-03-14T12:00:00.000Z"))
    for line in DONE:
        await site.home.run(line)
    for line in _CLICKED:
        run = (await site.home.run(line)).run
        await site.home.approve(run, sayso.Client(lambda _: True))
    undone = await site.home.run('WRITE_FILE "~/Documents/mistake.txt" "no"')
    await site.home.undo(undone.run)
    await site.home.decline(await site.waits("kept.txt"), "command", because="I still need it")
    chat = await talk_about_it(site)
    (own / "config.toml").write_text(site.settings + _TRIGGERS)
    return chat


async def ask(site: Site) -> str:
    """Let questions of several kinds wait, and return where the chat is that asks some."""
    chat = await let_it_offer(site)
    settings = site.folder / "own" / "config.toml"
    settings.write_text(WORLD)  # in mode “always”
    await site.home.run('APP_PLACE "Clock" left\nTAB_CLOSE [1,2]\nCALENDAR_UPDATE_EVENT "e1" "Retro"')
    settings.write_text(site.settings + _TRIGGERS)
    body = "Dear Ann,\\n\\nwe come on Friday. " + "Is there wood for the stove? " * 12 + "\\n\\nYours, Kim"
    await site.home.run(f'MAIL_SEND "ann@hut.example, bo@hut.example" "The hut on Friday" "{body}" "kim@example.org"')
    await site.waits("old invoice.txt")
    await site.waits(*(f"picture-{number}.jpg" for number in range(4)), f"{_LONG}.jpg")
    await site.home.run('TASK_ADD "Water the plants"')
    (site.folder / "Documents" / "notes.md").write_text("\n".join(f"line {number}" for number in range(60)))
    changed = "\\n".join(f"line {number}" for number in range(5, 70))
    await site.home.run(f'WRITE_FILE "~/Documents/notes.md" "{changed}"\nDELETE_FILE "~/Documents/notes.md"')
    return chat


class Sites:
    """A home in which nothing was ever done, and one that is filled."""

    def __init__(self, empty: Site, full: Site, chat: str) -> None:
        self.empty = empty
        self.full = full
        self._chat = chat

    @asynccontextmanager
    async def window(self, state: str, **options: Any) -> AsyncGenerator[Window]:
        """Have a window in a state; “full” has to come before what follows it in `STATES`."""
        if state == "waiting":
            self._chat = await ask(self.full)
        async with (self.empty if state == "empty" else self.full).far_window(**options) as window:
            window.chat = "chat" if state == "empty" else self._chat
            if state == "error":
                await window.page.route("**/api/**", failing)
                await window.page.reload()
                await window.page.locator("#wrong").wait_for()
            if state == "offline":
                assert window.line is not None
                window.line.cut()
                await window.page.locator("#away").wait_for()
            yield window


async def failing(route: Route) -> None:
    """Answer as a server does that cannot read its journal, except about its state."""
    if route.request.url.endswith("/api/state"):
        await route.fallback()
    else:
        await route.fulfill(status=500, json={"error": "the journal cannot be read", "code": "page.failed"})


async def views(window: Window) -> list[str]:
    """Return the names of all views."""
    return await window.run("[...document.querySelectorAll('nav a[data-view]')].map(one => one.dataset.view)")


async def show(window: Window, view: str) -> None:
    """Show a view, and return when it was drawn with what there is."""
    await window.run(f"location.hash = {window.chat if view == 'chat' else view!r}")
    await window.see(f"document.querySelector('nav a[aria-current]')?.dataset.view === {view!r}")
    await window.run("document.querySelector('main > .view:not([hidden])').refresh().catch(() => null)")


_OPEN = """
async () => {
  const view = document.querySelector("main > .view:not([hidden])");
  for (const one of view.querySelectorAll("details")) one.open = true;
  await Promise.all([...view.querySelectorAll("sayso-row")].map((one) => one.open()));
  await Promise.all([...view.querySelectorAll("sayso-card")].map((one) => one.forms ?? one.edit()));
}
"""


async def open_all(window: Window) -> None:
    """Open all that can be opened in the view that is shown: details, and the form of each card."""
    await window.page.evaluate(_OPEN)


@asynccontextmanager
async def sites_of(folder: Path, browser: Browser) -> AsyncGenerator[Sites]:
    """Serve both homes while the block runs."""
    expect.set_options(timeout=patience(20) * 1000)
    for name in ("empty", "full"):
        (folder / name).mkdir()
    async with site_of(folder / "empty", browser) as empty, site_of(folder / "full", browser, _USUAL) as full:
        yield Sites(empty, full, await fill(full))
