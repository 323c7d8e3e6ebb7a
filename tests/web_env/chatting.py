"""A person's home whose page is served, with a browser that was let in, and language models that a test writes."""

import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

import sayso
from sayso.assembly import Home
from sayso.runtime.services import is_stopping
from sayso.testing.model_server import ModelServer, Play, playing
from tests.patience import patience
from tests.web_env.page import serving

_NUMBERS = count(1)


class Chatting(NamedTuple):
    """A server, its home, and a browser that was let in."""

    url: str
    folder: Path
    web: httpx2.AsyncClient
    opened: Home | None = None
    """The home, if it is served in this process."""

    @property
    def home(self) -> Home:
        """Return the home that is served."""
        assert self.opened is not None
        return self.opened

    @contextmanager
    def model(self, *replies: Play) -> Generator[ModelServer]:
        """Let the settings name a model that gives these replies, one after the other."""
        with playing(*replies) as server:
            self.settings(f'[model]\nname = "openai-compatible:tiny"\nurl = "{server.url}"\n')
            yield server

    def settings(self, text: str) -> None:
        """Write the settings."""
        (self.folder / "own" / "config.toml").write_text(text)

    def file(self, name: str, text: str = "kept\n") -> Path:
        """Write a file into the person's documents."""
        file = self.folder / "Documents" / name
        file.write_text(text)
        return file

    def action(self, text: str, name: str = "note_down") -> None:
        """Write an action of the person's own."""
        actions = self.folder / "own" / "actions"
        actions.mkdir(mode=0o700, exist_ok=True)
        (actions / f"{name}.py").write_text(text)

    async def get(self, path: str) -> Any:
        """Return what a path answers."""
        answer = await self.web.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: object) -> httpx2.Response:
        """Send something."""
        return await self.web.post(path, json=body)

    async def begin(self, entry: str = "chat") -> str:
        """Begin a conversation, and return its id."""
        return (await self.post("/api/sessions", {"entry": entry})).json()["id"]

    async def say(self, session: str, text: str, id_: str = "", **more: object) -> httpx2.Response:
        """Say something in a conversation."""
        body = {"id": id_ or f"message-{next(_NUMBERS)}", "text": text, **more}
        return await self.post(f"/api/sessions/{session}/messages", body)

    async def session(self, session: str) -> Any:
        """Return a conversation as it is now."""
        return await self.get(f"/api/sessions/{session}")

    async def ended(self, session: str, replies: int = 1) -> Any:
        """Return a conversation once nothing is replied in it any more, and it has so many replies of models."""
        with anyio.fail_after(patience()):
            while True:
                found = await self.session(session)
                said = [one for one in found["messages"] if "model" in one]
                if found["status"] != "replying" and len(said) >= replies:
                    return found
                await anyio.sleep(0.02)

    @asynccontextmanager
    async def socket(self, session: str = "") -> AsyncGenerator["Told"]:
        """Open a socket, attached to a conversation."""
        host = self.url.removeprefix("http://").rstrip("/")
        cookie = "; ".join(f"{name}={value}" for name, value in self.web.cookies.items())
        origin, headers = Origin(f"http://{host}"), {"Cookie": cookie}
        async with connect(f"ws://{host}/ws", origin=origin, additional_headers=headers) as opened:
            told = Told(opened)
            hello = await told.until("hello")
            await told.send({"type": "attach", "since": hello["sequence"], "session": session})
            yield told


class Told:
    """What one socket was told."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.messages: list[Any] = []

    async def send(self, message: object) -> None:
        """Send a message."""
        await self._socket.send(message if isinstance(message, str) else json.dumps(message))

    async def until(self, kind: str, **members: object) -> Any:
        """Return the next message of this type with these members."""
        with anyio.fail_after(patience()):
            while True:
                self.messages.append(json.loads(await self._socket.recv()))
                told = self.messages[-1]
                if told["type"] == kind and all(told[name] == value for name, value in members.items()):
                    return told

    def text(self, message: str) -> str:
        """Return the text of a reply as the pieces tell it."""
        text = ""
        for one in self.messages:
            if one["type"] == "assistant_delta" and one["message"] == message:
                text = one["text"] if one["from"] == 0 else text + one["text"]
        return text

    def html(self, message: str) -> str:
        """Return the HTML of a reply as the pieces tell it."""
        blocks: list[str] = []
        for one in self.messages:
            if one["type"] == "assistant_delta" and one["message"] == message:
                blocks[one["block"] :] = one["blocks"]
        return "".join(blocks)


@asynccontextmanager
async def letting_in(home: Home, folder: Path) -> AsyncGenerator[Chatting]:
    """Serve the page of an open home, and let a browser in."""
    async with (
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        assert (await web.post("/api/session", json={"token": token})).status_code == 204
        yield Chatting(url, folder, web, home)


@asynccontextmanager
async def chatting(folder: Path) -> AsyncGenerator[Chatting]:
    """Serve the page of a new home in a folder."""
    for name in ("own", "Documents"):
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}, stopping=is_stopping) as home,
        letting_in(home, folder) as made,
    ):
        yield made
