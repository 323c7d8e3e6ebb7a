"""Kill the page's server in the middle of streams and decisions, and check that nothing is lost and nothing is doubled.

Windows that reconnect and windows that never read are there meanwhile. Each line of a file is one action that waits
for a yes, every other one a call of another MCP server; a line that stands there twice was done twice. Settings are
changed, too: what was said to be set is, and the file of the settings is whole.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from sayso.assembly import Home, open_home
from sayso.config import write
from sayso.core.record import State
from sayso.journal.sessions import SqliteSessions
from sayso.surfaces.web.application import serve
from sayso.surfaces.web.changes import Changes
from sayso.surfaces.web.decisions import Decider
from sayso.testing.model_server import playing
from tests.desktop_env.session import wait_for
from tests.harness.long_run import Planted, Run, start_run
from tests.harness.planting import always, everywhere, method
from tests.mcp_env.wrapped import accept, section_of
from tests.patience import patience

N, SHORT = 200, 4
"""Lives of the server, each but the last ended by SIGKILL."""
LIFE = (0.5, 2.5)
"""Seconds from the first request of a life until it is ended."""
GONE = (OSError, httpx2.HTTPError, WebSocketException)
ALSO = "policy.allowed_apps"
"""A setting that lies in the way of nothing here; each longer list of it is asked about."""
REPLY = "One word and another one. " * 60


@dataclass
class Errand:
    """One line that was proposed, and what is known of the answer to it."""

    run: str
    line: str
    sent: set[str]
    """The answers that were sent, whether or not one came back."""
    told: str = ""
    """What the server said became of it."""


class Page:
    """A window on one life of the server."""

    def __init__(self, url: str, web: httpx2.AsyncClient) -> None:
        self._url = url
        self._web = web
        self.heard = 0
        """The newest number that a socket told."""

    async def get(self, path: str) -> Any:
        """Return what is answered."""
        return (await self._web.get(path)).raise_for_status().json()

    async def said(self, session: str) -> list[str]:
        """Return what was said in a conversation; a list of all of them has only the latest."""
        answer = await self._web.get(f"/api/sessions/{session}")
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return []
        messages: list[dict[str, str]] = answer.raise_for_status().json()["messages"]
        return [one["text"] for one in messages if one["role"] == "user"]

    async def post(self, path: str, body: object) -> httpx2.Response:
        """Send something."""
        return await self._web.post(path, json=body)

    async def window(self, *, patient: bool, reads: bool = True) -> None:
        """Be a window until the server ends: one that stays, one that comes anew each moment, or one that is stuck."""
        host = self._url.removeprefix("http://").rstrip("/")
        cookie = "; ".join(f"{name}={value}" for name, value in self._web.cookies.items())
        while True:
            with anyio.move_on_after(None if patient else 0.05):
                headers = {"Cookie": cookie}
                async with connect(
                    f"ws://{host}/ws", origin=Origin(f"http://{host}"), additional_headers=headers
                ) as to:
                    await to.send(json.dumps({"type": "attach", "since": 0, "session": ""}))
                    if not reads:
                        await anyio.sleep_forever()
                    async for message in to:
                        self.heard = max(self.heard, int(json.loads(message).get("sequence", 0)))
            await anyio.sleep(0.02)


class Soak:
    """One home, the lives of its server, and what the person did in them."""

    def __init__(self, run: Run, folder: Path, model: str) -> None:
        self._run = run
        self._folder = folder
        self._draw = random.Random(run.seed)
        self._errands: list[Errand] = []
        self._words: dict[str, tuple[str, str]] = {}
        """By their id, the conversation and the text of words that the server took in."""
        self._apps: list[list[str]] = [[]]
        """What the setting `ALSO` was last said to be, and what was sent since."""
        (folder / "own").mkdir(mode=0o700)
        (folder / "Documents").mkdir()
        (folder / "served").mkdir()
        self._settings = f'[policy]\nmode = "always"\n[model]\nname = "openai-compatible:tiny"\nurl = "{model}"\n'
        self._settings += section_of(folder / "served", "local = true")
        (folder / "own" / "config.toml").write_text(self._settings)
        accept(folder / "own", folder / "served")
        self.log.write_text("")

    @property
    def log(self) -> Path:
        """Return the file in which each line is one action."""
        return self._folder / "Documents" / "log.txt"

    def lines(self) -> list[str]:
        """Return every line that was written, here or by the other server."""
        files = (self.log, self._folder / "served" / "list")
        return [line for file in files if file.exists() for line in file.read_text().splitlines()]

    def opened(self) -> Any:
        """Return the home, as another program opens it."""
        return open_home(str(self._folder / "own"), environ={"HOME": str(self._folder)})

    async def works(self) -> None:
        """Let the server live and die, and look after each death."""
        life = 0
        while not self._run.over(life) and not self._run.broken:
            life += 1
            await self._life(life, dies=True)
            await self._look(after=life)
        if not self._run.broken:
            await self._life(life + 1, dies=False)
            await self._look(after=life + 1)
        for what in ("killed in a decision", "killed in a stream", "killed in a setting"):
            if not self._run.counts.get(what) and not self._run.broken and self._run.n > SHORT:
                self._run.gap(f"no server was {what}")

    async def _life(self, number: int, *, dies: bool) -> None:
        seconds = self._draw.uniform(*LIFE)
        async with self._server() as (server, page), self.opened() as terminal, anyio.create_task_group() as together:
            for patient, reads in ((True, True), (False, True), (True, False)):
                together.start_soon(_quietly, page.window, patient, reads)
            busy: list[str] = []
            together.start_soon(_quietly, self._decides, page, terminal, number, busy)
            together.start_soon(_quietly, self._talks, page, number, busy)
            together.start_soon(_quietly, self._sets, page, number, busy)
            await anyio.sleep(seconds)
            if dies:
                server.send_signal(signal.SIGKILL)
                for what in set(busy):
                    self._run.count(f"killed in a {what}")
                self._run.count("kills")
            else:
                await self._agrees(page, terminal)
            together.cancel_scope.cancel()

    @asynccontextmanager
    async def _server(self) -> AsyncGenerator[tuple["subprocess.Popen[str]", Page]]:
        command = [sys.executable, "-m", "tests.harness.soak_page", str(self._folder)]
        server = await anyio.to_thread.run_sync(_started, command)
        try:
            said = json.loads(await anyio.to_thread.run_sync(cast("Any", server.stdout).readline))
            async with httpx2.AsyncClient(base_url=said["url"], trust_env=False, timeout=patience()) as web:
                (await web.post("/api/session", json={"token": said["token"]})).raise_for_status()
                yield server, Page(said["url"], web)
        finally:
            server.kill()
            await anyio.to_thread.run_sync(server.wait)
            if server.stdout:
                server.stdout.close()

    async def _decides(self, page: Page, terminal: Home, life: int, busy: list[str]) -> None:
        """Propose lines, and answer what waits; now and then twice at once, as impatient hands do."""
        for number in range(1000):
            line = f"line {life}-{number}"
            text = f'APPEND_FILE "~/Documents/log.txt" "{line}\\n"'
            if number % 2:
                text = json.dumps({"name": "small_add", "arguments": {"item": line}})
            run = (await terminal.run(text, "tools" if number % 2 else "lines")).run
            self._errands.append(Errand(run, line, set()))
            cards = {card["run"]: card for card in (await page.get("/api/waiting"))["waiting"]}
            for errand in self._errands:
                if errand.run in cards and self._draw.random() < 0.8:
                    await self._answers(page, errand, cards[errand.run], busy)

    async def _answers(self, page: Page, errand: Errand, card: Any, busy: list[str], said: str = "") -> None:
        said = said or self._draw.choice(("yes", "yes", "no"))
        answer = {"run": card["run"], "digest": card["digest"], "nonce": card["nonce"], "answer": said}
        errand.sent.add(said)

        async def send() -> None:
            answered = await page.post("/api/decide", answer)
            if answered.status_code == 200:
                if errand.told:
                    self._run.breach(f"{errand.line} was answered twice")
                errand.told = (
                    "; ".join(str(one["state"]) for one in cast("list[Any]", answered.json()["results"])) or said
                )
            self._run.count(f"answers {answered.status_code}")

        busy.append("decision")
        async with anyio.create_task_group() as both:
            for _ in range(self._draw.choice((1, 1, 2))):
                both.start_soon(send)
        busy.remove("decision")

    async def _talks(self, page: Page, life: int, busy: list[str]) -> None:
        """Say something again and again, each in a conversation of its own."""
        for number in range(1000):
            session = (await page.post("/api/sessions", {"entry": "chat"})).json()["id"]
            id_, text = f"words-{life:04}-{number:04}", f"Tell me of {life}-{number}"
            said = await page.post(f"/api/sessions/{session}/messages", {"id": id_, "text": text})
            if said.status_code == 202:
                self._words[id_] = (session, text)
                self._run.count("words")
            busy.append("stream")
            for _ in range(1000):
                if (await page.get(f"/api/sessions/{session}"))["status"] != "replying":
                    break
            busy.remove("stream")

    async def _sets(self, page: Page, life: int, busy: list[str]) -> None:
        """Change a setting again and again: first asked about, then with the word that came with the question."""
        for number in range(1000):
            change: dict[str, object] = {"name": ALSO, "value": [f"App {life}-{number}"]}
            asked = await page.post("/api/settings", change)
            self._apps.append([f"App {life}-{number}"])
            busy.append("setting")
            answered = await page.post("/api/settings", {**change, "nonce": asked.json()["nonce"]})
            busy.remove("setting")
            if answered.status_code == 200:
                self._apps = self._apps[-1:]
            self._run.count(f"settings {answered.status_code}")

    def _looks_at_settings(self) -> None:
        """Look whether the file of the settings is whole, says what was set, and has nothing left beside it."""
        settings = tomllib.loads((self._folder / "own" / "config.toml").read_text("utf-8"))
        apps = settings.get("policy", {}).pop(ALSO.partition(".")[2], [])
        if settings != tomllib.loads(self._settings):
            self._run.breach(f"the settings are not whole: {settings}")
        if apps not in self._apps:
            self._run.breach(f"the settings say {apps}, and were said to be {self._apps}")
        left = [file.name for file in (self._folder / "own").glob(".config*")]
        if len(left) > 1:
            self._run.breach(f"beside the settings was left {left}")

    async def _agrees(self, page: Page, terminal: Home) -> None:
        """Look whether the window that stays knows of the last change, and shows what waits as another program does."""
        last = await terminal.run('APPEND_FILE "~/Documents/log.txt" "last\\n"')
        newest = _newest(terminal)
        with anyio.move_on_after(patience(10)):
            await anyio.to_thread.run_sync(wait_for, lambda: page.heard >= newest, "", abandon_on_cancel=True)
        if page.heard < newest:
            self._run.breach("a window that stayed was not told of the last change")
        cards = {card["run"]: card for card in (await page.get("/api/waiting"))["waiting"]}
        if last.run in cards:
            self._errands.append(Errand(last.run, "last", set()))
            await self._answers(page, self._errands[-1], cards[last.run], [], "yes")
        else:
            self._run.breach("the page does not show what waits")
        for id_, (session, text) in self._words.items():
            found = await page.said(session)
            if found != [text]:
                self._run.breach(f"the words {id_} were lost or doubled: {found}"[:300])

    async def _look(self, after: int) -> None:
        """Compare what was answered with the journal and the file, once what the dead server left is settled."""
        self._looks_at_settings()
        lines = self.lines()
        async with self.opened() as home:
            for errand in self._errands:
                state = (await home.log_of(errand.run))[0].marks.state
                wrong = _wrong(errand, state, lines.count(errand.line))
                if wrong:
                    self._run.breach(f"{errand.line}: {wrong} ({state}, sent {errand.sent}, told {errand.told!r})")
            verified = await home.journal.verify()
        if verified.problem:
            self._run.breach(f"the journal is not intact: {verified.problem}")
        self._run.coverage |= {"lives": after, "lines": len(lines), "errands": len(self._errands)}


def _wrong(errand: Errand, state: State, times: int) -> str:
    """Return what is wrong with what became of a line; empty if nothing is."""
    if times > 1:
        return f"was done {times} times"
    if errand.told and errand.told != state.value:
        return "was said to be otherwise"
    if times and "yes" not in errand.sent:
        return "was done without a yes"
    if (state is State.DONE) != bool(times) and state is not State.UNKNOWN:
        return "is not what the journal says"
    return "" if errand.sent or state is State.WAITING else "was decided by nobody"


def _newest(home: Home) -> int:
    ((newest,),) = home.journal.look(lambda c: c.execute("SELECT max(seq) FROM audit").fetchall())
    return newest


def _started(command: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def _quietly(work: Callable[..., Any], *given: Any) -> None:
    """Do something until the server is gone."""
    with suppress(*GONE):
        try:
            await (work(patient=given[0], reads=given[1]) if len(given) == 2 else work(*given))
        except BaseExceptionGroup as several:
            if several.split(GONE)[1] is not None:
                raise


def double() -> None:
    """Do what got a yes once more."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        async def worse(self: Decider, visitor: str, answer: Any) -> Any:
            done = await sound(self, visitor, answer)
            home: Home = vars(self)["_home"]
            (record,) = await home.log_of(answer.run)
            if record.marks.state is State.DONE and "content" in record.arguments:
                file = Path(home.settings.environ["HOME"], "Documents", "log.txt")
                file.write_text(file.read_text() + str(record.arguments["content"]))
            return done

        return worse

    method(Decider, "decide", make)


def lost() -> None:
    """Say that an answer counted, and forget it."""

    async def worse(self: Decider, visitor: str, answer: Any) -> Any:
        return {"results": []}

    method(Decider, "decide", always(worse))


def deaf() -> None:
    """Tell no window of any change."""

    async def worse(self: Changes) -> None:
        await anyio.sleep_forever()

    method(Changes, "watch", always(worse))


def speechless() -> None:
    """Keep words only once they were replied to."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        async def worse(self: SqliteSessions, exchange: Any, exposed: Any = None) -> None:
            if exchange.ended:
                await sound(self, exchange, exposed)

        return worse

    method(SqliteSessions, "keep", make)


def piecemeal() -> None:
    """Write the settings over the file, one half after the other."""

    def worse(file: Path, data: bytes) -> None:
        first, second, rest = data.partition(b"[model]")
        file.write_bytes(first)
        time.sleep(3)  # longer than any life
        file.write_bytes(first + second + rest)

    everywhere(vars(write)["_replace"], worse)


PLANTED: Planted = {"double": double, "lost": lost, "deaf": deaf, "speechless": speechless, "piecemeal": piecemeal}


async def _serve(folder: Path) -> None:
    if planted := os.environ.get("BREAK"):
        PLANTED[planted]()

    def began(url: str, token: str) -> None:
        print(json.dumps({"url": url, "token": token}), flush=True)

    async with open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home:
        await serve(home, 0, began)


def main() -> int:
    """Run it, and say what was lost or doubled."""
    run = start_run("soak_page", PLANTED, N)
    folder = Path(tempfile.mkdtemp(prefix="sayso-soak-"))
    try:
        with playing(*[REPLY] * 100_000) as model:
            anyio.run(Soak(run, folder, model.url).works)
    finally:
        shutil.rmtree(folder)
    return run.ended()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        anyio.run(_serve, Path(sys.argv[1]))
    else:
        sys.exit(main())
