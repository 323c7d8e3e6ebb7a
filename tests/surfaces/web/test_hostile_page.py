"""What others wrote stays text on the page, in a real browser, and what is not let in gets nothing of it."""

import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from sayso.surfaces.mcp.calls import Calls
from tests.web_env.server import reply, web_server
from tests.web_env.states import show, views
from tests.web_env.talking import on_button, talk
from tests.web_env.windows import Site, site_of
from tests.web_env.world import WORLD

pytestmark = pytest.mark.needs("chromium")

HOSTILE = (
    '<img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">\\u003cb\\u003e'
    "[press](javascript:window.hacked=1) ![see](//evil.test/pixel.png) <script>window.hacked=1<-script>"
)
NAME = HOSTILE.replace("/", "|")[:120]
"""It has no slash, and is short enough for the name of a file."""
MADE = "main :is(img, script, iframe, b, a[href^='javascript:'], svg[onload], [onerror])"
"""The elements that are there if any of it was taken for markup."""


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory, page_browser: Browser) -> AsyncGenerator[Site]:
    world = WORLD.replace('title = "One"', f"title = '''{HOSTILE}'''").replace("Call Ann", "Call")
    async with site_of(tmp_path_factory.mktemp("hostile"), page_browser, world) as site:
        yield site


def action(site: Site, name: str, text: str) -> None:
    """Write an action of the person's own."""
    actions = site.folder / "own" / "actions"
    actions.mkdir(mode=0o700, exist_ok=True)
    (actions / f"{name}.py").write_text(text)


async def wishes(site: Site) -> None:
    """Let what is hostile be proposed, be done, fail, and be written in files of the person's own."""
    (site.folder / "Documents" / NAME).write_text(HOSTILE)
    quoted = json.dumps(HOSTILE)
    config = {"id": "note_down", "name": HOSTILE, "description": HOSTILE, "parameterSchema": {"type": "object"}}
    action(site, "note_down", f"config = {config!r}\ndef handler(params, context): pass\n")
    action(site, "broken", f"raise RuntimeError({HOSTILE!r})\n")
    path = json.dumps(f"~/Documents/{NAME}")
    for line in (f"DELETE_FILE {path}", f"TASK_ADD {quoted}", "TAB_CLOSE [1]"):
        await site.home.run(line)
    await site.home.run(f'WRITE_FILE "~/Documents/new.html" {quoted}\nMAIL_SEND "a@example.org" {quoted} {quoted}')
    await site.home.run(f"MOVE_FILE {json.dumps('~/Documents/none' + NAME)} ~/Documents/there.txt\nFLY_TO {quoted}")


async def test_markup_in_the_name_of_a_file_is_text_on_its_card_and_nothing_is_run_or_fetched(site: Site):
    asked: list[str] = []
    (site.folder / "Documents" / NAME).write_text(HOSTILE)
    async with site.window() as window:
        window.page.on("request", lambda request: asked.append(request.url))
        run = (await site.home.run(f"DELETE_FILE {json.dumps(f'~/Documents/{NAME}')}")).run
        await expect(window.card(NAME)).to_be_visible()
        made = await window.page.locator(MADE).count()
        hacked = await window.run("window.hacked ?? null")
    await site.home.decline(run, "command")

    assert (made, hacked) == (0, None)
    assert {url for url in asked if not url.startswith(site.url)} == set()


@pytest.mark.thorough
@pytest.mark.req("AV-04")
async def test_markup_in_what_others_wrote_is_text_in_every_view_and_nothing_is_run_or_fetched(site: Site):
    await wishes(site)
    block = json.dumps({"type": "add_task", "text": HOSTILE, "label": HOSTILE})
    asked: list[str] = []
    texts: dict[str, str] = {}
    async with talk(site, f"{HOSTILE}\n\n```json-action\n{block}\n```") as chat:
        chat.page.on("request", lambda request: asked.append(request.url))
        await chat.say(HOSTILE)
        await expect(chat.offers).to_have_count(1)
        label = await chat.offers.text_content()
        for view in await views(chat.window):
            await show(chat.window, view)
            await chat.window.run("document.querySelectorAll('main details').forEach(one => one.open = true)")
            texts[view] = await chat.page.locator("main").evaluate("it => it.textContent")
        made = await chat.page.locator(MADE).count()
        hacked = await chat.window.run("window.hacked ?? null")

    assert (made, hacked) == (0, None)
    assert {url for url in asked if not url.startswith(site.url)} == set()
    assert label == on_button(f"Add the task “{HOSTILE}”"[:79] + "…", HOSTILE)
    shown = [name for name in ("chat", "waiting", "history", "tasks", "actions") if HOSTILE in texts[name]]
    assert shown == ["chat", "waiting", "history", "tasks", "actions"]
    assert texts["waiting"].count(HOSTILE) >= len(("task", "tab", "file", "subject", "body"))
    assert NAME in texts["waiting"]
    assert f"none{NAME}" in texts["history"]


KNOCKS = """
async (url) => {
  const sent = (path, more) => fetch(url + path, { credentials: 'include', ...more }).then(
    answer => answer.status || answer.type, () => 'refused');
  const socket = new Promise(done => {
    const made = new WebSocket(url.replace('http', 'ws') + 'ws');
    made.onopen = () => done('open');
    made.onerror = () => done('refused');
  });
  const form = { method: 'POST', mode: 'no-cors', body: '{}' };
  const [read, blind] = [await sent('api/state'), await sent('api/state', { mode: 'no-cors' })];
  return [read, blind, await sent('api/pause', form), await socket];
}
"""

OPENS = """
import os, socket

config = {{"id": "opens", "name": "Opens", "description": "d", "parameterSchema": {{"type": "object"}}}}

def handler(params, context):
    {line}
"""

RUN = """
fetch('/api/actions/opens/run', {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"params": {}}'})
  .then(answer => answer.json()).then(({ result }) => result.message)
"""


async def knock(page: Page, address: str, url: str) -> list[str | int]:
    """Return what the page at an address gets from another address."""
    await page.goto(address)
    got = await page.evaluate(KNOCKS, url)
    await page.close()
    return got


@pytest.mark.req("SE-02")
async def test_another_page_an_own_action_and_a_program_reach_nothing_at_the_pages_port(
    site: Site, page_browser: Browser
):
    port = site.url.rstrip("/").rpartition(":")[2]
    empty = reply(b"<title>x</title>", kind="text/html")
    stranger = await page_browser.new_context()
    async with site.window() as window, web_server({"/": empty, "/favicon.ico": empty}) as other:
        # A port is no part of a site: for the browser, the other page is of the same one, and the cookie is sent.
        same_site = await knock(await window.page.context.new_page(), other.url(), site.url)
        not_let_in = await knock(await stranger.new_page(), site.url, site.url)
        action(site, "opens", OPENS.format(line=f"socket.create_connection(('127.0.0.1', {port}))"))
        opened = await window.run(RUN)
        action(site, "opens", OPENS.format(line="raise RuntimeError(sorted(os.environ.values()))"))
        told = await window.run(RUN)
        (cookie,) = await window.page.context.cookies()
    await stranger.close()
    program = await Calls(site.home, 0).call("net_fetch", {"url": f"{site.url}api/state"})

    assert same_site == ["refused"] * 4
    assert not_let_in == [401, 401, 401, "refused"]
    assert not site.home.settings.policy.paused
    assert "it tried to open a connection, which no action of your own can" in opened
    assert program is not None
    assert (program.told["state"], program.told["code"]) == ("refused", "web.private")
    secret = cookie.get("value", "nothing")
    kept = [one.read_bytes() for one in Path(site.folder).rglob("*") if one.is_file()]
    assert not [one for one in (*kept, told.encode(), str(dict(os.environ)).encode()) if secret.encode() in one]
