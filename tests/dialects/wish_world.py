"""A home of which everything is in memory, and in which every wish finds what it is about."""

import json
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from sayso.assembly import Home, open_home
from sayso.providers.files.memory import MemoryFilesBackend, file_node
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.dialects.wishes import Wish, templates
from tests.memory import memory_sections

HOME = "/home/ana"
NOW = "2026-03-10T10:00:00Z"
FOLDERS = (f"{HOME}/Desktop", f"{HOME}/Documents/Fertig", f"{HOME}/Pictures/2026", "/srv/backup")
KEPT = frozenset({"file.move", "file.copy", "file.delete", "file.open", "file.reveal", "file.read", "file.append"})
"""Operations on a thing that is there."""
LISTED = frozenset({"file.list", "file.find"})
"""Operations on a folder that is there."""


class TokensAgain(NumberedIds):
    """Ids whose tokens begin again for each run: what a plan takes from them is the same each time."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens = 0

    def token(self) -> str:
        """Return a text with the next number of this run."""
        self._tokens += 1
        return f"token{self._tokens:015d}"

    def again(self) -> None:
        """Begin the tokens again."""
        self._tokens = 0


@asynccontextmanager
async def wish_world(base: Path, wishes: Iterable[Wish], *, mode: str = "") -> AsyncGenerator[tuple[Home, TokensAgain]]:
    """Open such a home in `base`, with the ids that it uses; `mode` is the mode of its policy."""
    every = list(wishes)
    own = base / "sayso"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text("\n".join(_settings(every, mode)) + "\n", "utf-8")
    (own / "config.toml").chmod(0o600)
    ids = TokensAgain()
    environ = {"HOME": HOME, "PATH": "/usr/bin:/bin"}
    async with open_home(str(own), environ=environ, clock=FakeClock(), ids=ids) as home:
        _plant_files(cast("MemoryFilesBackend", home.tools.backends["files"]), every)
        yield home, ids


def _settings(wishes: list[Wish], mode: str) -> Iterator[str]:
    yield "[policy]"
    yield from [f"mode = {_toml(mode)}"] if mode else []
    yield 'roots = ["/"]'  # a root must be there on the disk, also where all that lies in it is in memory
    worlds = _worlds(wishes)
    for section in memory_sections():
        yield f'[{section}]\nkind = "memory"'
        if section in worlds:
            yield f"world = {_toml(worlds[section])}"
    for preset in dict.fromkeys(_values(wishes, "preset")):
        yield f'[[preset]]\nname = {_toml(preset)}\nplacements = [{{app_name = "Finder", monitor = "left"}}]'


def _worlds(wishes: list[Wish]) -> Mapping[str, Mapping[str, Any]]:
    apps = list(dict.fromkeys(["Finder", *_values(wishes, "name", "app."), *_values(wishes, "app", "file.")]))
    frames = [{"app": app, "bounds": [100 + 9 * at, 100, 900, 700]} for at, app in enumerate(apps)]
    selectors = list(dict.fromkeys(_values(wishes, "selector")))
    front = {"url": "https://front.example/", "elements": [{"selector": selector} for selector in selectors]}
    tabs = [front, *({"url": f"https://example.org/{at}"} for at in range(2, 14))]
    named = (one for argument in ("id", "ids", "message_id") for one in _values(wishes, argument, "mail."))
    messages = list(dict.fromkeys(named))
    events = list(dict.fromkeys(_values(wishes, "id", "calendar.")))
    span = {"start": "2026-03-18T10:00:00+00:00", "end": "2026-03-18T11:00:00+00:00"}
    runs = [wish.arguments for wish in wishes if "instance_id" in wish.arguments]
    instances = [{**dict(one), "template_id": "weekly_report"} for one in runs]
    return {
        "apps": {
            "installed": [*apps, "Spare"],
            "running": apps,
            "windows": frames,
            "monitors": [
                {"name": "Main", "bounds": [0, 0, 1920, 1080], "main": True},
                {"name": "Left", "bounds": [-1920, 0, 0, 1080]},
            ],
        },
        "browser": {"windows": [{"tabs": tabs}]},
        "desktop": {"clipboard": "copied"},
        "mail": {"messages": [_message(at, id_, wishes) for at, id_ in enumerate(messages)]},
        "calendar": {
            "events": [{"uid": uid, "title": f"Event {uid}", "location": "Here", **span} for uid in events],
            "reminders": [{"uid": one, "title": one} for one in dict.fromkeys(_values(wishes, "reminder"))],
        },
        "notes": {"folders": ["Notes", "Küche"], "notes": list(_notes(wishes))},
        "tasks": {"tasks": list(_tasks(wishes)), "habits": list(_habits(wishes))},
        "talk": {
            "templates": [{"id": one.id, "name": one.does} for one in templates().values()],
            "instances": instances,
            "replies": ["An answer."],
        },
    }


def _message(at: int, id_: str, wishes: list[Wish]) -> dict[str, Any]:
    about = [wish for wish in wishes if wish.arguments.get("ids", [""])[-1] == id_]
    operations = {wish.operation for wish in about}
    flags = [flag for flag, name in (("starred", "mail.unstar"), ("read", "mail.mark_unread")) if name in operations]
    labels = [wish.arguments["label"] for wish in about if wish.operation == "mail.remove_label"]
    files = [{"number": at, "name": f"{at}.pdf", "type": "application/pdf", "size": 9} for at in (1, 2)]
    more = {"flags": flags, "labels": list(dict.fromkeys(labels)), "attachments": files}
    return {"message_id": id_, "from_address": "ana@example.org", "subject": f"No. {at}", "received_at": NOW, **more}


def _notes(wishes: list[Wish]) -> Iterator[dict[str, Any]]:
    for at, title in enumerate(dict.fromkeys(_values(wishes, "target", "note."))):
        yield {"id": f"n{at}", "title": title, "body": "kept\n"}


def _tasks(wishes: list[Wish]) -> Iterator[dict[str, Any]]:
    names = [*_values(wishes, "target", "task."), *_values(wishes, "parent"), *_values(wishes, "other")]
    done = set(_values(wishes, "target", "task.reopen"))
    for at, text in enumerate(dict.fromkeys(names)):
        ended = {"completed_at": NOW} if text in done else {}
        yield {"id": f"t{at}", "text": text, "position": at + 1, "created_at": NOW, **ended}


def _habits(wishes: list[Wish]) -> Iterator[dict[str, Any]]:
    for at, text in enumerate(dict.fromkeys(_values(wishes, "target", "habit."))):
        yield {"id": f"h{at}", "text": text, "interval_hours": 7, "created_at": NOW}


def _values(wishes: list[Wish], name: str, of: str = "") -> Iterator[str]:
    for wish in wishes:
        if name in wish.arguments and wish.operation.startswith(of):
            value = wish.arguments[name]
            yield from value if isinstance(value, list) else [value]


def _plant_files(files: MemoryFilesBackend, wishes: list[Wish]) -> None:
    for folder in FOLDERS:
        _folder(files, folder)
    for wish in sorted(wishes, key=lambda wish: wish.operation not in LISTED):  # what is a folder is made as one first
        path = wish.arguments.get("source", wish.arguments.get("path"))
        if wish.operation.startswith("file.") and path is not None:
            whole = HOME + path[1:] if path.startswith("~") else path
            _folder(files, whole if wish.operation in LISTED else whole.rpartition("/")[0])
            if wish.operation in KEPT and files.disk.get(whole) is None:
                files.disk.plant(whole, file_node(b"kept\n"))


def _folder(files: MemoryFilesBackend, path: str) -> None:
    here = ""
    for name in path.strip("/").split("/"):
        here += f"/{name}"
        if files.disk.get(here) is None:
            files.disk.plant(here)


def _toml(value: Any) -> str:
    """Write a value as inline TOML; texts of both are written alike here."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in cast("dict[str, Any]", value).items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inner) for inner in cast("list[Any]", value)) + "]"
    return json.dumps(value, ensure_ascii=False)
