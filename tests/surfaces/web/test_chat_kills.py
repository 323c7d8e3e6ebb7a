"""The page's server is killed inside a reply or a decision: nothing is lost, and nothing is done twice."""

import json
import signal
import sqlite3
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import Process

import sayso
from sayso.core.conversation import ReplyText, ToolCall
from sayso.testing.fakes import Silent
from tests.patience import patience
from tests.web_env.chatting import Chatting

LABELS = ("path.before_claim", "path.claimed", "path.acted", "journal.before_commit", "journal.after_commit")


@asynccontextmanager
async def served(folder: Path, label: str = "") -> AsyncGenerator[tuple[Chatting, Process]]:
    """Serve the page of a home in a process of its own, which dies at this kill point once it is armed."""
    program = [sys.executable, "-m", "tests.web_env.dies", str(folder), label]
    async with await anyio.open_process(program, stderr=None) as process:
        assert process.stdout is not None
        try:
            url, token = json.loads(await process.stdout.receive())
            async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web:
                assert (await web.post("/api/session", json={"token": token})).status_code == 204
                yield Chatting(url, folder, web), process
        finally:
            with suppress(ProcessLookupError):
                process.kill()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("own", "Documents"):
        (tmp_path / name).mkdir(mode=0o700)
    return tmp_path


def is_stored(folder: Path, text: str) -> bool:
    """Return whether an exchange in the journal has this text."""
    with closing(sqlite3.connect(folder / "own" / "sayso.db")) as journal:
        return any(text in body for (body,) in journal.execute("SELECT body FROM exchange"))


@pytest.mark.thorough
async def test_what_a_reply_had_shown_when_the_server_died_stays_and_its_words_can_be_said_again(folder: Path):
    async with served(folder) as (page, process):
        session = await page.begin()
        with page.model([ReplyText("It begins\n"), Silent()]):
            async with page.socket(session) as told:
                await page.say(session, "Do it", "words-before-death")
                await told.until("assistant_delta")
                while not is_stored(folder, "It begins"):
                    await told.until("changed")
                process.kill()
    async with served(folder) as (page, _):
        with page.model("Again.\n") as model:
            left = await page.session(session)
            again = await page.say(session, "Do it", "words-before-death")
            await page.say(session, "Do it", "words-after-death")
            found = await page.ended(session, 2)

    assert [one["text"].strip() for one in left["messages"]] == ["Do it", "It begins"]
    assert (left["messages"][1]["cut"], left["messages"][1]["can_ask_again"]) == (True, True)
    assert again.status_code == 202
    assert len(model.heard) == 1
    assert "It begins" not in str(model.heard)
    assert [one["text"].strip() for one in found["messages"]] == ["Do it", "It begins", "Do it", "Again."]


@pytest.mark.thorough
@pytest.mark.parametrize("label", LABELS)
async def test_a_decision_in_which_the_server_died_is_done_at_most_once_and_never_forgotten(folder: Path, label: str):
    call = ToolCall("1", "file_delete", json.dumps({"path": str(folder / "Documents" / "a.txt")}))
    async with served(folder, label) as (page, process):
        page.file("a.txt")
        session = await page.begin()
        with page.model([call], "It waits.\n"):
            await page.say(session, "Delete a.txt")
            (button,) = (await page.ended(session))["buttons"]
            (folder / "armed").touch()
            with suppress(httpx2.HTTPError):
                await page.post(f"/api/sessions/{session}/offers", take(button))
            with anyio.fail_after(patience()):
                await process.wait()
    (folder / "armed").unlink()
    async with served(folder) as (page, _):
        first = await page.session(session)
        for one in first["buttons"]:
            await page.post(f"/api/sessions/{session}/offers", take(one))
        row = (await page.get(f"/api/rows/{button['id']}"))["row"]
        undone = await page.post("/api/undo", {"id": button["id"]}) if row["undo"] else None

    file = folder / "Documents" / "a.txt"
    assert process.returncode == -signal.SIGKILL
    assert row["state"] in {"done", "failed"}
    assert file.exists() == (row["state"] == "failed" or undone is not None)
    assert undone is None or undone.json()["results"][0]["success"]
    async with sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home:
        assert (await home.journal.verify()).ok
        assert len(await home.log_of(button["run"])) == 1


def take(button: Any) -> dict[str, object]:
    return {"take": [{name: button[name] for name in ("id", "digest", "nonce")}], "answer": "yes"}
