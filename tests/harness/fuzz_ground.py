"""A home that is one root as a whole, with canaries in all files of sayso's own folder, and every way to name it."""

import os
import re
import shutil
import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from sayso.core.encoding import Json
from sayso.core.operation import Operation
from tests.harness.wishes import TEXTS, WHENS, Wisher
from tests.journeys.attempts import VERBS
from tests.journeys.ground import Row, a_file, rows
from tests.memory import memory_sections

CANARY = re.compile(rb"CANARY-([a-z]+)-9d1f", re.IGNORECASE)
"""What stands in every planted file, with the kind of file it is in."""

MEMORY = memory_sections("files")
PLANTED = (
    "token", "key.pem", "secrets.env", "backup.db", "page.sock.token", "sayso.pid", "actions/mine.py",
    "actions/deep/er/more.py", "actions/CANARY-name-9d1f.py", ".logs/actions/2026-01-01.jsonl",
    "trash/t0kenofnobody00001/item", "tmp/half-written", "locks/files.lock", "locks/mail.lock",
)  # fmt: skip
SAYSO_S = {"sayso.db", "sayso.db-wal", "sayso.db-shm", "upkeep", "trash", "locks"}
"""What sayso itself makes and changes in its folder."""

FLOOR = frozenset({"file.delete", "mail.send", "page.run_js"})
CLICK = frozenset(
    {
        "mail.archive", "mail.star", "mail.unstar", "mail.mark_read", "mail.mark_unread", "mail.add_label",
        "mail.remove_label", "mail.trash", "task.add", "task.add_subtask", "task.edit", "task.delete", "task.complete",
        "task.reopen", "task.move", "task.add_all", "habit.add", "habit.edit", "habit.delete", "habit.log",
        "chat.add_message", "agent.call", "template.run", "net.fetch",
    }
)  # fmt: skip
"""What asks in every mode by section 8 of the requirements; a floor operation unless the person waived it."""


@dataclass(frozen=True)
class Layout:
    """Where sayso's own folder is, seen from the person's home."""

    name: str
    own: str
    config: str
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    link: tuple[str, str] = ("", "")
    waived: bool = False


LAYOUTS = (
    Layout("in the state folder", ".local/state/sayso", ".local/state/sayso/config.toml"),
    Layout("platform folders", ".local/share/sayso", ".config/sayso/config.toml", waived=True),
    Layout(
        "by a link", "Documents/real/own", "Documents/real/own/config.toml", link=("sayso-home", "Documents/real/own")
    ),
    Layout("odd name", "Documents/Säyso ﬁles", "Documents/Säyso ﬁles/config.toml", waived=True),
)
"""Of the second the settings stand in another folder; of the third SAYSO_HOME names a link."""


@dataclass(frozen=True)
class Yard:
    """One such home, laid out."""

    base: Path
    layout: Layout
    stamps: dict[str, tuple[object, ...]] = field(default_factory=dict[str, tuple[object, ...]])

    @property
    def home(self) -> Path:
        """Return the person's home."""
        return self.base / "home"

    @property
    def own(self) -> Path:
        """Return sayso's own folder."""
        return self.home / self.layout.own

    @property
    def config(self) -> Path:
        """Return the file of settings."""
        return self.home / self.layout.config

    @property
    def database(self) -> Path:
        """Return the journal."""
        return self.own / "sayso.db"

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment of whoever works here."""
        named = {"in the state folder": str(self.own), "odd name": str(self.own)}.get(self.layout.name, "")
        named = str(self.home / self.layout.link[0]) if self.layout.link[0] else named
        return {
            "HOME": str(self.home),
            "TERM": "dumb",
            "PATH": "/usr/bin:/bin",
            **({"SAYSO_HOME": named} if named else {}),
        }

    def planted(self) -> list[Path]:
        """Return every file of sayso's that must stay as it is."""
        return [self.config, *(self.own / name for name in PLANTED)]

    def changed(self) -> list[str]:
        """Return what is not as it was planted, and what came into sayso's folder that is none of its own."""
        found = [
            str(path.relative_to(self.home)) for path in self.planted() if _stamp(path) != self.stamps.get(str(path))
        ]
        known = {name.split("/")[0] for name in PLANTED} | {"config.toml"} | SAYSO_S
        found += [path.name for path in self.own.iterdir() if path.name not in known]
        for inner in ("actions", ".logs", "tmp"):
            there = {path.relative_to(self.own).as_posix() for path in (self.own / inner).rglob("*") if path.is_file()}
            found += sorted(there - set(PLANTED))
        return found

    def strayed(self) -> list[str]:
        """Return the files outside the planted ones that hold a canary; the journal may hold its own."""
        planted = {str(path) for path in self.planted()}
        found: list[str] = []
        for path in _files(self.base):
            if path in planted or Path(path).is_symlink() or not Path(path).is_file():
                continue
            kinds = {kind.decode().lower() for kind in CANARY.findall(Path(path).read_bytes())}
            if Path(path).name in HARD or (path.startswith(str(self.database)) and kinds <= {"journal"}):
                continue
            found += [f"{path}: {kind}" for kind in sorted(kinds)]
        return found

    def actions(self) -> list[tuple[Row, str]]:
        """Return the journal's rows, each with its digest."""
        digests = {id_: str(digest) for id_, digest in self._asked("SELECT id, digest FROM history")}
        return [(row, digests[row.id]) for row in rows(self.database)]

    def permissions(self) -> int:
        """Return how many standing permissions there are."""
        return self._asked("SELECT count(*) FROM permission")[0][0]

    def _asked(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as journal:
            return journal.execute(query).fetchall()

    def replant(self) -> None:
        """Put what lies around sayso's own back to how it was."""
        keep = {self.own, self.config.parent}
        _clear(self.home, keep)
        for name in ("Documents/d", "Downloads", "Desktop"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        for name, content in (("Documents/a.txt", "mine\n"), ("Documents/d/b.txt", "mine too\n"), ("Desktop/x.md", "")):
            a_file(self.home / name, content)
        links = {
            "Documents/way": self.own, "Documents/up": self.own.parent, "Documents/file": self.own / "token",
            "Documents/settings": self.config, "Downloads/relative": Path("..") / self.layout.config,
            "Downloads/journal": self.database, "Downloads/chain": self.home / "Documents/way",
        }  # fmt: skip
        if self.layout.link[0]:
            links[self.layout.link[0]] = self.own
        for name, target in links.items():
            (self.home / name).symlink_to(target)
        for name, target in HARD.items():
            os.link(self.config if target == "config.toml" else self.own / target, self.home / "Downloads" / name)


HARD = {
    "hard-token": "token",
    "hard-settings": "config.toml",
    "hard-action": "actions/mine.py",
    "hard-deep": "actions/deep/er/more.py",
}
"""Second names, in a root, of sayso's files: an outsider's, which nobody can take away from sayso's content."""


def lay(base: Path, layout: Layout) -> Yard:
    """Lay out a home."""
    yard = Yard(base, layout)
    yard.own.mkdir(parents=True, mode=0o700)
    yard.own.chmod(0o700)
    for name in PLANTED:
        a_file(yard.own / name, f"{name} = CANARY-{_kind(name)}-9d1f\n", mode=0o600)
    yard.config.parent.mkdir(parents=True, exist_ok=True)
    yard.config.write_text(_settings(layout), "utf-8")
    yard.config.chmod(0o600)
    yard.replant()
    yard.stamps.update({str(path): _stamp(path) for path in yard.planted()})
    return yard


def _kind(name: str) -> str:
    return re.sub("[^a-z]", "", name.lower().split("/")[0]) or "file"


def _settings(layout: Layout) -> str:
    floor = ", ".join(f'"{id_}"' for id_ in sorted(FLOOR)) if layout.waived else ""
    memory = "".join(f'[{section}]\nkind = "memory"\n{_MORE.get(section, "")}' for section in MEMORY)
    return (
        "# CANARY-comment-9d1f\n"
        f'[policy]\nmode = "never"\nroots = ["~"]\nallowed_operations = ["*"]\nwaive_floor = [{floor}]\n'
        '[model]\nname = "openai:CANARY-model-9d1f"\npassword_command = ["echo", "CANARY-command-9d1f"]\n' + memory
    )


_MORE = {
    "mail": 'user = "CANARY-user-9d1f"\nhost = "CANARY-host-9d1f"\npassword_command = ["CANARY-command-9d1f"]\n',
    "calendar": 'url = "https://CANARY-url-9d1f.example/"\n',
    "browser": 'cdp_url = "http://127.0.0.1:9222/CANARY-port-9d1f"\n',
}


def _stamp(path: Path) -> tuple[object, ...]:
    try:
        found = path.lstat()
        return (found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, path.read_bytes())
    except OSError:
        return ()


def _clear(folder: Path, keep: set[Path]) -> None:
    for entry in list(folder.iterdir()):
        if entry in keep:
            continue
        if entry.is_dir() and not entry.is_symlink() and any(entry in kept.parents for kept in keep):
            _clear(entry, keep)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _files(folder: Path) -> Iterator[str]:
    for at, _, names in os.walk(folder):
        for name in names:
            yield f"{at}/{name}"


Call = tuple[str, dict[str, Json]]
_AROUND = (
    "~",
    "~/Documents",
    "~/Documents/a.txt",
    "~/Documents/d",
    "~/Documents/free",
    "~/Downloads",
    "~/Desktop/x.md",
)
_LINKED = (
    "Documents/way", "Documents/up", "Documents/file", "Documents/settings", "Downloads/relative", "Downloads/journal",
    "Downloads/chain", "Documents/way/token", "Downloads/chain/actions/mine.py", "Documents/way/trash",
)  # fmt: skip
_PATTERNS = ("*", "token", "CANARY*", "*.py", "config*", "sayso*", "*9d1f*")


def spellings(yard: Yard) -> list[str]:
    """Return paths that lead to sayso's own, through it, around it, or nowhere near."""
    own, config = yard.layout.own, yard.layout.config
    files = [config, f"{own}/sayso.db", *(f"{own}/{name}" for name in PLANTED if "CANARY" not in name)]
    folders = [own, *(f"{own}/{name}" for name in ("actions", "trash", "locks", ".logs", "tmp", "new"))]
    above = own.split("/")
    parents = ["/".join(above[:count]) for count in range(1, len(above))]
    plain = [*files, *folders, *parents, *_LINKED, *(f"Downloads/{name}" for name in HARD)]
    told = [f"~/{path}" for path in plain] + [
        form for path in (own, config, f"{own}/token") for form in _forms(yard, path)
    ]
    return [*dict.fromkeys([*told, *_AROUND])]


def _forms(yard: Yard, path: str) -> Iterator[str]:
    yield f"{yard.home}/{path}"
    yield f"~/Documents/../{path}"
    yield f"~/./{path}/"
    yield f"~//{path.replace('/', '//')}"
    yield f"~/{path.upper()}"
    yield f"~/{path.swapcase()}"
    yield f"~/{unicodedata.normalize('NFD', path)}"
    yield f"~/{unicodedata.normalize('NFKC', path)}"
    yield f"~/{path[:-2]}\u200b{path[-2:]}"
    yield f"~/{path}."
    yield f"~/{path} "
    yield f"~/{path}::$DATA"
    yield f"/proc/self/root{yard.home}/{path}"
    yield f"/proc/self/cwd/../../../../../..{yard.home}/{path}"
    yield f"file://{yard.home}/{path}"
    yield f"~/Documents/way/../../{path}"


class Aims:
    """Draws calls: each file operation with each path before any comes again, and all other operations between."""

    def __init__(self, yard: Yard, operations: Mapping[str, Operation], random: Random) -> None:
        self._random = random
        self._paths = spellings(yard)
        self._operations = operations
        lines = [*self._paths, *_PATTERNS, "one", "task", "a word", "https://example.org/", f"file://{yard.own}/token"]
        self._wisher = Wisher(
            random, {"path": self._paths, "line": lines, "text": [*TEXTS, *self._paths], "when": WHENS}
        )
        self._deck = self._first()

    def _first(self) -> list[tuple[str, str]]:
        rest = [(verb, path) for verb in VERBS for path in self._paths]
        self._random.shuffle(rest)
        return rest

    def plainest(self) -> list[Call]:
        """Return the calls that would show sayso's files most plainly, were anything not held."""
        plain = [path for path in self._paths if path.startswith("~/") and ".." not in path and "//" not in path]
        ends = {"token", "config.toml", "mine.py", "item", *HARD}
        read: list[Call] = [("file.read", {"path": path}) for path in plain if path.split("/")[-1] in ends]
        own = plain[0].rpartition("/")[0]
        return [*read, ("file.list", {"path": own}), ("file.find", {"path": "~", "pattern": "*9d1f*"})]

    def call(self) -> Call:
        """Return the next call."""
        if self._random.random() < 0.3:
            return self._any()
        if not self._deck:
            self._deck = self._first()
        verb, path = self._deck.pop()
        operation, name, more = VERBS[verb]
        rest = {
            key: self._random.choice(self._paths) if key in {"source", "destination"} else value
            for key, value in more.items()
        }
        if "pattern" in rest:
            rest["pattern"] = self._random.choice(_PATTERNS)
        return operation, {**rest, name: path}

    def _any(self) -> Call:
        operation = self._operations[self._random.choice(sorted(self._operations))]
        return operation.id, self._wisher.arguments(operation)
