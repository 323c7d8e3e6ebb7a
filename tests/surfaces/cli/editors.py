"""Editors that do one thing to the file they are given, as a person would with their own."""

import shlex
import sys
from pathlib import Path


def an_editor(folder: Path, code: str) -> str:
    """Return the words for EDITOR that start a program which runs `code` with the file's `path` and its `text`.

    It keeps what it was given in `folder`, one file for each time, with the file's mode and name beside it.
    """
    folder.mkdir(exist_ok=True)
    program = folder / "an editor.py"
    program.write_text(
        "import os, signal, stat, sys, time\n"
        "from pathlib import Path\n"
        "path = Path(sys.argv[-1])\n"
        "text = path.read_text('utf-8')\n"
        f"kept = Path({str(folder)!r})\n"
        "number = len(list(kept.glob('given-*.txt')))\n"
        "(kept / f'given-{number}.txt').write_text(text, 'utf-8')\n"
        "modes = f'{stat.S_IMODE(path.stat().st_mode):o} {stat.S_IMODE(path.parent.stat().st_mode):o}'\n"
        "(kept / f'where-{number}.txt').write_text(f'{path}\\n{modes}\\n')\n"
        f"{code}\n",
        "utf-8",
    )
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} --wait"


def given_to(folder: Path, number: int = 0) -> str:
    """Return the text that the editor was given."""
    return (folder / f"given-{number}.txt").read_text("utf-8")


def where(folder: Path, number: int = 0) -> tuple[Path, str]:
    """Return the path that the editor was given, and the modes of the file and of its folder."""
    path, modes = (folder / f"where-{number}.txt").read_text().splitlines()
    return Path(path), modes
