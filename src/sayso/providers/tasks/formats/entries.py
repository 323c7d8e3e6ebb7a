"""One line of a list that comes from or goes to another program."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sayso.core.schema import LONGEST_LINE
from sayso.providers.tasks.store import Task

MOST_TASKS = 5000
"""So many can be added at once."""
DEEPEST = 100
_SHOWN = 40


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


def too_much(entries: Sequence[Entry]) -> str | None:
    """Say which task keeps a list from being added, and what to do about it; None when nothing does."""
    if len(entries) > MOST_TASKS:
        return f"there are {len(entries):,} tasks, and at most {MOST_TASKS:,} are added at once; split the file"
    for number, entry in enumerate(entries, 1):
        which = f"task {number:,}, “{entry.text[:_SHOWN]}{'…' * (len(entry.text) > _SHOWN)}”,"
        if len(entry.text) > LONGEST_LINE:
            return f"{which} has {len(entry.text):,} characters, and a task has at most {LONGEST_LINE:,}; shorten it"
        if entry.level > DEEPEST:
            return f"{which} stands below {entry.level:,} others, and at most {DEEPEST} are taken; move it up"
    return None


def arguments_of(entries: Iterable[Entry], now: str) -> dict[str, list[str] | list[int]]:
    """Return the arguments of `task.add_all` for these; what was completed at an unknown time is so now."""
    every = list(entries)
    return {
        "texts": [entry.text for entry in every],
        "levels": [entry.level for entry in every],
        "completed": [(entry.completed_at or now) if entry.completed else "" for entry in every],
    }
