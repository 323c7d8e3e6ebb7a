"""The context of a conversation as values that the built-in rules can search."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import cast

from msgspec import Struct

from sayso.core.conversation import ModelContext
from sayso.core.encoding import Json

_Row = Mapping[str, Json]


class ContextTab(Struct, frozen=True):
    """An open tab; `index` is the number that the tab has in the model's context."""

    index: int
    title: str
    url: str
    domain: str
    active: bool = False


class ContextMonitor(Struct, frozen=True):
    """A monitor: its name, the words that describe its position, and its position and size."""

    name: str
    called: tuple[str, ...]
    x: int
    y: int
    width: int
    height: int


class ContextWindow(Struct, frozen=True):
    """The bounds of the front window of an application: left, top, right, bottom."""

    app: str
    bounds: tuple[int, ...]


class ContextFile(Struct, frozen=True):
    """A file or folder with its path."""

    name: str
    path: str
    is_folder: bool = False


class ContextEvent(Struct, frozen=True):
    """An event of the next days: its id, title and start, as in the context."""

    id: str
    title: str
    start: str


class ContextWorld(Struct, frozen=True):
    """The whole context, searchable by name or number; a part that the context lacks is empty."""

    tabs: tuple[ContextTab, ...] = ()
    running: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    monitors: tuple[ContextMonitor, ...] = ()
    windows: tuple[ContextWindow, ...] = ()
    presets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    files: tuple[ContextFile, ...] = ()
    events: tuple[ContextEvent, ...] = ()
    reminders: tuple[str, ...] = ()

    @property
    def apps(self) -> tuple[str, ...]:
        """Return the names of all applications, each once, running applications first."""
        return tuple(dict.fromkeys((*self.running, *self.installed)))


def world_of(context: ModelContext) -> ContextWorld:
    """Return a context as searchable values; a missing or malformed part is empty."""
    data = context.data
    tasks = tuple(_rows(data, "tasks"))
    return ContextWorld(
        tabs=tuple(_tab(row) for row in _rows(data, "tabs") if isinstance(row.get("index"), int)),
        running=_names(data, "running_apps"),
        installed=_names(data, "installed_apps"),
        monitors=tuple(_monitor(row) for row in _rows(data, "monitors")),
        windows=tuple(_window(row) for row in _rows(data, "windows")),
        presets=_names(data, "presets"),
        tasks=tuple(_text(row, "text") for row in tasks if not row.get("completed")),
        completed=tuple(_text(row, "text") for row in tasks if row.get("completed")),
        habits=tuple(_text(row, "text") for row in _rows(data, "habits")),
        files=(
            *_files(data, "recent_files", is_folder=False),
            *_files(data, "folders", is_folder=True),
            *_files(data, "projects", is_folder=True),
        ),
        events=tuple(
            ContextEvent(*(_text(row, key) for key in ("id", "title", "start"))) for row in _rows(data, "events")
        ),
        reminders=tuple(_text(row, "title") for row in _rows(data, "reminders")),
    )


def _rows(data: Mapping[str, Json], name: str) -> Iterator[_Row]:
    piece = data.get(name)
    for row in cast("list[Json]", piece) if isinstance(piece, list) else ():
        if isinstance(row, Mapping):
            yield cast("_Row", row)


def _names(data: Mapping[str, Json], name: str) -> tuple[str, ...]:
    piece = data.get(name)
    items = cast("list[Json]", piece) if isinstance(piece, list) else []
    return tuple(item for item in items if isinstance(item, str) and item)


def _text(row: _Row, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _number(row: _Row, key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0


def _tab(row: _Row) -> ContextTab:
    title, url, domain = (_text(row, key) for key in ("title", "url", "domain"))
    return ContextTab(_number(row, "index"), title, url, domain, row.get("is_active") is True)


def _monitor(row: _Row) -> ContextMonitor:
    called = row.get("called")
    sides = tuple(str(side) for side in cast("Sequence[Json]", called)) if isinstance(called, list | tuple) else ()
    return ContextMonitor(_text(row, "name"), sides, *(_number(row, key) for key in ("x", "y", "width", "height")))


def _window(row: _Row) -> ContextWindow:
    bounds = row.get("bounds")
    numbers = cast("Sequence[Json]", bounds) if isinstance(bounds, list | tuple) else ()
    return ContextWindow(_text(row, "app"), tuple(number for number in numbers if isinstance(number, int)))


def _files(data: Mapping[str, Json], name: str, *, is_folder: bool) -> Iterator[ContextFile]:
    for row in _rows(data, name):
        path = _text(row, "path")
        if path:
            yield ContextFile(_text(row, "name") or posixpath.basename(path), path, is_folder)


class Utterance(Struct, frozen=True):
    """What the person said, with the context and the local time, which are needed to interpret it."""

    text: str
    world: ContextWorld
    now: datetime
    before: tuple[str, ...] = ()
    """What the person said before in this session, oldest first."""
