"""Run external programs: with an argument vector, a time limit, and a clean end of all processes they start."""

import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import anyio
import anyio.lowlevel
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Ids
from sayso.core.quotes import quoted
from sayso.providers.programs import detach, supervisor
from sayso.providers.programs.own_python import script_command
from sayso.providers.programs.pipe import MessagePipe, PipeDialogue

SECONDS = 30.0
MOST = 16 * 2**20


class ProgramCall(Struct, frozen=True):
    """One run of a program. sayso writes the `words`; the `values` come from a model, a person or a file.

    No shell is used, so each value is exactly one argument. `dashes` says that the program accepts `--` as the end of
    its options; for other programs, a value that begins with a dash is refused.
    """

    program: str
    """A name to find on the PATH, or an absolute path."""
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    dashes: bool = False
    data: bytes = b""
    """The program's standard input."""
    seconds: float = SECONDS
    most: int = MOST
    """The most bytes that are kept of the output, and of the error output; further bytes are dropped."""
    silent: bool = False
    """Whether the output is dropped; for a program whose background process would keep the pipes open."""
    kept: bool = False
    """Whether the program and all its processes end even if sayso is killed; for programs that may run long."""
    file: str = ""
    """The path of a private file that contains `filed` while a `kept` program runs; empty for no file."""
    filed: bytes = b""
    folder: str = "/"
    whole: bool = False
    """Whether the program gets the person's whole environment, except sayso's own variables.

    Otherwise it gets only the variables that a desktop program needs.
    """
    bare: bool = False
    """Whether the environment has only language and time zone, without home folder and desktop."""
    also: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further environment variables of the program."""

    def arguments(self) -> tuple[str, ...]:
        """Return the arguments. Raises `ProviderError` for a value that the program would read as an option."""
        for word in (self.program, *self.words, *self.values):
            if "\0" in word:
                raise ProviderError(f"{self.name} cannot be given a text with a NUL in it", "program.argument")
        if self.dashes and self.values:
            return (*self.words, "--", *self.values)
        for value in self.values:
            if value.startswith("-"):
                shown = value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]}…"
                raise ProviderError(
                    f"{quoted(shown)} would be taken for an option of {self.name}; write it without a dash in front",
                    "program.option",
                )
        return (*self.words, *self.values)

    @property
    def name(self) -> str:
        """Return the program's name, without its folder."""
        return self.program.rpartition("/")[2]


MOST_SHOWN = 60


class ProgramResult(Struct, frozen=True):
    """The result of a program: its exit code (negative for a signal), and its output."""

    name: str
    code: int
    output: bytes = b""
    errors: bytes = b""
    cut: bool = False
    """Whether the program wrote more than was kept."""

    @property
    def text(self) -> str:
        """Return the output as text, without trailing newlines."""
        return self.output.decode("utf-8", "replace").rstrip("\r\n")

    @property
    def complaint(self) -> str:
        """Return the error output on one line, shortened; if there is none, return how the program ended."""
        said = " ".join(self.errors.decode("utf-8", "replace").split())
        how = f"it was ended by signal {-self.code}" if self.code < 0 else f"it ended with {self.code}"
        return (said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}…") or how


MOST_SAID = 400

OURS = "SAYSO_"
"""Prefix of sayso's own variables, which include passwords; no program gets one of them, except for `STARTED`."""
STARTED = "SAYSO_STARTED"
"""The variable that marks all processes started in one run; child processes inherit it."""
_NEEDED = frozenset(
    {
        *("HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
        *("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "SWAYSOCK", "DESKTOP_SESSION"),
        *("DBUS_SESSION_BUS_ADDRESS", "GSETTINGS_BACKEND", "GIO_USE_VFS", "NO_AT_BRIDGE"),
    }
)
_NEEDED_STARTS = ("LC_", "XDG_", "PULSE_", "PIPEWIRE_", "SPEECHD_", "GTK_", "QT_", "KDE_")
_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy")
_BROWSING = frozenset(
    {
        *_PROXIES,
        *(name.upper() for name in _PROXIES),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "XMODIFIERS", "INPUT_METHOD", "MOZ_ENABLE_WAYLAND", "MOZ_USE_XINPUT2"),
    }
)
_BROWSING_STARTS = ("GDK_", "IBUS_", "XCURSOR_", "FONTCONFIG_", "LIBVA_")


def session_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return only the variables that a desktop program needs to find screen, bus, sound and language."""
    return {name: value for name, value in environ.items() if name in _NEEDED or name.startswith(_NEEDED_STARTS)}


def bare_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return only language and time zone, for a program that must have no access to the person's data."""
    return {name: value for name, value in environ.items() if name in {"LANG", "TZ"} or name.startswith("LC_")}


def browser_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the further variables that a browser needs: proxy, certificates, input methods and appearance."""
    return {name: value for name, value in environ.items() if name in _BROWSING or name.startswith(_BROWSING_STARTS)}


def full_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return all variables except sayso's own, for the person's own programs."""
    return {name: value for name, value in environ.items() if not name.startswith(OURS)}


def find_program(program: str, environ: Mapping[str, str]) -> str | None:
    """Return the path of a program, or None; only absolute folders of the PATH are searched."""
    if "/" in program:
        return program if Path(program).is_absolute() and os.access(program, os.X_OK) else None
    folders = [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    return shutil.which(program, path=os.pathsep.join(folders)) if folders else None


PROC = Path("/proc")


def marked_processes(name: str, value: str) -> tuple[int, ...]:
    """Return the ids of the processes that were started with this variable; none if the system has no `/proc`."""
    return tuple(pid for pid in _processes() if _carries(pid, name, value))


def signal_marked(name: str, value: str, how: signal.Signals) -> int:
    """Send a signal to all processes that carry this mark; return their number."""
    ended = 0
    for pid in marked_processes(name, value):
        with _open_pidfd(pid) as process:
            # The mark is checked again after the process was opened, because its id may have passed to another process.
            if process is not None and _carries(pid, name, value):
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(process, how)
                ended += 1
    return ended


def _processes() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal())


def _carries(pid: int, name: str, value: str) -> bool:
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return os.fsencode(f"{name}={value}") in environment.split(b"\0")


@contextmanager
def _open_pidfd(pid: int) -> Generator[int | None]:
    try:
        process = os.pidfd_open(pid)
    except OSError:
        yield None
        return
    try:
        yield process
    finally:
        os.close(process)


POLITE_SECONDS = 2.0
"""Seconds that a program gets to end by itself after it was asked to."""
_SURE_SECONDS = 5.0
_LOOK_EVERY = 0.01


async def wait_for_end(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended. The process is not reaped, so its id cannot pass to another process yet."""
    if not hasattr(os, "pidfd_open"):
        await _until(lambda: _has_ended(process.pid))
        return
    held = os.pidfd_open(process.pid)
    try:
        await anyio.wait_readable(held)
    finally:
        os.close(held)


def _has_ended(pid: int) -> bool:
    """Return whether a child process has ended, without reaping it.

    Python before 3.13 has no `waitid` on macOS; there, a queue of the kernel can watch only a process that still runs.
    """
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    queue = select.kqueue()
    try:
        watch = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        return bool(queue.control([watch], 1, 0))
    except ProcessLookupError:
        return True
    finally:
        queue.close()


async def end_marked_processes(name: str, value: str, polite_seconds: float = POLITE_SECONDS) -> None:
    """Ask all processes that were started with this variable to end, and kill those that have not ended in time."""
    signal_marked(name, value, signal.SIGTERM)
    with anyio.move_on_after(polite_seconds):
        await _until(lambda: not marked_processes(name, value))
        return
    with anyio.move_on_after(_SURE_SECONDS):
        await _kill_tree(name, value)


async def end(process: subprocess.Popen[bytes], token: str, polite_seconds: float = POLITE_SECONDS) -> None:
    """End a process, its group, and all processes that carry its token; return after all of them are gone."""
    with anyio.CancelScope(shield=True):
        _signal(process, token, signal.SIGTERM)
        with anyio.move_on_after(polite_seconds):
            await wait_for_end(process)
            await _until(lambda: not marked_processes(STARTED, token))
        with anyio.move_on_after(_SURE_SECONDS):
            _signal(process, token, signal.SIGKILL)
            await _kill_tree(STARTED, token)
            await wait_for_end(process)
        process.wait()


async def _kill_tree(name: str, value: str) -> None:
    """Kill until two searches have found no process: while a process executes a new program, its mark is not seen."""
    for _ in ("once", "twice"):
        await _until(lambda: not signal_marked(name, value, signal.SIGKILL))
        await anyio.sleep(_LOOK_EVERY)


async def _until(condition: Callable[[], bool]) -> None:
    while True:
        if condition():
            return
        await anyio.sleep(_LOOK_EVERY)


def _signal(process: subprocess.Popen[bytes], token: str, how: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, how)
    signal_marked(STARTED, token, how)


_AT_ONCE = 65536
_PIPE_HOLDS = 2**20
"""The most bytes that a pipe can still contain after its writer has ended."""


class ProgramRunner:
    """Starts programs in this environment; no other code of sayso starts a program.

    When a program must end, it gets `polite_seconds` to do so by itself.
    """

    def __init__(self, environ: Mapping[str, str], ids: Ids, polite_seconds: float = POLITE_SECONDS) -> None:
        self._environ = dict(environ)
        self._ids = ids
        self._polite_seconds = polite_seconds

    @property
    def environ(self) -> Mapping[str, str]:
        """Return the environment of sayso itself."""
        return self._environ

    def find(self, program: str) -> str | None:
        """Return the path of a program; None if it is not installed."""
        return find_program(program, self._environ)

    def must_find(self, program: str) -> str:
        """Return the path of a program. Raises `SetupError` if it is not installed."""
        path = self.find(program)
        if path is None:
            raise SetupError(f"{program} not found; install it, or see what `sayso doctor` says", "program.missing")
        return path

    async def run(self, call: ProgramCall, talk: PipeDialogue | None = None) -> ProgramResult:
        """Run a program, wait for its end, and return its result, whatever its exit code is.

        With `talk`, the program gets two more arguments: the numbers of the pipes for the dialogue. The time that sayso
        takes for an answer does not count towards the time limit, and the program is ended when the dialogue is over.
        Raises `SetupError` if the program is not installed, and `ProviderError` if it cannot be started or does not end
        in time. At the time limit, or if the caller is cancelled, the program and its child processes are ended before
        this method returns.
        """
        argv, token = self._argv(call), self._ids.token()
        with ExitStack() as open_files, _reading(call.data) as stdin:
            passed = open_files.enter_context(_open_lifeline(call)) if call.kept else ()
            pipe = open_files.enter_context(MessagePipe()) if talk else None
            theirs = pipe.theirs if pipe else ()
            environ = {**self._choose_environment(call), STARTED: token}
            words = [*supervisor_command(call, passed, self._polite_seconds), *argv, *map(str, theirs)]
            process = _start_process(call, words, environ, stdin, (*passed, *theirs))
            streams = [open_files.enter_context(stream) for stream in (process.stdout, process.stderr) if stream]
            kept = [_OutputBuffer(stream.fileno(), call.most) for stream in streams]
            in_time = False
            try:
                with anyio.move_on_after(call.seconds) as limit:
                    await _listen(process, kept, pipe.dialogue(talk, limit) if pipe and talk else None)
                    in_time = True
            finally:
                if in_time and talk is None:
                    process.wait()
                else:
                    await end(process, token, self._polite_seconds)
        if not in_time:
            raise ProviderError(
                f"{call.name} did not end within {call.seconds:g} seconds and was stopped", "program.timeout"
            )
        output, errors = [one.bytes for one in kept] or [b"", b""]
        return ProgramResult(call.name, process.returncode, output, errors, any(one.cut for one in kept))

    async def run_for_text(self, call: ProgramCall) -> str:
        """Run a program and return its output. Raises `ProviderError` with the program's error output if it fails."""
        done = await self.run(call)
        if done.code:
            raise ProviderError(f"{call.name} failed: {done.complaint}", "program.failed")
        if done.cut:
            raise ProviderError(f"{call.name} printed more than {call.most:,} bytes", "program.output")
        return done.text

    def _argv(self, call: ProgramCall) -> list[str]:
        arguments = call.arguments()
        return [self.must_find(call.program), *arguments]

    def _choose_environment(self, call: ProgramCall) -> dict[str, str]:
        given = bare_environment if call.bare else full_environment if call.whole else session_environment
        return {**given(self._environ), **call.also}


class _OutputBuffer:
    """The output of one stream, up to a limit; further bytes are read and dropped."""

    def __init__(self, descriptor: int, most: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._most = most
        self._taken = bytearray()
        self.cut = False

    @property
    def bytes(self) -> bytes:
        return bytes(self._taken)

    async def listen(self) -> None:
        """Read until all writers have closed the stream."""
        while True:
            try:
                if not self._read():
                    return
            except BlockingIOError:
                await anyio.wait_readable(self._descriptor)
            else:
                await anyio.lowlevel.checkpoint()

    def rest(self) -> None:
        """Read what is already in the pipe, without waiting for a process that still has the other end open."""
        left = _PIPE_HOLDS
        with suppress(BlockingIOError):
            while left > 0 and (got := self._read()):
                left -= got

    def _read(self) -> int:
        chunk = os.read(self._descriptor, _AT_ONCE)
        room = self._most - len(self._taken)
        self._taken += chunk[:room]
        self.cut = self.cut or len(chunk) > room
        return len(chunk)


async def _listen(
    process: subprocess.Popen[bytes], kept: Sequence[_OutputBuffer], spoken: Callable[[], Awaitable[None]] | None
) -> None:
    """Read the output until the program ends. The pipes may stay open longer, if the program left processes behind."""
    async with anyio.create_task_group() as tasks:

        async def talk() -> None:
            if spoken is not None:
                await spoken()
                tasks.cancel_scope.cancel()

        for one in kept:
            tasks.start_soon(one.listen)
        tasks.start_soon(talk)
        await wait_for_end(process)
        tasks.cancel_scope.cancel()
    for one in kept:
        one.rest()


def _start_process(
    call: ProgramCall, argv: Sequence[str], environ: Mapping[str, str], stdin: int, passed: tuple[int, ...]
) -> subprocess.Popen[bytes]:
    pipe = subprocess.DEVNULL if call.silent else subprocess.PIPE
    try:
        return subprocess.Popen(
            argv,
            env=environ,
            cwd=call.folder,
            stdin=stdin,
            stdout=pipe,
            stderr=pipe,
            close_fds=True,
            pass_fds=passed,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ProviderError(f"{call.name} could not be started: {why}", "program.start") from None


def supervisor_command(
    call: ProgramCall, passed: tuple[int, ...], polite_seconds: float = POLITE_SECONDS
) -> tuple[str, ...]:
    """Return the command that is put before a program that must end when sayso ends; empty for other programs."""
    if not passed:
        return ()
    return script_command(supervisor.__file__, *map(str, passed), str(polite_seconds), call.file)


@contextmanager
def _open_lifeline(call: ProgramCall) -> Generator[tuple[int, int]]:
    """Yield the end of a pipe that closes when this process ends, and a descriptor with the content for the file."""
    reading, writing = os.pipe()
    try:
        with _reading(call.filed or b"\0") as filed:
            yield reading, filed
    finally:
        os.close(reading)
        os.close(writing)
        if call.file:
            Path(call.file).unlink(missing_ok=True)


@contextmanager
def _reading(data: bytes) -> Generator[int]:
    """Yield a descriptor with a program's standard input.

    It is not a pipe, so this process never has to wait until the program has read it.
    """
    if not data:
        yield subprocess.DEVNULL
        return
    with os.fdopen(os.memfd_create("data"), "w+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        file.seek(0)
        yield file.fileno()


async def launch(runner: ProgramRunner, call: ProgramCall) -> int:
    """Start a program and return its process id without waiting for its end.

    The program runs in a new session, without sayso's open files, and without a parent that must wait for it. Raises
    `SetupError` if it is not installed, and `ProviderError` if the system does not start it.
    """
    arguments = call.arguments()
    path = runner.must_find(call.program)
    python, *words = script_command(detach.__file__, path, *arguments)
    helper = replace(call, program=python, words=tuple(words), values=(), silent=False, dashes=False)
    said = (await runner.run(helper)).text
    if not said.isdecimal():
        raise ProviderError(f"{call.name} could not be started: {said}", "program.start")
    return int(said)
