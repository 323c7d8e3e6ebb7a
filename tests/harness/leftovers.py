"""Kill sayso in the middle of desktop operations, and look for leftover processes, files, sockets and X clients."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import anyio

import sayso
from sayso.providers.browser.address import private
from sayso.providers.browser.cdp.protocol import TargetList
from sayso.providers.browser.remote import launcher
from sayso.providers.browser.remote.connection import CallError, ProtocolClient
from sayso.providers.browser.remote.local_socket import LocalSocket
from sayso.providers.programs import run as ending
from sayso.providers.programs import run as launching
from sayso.providers.programs import run as running
from sayso.providers.programs.run import ProgramCall
from sayso.runtime.questions import Client
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.main import main as command
from tests.desktop_env import parts, windows
from tests.desktop_env.session import Session, wait_for
from tests.harness.long_run import Planted, Run, start_run
from tests.harness.planting import everywhere
from tests.patience import patience

OF_A_BROWSER = b"--type="
"""What a browser's own children have on their command line: it starts and ends them as it likes."""
LISTENS = "0A"
"""What the kernel calls a socket of TCP that listens."""


def around(session: Session) -> Counter[str]:
    """Return what there is."""
    ours = list(processes(session))
    told = (f"process {number} {line.decode(errors='replace')[:80]}" for number, line in ours)
    return Counter([*told, *_files(session), *_sockets(session), *_listening([number for number, _ in ours])])


def processes(session: Session) -> Iterator[tuple[int, bytes]]:
    """Yield the processes of a session, with what stands on their command line."""
    home = os.fsencode(session.home)
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdecimal() or int(entry.name) == os.getpid():
                continue
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").strip()
            has_home = b"HOME=" + home in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        # One that was given another environment is known by what it was told.
        if (has_home or home in line) and OF_A_BROWSER not in line:
            yield int(entry.name), line


def _files(session: Session) -> list[str]:
    places = (session.runtime, session.home / "tmp", *(own / "tmp" for own in session.home.glob("own*")))
    return [f"file {path}" for place in places if place.is_dir() for path in place.rglob("*")]


def _sockets(session: Session) -> list[str]:
    ours = (str(session.home), f"X11-unix/X{session.environment['DISPLAY'].removeprefix(':')}")
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    # Who listens, who is connected, and through what: an X client is a connection to the screen's socket.
    told = [line.split() for line in lines if line.endswith(ours[1]) or ours[0] in line]
    return [f"socket {' '.join((words[3], words[5], words[7]))}" for words in told]


def _listening(processes: list[int]) -> Iterator[str]:
    """Yield the sockets of TCP on which these processes listen; others' on the same machine are none of a session."""
    heard = dict(_listeners())
    for process in processes:
        held = set(_handles(process))
        yield from (f"listening {heard[socket]} in process {process}" for socket in held & heard.keys())


def _handles(process: int) -> Iterator[str]:
    """Yield what a process has open. It may close one meanwhile: that one is left out, and no other."""
    with suppress(OSError):  # it has ended
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                yield str(handle.readlink())


def _listeners() -> Iterator[tuple[str, str]]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == LISTENS:
                    yield f"socket:[{words[9]}]", f"{table} port {int(words[1].rpartition(':')[2], 16)}"


N, SHORT = 200, 12
GONE_WITHIN, PLANTED_WITHIN = patience(60), 5.0
"""Seconds after which what is still there has been left behind; less where it is known that something will be."""
LONGEST = 0.8
"""Seconds after which sayso is ended at the latest, when it is ended at a moment drawn at random."""
STARTS_MORE = 'sleep 300 & setsid sleep 300 & : >"$HOME/began"; wait; wait'
STARTING = 3.0
"""Seconds after which sayso is ended at the latest while it starts a browser."""
CLOCK = "xclock"
STARTED = "own-start"
"""The home of sayso's own in which a browser is started, and sayso ended meanwhile."""
SETTINGS = f"""\
[policy]
mode = "never"
allowed_apps = ["Clock"]
waive_floor = ["app.quit"]
[shortcuts.long]
argv = ["sh", "-c", '{STARTS_MORE}', "sh"]
input = "file"
[shortcuts.limited]
argv = ["sh", "-c", '{STARTS_MORE}', "sh"]
seconds = 1
"""
NEEDED = (
    "Xvfb",
    "openbox",
    "dbus-daemon",
    "dunst",
    "pulseaudio",
    "pactl",
    "xclip",
    "xsel",
    "setpriv",
    "xprop",
    "xrandr",
    "wmctrl",
    "espeak-ng",
    "chromium",
    CLOCK,
)


PAGE = "http://page.example/"
"""What stands in the deeds for the page that a browser is shown."""
SERVED = "LEFTOVERS_PAGE"
"""The variable that says where it is; a server of the session's own has it."""


class Deed(NamedTuple):
    """What sayso is asked to do, and when it is ended."""

    words: str
    ended: str
    """`began`: once the shortcut runs; `open`: once a browser has its profile open; `any`: at any moment; `never`."""
    kind: str = "desktop"
    """`tabs`: in a browser that runs; `start`: the words are those of the command that starts one."""


DEEDS = (
    Deed('RUN_SHORTCUT "long" "words nobody else should read"', "began"),
    Deed('RUN_SHORTCUT "limited"', "never"),
    Deed('RUN_SHORTCUT "long" "more words"', "any"),
    Deed('COPY_TO_CLIPBOARD "copied"\nSET_VOLUME 30\nNOTIFY "A" "B"', "any"),
    Deed("DO_NOT_DISTURB ON\nDO_NOT_DISTURB OFF\nSET_VOLUME 60", "any"),
    Deed('RUN_SHORTCUT "limited" "words"', "any"),
    Deed('SPEAK "one"', "never"),
    Deed('SPEAK "one, two"\nSPEAK "three"', "any"),
    Deed('OPEN_APP "Clock"\nACTIVATE_APP "Clock"\nQUIT_APP "Clock"', "any"),
    Deed(f'OPEN_URL "{PAGE}"\nPAGE_TEXT', "any", "tabs"),
    Deed(f'OPEN_URL "{PAGE}#a"\nTAB_LIST\nPAGE_LINKS', "any", "tabs"),
    Deed("browser --headless", "open", "start"),
    Deed("browser --headless", "any", "start"),
)


CERTAIN = tuple(deed for deed in DEEDS if deed.ended != "any")
"""All that the short form has: sayso is ended at an event, and at no moment that is drawn."""


class Leftovers:
    """One session, and what was there before sayso was."""

    def __init__(self, run: Run, session: Session) -> None:
        self._run = run
        self._session = session
        self.deeds = CERTAIN if run.fixed(SHORT) else DEEDS
        self._draw = random.Random(run.seed)
        self._began = session.home / "began"
        self._browser: Path | None = None
        """The profile of the browser with the tabs, once there is one."""
        self._before = self._quiet()

    def one(self, number: int) -> None:
        """Do one deed, end sayso in it, and compare."""
        deed = self.deeds[number % len(self.deeds)]
        if deed.kind == "tabs" and not self._browser:
            told(self._session, "own", "browser", "--headless")
            self._browser = self._session.home / "own" / "browser"
            self._before = self._quiet()
        self._began.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            _does(deed, self._session)
        killed = self._ended(deed, child)
        self._run.count("killed" if killed else "ended by itself")
        self._run.count(f"{deed.ended}: {deed.words.split()[0].lower()}")
        if deed.kind == "start":
            # What stays on purpose is ended as a person does; that takes up what was half started.
            for words in (("browser", "--headless"), ("browser", "--stop")):
                told(self._session, STARTED, *words)
        left = self._left()
        if left:
            self._run.breach(f"{deed.words!r}, ended {deed.ended}: {'; '.join(sorted(left))}")
            self._before = around(self._session)

    def _ended(self, deed: Deed, child: int) -> bool:
        if deed.ended == "any":
            time.sleep(self._draw.uniform(0, STARTING if deed.kind == "start" else LONGEST))
            os.kill(child, signal.SIGKILL)
        if deed.ended == "began":
            wait_for(self._began.exists, "the beginning of the shortcut")
            os.kill(child, signal.SIGKILL)
        if deed.ended == "open":
            wait_for((self._session.home / STARTED / "browser" / "SingletonLock").is_symlink, "a browser")
            os.kill(child, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def _left(self) -> Counter[str]:
        until = time.monotonic() + (PLANTED_WITHIN if self._run.planted else GONE_WITHIN)
        while time.monotonic() < until:
            if not (left := self._quiet() - self._before):
                return left
            time.sleep(0.02)
        return self._quiet() - self._before

    def _quiet(self) -> Counter[str]:
        """Let go of what stays until a person lets go of it: the clipboard, an application, tabs; then look around."""
        self._session.run("xsel", "--clear", "--clipboard")
        for process, line in processes(self._session):
            if line.partition(b" ")[0].endswith(CLOCK.encode()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGTERM)
        if self._browser:
            _close_tabs(self._browser)
        return around(self._session)


def _close_tabs(profile: Path) -> None:
    """Close all tabs but one, by the browser's own means."""
    wire = ProtocolClient(LocalSocket(profile), SystemClock())
    pages = [one for one in wire.call(TargetList, "Target.getTargets").target_infos if one.type == "page"]
    for page in pages[1:]:
        with suppress(CallError):  # one that is gone already needs no closing
            wire.run("Target.closeTarget", targetId=page.target_id)
    wire.close()


def told(session: Session, own: str, *words: str) -> str:
    """Run sayso's own command to its end, without the screen; return what it says.

    A headless browser that knows of a screen connects one of its own children to it, whenever it comes to it.
    """
    environment = {"SAYSO_HOME": str(session.home / own), "DISPLAY": ""}
    return session.run(sys.executable, "-m", "sayso", *words, environment=environment, check=False)


def _does(deed: Deed, session: Session) -> None:
    """Do a deed in this process, which ends with it."""

    async def do() -> None:
        async with sayso.open_home(str(session.home / "own"), environ=session.environment) as home:
            # What a page said, which was read before, makes sayso ask before a shortcut gets words.
            await home.run(deed.words.replace(PAGE, session.environment[SERVED]), approver=Client(lambda _: True))

    try:
        if deed.kind == "start":
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            command(deed.words.split(), {**session.environment, "SAYSO_HOME": str(session.home / STARTED)})
        else:
            anyio.run(do)
    finally:
        os._exit(0)


def unkept() -> None:
    """Let a shortcut run on when sayso is killed."""

    def nobody(call: ProgramCall, passed: tuple[int, ...], polite_seconds: float) -> tuple[str, ...]:
        return ()

    everywhere(running.supervisor_command, nobody)


def named() -> None:
    """Let sayso itself write the file that a shortcut reads, and remove it when all went well."""
    sound = running.supervisor_command

    def written(call: ProgramCall, passed: tuple[int, ...], polite_seconds: float) -> tuple[str, ...]:
        if call.file:
            Path(call.file).write_bytes(call.filed)
        return (*sound(call, passed, polite_seconds)[:-1], "")

    everywhere(sound, written)


def childless() -> None:
    """End a program at its limit, and not what it started."""

    async def alone(process: subprocess.Popen[bytes], token: str, polite_seconds: float) -> None:
        process.kill()
        process.wait()

    everywhere(ending.end, alone)


def stays() -> None:
    """Let what starts a program that stays leave a helper of its own behind, which listens."""
    sound = launching.launch

    def help_out(environ: Mapping[str, str]) -> None:
        subprocess.Popen([sys.executable, "-c", LISTENER], start_new_session=True, env=dict(environ))

    async def helped(runner: running.ProgramRunner, call: ProgramCall) -> int:
        help_out(runner.environ)
        return await sound(runner, call)

    # Who knows it by name imports it only when it is needed.
    for place in ("desktop.linux.sound", "apps.linux.applications", "browser.cdp.launcher"):
        import_module(f"sayso.providers.{place}")
    everywhere(sound, helped)


def untold() -> None:
    """Let nobody reach a browser that was started when sayso was killed."""
    sound = launcher.call_broker

    def elsewhere(call: ProgramCall, broker: str, path: str, folder: Path) -> ProgramCall:
        return sound(call, broker, path, private(str(folder), "elsewhere"))

    everywhere(sound, elsewhere)


PLANTED: Planted = {"unkept": unkept, "named": named, "childless": childless, "stays": stays, "untold": untold}
SERVER = """
import functools, http.server, os, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *said): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[2]))
os.write(int(sys.argv[1]), b"%d\\n" % server.server_address[1])
server.serve_forever()
"""
LISTENER = "import socket, time; heard = socket.create_server(('127.0.0.1', 0)); time.sleep(300)"


def furnished(session: Session) -> None:
    """Let a session have all that the deeds are about."""
    parts.a_bus(session, services="")  # a keyring that a browser wakes would stay
    parts.a_screen(session)
    parts.notifications(session)
    parts.sound(session)
    for folder in ("own", STARTED, "tmp", "site"):
        (session.home / folder).mkdir(mode=0o700)
    session.environment["TMPDIR"] = str(session.home / "tmp")
    # A browser makes this when it comes to look at the desktop's settings, on a busy machine long after it was started.
    (session.runtime / "dconf").mkdir(mode=0o700)
    (session.runtime / "dconf" / "user").write_bytes(bytes(2))
    (session.home / "own" / "config.toml").write_text(SETTINGS)
    windows.entry(session, "Clock", CLOCK)
    (session.home / "site" / "index.html").write_text("<title>A page</title><p>words")
    port = session.start_and_read(sys.executable, "-c", SERVER, "%fd", session.home / "site")
    session.environment[SERVED] = f"http://127.0.0.1:{port}/"


def main() -> int:
    """Run it, and say what was left."""
    run = start_run("leftovers", PLANTED, N)
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        sys.exit(f"needs {', '.join(missing)}; tools/system-packages installs it")
    session = Session()
    try:
        furnished(session)
        leftovers, number = Leftovers(run, session), 0
        # A bug that was planted is caught by one deed; the others would only say the same.
        run.n = len(leftovers.deeds) if run.fixed(SHORT) else run.n
        while not run.over(number) and not (run.planted and run.broken):
            leftovers.one(number)
            number += 1
    finally:
        session.close()
    run.coverage["deeds"] = len(leftovers.deeds)
    if not run.counts.get("killed"):
        run.gap("sayso was never killed")
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
