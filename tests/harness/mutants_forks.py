"""Try a changed file in a fork of this process, several at once, and leave neither process nor file behind."""

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Generic, TypeVar

Task = TypeVar("Task")

KILLED, SURVIVED, UNFIT, UNREACHED = b"K", b"S", b"U", b"N"
"""A test failed; all passed; it cannot be tried in this way; no test reaches it."""
TIMED_OUT, CRASHED = b"T", b"C"
MEMORY = 4 * 2**30
"""A changed loop may ask for all memory there is; it is given this much."""


@dataclass(frozen=True)
class Fork(Generic[Task]):
    """One fork at work."""

    task: Task
    pid: int
    until: float
    place: str


def verdicts(
    tasks: Iterable[tuple[Task, float]], work: Callable[[Task], bytes], at_once: int, log: str = os.devnull
) -> Iterator[tuple[Task, bytes]]:
    """Yield each task with what `work` said of it in a fork, or how the fork ended; a task comes with its seconds.

    What a fork prints goes to the file `log`.
    """
    waiting = iter(tasks)
    running: dict[int, Fork[Task]] = {}
    with selectors.DefaultSelector() as selector:
        more = True
        while more or running:
            while more and len(running) < at_once:
                given = next(waiting, None)
                more = given is not None
                if given is not None:
                    pipe, fork = _forked(given[0], given[1], work, log)
                    running[pipe] = fork
                    selector.register(pipe, selectors.EVENT_READ)
            yield from _ended(selector, running)


def _forked(task: Task, seconds: float, work: Callable[[Task], bytes], log: str) -> tuple[int, Fork[Task]]:
    reading, writing = os.pipe()
    place = tempfile.mkdtemp(prefix="mutant-")
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _work(task, work, writing, place, log)
    os.close(writing)
    return reading, Fork(task, pid, time.monotonic() + seconds, place)


def _work(task: Task, work: Callable[[Task], bytes], writing: int, place: str, log: str) -> None:
    """Do the work in the fork, say one byte, and end without any cleaning up."""
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        out = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        for descriptor in (0, 1, 2):
            os.dup2(out, descriptor)
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir = place
        os.write(writing, work(task))
    finally:
        os._exit(0)


def _ended(selector: selectors.BaseSelector, running: dict[int, Fork[Task]]) -> Iterator[tuple[Task, bytes]]:
    soonest = min(fork.until for fork in running.values()) if running else time.monotonic()
    ready = {key.fd for key, _ in selector.select(max(0.0, soonest - time.monotonic()))}
    for pipe, fork in list(running.items()):
        if pipe in ready or time.monotonic() >= fork.until:
            said = (os.read(pipe, 1) or CRASHED) if pipe in ready else TIMED_OUT
            selector.unregister(pipe)
            os.close(pipe)
            del running[pipe]
            _cleared(fork)
            yield fork.task, said


def _cleared(fork: Fork[Task]) -> None:
    """Leave neither a process nor a file of the fork behind."""
    for end in (lambda: os.killpg(fork.pid, signal.SIGKILL), lambda: os.kill(fork.pid, signal.SIGKILL)):
        with suppress(ProcessLookupError, PermissionError):
            end()
    os.waitpid(fork.pid, 0)
    for mounted in _mounted_below(fork.place):
        subprocess.run(["umount", "--lazy", mounted], check=False, capture_output=True)
    shutil.rmtree(fork.place, ignore_errors=True)


def _mounted_below(place: str) -> list[str]:
    """Return what a test that was ended in its midst has left mounted, the deepest first."""
    table = Path("/proc/self/mountinfo")
    rows = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if table.exists() else []
    return sorted((point for row in rows if (point := row.split()[4]).startswith(place + "/")), reverse=True)


Key = tuple[str, int]
"""A function's qualified name and its first line."""
Loaded = dict[str, dict[Key, list[FunctionType]]]
"""The functions of this process, by file."""


def loaded(files: Iterable[str]) -> Loaded:
    """Find every function made from these files, whoever holds it under whatever name."""
    found: Loaded = {file: {} for file in files}
    for thing in gc.get_objects():
        # Not `isinstance`, which asks what a weak proxy stands for, and that may be gone.
        if type(thing) is FunctionType and thing.__code__.co_filename in found:
            found[thing.__code__.co_filename].setdefault(_key(thing.__code__), []).append(thing)
    return found


def _key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of every function, class body and comprehension inside `code`."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


def swap(functions: dict[Key, list[FunctionType]], changed: CodeType) -> bool:
    """Give the loaded functions of a file the changed code; say whether that was all that changed."""
    fresh: dict[Key, CodeType] = {}
    for code in codes(changed):
        if _key(code) in fresh and _key(code) in functions:
            return False
        fresh[_key(code)] = code
    swapped = 0
    for key, held in functions.items():
        new = fresh.get(key)
        for function in held:
            if new is None or new.co_freevars != function.__code__.co_freevars:
                return False
            if shape(new) != shape(function.__code__):
                function.__code__ = new
                swapped += 1
    return swapped > 0


def shape(code: CodeType) -> tuple[object, ...]:
    """Return what a code does; two codes are not compared themselves, since those that ran are never equal."""
    constants = tuple(shape(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_exceptiontable


class Instead(importlib.abc.MetaPathFinder):
    """Gives one module changed code when it is imported."""

    def __init__(self, module: str, path: Path, code: CodeType) -> None:
        self._module = module
        self._loader = _Changed(module, str(path), code)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for that one module."""
        if fullname != self._module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._loader.path, loader=self._loader)


class _Changed(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, code: CodeType) -> None:
        super().__init__(fullname, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


def plant(file: str, path: Path, code: CodeType) -> str:
    """Let the module of this file be imported with changed code, and return its name; it must not be loaded yet."""
    module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if module in sys.modules:
        raise RuntimeError(f"{module} is loaded already")
    sys.meta_path.insert(0, Instead(module, path, code))
    return module
