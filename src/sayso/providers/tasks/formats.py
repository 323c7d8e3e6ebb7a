"""Lists of tasks in the formats of other programs: iCalendar to-dos (RFC 5545) and Markdown checklists."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sayso.core.quotes import quoted
from sayso.core.schema import LONGEST_LINE
from sayso.providers.ical_text import escape_marks, fold_line, split_property, unescape
from sayso.providers.tasks.lists import Task

MOST_TASKS = 5000
"""The most tasks that can be added at once."""
DEEPEST = 100
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A task and its level: 0 at the top, 1 below the preceding task of level 0, and so on."""

    text: str
    level: int = 0
    completed: bool = False
    completed_at: str = ""
    """The time of completion, in ISO 8601 in UTC; empty if unknown."""
    id: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The tasks read from a text; `left_out` has a short text for each part that was not read, and says why."""

    entries: tuple[ListEntry, ...]
    left_out: tuple[str, ...] = ()


def entries_of(tasks: Sequence[Task]) -> Iterator[ListEntry]:
    """Yield the tasks, which are in list order, as entries with levels."""
    depth: dict[str | None, int] = {None: -1}
    for task in tasks:
        depth[task.id] = depth.get(task.parent_id, -1) + 1
        done = task.completed_at or ""
        yield ListEntry(task.text, depth[task.id], bool(done), done, task.id, task.created_at)


def too_much(entries: Sequence[ListEntry]) -> str | None:
    """Return why a list of entries cannot be added and what to do about it; None if it can."""
    if len(entries) > MOST_TASKS:
        return f"there are {len(entries):,} tasks, and at most {MOST_TASKS:,} are added at once; split the file"
    for number, entry in enumerate(entries, 1):
        which = f"task {number:,}, {quoted(entry.text[:_SHOWN] + '…' * (len(entry.text) > _SHOWN))},"
        if len(entry.text) > LONGEST_LINE:
            return f"{which} has {len(entry.text):,} characters, and a task has at most {LONGEST_LINE:,}; shorten it"
        if entry.level > DEEPEST:
            return f"{which} stands below {entry.level:,} others, and at most {DEEPEST} are taken; move it up"
    return None


def arguments_of(entries: Iterable[ListEntry], now: str) -> dict[str, list[str] | list[int]]:
    """Return the arguments of `task.add_all`; a task that was completed at an unknown time gets `now`."""
    every = list(entries)
    return {
        "texts": [entry.text for entry in every],
        "levels": [entry.level for entry in every],
        "completed": [(entry.completed_at or now) if entry.completed else "" for entry in every],
    }


_ICAL_SHOWN = 60

_BREAKS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
"""Line breaks of every kind. The text of a task is a single line, so they are replaced."""
_HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//sayso//tasks//EN\r\n"
Todo = dict[str, tuple[str, str]]


def write_ical(entries: Iterable[ListEntry], now: str) -> str:
    """Return a calendar with these entries as to-dos; `now` is the time of writing, in ISO 8601."""
    above: list[str] = []
    out = [_HEAD]
    for number, entry in enumerate(entries, 1):
        uid = entry.id or f"sayso-{number}"
        above[entry.level :] = [uid]
        lines = [
            "BEGIN:VTODO",
            f"UID:{_escape_text(uid)}",
            f"DTSTAMP:{_utc(now)}",
            f"SUMMARY:{_escape_text(entry.text)}",
        ]
        lines += [f"CREATED:{_utc(entry.created_at)}"] if entry.created_at else []
        lines += [f"RELATED-TO:{_escape_text(above[entry.level - 1])}"] if entry.level else []
        lines += _state(entry)
        out += [f"{folded}\r\n" for line in (*lines, "END:VTODO") for folded in fold_line(line)]
    return "".join([*out, "END:VCALENDAR\r\n"])


def _state(entry: ListEntry) -> list[str]:
    if not entry.completed:
        return ["STATUS:NEEDS-ACTION"]
    when = [f"COMPLETED:{_utc(entry.completed_at)}"] if entry.completed_at else []
    return ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", *when]


def read_ical(text: str) -> Imported:
    """Return the to-dos of a calendar, each after its parent.

    A to-do that has no summary or was cancelled is left out, and `left_out` says so; its subtasks are put below its
    parent.
    """
    todos: list[Todo] = []
    left_out: list[str] = []
    passed: dict[str, str] = {}
    for number, todo in enumerate(_todos(text), 1):
        why = _why_left_out(todo)
        if why is None:
            todos.append(todo)
        else:
            left_out.append(f"to-do {number}{why}")
            passed[_text(todo, "UID")] = _parent(todo)
    passed.pop("", None)
    return Imported(tuple(_in_order(todos, passed)), tuple(left_out))


def _why_left_out(todo: Todo) -> str | None:
    words = _words(todo)
    if not words:
        return " has no summary"
    cancelled = _text(todo, "STATUS").strip().upper() == "CANCELLED"
    return f", {quoted(words[:_ICAL_SHOWN])}, was cancelled" if cancelled else None


def _in_order(todos: list[Todo], passed: Mapping[str, str]) -> Iterator[ListEntry]:
    """Yield to-dos as entries; `passed` maps the id of each to-do that is left out to the id of its parent."""
    uids = {_text(todo, "UID") for todo in todos} - {""}
    below: dict[str, list[Todo]] = {}
    for todo in todos:
        parent = _nearest_kept(_parent(todo), uids, passed)
        below.setdefault(parent, []).append(todo)
    seen: set[str] = set()
    waiting = [(todo, 0) for todo in reversed(below.pop("", []))]
    while waiting or below:
        # The to-dos that remain are each other's parents (a cycle), so one of them is put at level 0.
        if not waiting:
            waiting = [(todo, 0) for todo in reversed(below.pop(next(iter(below))))]
        todo, level = waiting.pop()
        uid = _text(todo, "UID")
        yield _entry(todo, level)
        if uid and uid not in seen:
            seen.add(uid)
            waiting += [(child, level + 1) for child in reversed(below.pop(uid, []))]


def _nearest_kept(uid: str, kept: Collection[str], passed: Mapping[str, str]) -> str:
    """Return the id of the nearest to-do that is kept: this one, or else the first such parent; empty if none is."""
    seen: set[str] = set()
    while uid not in kept and uid in passed and uid not in seen:
        seen.add(uid)
        uid = passed[uid]
    return uid if uid in kept else ""


def _entry(todo: Todo, level: int) -> ListEntry:
    completed = _text(todo, "STATUS").upper() == "COMPLETED" or "COMPLETED" in todo
    when = next((time for name in ("COMPLETED", "LAST-MODIFIED") if (time := _time(todo, name))), "")
    uid, created = _text(todo, "UID"), _time(todo, "CREATED")
    return ListEntry(_words(todo), level, completed, when if completed else "", uid, created)


def _words(todo: Todo) -> str:
    """Return the summary on one line, with its spaces unchanged."""
    lines = (line.strip(" ") for line in _BREAKS.split(_text(todo, "SUMMARY")))
    return " ".join(line for line in lines if line).strip()


def _todos(text: str) -> Iterator[Todo]:
    todo: Todo = {}
    within: list[str] = []
    for line in _unfold_lines(text):
        found = split_property(line)
        if found is None:
            continue
        name, value = found["name"].upper(), found["value"]
        if name == "BEGIN":
            within.append(value.strip().upper())
            todo = {} if within[-1] == "VTODO" else todo
        elif name == "END":
            if within and within.pop() == "VTODO":
                yield todo
        elif within and within[-1] == "VTODO" and _counts(name, found["params"]):
            todo.setdefault(name, (found["params"], value))


def _counts(name: str, params: str) -> bool:
    """Say whether to use a line: a RELATED-TO line is used only if it names the parent."""
    return name != "RELATED-TO" or "RELTYPE" not in params.upper() or "RELTYPE=PARENT" in params.upper()


def _unfold_lines(text: str) -> list[str]:
    whole = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))
    return re.sub(r"\n[ \t]", "", whole).split("\n")


def _escape_text(text: str) -> str:
    return escape_marks(text).replace("\n", "\\n")


def _text(todo: Todo, name: str) -> str:
    _, value = todo.get(name, ("", ""))
    return unescape(value)


def _parent(todo: Todo) -> str:
    return _text(todo, "RELATED-TO")


def _utc(time: str) -> str:
    at = datetime.fromisoformat(time).astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
    return f"{at.replace('-', '').replace(':', '')}Z"


def _time(todo: Todo, name: str) -> str:
    """Return a time in UTC; empty if it is missing, damaged or in another zone."""
    _, value = todo.get(name, ("", ""))
    try:
        return datetime.strptime(value.strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).isoformat().replace("+00:00", "Z")
    except ValueError:
        return ""


_BULLET = r"(?:[-*+]|[0-9]{1,9}[.)])"
_ITEM = re.compile(rf"[ \t]*{_BULLET}[ \t]+\[(?P<mark>[ xX])\](?:[ \t]++(?P<text>.*))?")
_FENCE = re.compile(rf"[ \t]*(?P<item>{_BULLET}[ \t]+)?(?P<fence>`{{3,}}(?=[^`]*$)|~{{3,}})")
_HEADING = re.compile(r"[ \t]*#")
_BEGINS = re.compile(rf"[ \t]*(?:{_BULLET}(?:[ \t]|$)|#|`{{3}}|~{{3}}|[-*_]{{3,}}$)")
"""The start of a line that never continues the item before it: another item, a heading, code or a horizontal rule."""
_TAB = 4

_MARKDOWN_SHOWN = 60


def write_markdown(entries: Iterable[ListEntry]) -> str:
    """Return the entries as a checklist, with two spaces for each level."""
    return "".join(f"{'  ' * entry.level}- [{'x' if entry.completed else ' '}] {entry.text}\n" for entry in entries)


def read_markdown(text: str) -> Imported:
    """Return the items of every checklist in a text.

    An item is below the item before it if it is indented deeper, by any amount. A heading, another item, a code block,
    or a paragraph after a blank line closes every item before it that is indented as deep or deeper, so nothing more is
    put below that item. Items in code blocks are not read. `left_out` names every line that was not read, except blank
    lines and headings.
    """
    reader = _ChecklistReader()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        reader.feed(number, line.rstrip())
    reader.end_code()
    return Imported(tuple(reader.entries), tuple(reader.left_out))


@dataclass(frozen=True, slots=True)
class _Code:
    """A code block: its fence, the number of its first line, and the indent of the item around it.

    The indent is -1 if there is no such item.
    """

    fence: str
    first: int
    around: int

    def has(self, line: str) -> bool:
        """Say whether a line is still in the block: it is blank, or indented deeper than the item around the block."""
        return not line or _indent(line) > self.around

    def is_closed_by(self, line: str) -> bool:
        """Say whether this line is the closing fence of the block."""
        mark = line.strip()
        return len(mark) >= len(self.fence) and not mark.strip(self.fence[0])


class _ChecklistReader:
    """Reads a checklist line by line."""

    def __init__(self) -> None:
        self.entries: list[ListEntry] = []
        self.left_out: list[str] = []
        self._indents: list[int] = []
        """The indents of the items that the next item may be below, the innermost last."""
        self._code: _Code | None = None
        self._after_blank = False
        self._last = 0
        """The number of the last line that was not blank."""

    def feed(self, number: int, line: str) -> None:
        """Read a line, from which trailing blanks were removed."""
        if self._code is not None and not self._code.has(line):
            self.end_code()
        self._last = number if line else self._last
        if self._code is None:
            self._outside(number, line)
            self._after_blank = not line
        elif self._code.is_closed_by(line):
            self.end_code()

    def end_code(self) -> None:
        """Record the current code block, if there is one, as left out."""
        if self._code is not None:
            self.left_out.append(f"lines {self._code.first} to {self._last} are a code block")
            self._code = None

    def _outside(self, number: int, line: str) -> None:
        item, fence = _ITEM.fullmatch(line), _FENCE.match(line)
        words = (item["text"] or "").strip() if item else ""
        if self._after_blank or _BEGINS.match(line):
            self._leave(line)
        if item and words:
            self.entries.append(ListEntry(words, len(self._indents), item["mark"] != " "))
            self._indents.append(_indent(line))
        elif fence:
            self._code = _Code(
                fence["fence"], number, _indent(line) if fence["item"] else max(self._indents, default=-1)
            )
        elif line and not _HEADING.match(line):
            self.left_out.append(f"line {number} is no checklist item: {line.strip()[:_MARKDOWN_SHOWN]}")

    def _leave(self, line: str) -> None:
        """Close every item that is indented as deep as this line or deeper."""
        while line and self._indents and self._indents[-1] >= _indent(line):
            self._indents.pop()


def _indent(line: str) -> int:
    wide = line.expandtabs(_TAB)
    return len(wide) - len(wide.lstrip(" "))
