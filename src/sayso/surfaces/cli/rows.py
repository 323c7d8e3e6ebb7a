"""Show what was looked up as a list for people: one row for each event, reminder, message, tab or file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.surfaces.cli.text import columns, one_line, sentence, shorten

Row = Mapping[str, Json]
GAP = 2
"""The number of columns between two cells."""
LEAST = 16
"""The number of columns that the main cell gets at least; other cells are left out, from the right, for it."""
NEAR = 6
"""A day that is at most so far from today is shown with its weekday."""


class Cell(Struct, frozen=True):
    """One cell of each row: how it is read, and how many columns it takes at most; 0 is the main cell.

    Where the width does not suffice for all, it takes only `least` columns, if that is not 0.
    """

    read: Callable[[Row, datetime], str]
    most: int = 0
    least: int = 0


class RowTable(Struct, frozen=True):
    """How the rows of an operation are shown: their key in its data, their cells, and what is said if there are none.

    If `empty` is blank, the text of the operation says it.
    """

    key: str
    cells: tuple[Cell, ...]
    empty: str = ""


def describe_day(day: date, now: datetime) -> str:
    """Return a day as people say it: “today”, “yesterday”, “Fri 20 Mar”, “2027-01-05”."""
    away = (day - now.date()).days
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get(away)
    if near:
        return near
    return f"{day:%a} {day.day} {day:%b}" if abs(away) <= NEAR else day.isoformat()


def describe_time(text: str, now: datetime) -> str:
    """Return a day or a time in ISO 8601 as people say it; a time is shown in the zone that it names."""
    try:
        if "T" not in text:
            return describe_day(date.fromisoformat(text), now)
        when = datetime.fromisoformat(text)
    except ValueError:
        return text
    here = now.astimezone(when.tzinfo)
    return f"{describe_day(when.date(), here)} {when:%H:%M}"


def _local(text: str, now: datetime) -> str:
    try:
        return describe_time(datetime.fromisoformat(text).astimezone().isoformat(), now.astimezone())
    except ValueError:
        return text


def _text(name: str) -> Callable[[Row, datetime], str]:
    return lambda row, _: " ".join(str(row.get(name) or "").split())


def _span(row: Row, now: datetime) -> str:
    start, end = str(row.get("start", "")), str(row.get("end", ""))
    try:
        if row.get("all_day"):
            first, last = date.fromisoformat(start), date.fromisoformat(end) - timedelta(days=1)
            days = describe_day(first, now)
            return f"{days}, all day" if last <= first else f"{days} to {describe_day(last, now)}"
        begins, ends = datetime.fromisoformat(start), datetime.fromisoformat(end)
    except ValueError:
        return start
    said = describe_time(start, now)
    if begins == ends:
        return said
    last = f"{ends:%H:%M}" if begins.date() == ends.date() else describe_time(end, now)
    own = f" ({row['own_time']})" if row.get("own_time") else ""
    return f"{said} to {last}{own}"


def _due(row: Row, now: datetime) -> str:
    due = str(row.get("due") or "")
    if row.get("completed"):
        return f"done {describe_time(str(row['completed']), now)}"
    return (describe_time(due, now) if due else "whenever") + (" (overdue)" if row.get("overdue") else "")


def _size(row: Row, _: datetime) -> str:
    size = row.get("size")
    if row.get("kind") == "folder" or not isinstance(size, int):
        return ""
    for unit, least in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size} B"


def _name(row: Row, _: datetime) -> str:
    return f"{row.get('name', '')}{'/' if row.get('kind') == 'folder' else ''}"


def _marks(row: Row, _: datetime) -> str:
    return ("*" if row.get("starred") else "") + ("new" if row.get("unread") else "")


_EVENTS = RowTable("events", (Cell(_span, 60), Cell(_text("title")), Cell(_text("location"), 24)), "no events")
_FOUND = RowTable("events", (*_EVENTS.cells, Cell(_text("id"), 60)), "no events")
_MESSAGES = RowTable(
    "messages",
    (
        Cell(lambda row, now: _local(str(row.get("received_at") or ""), now), 18),
        Cell(_marks, 4),
        Cell(_text("from_address"), 30, 12),
        Cell(_text("subject")),
    ),
    "no messages",
)
TABLES: Mapping[str, RowTable] = MappingProxyType(
    {
        "calendar.today": _EVENTS,
        "calendar.list": _EVENTS,
        "calendar.find": _FOUND,
        "reminder.list": RowTable(
            "reminders", (Cell(_due, 30), Cell(_text("title")), Cell(_text("repeats"), 28)), "no reminders"
        ),
        "mail.inbox": _MESSAGES,
        "mail.search": _MESSAGES,
        "mail.query": _MESSAGES,
        "tab.list": RowTable(
            "tabs",
            (
                Cell(lambda row, _: f"{row.get('index', '')}{'*' if row.get('is_active') else ''}", 5),
                Cell(_text("title")),
                Cell(_text("domain"), 30),
            ),
            "no tabs",
        ),
        "file.list": RowTable(
            "files",
            (Cell(lambda row, now: _local(str(row.get("modified") or ""), now), 18), Cell(_size, 9), Cell(_name)),
            "nothing",
        ),
    }
)
"""The operations whose results are lists for people, with the form of their rows."""


def rows_of(operation: str, data: Json | Mapping[str, Json], width: int, now: datetime) -> list[str] | None:
    """Return the lines of a result as a list for people; None if the operation's results are no such list."""
    table = TABLES.get(operation)
    found = cast("Mapping[str, Json]", data).get(table.key) if table and isinstance(data, Mapping) else None
    if table is None or not isinstance(found, list):
        return None
    rows = [cast("Row", row) for row in cast("list[Json]", found) if isinstance(row, Mapping)]
    lines = aligned([[cell.read(row, now) for cell in table.cells] for row in rows], table.cells, width)
    unread = cast("Mapping[str, Json]", data).get("left_out")
    if isinstance(unread, list):
        for said in cast("list[Json]", unread):
            lines += sentence(one_line(str(said), 400), width, "not read: ")
    return lines or [f"({table.empty})"]


def aligned(texts: Sequence[Sequence[str]], cells: Sequence[Cell], width: int) -> list[str]:
    """Return rows whose cells stand below one another, inert, and cut where the width does not suffice."""
    shown = [[one_line(text, cell.most or 400) for text, cell in zip(row, cells, strict=True)] for row in texts]
    widths = [max((columns(row[at]) for row in shown), default=0) for at in range(len(cells))]
    main = next(at for at, cell in enumerate(cells) if not cell.most)
    for at in reversed(range(len(cells))):
        over = sum(widths) + GAP * (sum(map(bool, widths)) - 1) - width
        if cells[at].least and over > 0:
            widths[at] = min(widths[at], max(widths[at] - over, cells[at].least))
    kept = _fitting(widths, main, width)
    room = max(width - sum(widths[at] + GAP for at in kept if at != main), 1)
    widths[main] = min(widths[main], room)
    return ["".join(_padded(row, kept, widths)).rstrip() for row in shown]


def _fitting(widths: Sequence[int], main: int, width: int) -> list[int]:
    """Return the cells that are shown: all that are not empty, but fewer if the main cell got too few columns."""
    kept: list[int] = [at for at, wide in enumerate(widths) if wide]
    while len(kept) > 1:
        room = width - sum(widths[at] + GAP for at in kept if at != main)
        if room >= min(LEAST, widths[main]):
            break
        last = next(at for at in reversed(kept) if at != main)
        kept = [at for at in kept if at != last]
    return kept


def _padded(row: Sequence[str], kept: Sequence[int], widths: Sequence[int]) -> Iterator[str]:
    for at in kept:
        text = shorten(row[at], widths[at])
        yield text + " " * (widths[at] - columns(text) + GAP)
