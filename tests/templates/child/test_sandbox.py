"""What a process has given up the kernel refuses it, whatever Python would let it do."""

import ctypes
import errno
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sayso.templates.child import main, sandbox

# Nothing listens to Python here: what is refused is refused by the kernel alone.
GIVES_UP = """
import ctypes, os, resource, signal, socket, sys, threading
from runpy import run_path
found = run_path(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
found["close_the_disk"](libc)
found["close_the_calls"](libc)
"""


def said(script: str, *words: str) -> str:
    """Run a script in a process that has given up all of it, and return what it says."""
    argv = [sys.executable, "-I", "-S", "-c", GIVES_UP + script, sandbox.__file__, *words]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False, env={})
    return ended.stdout.strip() or ended.stderr.strip().splitlines()[-1]


# Each of them would change, start, reach or end something if the kernel let it.
SCRIPTS = [
    "open(file).read()",
    "open(file + '.new', 'w')",
    "os.remove(file)",
    "os.rename(file, file + '2')",
    "os.symlink('/', file + '2')",
    "os.listdir('/')",
    "open('/proc/self/environ')",
    "socket.socket()",
    "socket.socket(socket.AF_UNIX)",
    "os.fork()",
    "os.execv('/bin/true', ['true'])",
    "os.kill(os.getppid(), 0)",
    "os.pidfd_open(os.getppid())",
    "os.chmod(file, 0o777)",
    "os.chown(file, -1, os.getgid())",
    "os.utime(file)",
    "os.setxattr(file, 'user.x', b'x')",
    "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))",
    "os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
    "os.sched_setaffinity(os.getppid(), {0})",
    "signal.raise_signal(signal.SIGCONT) or os.killpg(os.getpgid(0), 0)",
]
CALLS = [
    "90, path, 0o777", "268, -100, path, 0o777", "452, -100, path, 0o777, 0", "92, path, 0, 0", "94, path, 0, 0",
    "188, path, b'user.x', b'x', 1, 0", "82, path, path + b'2'", "316, -100, path, -100, path + b'2', 0", "87, path",
    "76, path, 0", "86, path, path + b'2'", "29, 0x5a150, 4096, 0o1666", "64, 0x5a150, 1, 0o1666",
    "68, 0x5a150, 0o1666", "302, os.getppid(), 0, 0, 0", "141, 0, os.getppid(), 5",
    "234, os.getppid(), os.getppid(), 0", "62, os.getppid(), 0", "129, os.getppid(), 0, 0",
    "101, 16, os.getppid(), 0, 0", "57,", "59, b'/bin/true', 0, 0",
]  # fmt: skip
TRIES_ALL = """
import json
file, path = sys.argv[2], sys.argv[2].encode()
for script in json.loads(sys.argv[3]):
    try:
        eval(script)
        print("was let", flush=True)
    except BaseException as error:
        print(type(error).__name__, flush=True)
for call in json.loads(sys.argv[4]):
    print(eval(f"libc.syscall({call})"), ctypes.get_errno(), flush=True)
"""


@pytest.mark.req("TP-05", "TP-07")
def test_the_kernel_refuses_it(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text("[policy]\n")
    before = file.stat()
    # The calls are made by their numbers on x86_64.
    calls = CALLS if platform.machine() == "x86_64" else []

    lines = said(TRIES_ALL, str(file), json.dumps(SCRIPTS), json.dumps(calls)).splitlines()

    tried = dict(zip([*SCRIPTS, *calls], lines, strict=True))
    assert tried == dict.fromkeys(SCRIPTS, "PermissionError") | dict.fromkeys(calls, f"-1 {errno.EPERM}")
    assert [one.name for one in tmp_path.iterdir()] == ["config.toml"]
    assert (file.stat().st_mode, file.stat().st_ctime_ns) == (before.st_mode, before.st_ctime_ns)


def test_what_python_needs_goes_on():
    script = (
        "import asyncio, zoneinfo, decimal, hashlib, email.message\n"
        "asyncio.run(asyncio.sleep(0))\n"
        "t = threading.Thread(target=print, args=('there',))\nt.start()\nt.join()\n"
    )

    assert said(script) == "there"


def test_python_is_listened_to_as_well():
    tried: list[str] = []
    heard = sandbox.watcher(("/usr/lib",), tried.append)

    for event, given in (("os.fork", ()), ("open", ("/usr/lib/x", "w", 0o1101)), ("open", ("/etc/passwd", "r", 0))):
        with pytest.raises(PermissionError, match="an action of your own cannot"):
            heard(event, given)
    heard("open", ("/usr/lib/x", "r", 0))
    heard("open", (5, "w", 1))
    heard("import", ("x",))

    assert tried == ["start a program"]


@pytest.mark.parametrize(
    ("landlock", "seccomp", "missing"),
    [
        (True, True, ()),
        (False, True, ("files",)),
        (True, False, ("programs and connections",)),
        (False, False, ("files", "programs and connections")),
    ],
)
def test_what_the_kernel_does_not_hold_is_known(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], *, landlock: bool, seccomp: bool
):
    class Kernel:
        def syscall(self, *words: object) -> int:
            return 4 if landlock else -1

        def prctl(self, *words: object) -> int:
            ctypes.set_errno(errno.EFAULT if seccomp else errno.EINVAL)
            return -1

    def kernel(name: None, *, use_errno: bool) -> Kernel:
        return Kernel()

    monkeypatch.setattr(ctypes, "CDLL", kernel)
    monkeypatch.setattr(sys, "platform", "linux")

    assert sandbox.missing_confinement() == missing


def test_where_there_is_no_linux_the_kernel_holds_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    assert sandbox.missing_confinement() == ("files", "programs and connections")


@pytest.mark.req("TP-05")
def test_asking_what_the_kernel_holds_gives_nothing_up():
    assert sandbox.missing_confinement() == ()


WANTED: dict[str, Any] = {"file": "a.py", "helpers": {}, "params": {}, "session": "s", "memory": 2**29}


def told(source: str) -> list[dict[str, Any]]:
    """Run a source by hand, answering nothing, and return what was said."""
    reading, ours = os.pipe()
    came, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-I", "-S", main.__file__, str(reading), str(writing)],
        pass_fds=(reading, writing),
        env={},
        cwd="/",
    ):
        os.close(reading)
        os.close(writing)
        os.write(ours, json.dumps({**WANTED, "source": source}).encode() + b"\n")
        os.close(ours)
        with os.fdopen(came, "rb") as messages:
            return [json.loads(line) for line in messages]


def test_it_says_how_the_handler_ended_and_goes_with_its_line():
    (message,) = told("def handler(params, context):\n    return {'session': context.session_id}")

    assert message == {"type": "result", "result": {"session": "s"}}


def test_what_fails_before_there_is_a_handler_is_said_too():
    assert told("1 / 0") == [{"type": "failed", "why": "division by zero"}]
    assert told("handler = 5") == [{"type": "failed", "why": "“handler” is no function"}]


def test_it_stands_on_python_alone():
    source = Path(main.__file__).read_text("utf-8")

    assert "sayso." not in source
