"""The page's server, as tests run it."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import msgspec
import pytest
from anyio.abc import TaskStatus
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sayso.assembly import Home
from sayso.surfaces.web import application
from sayso.surfaces.web.application import application as made
from sayso.surfaces.web.application import serve
from sayso.surfaces.web.requests import Page
from tools.pages.openapi import all_routes, answers, described

FINE = 300
SHAPES = answers(described(all_routes()))
"""The struct that each request is answered with."""


@asynccontextmanager
async def serving(home: Home) -> AsyncGenerator[tuple[str, str]]:
    """Serve the page of a home while the block runs, and give its address and its token."""
    wrong: list[str] = []

    def compared(page: Page) -> ASGIApp:
        return Compared(made(page), wrong)

    async def run(*, task_status: TaskStatus[tuple[str, str]]) -> None:
        await serve(home, 0, lambda url, token: task_status.started((url, token)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "application", compared)
        async with anyio.create_task_group() as together:
            yield await together.start(run)
            together.cancel_scope.cancel()
    assert not wrong, wrong


class Compared:
    """Compares all that is answered with the shape that the OpenAPI document tells of."""

    def __init__(self, inside: ASGIApp, wrong: list[str]) -> None:
        self._inside = inside
        self._wrong = wrong
        self._shapes = [
            (re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(name))), shape) for name, shape in SHAPES.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as what is inside does."""
        name = f"{scope.get('method')} {scope.get('path')}"
        shape = next((shape for path, shape in self._shapes if path.fullmatch(name)), None)
        if scope["type"] != "http" or shape is None:
            await self._inside(scope, receive, send)
            return
        body, status = bytearray(), [0]

        async def sent(message: Message) -> None:
            status[0] = message.get("status", status[0])
            body.extend(message.get("body", b""))
            await send(message)

        await self._inside(scope, receive, sent)
        if status[0] < FINE:
            try:
                msgspec.json.decode(bytes(body), type=shape)
            except msgspec.MsgspecError as odd:
                self._wrong.append(f"{name}: {odd}")
