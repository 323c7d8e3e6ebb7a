"""Run one program to its end: bounded in time and in what it may say, and ended with everything it started."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import anyio
import anyio.lowlevel

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Ids
from sayso.providers.programs import keeping
from sayso.providers.programs.call import Call, Ended
from sayso.providers.programs.ending import end, ended
from sayso.providers.programs.environment import STARTED, bare, found, needed, whole
from sayso.providers.programs.line import Line, Talk

_AT_ONCE = 65536
_PIPE_HOLDS = 2**20
"""The most that a pipe may still hold when its writer has ended."""


class Runner:
    """Starts programs in this environment; nothing else does."""

    def __init__(self, environ: Mapping[str, str], ids: Ids) -> None:
        self._environ = dict(environ)
        self._ids = ids

    @property
    def environ(self) -> Mapping[str, str]:
        """Return the environment of sayso itself, to look at."""
        return self._environ

    def find(self, program: str) -> str | None:
        """Return where a program is, None where there is none."""
        return found(program, self._environ)

    async def run(self, call: Call, talk: Talk | None = None) -> Ended:
        """Run a program and wait for its end, whatever its exit code is.

        With `talk` it is told the numbers of two more descriptors behind its arguments, over which it is talked with.
        Its time stands still while it is being answered; once the talk is over it is ended. Raises `SetupError` where
        it is not installed, and `ProviderError` where it cannot be started or does not end in its time; then, and when
        the wait is cancelled, it is gone with its children before this returns.
        """
        argv, token = self._argv(call), self._ids.token()
        with ExitStack() as open_files, _reading(call.data) as stdin:
            passed = open_files.enter_context(_kept(call)) if call.kept else ()
            line = open_files.enter_context(Line()) if talk else None
            theirs = line.theirs if line else ()
            environ = {**self._chosen(call), STARTED: token}
            words = [*under_keeping(call, passed), *argv, *map(str, theirs)]
            process = _started(call, words, environ, stdin, (*passed, *theirs))
            streams = [open_files.enter_context(stream) for stream in (process.stdout, process.stderr) if stream]
            kept = [_Kept(stream.fileno(), call.most) for stream in streams]
            in_time = False
            try:
                with anyio.move_on_after(call.seconds) as limit:
                    await _listen(process, kept, line.spoken(talk, limit) if line and talk else None)
                    in_time = True
            finally:
                if in_time and talk is None:
                    process.wait()
                else:
                    await end(process, token)
        if not in_time:
            raise ProviderError(
                f"{call.name} did not end within {call.seconds:g} seconds and was stopped", "program.timeout"
            )
        output, errors = [one.bytes for one in kept] or [b"", b""]
        return Ended(call.name, process.returncode, output, errors, any(one.cut for one in kept))

    async def told(self, call: Call) -> str:
        """Run a program that must succeed and return what it says. Raises `ProviderError` with its own complaint."""
        done = await self.run(call)
        if done.code:
            raise ProviderError(f"{call.name} failed: {done.complaint}", "program.failed")
        if done.cut:
            raise ProviderError(f"{call.name} said more than {call.most:,} bytes", "program.output")
        return done.text

    def _argv(self, call: Call) -> list[str]:
        arguments = call.arguments()
        path = self.find(call.program)
        if path is None:
            raise SetupError(
                f"{call.program} not found; install it, or see what `sayso doctor` says", "program.missing"
            )
        return [path, *arguments]

    def _chosen(self, call: Call) -> dict[str, str]:
        given = bare if call.bare else whole if call.whole else needed
        return {**given(self._environ), **call.also}


class _Kept:
    """What is read of one stream, up to a bound; what is beyond is read and dropped."""

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
        """Read until the last writer has closed it."""
        while True:
            try:
                if not self._read():
                    return
            except BlockingIOError:
                await anyio.wait_readable(self._descriptor)
            else:
                await anyio.lowlevel.checkpoint()

    def rest(self) -> None:
        """Read what is there already, without waiting for anybody who still holds the other end."""
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
    process: subprocess.Popen[bytes], kept: Sequence[_Kept], spoken: Callable[[], Awaitable[None]] | None
) -> None:
    """Read while the program runs; who it left behind may hold its pipes, and is not waited for."""
    async with anyio.create_task_group() as tasks:

        async def talked() -> None:
            if spoken is not None:
                await spoken()
                tasks.cancel_scope.cancel()

        for one in kept:
            tasks.start_soon(one.listen)
        tasks.start_soon(talked)
        await ended(process)
        tasks.cancel_scope.cancel()
    for one in kept:
        one.rest()


def _started(
    call: Call, argv: Sequence[str], environ: Mapping[str, str], stdin: int, passed: tuple[int, ...]
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
    except (OSError, ValueError) as odd:
        why = odd.strerror if isinstance(odd, OSError) else str(odd)
        raise ProviderError(f"{call.name} could not be started: {why}", "program.start") from None


def under_keeping(call: Call, passed: tuple[int, ...]) -> tuple[str, ...]:
    """Return the words in front of a program that is to end with sayso; none for any other."""
    if not passed:
        return ()
    return (sys.executable, "-I", "-S", keeping.__file__, *map(str, passed), call.file)


@contextmanager
def _kept(call: Call) -> Generator[tuple[int, int]]:
    """Yield the end of a pipe by which a program notices that this process has ended, and what its file is to hold."""
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
    """Yield what the program reads from. It is no pipe, so nobody has to wait until it has read it."""
    if not data:
        yield subprocess.DEVNULL
        return
    with os.fdopen(os.memfd_create("data"), "w+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        file.seek(0)
        yield file.fileno()
