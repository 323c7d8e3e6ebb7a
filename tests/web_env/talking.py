"""A person who talks on the page, in a real browser, with a language model that a test writes."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playwright.async_api import Locator, expect

from sayso.assistant.prompts import DECIDED
from sayso.testing.model_server import Heard, ModelServer, Play, Status, served
from tests.web_env.windows import Site, Window


def block(task: str, label: str = "") -> str:
    """Return what a model writes to propose a new task."""
    return f"```json-action\n{json.dumps({'type': 'add_task', 'text': task, 'label': label or f'Note {task}'})}\n```"


def on_button(deed: str, label: str) -> str:
    """Return what stands on a button that does something under a label that a model wrote."""
    return f"{deed} The model calls it “{label}”"


class Talk:
    """The chat in one window."""

    def __init__(self, site: Site, window: Window) -> None:
        self.site = site
        self.window = window
        self.page = window.page
        self.field = window.page.get_by_label("Message", exact=True)
        self.replies = window.page.locator("sayso-message.assistant .bubble")
        self.streaming = window.page.locator(".reply .bubble")
        self.offers = window.page.locator("sayso-offers button:not(.all):not(.no)")

    async def say(self, text: str) -> None:
        """Type a message, and send it with Enter."""
        await self.field.fill(text)
        await self.field.press("Enter")

    async def over(self) -> None:
        """Wait until no reply goes on."""
        await expect(self.page.get_by_role("button", name="Send", exact=True)).to_be_visible()

    async def ready(self, button: Locator) -> None:
        """Wait until a click on a button of an offer counts: all that it is about was in view for a moment."""
        await expect(button).to_be_visible()
        await self.over()
        told = await button.locator("xpath=ancestor::sayso-offers").element_handle()
        await self.page.wait_for_function(
            "([offers, at]) => { const of = offers.deliberateOf(at); if (!of) return false;"
            " const rows = at === 'all' ? [...offers.rows.values()].map(({deliberate: row}) => row) : [];"
            " const next = rows.find((row) => !(row.seenStart && row.seenEnd)) ?? of;"
            " (next.seenStart ? next.end : next.start).scrollIntoView({block: 'center'});"
            " return next === of && of.seenStart && performance.now() - of.since > 450 }",
            arg=[told, await button.get_attribute("data-id")],
        )

    async def press(self, name: str) -> None:
        """Click on a button of an offer as somebody does who means it."""
        button = self.page.locator("sayso-offers").get_by_role("button", name=name)
        await self.ready(button)
        await button.click()

    async def tasks(self) -> list[str]:
        """Return the texts of all tasks that there are."""
        lists = await self.window.run("fetch('/api/lists').then(answer => answer.json())")
        return [task["text"] for task in lists["tasks"]]


class OwnModel(ModelServer):
    """A model that has no reply for a conversation of an earlier test, which may go on a moment after that test."""

    def next_play(self, heard: Heard) -> Play:
        """Return the response to a request; to one of an earlier conversation, which is not recorded, an error."""
        if not self.heard and DECIDED in json.dumps(heard.body["messages"][-1], ensure_ascii=False):
            return Status(400)
        return super().next_play(heard)


@asynccontextmanager
async def talk_with(site: Site, model: ModelServer, settings: str = "") -> AsyncGenerator[Talk]:
    """Have a window with a new conversation with a model, beside other settings."""
    named = f'[model]\nname = "openai-compatible:tiny"\nurl = "{model.url}"\n'
    (site.folder / "own" / "config.toml").write_text(site.settings + named + settings)
    async with site.window(f"{site.url}#chat/new") as window:
        yield Talk(site, window)


@asynccontextmanager
async def talk(site: Site, *replies: Play, settings: str = "") -> AsyncGenerator[Talk]:
    """Have a window with a new conversation, in which a model gives these replies, one after the other."""
    with served(OwnModel(*replies)) as server:
        async with talk_with(site, server, settings) as chat:
            yield chat
