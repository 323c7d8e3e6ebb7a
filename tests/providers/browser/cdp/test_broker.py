"""The browser that sayso starts listens nowhere; its socket serves the person alone, each process on its own."""

import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.ports import BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.cdp import broker
from sayso.providers.browser.cdp.driver import Chromium, build
from sayso.providers.browser.cdp.launcher import CHROMIUM, start
from sayso.providers.browser.cdp.protocol import AttachedSession, Created, TargetList
from sayso.providers.browser.remote.connection import CallError, ConnectionLost, Ignored, ProtocolClient, ProtocolEvent
from sayso.providers.browser.remote.launcher import LaunchOptions, StartedBrowser, find_running
from sayso.providers.browser.remote.local_socket import LocalSocket
from sayso.providers.browser.remote.settings import SOCKET_FILE, WantedBrowser
from sayso.providers.programs.own_python import script_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner, launch
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.another_user import as_nobody
from tests.desktop_env.browser import serving
from tests.desktop_env.session import wait_for


class Own:
    """A browser that was started as `sayso browser` starts it."""

    def __init__(self, home: Path, started: StartedBrowser) -> None:
        self.home = home
        self.process = started.process
        self.folder = home / "own" / "browser"
        self.open = ExitStack()

    @property
    def broker(self) -> int:
        """Return the process that started the browser."""
        words = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return int(words[1])

    def driver(self) -> Chromium:
        """Return what drives it, as each process of sayso has its own."""
        context = BackendContext({}, str(self.home), str(self.home / "own"), (), SystemClock(), RandomIds())
        driver = Chromium(context, WantedBrowser())
        self.open.callback(driver.close)
        return driver

    def client(self) -> ProtocolClient:
        """Return a connection to it."""
        client = ProtocolClient(LocalSocket(self.folder), SystemClock())
        self.open.callback(client.close)
        return client


def runner(home: Path) -> ProgramRunner:
    return ProgramRunner({"PATH": os.environ["PATH"], "HOME": str(home)}, RandomIds())


@pytest.fixture
async def own(scratch_home: Path) -> AsyncIterator[Own]:
    """Yield a browser; it is ended afterwards."""
    begun = await start(runner(scratch_home), LaunchOptions(str(scratch_home / "own"), None, headless=True))
    made = Own(scratch_home, begun)
    with made.open:
        yield made
    if runs(begun.process):
        os.kill(begun.process, signal.SIGTERM)
        wait_for(lambda: not runs(begun.process), "the end of the browser")


def runs(process: int) -> bool:
    """Say whether a process runs, and has not only not been waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def listening_ports(folder: Path) -> set[str]:
    """Return the ports on which any process listens that has a folder on its command line."""
    mine: set[str] = set()
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal():
            continue
        try:
            if os.fsencode(folder) in (process / "cmdline").read_bytes():
                mine |= {str(handle.readlink()) for handle in (process / "fd").iterdir()}
        except OSError:
            continue
    rows = [line.split() for kind in ("tcp", "tcp6") for line in Path("/proc/net", kind).read_text().splitlines()[1:]]
    return {row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in mine}


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.mark.needs("chromium")
async def test_no_process_of_the_browser_listens_on_any_port_and_the_socket_is_the_persons_alone(own: Own):
    assert listening_ports(own.folder) == set()
    assert own.folder.stat().st_mode & 0o777 == 0o700
    assert (own.folder / SOCKET_FILE).stat().st_mode & 0o777 == 0o600
    assert not (own.folder / "sayso-port").exists()


@needs_root
async def test_another_user_gets_nothing_even_where_the_rights_of_the_socket_let_everybody_in():
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "browser"
        folder.mkdir(mode=0o700)
        async with echoing_in(folder):
            os.chdir(folder)
            by_rights = as_nobody(lambda: os.access(folder / SOCKET_FILE, os.F_OK))
            for place in (folder / SOCKET_FILE, folder, Path(made)):
                place.chmod(0o777)

            reached, answered = as_nobody(is_reached), as_nobody(is_answered)

            assert (by_rights, reached, answered) == (False, True, False)
            assert is_answered()


def is_reached() -> bool:
    """Say whether this process can connect to the socket in the working folder."""
    with socket.socket(socket.AF_UNIX) as line:
        return line.connect_ex(SOCKET_FILE) == 0


def is_answered() -> bool:
    """Say whether anything comes over the socket in the working folder."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(SOCKET_FILE)
        return bool(line.recv(1))


@pytest.mark.needs("chromium")
async def test_pages_are_opened_read_and_closed_through_it_and_what_was_done_is_undone(own: Own):
    serves, _ = own.driver().capabilities(frozenset())
    context = BackendContext({}, str(own.home), str(own.home / "own"), (), SystemClock(), RandomIds())
    backend = build(context)
    trial = Trial(BROWSER, backend)

    with serving() as site:
        site.pages["/a"] = "<title>A page</title><p>words</p><a href=/b>on</a>"
        opens = await trial.plan("url.open", url=site.url("/a"))
        left = await trial.do(opens)
        text = (await trial.answer("page.text")).text
        listed = (await trial.answer("tab.list")).text
        await trial.take_back(opens, left)
        after = (await trial.answer("tab.list")).text
    backend.close()

    assert (serves.served, serves.why) == (
        "the browser at a socket that only you can reach",
        "a profile of sayso's own",
    )
    assert "words" in text
    assert "A page" in listed
    assert "A page" not in after


@pytest.mark.needs("chromium")
async def test_two_processes_at_once_have_sessions_of_their_own(own: Own):
    one, other = own.client(), own.client()
    heard: dict[str, list[ProtocolEvent]] = {"one": [], "other": []}
    one.listen(heard["one"].append)
    other.listen(heard["other"].append)

    one.run("Target.setDiscoverTargets", discover=True)
    made = other.call(Created, "Target.createTarget", url="about:blank")
    one.wait(lambda: any(made.target_id in bytes(event.params).decode() for event in heard["one"]), 20)
    one.run("Target.attachToTarget", targetId=made.target_id, flatten=True)
    session = next(
        json.loads(bytes(event.params))["sessionId"]
        for event in heard["one"]
        if event.method == "Target.attachedToTarget"
    )

    with pytest.raises(CallError, match="Session with given id not found"):
        other.run("Page.enable", session)
    one.run("Page.enable", session)
    one.close()
    assert made.target_id in {each.target_id for each in other.call(TargetList, "Target.getTargets").target_infos}
    assert heard["other"] == []
    other.close()


@pytest.mark.needs("chromium")
async def test_what_a_process_left_behind_in_the_browser_ends_with_its_connection(own: Own):
    left, next_one = own.client(), own.client()
    (page,) = [one for one in next_one.call(TargetList, "Target.getTargets").target_infos if one.type == "page"]
    held = left.call(AttachedSession, "Target.attachToTarget", targetId=page.target_id, flatten=True)
    left.run("Debugger.enable", held.session_id)
    left.run("Debugger.pause", held.session_id)
    mine = next_one.call(AttachedSession, "Target.attachToTarget", targetId=page.target_id, flatten=True)
    with pytest.raises(TimeoutError):
        next_one.run("Runtime.evaluate", mine.session_id, seconds=0.5, expression="1")

    left.close()

    next_one.run("Runtime.evaluate", mine.session_id, expression="1")
    next_one.close()


@pytest.mark.needs("chromium")
async def test_when_the_browser_ends_its_socket_is_gone_and_another_can_be_started(own: Own):
    with own.driver().connected() as session:
        broker_process = own.broker

        session.quit()

    wait_for(lambda: not runs(broker_process), "the end of the broker")
    assert not (own.folder / SOCKET_FILE).exists()
    assert own.driver().running(frozenset()) is None
    again = await start(runner(own.home), LaunchOptions(str(own.home / "own"), None, headless=True))
    assert again.process != own.process
    own.driver().quit()
    wait_for(lambda: not runs(again.process), "the end of the browser")


@pytest.mark.needs("chromium")
async def test_when_the_broker_is_killed_the_browser_ends_and_another_can_be_started(own: Own):
    assert own.driver().running(frozenset()) is not None

    os.kill(own.broker, signal.SIGKILL)

    wait_for(lambda: not runs(own.process), "the end of the browser")
    assert own.driver().running(frozenset()) is None
    wait_for(lambda: not (own.folder / "SingletonLock").is_symlink(), "the end of the browser's lock")
    again = await start(runner(own.home), LaunchOptions(str(own.home / "own"), None, headless=True))
    assert own.driver().running(frozenset()) is not None
    own.driver().quit()
    wait_for(lambda: not runs(again.process), "the end of the browser")


@pytest.mark.needs("chromium")
async def test_a_running_one_is_found_and_its_socket_leads_to_no_other_profile(own: Own, tmp_path: Path):
    assert await find_running(own.folder, CHROMIUM, "x") == StartedBrowser("x", own.process, 0)

    other = tmp_path / "other"
    (other / "own" / "browser").mkdir(parents=True)
    (other / "own" / "browser" / SOCKET_FILE).hardlink_to(own.folder / SOCKET_FILE)

    another = Own(other, StartedBrowser("x", own.process, 0))
    with (
        pytest.raises(ProviderError, match="no browser is running for sayso"),
        another.open,
        another.driver().connected(),
    ):
        pass


ECHOES = """
import os, json
came, count = b"", 0
while chunk := os.read(3, 1 << 20):
    came += chunk
    if b"\\0" not in chunk: continue
    *whole, came = came.split(b"\\0")
    for text in whole:
        call = json.loads(text)
        count += 1
        if call["method"] == "Target.attachToBrowserTarget":
            result = {"sessionId": f"S{count}"}
        else:
            result = {"session": call.get("sessionId"), "said": call.get("params", {}).get("text"), "more": "x" * BIG}
        os.write(4, json.dumps({"id": call["id"], "result": result}).encode() + b"\\0")
"""


class Said(Ignored, frozen=True):
    """What the program that stands for a browser answers."""

    session: str
    said: str
    more: str


@asynccontextmanager
async def echoing_in(folder: Path) -> AsyncGenerator[None]:
    """Run a broker in a folder, whose browser says back what it is told."""
    words = [sys.executable, "-c", ECHOES.replace("BIG", str(3 << 20))]
    python, *script = script_command(broker.__file__, str(folder), *words)
    process = await launch(runner(folder), ProgramCall(python, tuple(script)))
    wait_for((folder / SOCKET_FILE).exists)
    try:
        yield
    finally:
        os.kill(process, signal.SIGTERM)


@pytest.fixture
async def echoing(scratch_home: Path) -> AsyncIterator[Path]:
    """Yield the folder of a broker whose browser says back what it is told."""
    folder = scratch_home / ("long" * 30)
    folder.mkdir(mode=0o700)
    async with echoing_in(folder):
        yield folder


async def test_long_messages_pass_whole_in_a_folder_with_a_long_name(echoing: Path):
    client = ProtocolClient(LocalSocket(echoing), SystemClock())
    text = "ä" * (1 << 18)

    answers = client.call_all(Said, "Say", [{"text": f"{number}{text}"} for number in range(5)], seconds=60)

    said = [(each.said, len(each.more)) for each in answers if isinstance(each, Said)]
    assert said == [(f"{number}{text}", 3 << 20) for number in range(5)]
    client.close()


@pytest.mark.parametrize("sent", [b"nonsense\0", b"[]\0", b'{"method":"x"}\0', b'{"id":[],"method":"x"}\0'])
async def test_nonsense_ends_the_connection_that_it_came_over_and_no_other(echoing: Path, sent: bytes):
    wrong, client = LocalSocket(echoing), ProtocolClient(LocalSocket(echoing), SystemClock())

    wrong.send(sent[:-1])

    with pytest.raises(ConnectionLost):
        wrong.receive(20)
    wrong.close()
    assert client.call(Said, "Say", text="still there").said == "still there"
    client.close()


async def test_a_profile_that_is_open_without_a_socket_is_told(scratch_home: Path):
    folder = scratch_home / "browser"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as stale:
        os.chdir(folder)
        stale.bind(SOCKET_FILE)

    assert await find_running(folder, CHROMIUM, "x") is None
    with pytest.raises(ConnectionLost, match="nothing answers"):
        LocalSocket(folder)


@pytest.fixture(autouse=True)
def stays_here() -> Iterator[None]:
    """Go back to the folder in which the tests run."""
    here = Path.cwd()
    yield
    os.chdir(here)
