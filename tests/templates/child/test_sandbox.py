"""What a process has given up the kernel refuses it, whatever Python would let it do."""

import errno
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from sayso.templates import child
from sayso.templates.child import main, sandbox
from sayso.templates.runner import explain_uncontained, find_possible, run_handler
from tests.templates.actions import action, body, handled, services

# Nothing listens to Python here: what is refused is refused by the kernel alone.
GIVES_UP = """
import ctypes, fcntl, os, resource, signal, socket, struct, sys
inherited = int(os.environ.get("INHERITED", "-1"))
from runpy import run_path
found = run_path(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
assert found["close_the_disk"](libc)
assert found["close_the_calls"](libc, 1)
"""


def said(script: str, *words: str) -> str:
    """Run a script in a process that has given up all of it, and return what it says."""
    argv = [sys.executable, "-I", "-S", "-c", GIVES_UP + script, sandbox.__file__, *words]
    with tempfile.TemporaryFile() as inherited:
        kept = inherited.fileno()
        given = {"INHERITED": str(kept)}
        ended = subprocess.run(argv, capture_output=True, text=True, check=False, env=given, pass_fds=(kept,))
        assert inherited.seek(0, os.SEEK_END) == 0
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
    "signal.raise_signal(signal.SIGCONT)",
    "os.killpg(0, 0)",
    # A signal by way of what owns a descriptor.
    "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
    "fcntl.fcntl(0, 15, struct.pack('ii', 1, os.getppid()))",
    "fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGKILL)",
    "fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)",
    "fcntl.fcntl(0, fcntl.F_NOTIFY, 1)",
    "fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_WRLCK)",
    "fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 2**20)",
    "socket.socketpair()",
    "os.pipe()",
    "os.memfd_create('x')",
    "os.eventfd(0)",
    "os.open(f'/proc/{os.getppid()}/mem', os.O_RDONLY)",
    "os.open('/proc/self/mem', os.O_RDONLY)",
    "os.open(f'/proc/{os.getppid()}/fd/1', os.O_RDONLY)",
    "os.open('/dev/null', os.O_WRONLY)",
    "os.open('/dev/null', os.O_PATH)",
    "os.open('/usr/lib', os.O_TMPFILE | os.O_RDWR)",
    "os.write(inherited, b'x')",
    "os.pwrite(inherited, b'x', 0)",
    "os.writev(inherited, [b'x'])",
    "os.sendfile(inherited, 0, 0, 1)",
    "os.truncate(inherited, 0)",
    "os.dup2(inherited, 1)",
    "os.chdir('/usr')",
    "os.setsid()",
    "os.readlink('/proc/self/exe')",
    "os.waitpid(-1, os.WNOHANG)",
]
CALLS = [
    "90, path, 0o777", "268, -100, path, 0o777", "452, -100, path, 0o777, 0", "92, path, 0, 0", "94, path, 0, 0",
    "188, path, b'user.x', b'x', 1, 0", "82, path, path + b'2'", "316, -100, path, -100, path + b'2', 0", "87, path",
    "76, path, 0", "86, path, path + b'2'", "29, 0x5a150, 4096, 0o1666", "64, 0x5a150, 1, 0o1666",
    "68, 0x5a150, 0o1666", "302, os.getppid(), 0, 0, 0", "141, 0, os.getppid(), 5",
    "234, os.getppid(), os.getppid(), 0", "62, os.getppid(), 0", "129, os.getppid(), 0, 0",
    "101, 16, os.getppid(), 0, 0", "57,", "59, b'/bin/true', 0, 0", "58,", "56, 0x11, 0, 0, 0, 0",
    "56, 0x10f00, 0, 0, 0, 0", "310, os.getppid(), 0, 0, 0, 0, 0", "311, os.getppid(), 0, 0, 0, 0, 0", "425, 1, 0",
    "426, 0, 0, 0, 0, 0, 0", "319, b'x', 0", "322, 0, b'', 0, 0, 0x1000", "157, 22, 2, 0", "157, 15, b'x', 0, 0",
    "317, 1, 0, 0", "444, 0, 0, 1", "250, 0, 0, 0", "321, 0, 0, 0", "323, 0", "298, 0, 0, 0, 0, 0", "272, 0x10000000",
    "257, -100, path, 1, 0",
    "257, -100, path, 0x40, 0o600",
    "2, path, 2, 0", "302, 0, 7, b'x' * 16, 0",
    "302, 0, 7, ctypes.c_void_p(1 << 32), 0", "222, 0, 0, 0", "275, 0, 0, 1, 0, 1, 0", "85, path + b'x', 0o600",
    "424, 0, 0, 0, 0",
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


@pytest.mark.req("TP-05", "TP-07", "FS-20")
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


KILLED = [
    # Calls of x32, and those of 32-bit programs, which have other numbers.
    "libc.syscall(0x40000000 | 39)",
    "libc.syscall(0x40000000 | 41, 1, 1, 0)",
    "run_code(bytes.fromhex('b814000000cd80c3'))",
]


@pytest.mark.req("TP-05")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="only there are two other kinds of call")
@pytest.mark.parametrize("call", KILLED)
def test_calls_of_another_architecture_end_the_process(call: str):
    script = """
def run_code(code):
    import mmap
    place = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    place.write(code)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(place)))()
"""
    argv = [sys.executable, "-I", "-S", "-c", GIVES_UP + script + call + "\nprint('there')", sandbox.__file__]

    ended = subprocess.run(argv, capture_output=True, text=True, check=False, env={})

    assert (ended.returncode, ended.stdout) == (-signal.SIGSYS, "")


def test_the_filter_of_each_machine_ends_with_a_refusal_and_jumps_nowhere_else():
    for machine in ("x86_64", "aarch64"):
        rules = sandbox.filter_rules(machine, 7)

        assert rules[-1] == (0x06, 0, 0, 0x00050000 | errno.EPERM)
        assert len(rules) < 4096
        assert all(at + 1 + max(yes, no) < len(rules) for at, (_, yes, no, _) in enumerate(rules[:-1]))
    assert sandbox.filter_rules("riscv64", 7) == []


def test_what_python_needs_goes_on():
    script = "import zoneinfo, decimal, hashlib, email.message, datetime, random\nprint('there')\n"

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


@pytest.mark.req("TP-05")
async def test_a_process_proves_that_the_kernel_refuses_everything_before_it_has_a_handler():
    assert await find_possible(ProgramRunner(os.environ, RandomIds())) == ()


THREE = (sandbox.CONNECT, sandbox.SIGNAL, sandbox.START)
NO_CALLS = [f"{what} ({sandbox.NO_SECCOMP})" for what in THREE]
LET = {what: f"{what} ({sandbox.NOT_REFUSED})" for what in (sandbox.OPEN, *THREE)}
NO_FILES = f"{sandbox.OPEN} ({sandbox.NO_LANDLOCK})"
LANDLOCK = "_CREATE, _ADD, _RESTRICT = 444, 445, 446"
SECCOMP = "_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2"
WITHOUT = {
    # The kernel has no Landlock: its calls have numbers that no call has. Then only some of its calls fail.
    "landlock": (LANDLOCK, LANDLOCK.replace("444, 445, 446", "9444, 9445, 9446")),
    "landlock rule": (LANDLOCK, LANDLOCK.replace("445", "9445")),
    "landlock end": (LANDLOCK, LANDLOCK.replace("446", "9446")),
    # Landlock says that it is on, and everything can still be opened.
    "landlock says so": ('"/usr/lib", "/lib",', '"/", "/usr/lib", "/lib",'),
    "seccomp": (SECCOMP, SECCOMP.replace("22", "922")),
    "privileges": (SECCOMP, SECCOMP.replace("38", "938")),
    "machine": ('"x86_64": (', '"other": ('),
    # The filter is on, and lets one thing through.
    "owners": ("fcntl = (_DUPLICATE,", "fcntl = (_SET_OWNER, _DUPLICATE,"),
    **{
        name: ("exit:60:93 ", f"exit:60:93 {call} ")
        for name, call in {
            "kill": "kill:62:129",
            "socket": "socket:41:198",
            "clone": "clone:56:220",
            "execve": "execve:59:221",
            "rings": "io_uring_setup:425:425",
        }.items()
    },
    "writing": ("_OPENS = os.O_RDONLY |", "_OPENS = os.O_WRONLY |"),
}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Let handlers run in a process in which one layer is switched off."""

    def switch_off(layer: str) -> None:
        for file in Path(main.__file__).parent.glob("*.py"):
            text = file.read_text("utf-8")
            was, now = WITHOUT[layer] if file.name == "sandbox.py" else ("", "")
            assert was in text
            (tmp_path / file.name).write_text(text.replace(was, now, 1) if was else text, "utf-8")
        monkeypatch.setattr(child, "__file__", str(tmp_path / "__init__.py"))

    return switch_off


@pytest.mark.req("TP-05")
@pytest.mark.parametrize(
    ("layer", "possible"),
    [
        ("landlock", [NO_FILES]),
        ("landlock rule", [NO_FILES]),
        ("landlock end", [NO_FILES]),
        ("landlock says so", [LET[sandbox.OPEN]]),
        ("seccomp", [f"{sandbox.OPEN} ({sandbox.NO_SECCOMP})", *NO_CALLS]),
        ("privileges", [NO_FILES, *NO_CALLS]),
        ("machine", [f"{sandbox.OPEN} ({sandbox.NO_SECCOMP})", *NO_CALLS]),
        ("owners", [LET[sandbox.SIGNAL]]),
        ("kill", [LET[sandbox.SIGNAL]]),
        ("socket", [LET[sandbox.CONNECT]]),
        ("clone", [LET[sandbox.START]]),
        ("execve", [LET[sandbox.START]]),
        ("rings", [LET[sandbox.CONNECT]]),
        ("writing", [LET[sandbox.OPEN]]),
    ],
)
async def test_where_one_layer_is_missing_no_handler_runs(
    without: Callable[[str], None], layer: str, possible: list[str], tmp_path: Path
):
    if layer == "machine" and platform.machine() != "x86_64":
        pytest.skip("it is another machine's row that is taken out")
    without(layer)

    ended = await handled(action("raise RuntimeError('it ran')\n" + body()))

    assert ended.error == explain_uncontained(possible)
    assert ended.result is None


async def test_a_process_that_ends_before_it_proves_anything_is_not_contained(without: Callable[[str], None]):
    without("landlock")
    Path(child.__file__).with_name("sandbox.py").write_text("1 / 0\n")

    (possible,) = await find_possible(ProgramRunner(os.environ, RandomIds()))

    assert possible.startswith("do anything")


async def test_the_person_may_let_it_run_all_the_same(without: Callable[[str], None]):
    without("landlock")
    asked: list[list[str]] = []

    def waived(possible: Sequence[str]) -> bool:
        asked.append([*possible])
        return True

    ended = await run_handler(action(body()), {}, "session", replace(services(), waived=waived))

    assert (ended.error, asked) == (None, [[NO_FILES]])


async def test_where_there_is_no_linux_the_kernel_holds_nothing(without: Callable[[str], None]):
    without("landlock")
    file = Path(child.__file__).with_name("sandbox.py")
    file.write_text(file.read_text("utf-8").replace('sys.platform != "linux"', "True"), "utf-8")

    possible = await find_possible(ProgramRunner(os.environ, RandomIds()))

    assert possible == tuple(
        f"{what} ({sandbox.NOT_LINUX})" for what in (sandbox.OPEN, sandbox.CONNECT, sandbox.SIGNAL, sandbox.START)
    )


WANTED: dict[str, Any] = {"file": "a.py", "helpers": {}, "params": {}, "session": "s", "name": "Note down"}


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
        os.write(ours, json.dumps({"memory": 2**29}).encode() + b"\n")
        with os.fdopen(came, "rb") as messages:
            assert json.loads(messages.readline()) == {"type": "confined", "possible": []}
            os.write(ours, json.dumps({**WANTED, "source": source}).encode() + b"\n")
            os.close(ours)
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
