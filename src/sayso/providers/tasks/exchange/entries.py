"""One line of a list that comes from or goes to another program."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sayso.providers.tasks.store import Task


@dataclass(frozen=True, slots=True)
class Entry:
    """A task with how deep it stands: 0 at the top, 1 below the last one of level 0 before it, and so on."""

    text: str
    level: int = 0
    completed: bool = False
    completed_at: str = ""
    """When, in ISO 8601 in UTC; empty where that is not known."""
    id: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What was found in a text, and what could not be taken along, each in a sentence."""

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...] = ()


def entries_of(tasks: Sequence[Task]) -> Iterator[Entry]:
    """Yield tasks, which come in list order, as entries."""
    depth: dict[str | None, int] = {None: -1}
    for task in tasks:
        depth[task.id] = depth.get(task.parent_id, -1) + 1
        done = task.completed_at or ""
        yield Entry(task.text, depth[task.id], bool(done), done, task.id, task.created_at)


def arguments_of(entries: Iterable[Entry], now: str) -> dict[str, list[str] | list[int]]:
    """Return the arguments of `task.add_all` for these; what was completed at an unknown time is so now."""
    every = list(entries)
    return {
        "texts": [entry.text for entry in every],
        "levels": [entry.level for entry in every],
        "completed": [(entry.completed_at or now) if entry.completed else "" for entry in every],
    }
