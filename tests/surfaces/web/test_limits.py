"""Limits of the page's server: of requests, and of the time in which something can be answered."""

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.surfaces.web.cards import digest_of
from sayso.surfaces.web.decisions import Answer, Decider, NotDecided
from sayso.surfaces.web.guard import Guard
from sayso.surfaces.web.visitors import Visitors
from sayso.testing.fakes import FakeClock, NumberedIds


async def test_one_browser_that_sends_too_much_is_told_to_wait_and_others_are_answered():
    clock = FakeClock()
    visitors = Visitors(NumberedIds(), clock)
    first, second = (visitors.admit(visitors.invite()) for _ in range(2))

    async def fine(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def nothing() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    guard = Guard(fine, visitors, 80, clock)

    async def status(visitor: str | None) -> int:
        told: list[int] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            told.extend([message["status"]] if "status" in message else [])

        headers = [(b"host", b"127.0.0.1:80"), (b"cookie", f"sayso_80={visitor}".encode())]
        scope = {"type": "http", "method": "GET", "path": "/api/state", "headers": headers, "query_string": b""}
        await guard(scope, nothing, send)
        return told[0]

    flood = [await status(first) for _ in range(500)]
    other = await status(second)
    clock.advance(seconds=1)
    later = await status(first)

    assert flood == [200] * 400 + [429] * 100
    assert (other, later) == (200, 200)


async def test_an_answer_that_comes_too_late_is_told_that_it_expired_and_nothing_is_done(tmp_path: Path):
    clock = FakeClock()
    file = tmp_path / "Documents" / "a.txt"
    file.parent.mkdir()
    file.write_text("kept")

    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}, clock=clock) as home:
        decider = Decider(home)
        report = await home.run(f"DELETE_FILE {file}")
        waiting = await home.log_of(report.run)
        await decider.waiting("me")
        clock.advance(days=30)
        with pytest.raises(NotDecided) as late:
            await decider.decide("me", Answer(report.run, digest_of(waiting), "any", "yes"))

    assert late.value.code == "page.answered"
    assert "expired before it was answered" in str(late.value)
    assert file.exists()
