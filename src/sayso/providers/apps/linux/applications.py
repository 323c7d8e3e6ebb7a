"""Applications of a Linux desktop: processes, starting programs, and the desktop entry of a window's application."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.ports import Ids
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.desktop_entries import SUFFIX, ApplicationFolders, DesktopEntry, InstalledEntries, is_readable_name
from sayso.providers.programs.run import ProgramCall, ProgramRunner, launch, marked_processes

PROC = Path("/proc")
OPENED_VARIABLE = "OPENED_BY_SAYSO"
"""The environment variable with the token of an application that sayso opened; its child processes inherit it."""
_PARENT, _START = 1, 19
"""Positions of the parent and the start time among the words after the name in `/proc/PID/stat`."""


def process_instance(pid: int) -> str | None:
    """Return an id that only this process has until the machine restarts; None if the process has ended."""
    words = _process_words(pid)
    # A process that has ended remains in /proc until its parent has waited for it. It counts as ended.
    return None if not words or words[0] in {"Z", "X"} else f"{pid}-{words[_START]}"


def _process_words(pid: int) -> list[str]:
    """Return the words after the name in `/proc/PID/stat`; an empty list if the process has ended."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


def own_instances() -> frozenset[str]:
    """Return the instances of this process and of its ancestors, such as the shell and the terminal."""
    found: list[str] = []
    pid = os.getpid()
    while pid > 1 and (words := _process_words(pid)):
        found.append(f"{pid}-{words[_START]}")
        pid = int(words[_PARENT])
    return frozenset(found)


def is_alive(name: str) -> bool:
    """Return whether the process with this id from `process_instance` still runs."""
    pid = name.partition("-")[0]
    return pid.isdecimal() and process_instance(int(pid)) == name


def instances_of_token(token: str) -> frozenset[str]:
    """Return the instances that carry a token in their environment; none for an empty token."""
    found = (process_instance(pid) for pid in marked_processes(OPENED_VARIABLE, token)) if token else ()
    return frozenset(name for name in found if name)


def program_names(pid: int) -> tuple[str, ...]:
    """Return the names of a process's program: the one it was started with, and that of the executable file."""
    names: list[str] = []
    try:
        first = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")[0]
        names.append(os.fsdecode(first).rpartition("/")[2])
        names.append(str((PROC / str(pid) / "exe").readlink()).rpartition("/")[2])
    except OSError:
        pass
    return tuple(dict.fromkeys(name for name in names if name))


def launching_entry(pid: int) -> str | None:
    """Return the path of the desktop entry from which this process was started, if its environment names it."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
        leads = os.getsid(pid) == pid
    except OSError:
        return None
    variables = {name: value for name, _, value in (word.partition(b"=") for word in environment)}
    # Child processes inherit these variables. They apply to the process whose id the first one contains, or, if that
    # one is not set, to a process that leads its session.
    named = variables.get(b"GIO_LAUNCHED_DESKTOP_FILE_PID")
    about = named == str(pid).encode() if named else leads
    path = variables.get(b"GIO_LAUNCHED_DESKTOP_FILE")
    return os.fsdecode(path) if path and about else None


TERMINALS = (("xdg-terminal-exec", ()), ("x-terminal-emulator", ("-e",)), ("foot", ()), ("xterm", ("-e",)))
"""Terminal programs, each with the arguments that precede the program it is to run."""


class AppLauncher:
    """Starts applications in this environment."""

    def __init__(self, environ: Mapping[str, str], home: str, roots: tuple[str, ...], ids: Ids) -> None:
        self._runner = ProgramRunner(environ, ids)
        self._home = home
        self._ids = ids
        self._folders = ApplicationFolders(environ, home, roots)

    def entries(self) -> InstalledEntries:
        """Return the entries of the applications that are installed now."""
        return self._folders.look()

    def token(self) -> str:
        """Return a new unique name that nobody can guess."""
        return self._ids.token()

    async def start(self, entry: DesktopEntry, entries: InstalledEntries, token: str = "") -> int:
        """Start an application without any further arguments; return its process id.

        The process carries `token` in its environment, so that it can be recognized later. Raises `ProviderError` if a
        part of the application is in a folder where file actions may write, because such an action may have changed the
        application.
        """
        entries.require_out_of_reach(entry)
        program, *words = self._in_terminal(entry.command) if entry.terminal else entry.command
        folder = entry.folder if Path(entry.folder).is_absolute() and os.access(entry.folder, os.X_OK) else self._home
        also = {"GIO_LAUNCHED_DESKTOP_FILE": entry.path, **({OPENED_VARIABLE: token} if token else {})}
        return await launch(self._runner, ProgramCall(program, tuple(words), folder=folder, whole=True, also=also))

    def _in_terminal(self, command: tuple[str, ...]) -> tuple[str, ...]:
        for terminal, words in TERMINALS:
            if self._runner.find(terminal) is not None:
                return (terminal, *words, *command)
        raise SetupError(
            "it runs in a terminal, and no terminal is installed; install one, such as xterm", "app.terminal"
        )


class AppNames:
    """Finds the desktop entry of a window's application, from the window's classes and its process."""

    def __init__(self, entries: Sequence[DesktopEntry]) -> None:
        self._by_class = _group_by(entries, lambda entry: entry.wm_class.casefold())
        self._by_id = _group_by(entries, lambda entry: entry.id.removesuffix(SUFFIX).casefold())
        self._by_path = _group_by(entries, lambda entry: entry.path)
        self._by_last = _group_by(entries, lambda entry: _last(entry.id))
        self._by_program = _group_by(entries, lambda entry: entry.program)
        self._by_pid: dict[tuple[int, tuple[str, ...]], DesktopEntry | None] = {}

    def entry(self, window: ScreenWindow) -> DesktopEntry | None:
        """Return the desktop entry of a window's application; None if no single entry fits."""
        key = (window.pid or 0, window.classes)
        if key not in self._by_pid:
            self._by_pid[key] = next(self._window_entries(window), None)
        return self._by_pid[key]

    def name(self, window: ScreenWindow) -> str:
        """Return the name of a window's application; without a desktop entry, the window's class or program name."""
        return next((name for name in self._window_names(window) if is_readable_name(name)), "unknown")

    def _window_names(self, window: ScreenWindow) -> Iterator[str]:
        entry = self.entry(window)
        if entry:
            yield entry.name
            return
        yield from reversed(window.classes)
        if window.pid:
            yield from program_names(window.pid)

    def _window_entries(self, window: ScreenWindow) -> Iterator[DesktopEntry]:
        classes = [name.casefold() for name in window.classes if name]
        yield from _only(self._by_class, classes)
        yield from _only(self._by_id, classes)
        if window.pid and (path := launching_entry(window.pid)):
            yield from _only(self._by_path, [path])
        yield from _only(self._by_last, classes)
        if window.pid:
            yield from _only(self._by_program, program_names(window.pid))


def _group_by(
    entries: Iterable[DesktopEntry], key: Callable[[DesktopEntry], str]
) -> Mapping[str, Sequence[DesktopEntry]]:
    groups: dict[str, list[DesktopEntry]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups


def _only(groups: Mapping[str, Sequence[DesktopEntry]], keys: Iterable[str]) -> Iterator[DesktopEntry]:
    """Yield the one entry that fits; nothing if several entries in the menus fit."""
    fitting = [entry for key in dict.fromkeys(keys) for entry in groups.get(key, ())]
    in_menus = [entry for entry in fitting if not entry.hidden]
    if len(in_menus) == 1 or (not in_menus and len(fitting) == 1):
        yield (in_menus or fitting)[0]


def _last(id_: str) -> str:
    """Return the last part of an id such as `org.xfce.mousepad.desktop`."""
    return id_.removesuffix(SUFFIX).rpartition(".")[2].casefold()
