"""Open the person's own editor on a private file that is gone afterwards."""

import fcntl
import os
import shlex
import shutil
import stat
import termios
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.values import dataclass

USUAL = ("nano", "vi")
"""What is looked for where neither VISUAL nor EDITOR names an editor."""


@dataclass(frozen=True)
class Editor:
    """The words that start an editor, and what the person should know about it."""

    argv: tuple[str, ...]
    note: str = ""


def find_editor(environ: Mapping[str, str]) -> Editor:
    """Return the editor that `VISUAL` or `EDITOR` names, or a usual one. Raises `SetupError` where there is none."""
    path = environ.get("PATH", os.defpath)
    for name in ("VISUAL", "EDITOR"):
        said = environ.get(name, "").strip()
        if said:
            return Editor(_found(_words(name, said), name, path))
    for usual in USUAL:
        found = shutil.which(usual, path=path)
        if found is not None:
            return Editor((found,), f"neither VISUAL nor EDITOR names an editor, so “{usual}” is opened")
    raise SetupError(
        "there is no editor to open: name one in EDITOR, such as export EDITOR=nano; numbers leave lines out too",
        "editor.none",
    )


def _words(name: str, said: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(said))
    except ValueError:
        raise SetupError(
            f"{name} is “{said}”, in which a quote is not closed; mend it and try again", "editor.none"
        ) from None


def _found(words: tuple[str, ...], name: str, path: str) -> tuple[str, ...]:
    found = shutil.which(words[0], path=path) if words else None
    if found is None:
        raise SetupError(
            f"{name} names “{words[0] if words else ''}”, which is not there; name another editor", "editor.none"
        )
    return (found, *words[1:])


@contextmanager
def private_file(folder: Path, name: str) -> Generator[Path]:
    """Make a file that only this person can read, in a folder of its own; both are gone afterwards.

    What a process left that was killed meanwhile is removed first.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sweep(folder, name.partition("-")[0])
    own = folder / name
    own.mkdir(mode=0o700)  # an editor leaves copies beside the file: they go with it
    held = os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield own / "actions.txt"
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(held)


def _sweep(folder: Path, kind: str) -> None:
    for left in folder.glob(f"{kind}-*"):
        with suppress(OSError):
            held = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(held)


def put(file: Path, text: str) -> None:
    """Write the file anew, private from its first byte."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def read_back(file: Path, most: int) -> str:
    """Return what was saved. Raises `SetupError` when it is no text that can be taken."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as wrong:
        raise SetupError(f"the file cannot be read again ({wrong.strerror})", "editor.file") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SetupError("what was saved is no file", "editor.file")
    with os.fdopen(descriptor, "rb") as opened:
        data = opened.read(most + 1)
    if len(data) > most:
        raise SetupError(f"the text is longer than {most:,} bytes, the most that is read at once", "editor.file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise SetupError(f"line {line} is not UTF-8 text", "editor.file") from None


def run(
    editor: Editor,
    file: Path,
    terminal: int,
    environ: Mapping[str, str],
    deaf: Callable[[], AbstractContextManager[None]],
) -> int:
    """Let the editor have the terminal until it ends; return its exit code, negative for a signal.

    While it runs Ctrl-C is the editor's. How the terminal was set comes back, however the editor ended.
    """
    before = termios.tcgetattr(terminal)
    try:
        with deaf():
            streams = [(os.POSIX_SPAWN_DUP2, terminal, number) for number in range(3)]
            program = os.posix_spawn(editor.argv[0], [*editor.argv, str(file)], environ, file_actions=streams)
            _, status = os.waitpid(program, 0)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return os.waitstatus_to_exitcode(status)
