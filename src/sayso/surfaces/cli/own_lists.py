"""Look at the person's own lists, and put them into files of other programs."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar, cast

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.providers.tasks.exchange import ical, markdown
from sayso.providers.tasks.exchange.entries import Imported, entries_of
from sayso.providers.tasks.store import Task, Tasks
from sayso.runtime.clock import SystemClock
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home

T = TypeVar("T")
FORMATS = ("markdown", "ical")


def looked(here: Here, look: Callable[[Tasks], Awaitable[T]]) -> T:
    """Return what `look` finds in the lists of this home."""

    async def found(home: Home) -> T:
        return await look(cast("Tasks", home.tools.backend("tasks").reads))

    return in_home(here, found)


def now_of() -> str:
    """Return the time as the lists write it."""
    return SystemClock().now().isoformat(timespec="seconds").replace("+00:00", "Z")


def form_of(file: str, named: str | None) -> str:
    """Return the format that was named, or the one that the name of a file says."""
    return named or ("ical" if file.lower().endswith((".ics", ".ical")) else "markdown")


def imported(text: str, form: str) -> Imported:
    """Return the tasks in a text."""
    return ical.read(text) if form == "ical" else markdown.read(text)


def save(here: Here, tasks: tuple[Task, ...], file: str, form: str) -> Exit:
    """Write tasks into a new file of the person's, or print them for `-`; one that is there is not overwritten."""
    entries = list(entries_of(tasks))
    text = ical.written(entries, now_of()) if form == "ical" else markdown.written(entries)
    if file == "-":
        if here.json:
            here.document({"format": form, "tasks": len(tasks), "text": text})
        else:
            here.write(visible_lines(text) if here.out.isatty() else text)
        return Exit.FINE
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SetupError(f"“{file}” is there already, and is not overwritten", "export.exists") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    if here.json:
        here.document({"format": form, "tasks": len(tasks), "path": str(Path(file).absolute())})
    else:
        here.print(f"✓ {len(tasks):,} task{'' if len(tasks) == 1 else 's'} written to {visible(file)}")
    return Exit.FINE


def visible_lines(text: str) -> str:
    """Return a text for a terminal: nothing in its lines can act or hide."""
    return "".join(f"{visible(line)}\n" for line in text.splitlines())
