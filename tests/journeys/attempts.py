"""Each file operation as an attempt on one path, and a home with canaries in which somebody makes them."""

import json
import os
import posixpath
import socket
import stat
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import anyio
import msgspec

from sayso.assembly import Home
from sayso.core.encoding import Json
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.results import Outcome, report_json
from tests.journeys.ground import MEMORY_DESKTOP, Ground, Tree, a_file, only, tree, yes
from tests.patience import patience

CANARY = "CANARY-7f3a91"
OWN = {"config.toml", "locks", "sayso.db", "sayso.db-shm", "sayso.db-wal", "trash", "upkeep"}
SECONDS = patience(20)
"""More than any attempt takes on a busy machine; one that waits for a pipe or reads without end takes for ever."""


FREE, THERE = "~/Documents/free", "~/Documents/a.txt"

VERBS: Mapping[str, tuple[str, str, dict[str, Json]]] = {
    "move from": ("file.move", "source", {"destination": FREE}),
    "move to": ("file.move", "destination", {"source": THERE}),
    "copy from": ("file.copy", "source", {"destination": FREE}),
    "copy to": ("file.copy", "destination", {"source": THERE}),
    "delete": ("file.delete", "path", {}),
    "mkdir": ("file.mkdir", "path", {}),
    "open": ("file.open", "path", {}),
    "reveal": ("file.reveal", "path", {}),
    "write": ("file.write", "path", {"content": "planted"}),
    "append": ("file.append", "path", {"content": "planted"}),
    "list": ("file.list", "path", {}),
    "find": ("file.find", "path", {"pattern": "*"}),
    "read": ("file.read", "path", {}),
}
ON_A_LINK = ("move from", "copy from", "delete", "reveal")
"""What may be done to a link itself, which leaves what it points to alone."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One adversarial case, as it stands in its file; `{outside}`, `{home}` and `{own}` are put in."""

    req: list[str]
    says: str
    states: list[str]
    paths: list[str] = []
    verbs: list[str] = []
    calls: list[tuple[str, dict[str, Any]]] = []
    extra: list[tuple[str, Any]] = []
    links: dict[str, str] = {}
    special: dict[str, str] = {}
    as_link: list[str] = []
    roots: tuple[str, ...] = ("~/Documents", "~/Downloads", "~/Desktop")
    own: str = ""
    """Where in the home sayso's own folder is; empty for beside it."""


@dataclass(frozen=True)
class Attempt:
    """One call, what it aims at, and the states it may end in."""

    operation: str
    arguments: Mapping[str, Json]
    aim: str
    states: Sequence[str]
    named: Sequence[str] = field(default=())
    """One of these must stand in the sentence of a refusal."""


def attempts(case: Case, places: Mapping[str, str]) -> list[Attempt]:
    """Return everything that is tried in a case."""
    made = [on_path(case, put(path, places), verb, places["home"]) for path in case.paths for verb in case.verbs]
    made += [with_extra(name, put(value, places), verb) for name, value in case.extra for verb in case.verbs]
    return made + [whole(case, operation, put(arguments, places)) for operation, arguments in case.calls]


def on_path(case: Case, path: str, verb: str, home: str) -> Attempt:
    """Return an operation on a path; on a link itself some may be done."""
    operation, name, more = VERBS[verb]
    states = case.states
    if path in case.as_link and verb in ON_A_LINK:
        states = [*states, "done"]
    named = (f"“{name}”", path, last_name(path), f"“{path.replace(home, '~', 1)}”")
    return Attempt(operation, {**more, name: path}, f"{verb} {path!r}", states, named)


def with_extra(name: str, value: Json, verb: str) -> Attempt:
    """Return a harmless operation with one argument more."""
    operation, path, more = VERBS[verb]
    harmless = THERE if verb not in {"move to", "copy to", "mkdir"} else "~/Documents/free"
    return Attempt(operation, {**more, path: harmless, name: value}, f"{verb} with {name}", ["invalid"], (f"“{name}”",))


def whole(case: Case, operation: str, arguments: Mapping[str, Json]) -> Attempt:
    """Return a call that a case spells out."""
    paths = [last_name(value) for value in arguments.values() if isinstance(value, str) and "/" in value]
    named = (*(f"“{name}”" for name in arguments), *paths)
    return Attempt(operation, arguments, f"{operation} {arguments!r}", case.states, named)


def last_name(path: str) -> str:
    """Return the last name of a path, as a sentence has it at the end of it."""
    return posixpath.basename(posixpath.normpath(path)) or "/"


def put(value: Any, places: Mapping[str, str]) -> Any:
    """Put places into every text of a value."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace("{" + name + "}", place)
        return value
    if isinstance(value, dict):
        return {key: put(item, places) for key, item in cast("dict[str, Any]", value).items()}
    return [put(item, places) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def read(file: Path) -> Case:
    """Read a case."""
    return msgspec.convert(json.loads(file.read_text("utf-8")), type=Case)


def laid(base: Path, case: Case, mode: str) -> Ground:
    """Lay out everything of a case."""
    yard = Ground(base, case.own)
    for folder in ("Documents", "Downloads", "Desktop", "Documents_evil"):
        (yard.home / folder).mkdir(parents=True)
    a_file(yard.outside / "canary.txt", CANARY)
    a_file(yard.outside / "in" / "deep.txt", CANARY)
    yard.own.mkdir(parents=True, mode=0o700)
    roots = json.dumps(case.roots)
    settings = f'# {CANARY}\n{MEMORY_DESKTOP}[policy]\nmode = "{mode}"\nroots = {roots}\n'
    (yard.own / "config.toml").write_text(settings)
    plant(yard, case)
    return yard


def places_of(yard: Ground) -> dict[str, str]:
    """Return what stands for places in a case."""
    return {"outside": str(yard.outside), "home": str(yard.home), "own": str(yard.own)}


def plant(yard: Ground, case: Case) -> None:
    """Put files, links and special files where the case has them, again where an attempt took one away."""
    for path, target in case.links.items():
        if not (yard.home / path).is_symlink():
            (yard.home / path).symlink_to(put(target, places_of(yard)))
    for path, kind in case.special.items():
        place = yard.home / path
        if not place.exists() and kind == "fifo":
            os.mkfifo(place)
        elif not place.exists() and kind == "socket":
            a_socket(place)
        elif not place.exists():
            a_device(place, kind)
    if not (yard.documents / "a.txt").exists():
        yard.file("a.txt", "mine\n")


def a_device(place: Path, kind: str) -> None:
    """Leave a device behind, where one may: zeros without end, or a disk that is not there."""
    what, number = (stat.S_IFCHR, os.makedev(1, 5)) if kind == "zeros" else (stat.S_IFBLK, os.makedev(7, 255))
    with suppress(PermissionError):
        os.mknod(place, what | 0o600, number)


def a_socket(place: Path) -> None:
    """Leave a socket behind; its path may be longer than a socket's address, so it is made in its folder."""
    here = Path.cwd()
    os.chdir(place.parent)
    try:
        with closing(socket.socket(socket.AF_UNIX)) as made:
            made.bind(place.name)
    finally:
        os.chdir(here)


def looked_at(yard: Ground) -> Tree:
    """Return everything but the Trash and what sayso itself writes."""
    own = str(yard.own.relative_to(yard.base))
    hidden = ("home/.local", own)
    whole = tree(yard.base)
    return {
        path: thing for path, thing in whole.items() if not path.startswith(hidden) or path.endswith("/config.toml")
    }


def stamped(yard: Ground) -> dict[str, tuple[int, ...]]:
    """Return what tells at once that something was touched: of everything, which one it is and when it last changed."""
    found: dict[str, tuple[int, ...]] = {}
    for folder, inner, names in os.walk(yard.base):
        hidden = {yard.own.name, ".local"} & set(inner) if Path(folder) in {yard.own.parent, yard.home} else set[str]()
        inner[:] = [name for name in inner if name not in hidden]
        for name in (*inner, *names):
            now = (Path(folder) / name).lstat()
            found[f"{folder}/{name}"] = (now.st_ino, now.st_ctime_ns, now.st_mtime_ns, now.st_size, now.st_mode)
    return found


def clear(yard: Ground) -> None:
    """Take away what an allowed attempt made."""
    free = yard.documents / "free"
    if free.is_symlink() or free.is_file():
        free.unlink()
    elif free.is_dir():
        free.rmdir()


async def tried(home: Home, attempt: Attempt) -> Outcome:
    """Take one proposal down the path; whatever is asked is answered with yes."""
    proposal = Proposal(0, attempt.aim, attempt.operation, attempt.arguments)
    with anyio.fail_after(SECONDS):
        report = await home.take([proposal], Origin("tools"), yes())
    assert CANARY not in json.dumps(report_json(report)), attempt.aim
    return only(report)


def must_be_told_well(attempt: Attempt, outcome: Outcome) -> None:
    """Hold what the model and the person are told: a stable code, a sentence that names what it is about, no more."""
    marks = outcome.record.marks
    assert marks.state.value in attempt.states, (attempt.aim, marks.state.value, marks.error)
    if marks.state.value == "done":
        return
    sentence = marks.error or ""
    assert marks.code, attempt.aim
    assert marks.code != "bug", (attempt.aim, sentence)
    assert not any(word in sentence for word in ("Traceback", "Errno", "Error(", "\n  File")), sentence
    assert any(word in sentence for word in attempt.named), (attempt.aim, sentence)
