"""Tasks as iCalendar to-dos (RFC 5545): one VTODO for each, below its parent by RELATED-TO."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from sayso.providers.tasks.formats.entries import Entry, Imported

_SHOWN = 60
_FOLD = 75
"""Octets of a line, beyond which it goes on in the next one."""
_ESCAPED = re.compile(r"\\([\\;,nN])")
_LINE = re.compile(
    r"(?P<name>[A-Za-z0-9-]+)(?P<params>(?:;[^:;\"=]+=(?:\"[^\"]*\"|[^:;\"]*))*):(?P<value>.*)", re.DOTALL
)
_BREAKS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
"""What parts lines; a task has one."""
_HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//sayso//tasks//EN\r\n"
Todo = dict[str, tuple[str, str]]


def written(entries: Iterable[Entry], now: str) -> str:
    """Return a calendar with these to-dos; `now` is when it is written, in ISO 8601."""
    above: list[str] = []
    out = [_HEAD]
    for number, entry in enumerate(entries, 1):
        uid = entry.id or f"sayso-{number}"
        above[entry.level :] = [uid]
        lines = ["BEGIN:VTODO", f"UID:{_escaped(uid)}", f"DTSTAMP:{_utc(now)}", f"SUMMARY:{_escaped(entry.text)}"]
        lines += [f"CREATED:{_utc(entry.created_at)}"] if entry.created_at else []
        lines += [f"RELATED-TO:{_escaped(above[entry.level - 1])}"] if entry.level else []
        lines += _state(entry)
        out += [f"{folded}\r\n" for line in (*lines, "END:VTODO") for folded in _folded(line)]
    return "".join([*out, "END:VCALENDAR\r\n"])


def _state(entry: Entry) -> list[str]:
    if not entry.completed:
        return ["STATUS:NEEDS-ACTION"]
    when = [f"COMPLETED:{_utc(entry.completed_at)}"] if entry.completed_at else []
    return ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", *when]


def read(text: str) -> Imported:
    """Return the to-dos of a calendar, each after the one it stands below.

    What has no summary or was cancelled is left out and told; what stands below it is below the one above it.
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
    return f", “{words[:_SHOWN]}”, was cancelled" if cancelled else None


def _in_order(todos: list[Todo], passed: Mapping[str, str]) -> Iterator[Entry]:
    """Yield to-dos as entries; `passed` are the parents of those that are left out."""
    uids = {_text(todo, "UID") for todo in todos} - {""}
    below: dict[str, list[Todo]] = {}
    for todo in todos:
        parent = _kept_above(_parent(todo), uids, passed)
        below.setdefault(parent, []).append(todo)
    seen: set[str] = set()
    waiting = [(todo, 0) for todo in reversed(below.pop("", []))]
    while waiting or below:
        if not waiting:  # what stands below itself, around a circle, begins at the top
            waiting = [(todo, 0) for todo in reversed(below.pop(next(iter(below))))]
        todo, level = waiting.pop()
        uid = _text(todo, "UID")
        yield _entry(todo, level)
        if uid and uid not in seen:
            seen.add(uid)
            waiting += [(child, level + 1) for child in reversed(below.pop(uid, []))]


def _kept_above(uid: str, kept: Collection[str], passed: Mapping[str, str]) -> str:
    """Return the first to-do that is kept, from this one upwards; empty where there is none."""
    seen: set[str] = set()
    while uid not in kept and uid in passed and uid not in seen:
        seen.add(uid)
        uid = passed[uid]
    return uid if uid in kept else ""


def _entry(todo: Todo, level: int) -> Entry:
    completed = _text(todo, "STATUS").upper() == "COMPLETED" or "COMPLETED" in todo
    when = next((time for name in ("COMPLETED", "LAST-MODIFIED") if (time := _time(todo, name))), "")
    uid, created = _text(todo, "UID"), _time(todo, "CREATED")
    return Entry(_words(todo), level, completed, when if completed else "", uid, created)


def _words(todo: Todo) -> str:
    """Return the summary on one line, its spaces as they are."""
    lines = (line.strip(" ") for line in _BREAKS.split(_text(todo, "SUMMARY")))
    return " ".join(line for line in lines if line).strip()


def _todos(text: str) -> Iterator[Todo]:
    todo: Todo = {}
    within: list[str] = []
    for line in _unfolded(text):
        found = _LINE.fullmatch(line)
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
    """Say whether a line is about the parent, where it is about another to-do at all."""
    return name != "RELATED-TO" or "RELTYPE" not in params.upper() or "RELTYPE=PARENT" in params.upper()


def _unfolded(text: str) -> list[str]:
    whole = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))
    return re.sub(r"\n[ \t]", "", whole).split("\n")


def _folded(line: str) -> Iterator[str]:
    """Yield a line in parts of at most 75 octets, cut between characters; all but the first begin with a space."""
    part, size = "", 0
    for char in line:
        wide = len(char.encode("utf-8", "surrogatepass"))
        if size + wide > _FOLD:
            yield part
            part, size = " ", 1
        part, size = part + char, size + wide
    yield part


def _escaped(text: str) -> str:
    return re.sub(r"([\\;,])", r"\\\1", text).replace("\n", "\\n")


def _text(todo: Todo, name: str) -> str:
    _, value = todo.get(name, ("", ""))
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _parent(todo: Todo) -> str:
    return _text(todo, "RELATED-TO")


def _utc(time: str) -> str:
    at = datetime.fromisoformat(time).astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
    return f"{at.replace('-', '').replace(':', '')}Z"


def _time(todo: Todo, name: str) -> str:
    """Return a time in UTC; one in another zone, or damaged, is not known."""
    _, value = todo.get(name, ("", ""))
    try:
        return datetime.strptime(value.strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).isoformat().replace("+00:00", "Z")
    except ValueError:
        return ""
