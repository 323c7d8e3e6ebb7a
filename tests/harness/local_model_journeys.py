"""A real model on this computer answers through the whole path: what it says is left open, what sayso does is not."""

import os
import subprocess
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from anyio import Event

import sayso
from sayso.assembly import Home
from sayso.assistant.asker import Asker, NoView
from sayso.core.errors import Refused, SetupError
from sayso.core.record import State
from tests.desktop_env.ports import free_port
from tests.journeys.ground import a_home

KEY = "sk-of-this-test"
SETTINGS = """
[policy]
mode = "always"
allowed_operations = ["file.mkdir", "task.add", "task.list"]
[desktop]
kind = "memory"
[model]
name = "openai-compatible:smollm2"
url = "{url}"
budget_turns = 3
context_chars = 1000
"""
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Return the address of the model, which ends with these tests."""
    program = [os.environ["LOCAL_MODEL"], str(Path(__file__).with_name("local_model_server.py")), str(free_port()), KEY]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield f"{server.stdout.readline().strip()}/v1"
        server.stdin.close()
        server.wait(30)


@asynccontextmanager
async def at_home(place: Path, url: str, key: str = KEY) -> AsyncGenerator[Home]:
    (place / "home" / "Documents").mkdir(parents=True, exist_ok=True)
    environ = {"HOME": str(place / "home"), "SAYSO_MODEL_PASSWORD": key}
    async with sayso.open_home(a_home(place / "home" / "own", SETTINGS.format(url=url)), environ=environ) as home:
        yield home


class Watched(NoView):
    """Keeps the pieces of the reply, and stops it after so many."""

    def __init__(self, most: int = 0) -> None:
        self.pieces: list[str] = []
        self._most = most
        self._stop = Event()

    def show_text(self, text: str) -> None:
        self.pieces.append(text)
        if len(self.pieces) == self._most:
            self._stop.set()

    async def wait_for_stop(self) -> None:
        await self._stop.wait()


async def test_it_streams_its_tokens_are_counted_and_nothing_happens_without_a_yes(tmp_path: Path, url: str):
    view = Watched()
    async with at_home(tmp_path, url) as home:
        answer = await home.ask("Say hello, and add the task “Water the plants”.", "chat", asker=Asker("s", view=view))
        tasks = (await home.context(entry="")).data["tasks"]

    assert answer.model == "openai-compatible:smollm2"
    assert 1 <= answer.used.turns <= 3
    assert not answer.used.about
    assert answer.used.tokens_in > answer.used.tokens_out > 0
    assert len(view.pieces) > 1 or not answer.text
    assert not any(one.record.state is State.DONE and one.record.plan for one in answer.report.outcomes)
    assert tasks == []
    assert list((tmp_path / "home" / "Documents").iterdir()) == []


async def test_a_reply_that_the_person_stops_ends_and_does_nothing(tmp_path: Path, url: str):
    view = Watched(2)
    async with at_home(tmp_path, url) as home:
        with pytest.raises(Refused, match="you stopped it"):
            await home.ask("Tell me a long story about a garden.", "chat", asker=Asker("s", view=view))
        pending = await home.pending()

    assert len(view.pieces) >= 2
    assert pending == []


async def test_without_its_key_it_says_so(tmp_path: Path, url: str):
    async with at_home(tmp_path, url, "sk-another") as home:
        with pytest.raises(SetupError, match="does not accept the key"):
            await home.ask("Hello.", "chat")
