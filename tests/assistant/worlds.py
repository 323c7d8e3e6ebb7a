"""Read a set of wishes and the worlds they are made in, and show a world as a model would be shown it."""

import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec

from sayso.core.conversation import ContextPiece, ModelContext
from sayso.core.encoding import Json

HERE = Path(__file__).parent
DEVELOPMENT = tuple(HERE / f"utterances{number}.toml" for number in ("", 2, 3, 4, 5))
FRESH = tuple(HERE / f"utterances{number}.toml" for number in (6, 7, 8))
"""Sets of people who talk in one manner each; the rules met them once, and are built with them since."""
LATER = tuple(HERE / f"utterances{number}.toml" for number in range(9, 14))
"""Sets of the same kind that came later, in which a few wishes are still read wrongly."""
OPENED = tuple(HERE / f"fresh/set_{letter}.toml" for letter in "efghijklmnopqrstu")
"""Sets that measured the rules once, and were looked at since."""
MET = tuple(HERE / f"fresh/set_{letters}.toml" for letters in ("v", "w", "x", "y", "z", "aa", "ab", "ac"))
"""Sets that measured the rules once, after the last training: nothing is learned from them."""
TAUGHT = tuple(sorted((HERE / "train").glob("*.toml")))
"""Sets that were written to be learned from, and never measured anything."""
BUILT_WITH = (*DEVELOPMENT, *FRESH, *LATER, *OPENED, *TAUGHT)
"""All sets that the built-in rules learn from."""
FROZEN = HERE / "utterances_frozen.toml"
ROOTS = ("Documents", "Downloads", "Desktop")
Why = Literal[
    "negation", "hypothetical", "quoted", "everything", "missing",
    "impossible", "injected", "completed", "past", "unclear",
]  # fmt: skip
"""Why nothing may be done about a wish."""


class Deed(msgspec.Struct, frozen=True, array_like=True):
    """One operation with its arguments, by their canonical names."""

    operation: str
    arguments: dict[str, Any]


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One wish, and what is right: one of several lists of deeds, a question that offers choices, or nothing."""

    id: str
    words: str
    do: tuple[Deed, ...] = ()
    others: tuple[tuple[Deed, ...], ...] = msgspec.field(name="or", default=())
    offer: tuple[str, ...] = ()
    leave: Why | None = None
    may: tuple[str, ...] = ()

    @property
    def world(self) -> str:
        """Return the name of the world it is wished in."""
        return self.id.split("-")[0]

    @property
    def about(self) -> str:
        """Return what kind of wish it is, such as `tabs`."""
        return self.id.split("-")[1]

    @property
    def right(self) -> tuple[tuple[Deed, ...], ...]:
        """Return every list of deeds that is right; none where nothing may be done."""
        return (self.do, *self.others) if self.do else ()


class Monitor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A monitor, and the words that mean it."""

    name: str
    called: tuple[str, ...]
    x: int
    y: int
    width: int
    height: int


class Tab(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An open tab; its number is its place in the list."""

    window: int
    title: str
    url: str
    active: bool = False


class Window(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The front window of an application."""

    app: str
    title: str
    bounds: tuple[int, int, int, int]


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A task, active unless it is said to be completed."""

    text: str
    under: str | None = None
    completed: bool = False


class Habit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A habit, due every so many hours."""

    text: str
    hours: float


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event of today."""

    title: str
    start: str
    end: str
    location: str = ""


class World(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What there is on one person's computer at one moment."""

    now: str
    zone: str
    home: str
    running: tuple[str, ...]
    installed: tuple[str, ...]
    presets: tuple[str, ...]
    monitors: tuple[Monitor, ...]
    tabs: tuple[Tab, ...]
    windows: tuple[Window, ...]
    tasks: tuple[Task, ...]
    habits: tuple[Habit, ...]
    events: tuple[Event, ...]
    files: tuple[str, ...]
    folders: tuple[str, ...]
    projects: tuple[str, ...]

    @property
    def moment(self) -> datetime:
        """Return what time it is there."""
        return datetime.fromisoformat(self.now).replace(tzinfo=ZoneInfo(self.zone))

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the folders that may be reached."""
        return tuple(f"{self.home}/{name}" for name in ROOTS)

    def absolute(self, path: str) -> str:
        """Return a path with the person's home written out."""
        return (self.home + path[1:] if path.startswith("~") else path).rstrip("/")

    def context(self) -> ModelContext:
        """Return everything that a model is shown of it."""
        lists: Mapping[str, list[Json]] = {
            "running_apps": [*self.running],
            "installed_apps": [*self.installed],
            "windows": [{"app": one.app, "title": one.title, "bounds": [*one.bounds]} for one in self.windows],
            "monitors": [msgspec.to_builtins(one) for one in self.monitors],
            "presets": [*self.presets],
            "tabs": self._tabs(),
            "tasks": [_task(one) for one in self.tasks],
            "habits": [
                {"text": one.text, "repeatIntervalHours": one.hours, "last_done_at": None} for one in self.habits
            ],
            "events": [_event(number, one) for number, one in enumerate(self.events, 1)],
            "recent_files": self._paths(self.files),
            "folders": self._paths(self.folders),
            "projects": self._paths(self.projects),
        }
        return ModelContext(
            tuple(ContextPiece(name, f"The {name.replace('_', ' ')}.", data) for name, data in lists.items())
        )

    def _tabs(self) -> list[Json]:
        in_window: dict[int, int] = {}
        rows: list[Json] = []
        for index, tab in enumerate(self.tabs, 1):
            local = in_window[tab.window] = in_window.get(tab.window, 0) + 1
            rows.append(
                {
                    "index": index,
                    "title": tab.title,
                    "url": tab.url,
                    "domain": (urlsplit(tab.url).hostname or "").removeprefix("www."),
                    "content_summary": "",
                    "is_active": tab.active,
                    "window_index": tab.window,
                    "local_index": local,
                }
            )
        return rows

    def _paths(self, paths: tuple[str, ...]) -> list[Json]:
        changed = self.moment.astimezone(ZoneInfo("UTC")).strftime("%Y-%m-%dT%H:%M:%SZ")
        return [{"name": Path(path).name, "path": self.absolute(path), "changed": changed} for path in paths]


def _task(task: Task) -> dict[str, Json]:
    row: dict[str, Json] = {"text": task.text, "level": int(task.under is not None)}
    return {**row, "completed": True, "read_only": True} if task.completed else {**row, "completed": False}


def _event(number: int, event: Event) -> dict[str, Json]:
    rest = {"title": event.title, "start": event.start, "end": event.end, "location": event.location}
    return {"id": f"event-{number}", **rest, "all_day": False}


class Wishes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of wishes, and its worlds by name."""

    cases: tuple[Case, ...]
    worlds: dict[str, World]


def read(path: Path) -> Wishes:
    """Return the wishes that a file holds."""
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Wishes)
