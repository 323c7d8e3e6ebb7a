"""Kill the page's server in the middle of streams and decisions, and check that nothing is lost and nothing is doubled.

Windows that reconnect and windows that never read are there meanwhile. Each errand has a file of its own, or is a call
of another MCP server; some are taken back, and some must be refused because somebody else changed the file. The server
dies at a named point before, in or after an effect, or at any moment. `soak_oracle` judges what is left. Settings are
changed, too: what was said to be set is, and the file of the settings is whole.
"""

import itertools
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
from functools import partial
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
from sayso.core.record import Record, State
from sayso.journal.sessions import SqliteSessions
from sayso.runtime.recovery import Recovery
from sayso.surfaces.web.application import serve
from sayso.surfaces.web.changes import Changes
from sayso.surfaces.web.decisions import Decider
from sayso.testing.model_server import playing
from tests.desktop_env.session import wait_for
from tests.harness.long_run import Planted, Run, start_run
from tests.harness.planting import always, everywhere, method
from tests.harness.soak_oracle import KINDS, Errand, Oracle
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
AT = "SOAK_AT"
"""Names the folder in the environment of this process."""
LOOKS = 0.7
"""How often it is looked after a death; else the next life has to settle what is left."""
MOST = 8.0
"""Seconds that a life waits for the point at which it is to end."""
KILLED = ("killed in a decision", "killed in a taking back", "killed in a stream", "killed in a setting")
FELL = ("fell before", "fell inside, effect not there", "fell inside, effect there", "fell in an undo", "fell after")
"""Where some server must be killed in a long run."""
AHEAD = 6
"""How many errands wait already when a life begins."""
FIRST = ("files.replace.synced", "path.acted", "files.restore", "path.begun")
"""Where the lives of the short form end."""
PLACES = (
    *FIRST,
    "path.before_claim",
    "path.claimed",
    "files.replace",
    "files.write",
    "files.rename",
    "files.trash",
    "files.exchange",
    "undo.begun",
    "journal.before_commit",
    "journal.after_commit",
    "recovery",
)
"""How the names of the points begin at which a life ends, if it comes by."""


class Page:
    """A window on one life of the server."""

    def __init__(self, url: str, web: httpx2.AsyncClient) -> None:
        self._url = url
        self._web = web
        self.heard = 0
        """The newest number that a socket told."""

    async def get(self, path: str) -> Any:
        """Return what is answered."""
        return (await self._patiently("GET", path)).raise_for_status().json()

    async def said(self, session: str) -> list[str]:
        """Return what was said in a conversation; a list of all of them has only the latest."""
        answer = await self._patiently("GET", f"/api/sessions/{session}")
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return []
        messages: list[dict[str, str]] = answer.raise_for_status().json()["messages"]
        return [one["text"] for one in messages if one["role"] == "user"]

    async def post(self, path: str, body: object) -> httpx2.Response:
        """Send something."""
        return await self._patiently("POST", path, json=body)

    async def _patiently(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """Ask again where too much was asked at once: that was turned away before anything was done."""
        answer = await self._web.request(method, path, **more)
        if answer.status_code != HTTPStatus.TOO_MANY_REQUESTS:
            return answer
        await anyio.sleep(0.2)
        return await self._patiently(method, path, **more)

    async def window(self, *, patient: bool, reads: bool = True) -> None:
        """Be a window until the server ends: one that stays, one that comes anew each moment, or one that is stuck."""
        host = self._url.removeprefix("http://").rstrip("/")
        cookie = "; ".join(f"{name}={value}" for name, value in self._web.cookies.items())
        while True:
            # One that is turned away, or was cut off, comes again; it ends with the server.
            with suppress(WebSocketException), anyio.move_on_after(None if patient else 0.05):
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
        for made in ("Documents", "Documents/Moved", "served"):
            (folder / made).mkdir()
        self._settings = f'[policy]\nmode = "always"\n[model]\nname = "openai-compatible:tiny"\nurl = "{model}"\n'
        self._settings += section_of(folder / "served", "local = true")
        (folder / "own" / "config.toml").write_text(self._settings)
        accept(folder / "own", folder / "served")
        self._oracle = Oracle(folder)
        self._kinds = itertools.cycle(KINDS)

    def opened(self) -> Any:
        """Return the home, as another program opens it."""
        return open_home(str(self._folder / "own"), environ={"HOME": str(self._folder)})

    async def works(self) -> None:
        """Let the server live and die, and look after each death."""
        life = 0
        await self._look(after=life)
        while not self._run.over(life) and not self._run.broken:
            life += 1
            await self._life(life, dies=True)
            for where, times in self._oracle.fell(self._errands).items():
                self._run.count(f"fell {where}", times)
            if self._run.fixed(SHORT) or self._draw.random() < LOOKS:
                await self._look(after=life)
        if not self._run.broken:
            await self._life(life + 1, dies=False)
            await self._look(after=life + 1)
        if not self._run.broken and self._run.n > SHORT:
            self._enough()

    def _enough(self) -> None:
        for what in (*KILLED, *FELL):
            if not any(name.startswith(what) for name in self._run.counts):
                self._run.gap(f"no server was killed so: {what}")

    async def _life(self, number: int, *, dies: bool) -> None:
        seconds = self._draw.uniform(*LIFE)
        place, times = self._draw.choice((*PLACES, "")), self._draw.randint(1, 5)
        if self._run.fixed(SHORT):
            place, times = FIRST[(number - 1) % len(FIRST)], 1
        if place and dies:
            seconds = patience(MOST)
        async with self._server(place if dies else "", times) as (server, page):
            if page is None:
                self._run.count("kills")
                return
            async with self.opened() as terminal, anyio.create_task_group() as together:
                for patient, reads in ((True, True), (False, True), (True, False)):
                    together.start_soon(_quietly, page.window, patient, reads)
                busy: list[str] = []
                together.start_soon(_quietly, self._decides, page, terminal, number, busy)
                together.start_soon(_quietly, self._talks, page, number, busy)
                together.start_soon(_quietly, self._sets, page, number, busy)
                await _over(server, seconds)
                if dies:
                    server.send_signal(signal.SIGKILL)
                    for what in set(busy):
                        self._run.count(f"killed in a {what}")
                    self._run.count("kills")
                else:
                    await self._agrees(page, terminal)
                together.cancel_scope.cancel()

    @asynccontextmanager
    async def _server(self, place: str, times: int) -> AsyncGenerator[tuple["subprocess.Popen[str]", Page | None]]:
        command = [sys.executable, "-m", "tests.harness.soak_page", str(self._folder), place, str(times)]
        server = await anyio.to_thread.run_sync(_started, command)
        try:
            began = await anyio.to_thread.run_sync(cast("Any", server.stdout).readline)
            if not began:
                yield server, None
                return
            said = json.loads(began)
            async with httpx2.AsyncClient(base_url=said["url"], trust_env=False, timeout=patience()) as web:
                (await web.post("/api/session", json={"token": said["token"]})).raise_for_status()
                yield server, Page(said["url"], web)
        finally:
            server.kill()
            if await anyio.to_thread.run_sync(server.wait) != -signal.SIGKILL:
                self._run.breach(f"the server ended by itself: {server.returncode}")
            died = self._folder / "died"
            if died.exists():
                self._run.count(f"died at {died.read_text()}")
                died.unlink()
            if server.stdout:
                server.stdout.close()

    async def _decides(self, page: Page, terminal: Home, life: int, busy: list[str]) -> None:
        """Answer what waits and propose more; now and then twice at once, as impatient hands do."""
        for number in range(1000):
            cards = {card["run"]: card for card in (await page.get("/api/waiting"))["waiting"]}
            for errand in self._errands:
                if errand.run in cards and self._draw.random() < 0.8:
                    await self._answers(page, errand, cards[errand.run], busy)
                    if errand.told == "done" and errand.kind != "call" and self._draw.random() < 0.5:
                        await self._takes_back(page, errand, busy)
            await self._proposes(terminal, f"{life}-{number}")

    async def _proposes(self, home: Home, name: str) -> None:
        """Propose one errand; now and then, somebody else is at its file before it is answered."""
        errand = Errand(name, next(self._kinds))
        theirs = errand.kind in {"append", "write"} and self._draw.random() < 0.2
        errand.lay(self._folder)
        self._errands.append(errand)
        run = (await home.run(errand.text, "tools" if errand.kind == "call" else "lines")).run
        if theirs:
            errand.interfere(self._folder)
        errand.run = run

    async def _answers(self, page: Page, errand: Errand, card: Any, busy: list[str], said: str = "") -> None:
        said = said or self._draw.choice(("yes", "yes", "yes", "yes", "no"))
        answer = {"run": card["run"], "digest": card["digest"], "nonce": card["nonce"], "answer": said}
        answer["sure"] = said == "yes"
        errand.sent.add(said)

        async def send() -> None:
            answered = await page.post("/api/decide", answer)
            if answered.status_code == 200:
                if errand.told:
                    self._run.breach(f"{errand.name} was answered twice")
                errand.told = (
                    "; ".join(str(one["state"]) for one in cast("list[Any]", answered.json()["results"])) or said
                )
            self._run.count(f"answers {answered.status_code}")

        await self._hastily(send, "decision", busy)

    async def _takes_back(self, page: Page, errand: Errand, busy: list[str]) -> None:
        errand.undo_sent = True

        async def send() -> None:
            answered = await page.post("/api/undo", {"id": errand.run})
            results = cast("list[Any]", answered.json().get("results", []))
            if answered.status_code == 200 and results and errand.undo_told != "done":
                errand.undo_told = str(results[0]["state"])
            self._run.count(f"undos {answered.status_code}")

        await self._hastily(send, "taking back", busy)

    async def _hastily(self, send: Callable[[], Any], what: str, busy: list[str]) -> None:
        """Send something once, or twice at once."""
        busy.append(what)
        async with anyio.create_task_group() as both:
            for _ in range(self._draw.choice((1, 1, 2))):
                both.start_soon(send)
        busy.remove(what)

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
            if "nonce" not in asked.json():
                self._run.breach(f"it was not asked about a setting: {asked.status_code} {asked.text}")
                return
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
        last = Errand("last", "append")
        last.lay(self._folder)
        last.run = (await terminal.run(last.text, "lines")).run
        newest = _newest(terminal)
        with anyio.move_on_after(patience(10)):
            await anyio.to_thread.run_sync(wait_for, lambda: page.heard >= newest, "", abandon_on_cancel=True)
        if page.heard < newest:
            self._run.breach(f"a window that stayed was not told of the last change: {page.heard} of {newest}")
        cards = {card["run"]: card for card in (await page.get("/api/waiting"))["waiting"]}
        self._errands.append(last)
        if last.run in cards:
            await self._answers(page, last, cards[last.run], [], "yes")
        else:
            self._run.breach("the page does not show what waits")
        for id_, (session, text) in list(self._words.items()):  # the others go on talking
            found = await page.said(session)
            if found != [text]:
                self._run.breach(f"the words {id_} were lost or doubled: {found}"[:300])

    async def _look(self, after: int) -> None:
        """Compare what was answered with the journal and the file, once what the dead server left is settled."""
        self._looks_at_settings()
        async with self.opened() as home:
            for wrong in self._oracle.look(self._errands):
                self._run.breach(wrong)
            verified = await home.journal.verify()
            for number in range(AHEAD):
                await self._proposes(home, f"{after}-ahead-{number}")
        if verified.problem:
            self._run.breach(f"the journal is not intact: {verified.problem}")
        self._run.coverage |= {"lives": after, "errands": len(self._errands), **self._oracle.states}


async def _over(server: "subprocess.Popen[str]", seconds: float) -> None:
    """Return when the server has ended, or when these seconds have passed."""
    with suppress(subprocess.TimeoutExpired):
        await anyio.to_thread.run_sync(partial(server.wait, seconds))


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
            if record.marks.state is State.DONE:
                _once_more(home.settings.environ["HOME"], record)
            return done

        return worse

    method(Decider, "decide", make)


def again() -> None:
    """Do what had begun when the server was killed, whether or not it was done."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        async def worse(self: Recovery, record: Record, *given: Any) -> Any:
            settled = await sound(self, record, *given)
            _once_more(sys.argv[1] if len(sys.argv) > 1 else os.environ[AT], record)
            return settled

        return worse

    method(Recovery, "_recover_begun", make)


def _once_more(folder: str, record: Record) -> None:
    if "content" in record.arguments:
        with Path(str(record.arguments["path"]).replace("~", folder, 1)).open("a") as file:
            file.write(str(record.arguments["content"]))


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


PLANTED: Planted = {
    "double": double,
    "again": again,
    "lost": lost,
    "deaf": deaf,
    "speechless": speechless,
    "piecemeal": piecemeal,
}


class Dies:
    """Ends this process at a point: that number of those whose name begins so; at none if no name is given."""

    def __init__(self, folder: Path, place: str, times: int) -> None:
        self._file = folder / "died"
        self._place = place
        self._left = times

    def __call__(self, label: str) -> None:
        """Count, and die when it is time."""
        if self._place and label.startswith(self._place):
            self._left -= 1
            if not self._left:
                self._file.write_text(label)
                os.kill(os.getpid(), signal.SIGKILL)


async def _serve(folder: Path, place: str, times: int) -> None:
    if planted := os.environ.get("BREAK"):
        PLANTED[planted]()

    def began(url: str, token: str) -> None:
        print(json.dumps({"url": url, "token": token}), flush=True)

    async with open_home(str(folder / "own"), environ={"HOME": str(folder)}, kill=Dies(folder, place, times)) as home:
        await serve(home, 0, began)


def main() -> int:
    """Run it, and say what was lost or doubled."""
    run = start_run("soak_page", PLANTED, N)
    folder = Path(tempfile.mkdtemp(prefix="sayso-soak-"))
    os.environ[AT] = str(folder)
    try:
        with playing(*[REPLY] * 100_000) as model:
            anyio.run(Soak(run, folder, model.url).works)
    finally:
        shutil.rmtree(folder)
    return run.ended()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        anyio.run(_serve, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
