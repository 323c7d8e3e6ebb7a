"""A person's home and sayso's own folder on the real disk, and ways to look at both that are not sayso's.

Files are looked at by `find` and `sha256sum`, the journal by plain SQLite.
"""

import hashlib
import json
import os
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import sayso
from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.runtime.results import Outcome, Report

MEMORY_DESKTOP = '[desktop]\nkind = "memory"\n'
NOON = 1_700_000_000_123_456_789
"""The time that files of a test have, in nanoseconds."""


class Thing(NamedTuple):
    """One file, folder or link as `find` and `sha256sum` tell it; a folder's time is left out."""

    kind: str
    mode: str
    time: str
    what: str
    """The SHA-256 of a file, the target of a link."""


Tree = dict[str, Thing]


@dataclass(frozen=True)
class Ground:
    """One person's home, and sayso's folder beside it, or in it."""

    base: Path
    inside: str = ""
    """Where in the home sayso's folder is, when it is there."""

    @property
    def home(self) -> Path:
        """Return the person's home."""
        return self.base / "home"

    @property
    def own(self) -> Path:
        """Return sayso's own folder."""
        return self.home / self.inside if self.inside else self.base / "sayso"

    @property
    def documents(self) -> Path:
        """Return the folder for documents, which is a root."""
        return self.home / "Documents"

    @property
    def outside(self) -> Path:
        """Return a folder that no action may reach."""
        return self.base / "outside"

    @property
    def trash(self) -> Path:
        """Return the Trash."""
        return self.home / ".local" / "share" / "Trash"

    def file(self, name: str, content: str | bytes = "one\n", *, mode: int = 0o640) -> Path:
        """Make a file below the documents, as long ago."""
        return a_file(self.documents / name, content, mode=mode)

    def opened(self, **parts: Any) -> AbstractAsyncContextManager[Home]:
        """Open this home by the library."""
        return sayso.open_home(str(self.own), environ={"HOME": str(self.home)}, **parts)

    def tree(self) -> Tree:
        """Return what the person has: everything in the home but the Trash and sayso's own."""
        hidden = (".local", self.inside) if self.inside else (".local",)
        return {path: thing for path, thing in tree(self.home).items() if not path.startswith(hidden)}

    def trashed(self) -> Tree:
        """Return what is in the Trash, without the token in each name."""
        return tree(self.trash) if self.trash.exists() else {}

    def rows(self) -> list["Row"]:
        """Return the journal's actions, oldest first."""
        return rows(self.own / "sayso.db")


def a_ground(base: Path, settings: str = MEMORY_DESKTOP) -> Ground:
    """Lay out a home with the three folders, and settings for sayso."""
    ground = Ground(base)
    for folder in ("Documents", "Downloads", "Desktop"):
        (ground.home / folder).mkdir(parents=True)
    ground.own.mkdir(mode=0o700)
    (ground.own / "config.toml").write_text(settings, "utf-8")
    return ground


def a_home(own: Path, settings: str = "") -> str:
    """Make sayso's folder, if need be, with these settings; return where it is."""
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    (own / "config.toml").write_text(settings, "utf-8")
    return str(own)


def opened(
    own: Path, settings: str = "", environ: Mapping[str, str] | None = None, **parts: Any
) -> AbstractAsyncContextManager[Home]:
    """Open a home with these settings; the person's home is the folder that it lies in."""
    return sayso.open_home(a_home(own, settings), environ=environ or {"HOME": str(own.parent)}, **parts)


def commands(*items: Mapping[str, object]) -> str:
    """Return a reply of the commands contract."""
    return json.dumps({"commands": items, "needs_clarification": False, "clarification_reason": None})


def tool_call(name: str, **arguments: object) -> str:
    """Return a call of a tool."""
    return json.dumps({"name": name, "arguments": arguments})


def in_mode(mode: str, more: str = "") -> str:
    """Return settings with this mode."""
    return f'{MEMORY_DESKTOP}[policy]\nmode = "{mode}"\n{more}'


def a_file(path: Path, content: str | bytes = "one\n", *, mode: int = 0o640) -> Path:
    """Make a file with folders above it, as long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    os.utime(path, ns=(NOON, NOON))
    return path


def tree(folder: Path) -> Tree:
    """Return everything in a folder, by its path there, as `find` and `sha256sum` tell it."""
    listed = _said("find", ".", "-mindepth", "1", "-printf", r"%P\0%y\0%m\0%T@\0%l\0", cwd=folder).split("\0")[:-1]
    hashes = hashes_in(folder)
    found: Tree = {}
    for path, kind, mode, time, target in zip(*(listed[at::5] for at in range(5)), strict=True):
        is_file = kind == "f"
        found[path] = Thing(kind, mode, time if is_file else "", hashes[path] if is_file else target)
    return found


def hashes_in(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder, by its path there."""
    lines = _said("find", ".", "-type", "f", "-exec", "sha256sum", "-z", "{}", "+", cwd=folder).split("\0")[:-1]
    return {line[64:].removeprefix("  ./"): line[:64] for line in lines}


def _said(*command: str, cwd: Path) -> str:
    ran = subprocess.run(command, cwd=cwd, capture_output=True, check=True, env={**os.environ, "LC_ALL": "C"})
    return os.fsdecode(ran.stdout)


@dataclass(frozen=True)
class Row:
    """One action as the journal's view tells it."""

    id: str
    run: str
    operation: str | None
    state: str
    undo_of: str | None
    turn: int
    marks: Mapping[str, Any]
    body: Mapping[str, Any]

    @property
    def changes(self) -> list[str]:
        """Return what became of each change that was tried."""
        return [change["outcome"] for change in self.marks.get("changes", [])]

    @property
    def approved_by(self) -> str | None:
        """Return who said yes."""
        return self.marks.get("approved_by")


_ROWS = "SELECT id, run, operation, state, undo_of, turn, marks, body FROM history ORDER BY id"


def rows(database: Path) -> list[Row]:
    """Return the journal's actions, oldest first; none when there is no journal."""
    if not database.exists():
        return []
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as journal:
        found = journal.execute(_ROWS).fetchall()
    return [
        Row(id_, run, operation, state, undo_of, turn, json.loads(marks), json.loads(body))
        for id_, run, operation, state, undo_of, turn, marks, body in found
    ]


def events(database: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the journal's commits in order: the event, and the id and new state of each action in it."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as journal:
        found = journal.execute("SELECT event, members FROM trail ORDER BY seq").fetchall()
    return [
        (event, [(action["id"], action["state"]) for action in json.loads(members).get("actions", [])])
        for event, members in found
    ]


def yes() -> Approver:
    """Return somebody who says yes to everything."""
    return sayso.Client(lambda question: True)


def no() -> Approver:
    """Return somebody who says no to everything."""
    return sayso.Client(lambda question: False)


def only(report: Report) -> Outcome:
    """Return the one outcome of a run."""
    (outcome,) = report.outcomes
    return outcome


def states(report: Report) -> list[str]:
    """Return where each action of a run stands."""
    return [outcome.record.state.value for outcome in report.outcomes]


def said(report: Report) -> list[str]:
    """Return the sentence that each action of a run ended with."""
    return [outcome.record.marks.message or outcome.record.marks.error or "" for outcome in report.outcomes]


ANY = "any"
"""Stands for a time that nobody can say beforehand."""


def moved(before: Tree, source: str, destination: str) -> Tree:
    """Return the tree with one thing, and all in it, at another place."""
    rest = {path: thing for path, thing in before.items() if not is_at(path, source)}
    return rest | _at(before, source, destination)


def copied(before: Tree, source: str, destination: str) -> Tree:
    """Return the tree with a second one of a thing, and of all in it."""
    return before | _at(before, source, destination)


def removed(before: Tree, path: str) -> Tree:
    """Return the tree without a thing and all in it."""
    return {at: thing for at, thing in before.items() if not is_at(at, path)}


def written(before: Tree, path: str, content: str) -> Tree:
    """Return the tree with a file of this content; the mode of one that was there stays."""
    mode = before[path].mode if path in before else "644"
    return before | {path: Thing("f", mode, ANY, hashlib.sha256(content.encode()).hexdigest())}


def with_folders(before: Tree, *paths: str) -> Tree:
    """Return the tree with new folders."""
    return before | {path: Thing("d", "755", "", "") for path in paths}


def alike(expected: Tree, found: Tree) -> bool:
    """Say whether a tree is as expected."""
    return expected.keys() == found.keys() and all(
        wanted == found[path] or (wanted.time == ANY and wanted == found[path]._replace(time=ANY))
        for path, wanted in expected.items()
    )


def is_at(path: str, place: str) -> bool:
    """Say whether a path is this place or lies in it."""
    return path == place or path.startswith(place + "/")


def _at(before: Tree, source: str, destination: str) -> Tree:
    return {destination + path.removeprefix(source): thing for path, thing in before.items() if is_at(path, source)}
