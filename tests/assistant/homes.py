"""A home with pretended stores, and a model that says what a test wrote, for asking at the entry points."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import sayso
from sayso.assembly import Home
from sayso.core.conversation import Exchange
from sayso.core.encoding import Json
from sayso.core.ports import Clock

WORLD = """
[apps]
kind = "memory"
[browser]
kind = "memory"
[desktop]
kind = "memory"
[mail]
kind = "memory"
"""
"""Applications, the five usual tabs (the third is on reddit.com), a desktop and mail, all in memory."""


@asynccontextmanager
async def a_home(place: Path, settings: str = WORLD, clock: Clock | None = None) -> AsyncGenerator[Home]:
    """Open a home whose person lives at `place`, with an empty folder of documents."""
    own = place / "own"
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "config.toml").write_text(settings)
    (place / "Documents").mkdir(exist_ok=True)
    async with sayso.open_home(str(own), environ={"HOME": str(place)}, clock=clock) as home:
        yield home


def request(*commands: Json, asks: str | None = None) -> str:
    """Return a reply of the commands contract."""
    return json.dumps(
        {"commands": list(commands), "needs_clarification": asks is not None, "clarification_reason": asks}
    )


async def last(home: Home, session: str) -> Exchange:
    """Return what was kept of the last ask of a session."""
    return (await home.sessions.exchanges(session))[-1]
