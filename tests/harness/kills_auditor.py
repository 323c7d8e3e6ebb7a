"""Audit what a killed sayso left behind; a separate program that reads only SQLite and the files.

It is asked line by line on standard input (`["look", ground, phase]`) and answers each with one line. What should be
so it works out from the files as they were and from what stands in the journal as asked for (`kills_worlds.py`). It
is started without site-packages, so that nothing of sayso can be imported.
"""

import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, cast

from tests.harness.kills_outsider import Diary, as_if_alone, diary_in, homeless
from tests.harness.kills_worlds import OPERATIONS, Contents, Thing, World, alike, moved, moved_away, touches, world

LIVE = {"waiting", "running"}


@dataclass(frozen=True)
class Row:
    """One action as the journal tells it."""

    id: str
    operation: str
    state: str
    undo_of: str | None
    arguments: Mapping[str, str]
    marks: Mapping[str, Any]
    steps: tuple[tuple[str, str], ...]
    """The kept places of each change: of its doing, and of its way back."""

    @property
    def started(self) -> bool:
        """Say whether a step of it has begun."""
        return self.marks.get("begun") is not None or bool(self.marks.get("changes"))

    @property
    def error(self) -> str:
        """Return the sentence it ended with."""
        return str(self.marks.get("error"))

    @property
    def undone_by(self) -> str | None:
        """Return the undo that took it back."""
        return self.marks.get("undone_by")

    @property
    def left_inodes(self) -> set[int]:
        """Return what it says that it left."""
        changes: list[dict[str, Any]] = self.marks.get("changes", [])
        lefts: list[dict[str, dict[str, dict[str, Any]]]] = [change.get("left") or {} for change in changes]
        facts = [fact for left in lefts for about in left.values() for fact in about.values()]
        return {fact["inode"] for fact in facts if "inode" in fact}

    @property
    def tokens(self) -> set[str]:
        """Return the kept places that what was done, or may have been, still needs."""
        marks = self.marks.get("changes", [])
        needed = {"done", "undone", "unknown"}
        return {
            token
            for tokens, mark in zip(self.steps, marks, strict=False)
            for token in tokens
            if mark["outcome"] in needed
        }


_ROWS = "SELECT id, operation, state, undo_of, marks, body FROM history ORDER BY undo_of IS NOT NULL, idx, id"


def read_rows(database: Path) -> list[Row]:
    """Return the journal's actions in their order, then the undos."""
    with closing(_opened(database)) as journal:
        found = journal.execute(_ROWS).fetchall()
    return [_row(columns) for columns in found]


def _row(columns: tuple[Any, ...]) -> Row:
    id_, operation, state, undo_of, marks, body = columns
    told: dict[str, Any] = json.loads(body)
    changes: list[dict[str, dict[str, str]]] = cast("dict[str, Any]", told.get("plan") or {}).get("changes", [])
    steps = tuple((change["do"].get("kept", ""), change["undo"].get("kept", "")) for change in changes)
    return Row(id_, operation, state, undo_of, told.get("arguments", {}), json.loads(marks), steps)


def broken_chain(database: Path) -> Iterator[str]:
    """Yield what is wrong with the hashes over the journal's commits."""
    with closing(_opened(database)) as journal:
        (head,) = journal.execute("SELECT lower(hex(hash)) FROM anchor ORDER BY seq DESC LIMIT 1").fetchone()
        for seq, time, event, members, written in journal.execute("SELECT * FROM trail"):
            record = {**json.loads(members), "event": event, "seq": seq, "time": time}
            text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            head = hashlib.sha256(b"\0" + bytes.fromhex(head) + text.encode()).hexdigest()
            if head != written:
                yield f"the chain breaks at commit {seq}"
                return


def wrong_ways(database: Path) -> Iterator[str]:
    """Yield each action that came to life again after its end, or waits again after it was begun."""
    with closing(_opened(database)) as journal:
        commits = [json.loads(members) for (members,) in journal.execute("SELECT members FROM trail")]
    states: dict[str, str] = {}
    for commit in commits:
        for action in commit.get("actions", []):
            id_, now = action["id"], action["state"]
            before = states.get(id_, "waiting")
            if now in LIVE and before not in LIVE:
                yield f"{id_} was {before} and is {now} again"
            if before == "running" and now == "waiting":
                yield f"{id_} was running and waits again"
            states[id_] = now


def _opened(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)


OWN = {"config.toml", "locks", "sayso.db", "sayso.db-shm", "sayso.db-wal", "trash", "upkeep"}
"""What may stand in sayso's folder: no temporary file, whatever died."""
TRASH = ".local/share/Trash"
NOT_DONE = {"failed", "skipped", "waiting", "refused"}


@dataclass
class Case:
    """One ground: how it was at the start, and how it was found last."""

    base: Path
    contents: Contents = field(default_factory=dict[str, bytes])
    start: World = field(default_factory=dict[str, Thing])
    stood: frozenset[int] | None = None
    waited: bool = False
    snapshot: str = ""


@dataclass
class Found:
    """Journal and files at one moment."""

    rows: list[Row]
    whole: World
    """All of the home."""
    diary: Diary
    seen: World
    """The home without what is somebody else's, and with what they took back in its place."""
    trashed: World
    own: World

    @property
    def actions(self) -> list[Row]:
        """Return the actions of the deed, in order."""
        return [row for row in self.rows if row.undo_of is None]

    def undos(self, of: Row) -> list[Row]:
        """Return the undos of an action."""
        return [row for row in self.rows if row.undo_of == of.id]

    def touched(self, row: Row) -> bool:
        """Say whether somebody else had to do with what the action is about."""
        return any(touches(row.arguments, path) for path in self.diary.at)


def main() -> None:
    """Answer each line of standard input with a line."""
    cases: dict[str, Case] = {}
    for line in sys.stdin:
        _, base, phase = json.loads(line)
        if phase == "start":
            case = Case(Path(base))
            case.start = _found(case).seen
            cases = {base: case}
            answer: dict[str, object] = {"broken": []}
        else:
            answer = look(cases[base], phase)
        print(json.dumps(answer), flush=True)


def look(case: Case, phase: str) -> dict[str, object]:
    """Return what is broken at this moment, and whether it lies between the first begun and the last done."""
    found = _found(case)
    matching = [ups for ups in _subsets(found.actions) if _fits(case, found, ups)]
    database = case.base / "sayso" / "sayso.db"
    broken = [*_whole(case, found), *_left_alone(found), *broken_chain(database), *wrong_ways(database)]
    if len(matching) != 1:
        broken.append(f"the files are as no actions of the journal leave them: {_differences(case, found)}")
    else:
        (standing,) = matching
        broken += _true(found, standing, dead=phase == "dead")
        if case.stood is not None and not case.waited and phase in {"settled", "dead"} and case.stood != standing:
            broken.append(f"what recovery found done, {sorted(case.stood)}, is not what it left, {sorted(standing)}")
        broken += _tidy(case, found, standing) if phase != "dead" else _taken_once(case, found, standing)
        case.stood = standing
    if phase != "dead":
        broken += [f"{row.id} is still running" for row in found.rows if row.state == "running"]
    snapshot = repr((found.rows, found.seen, found.trashed, found.own))
    if phase == "again" and snapshot != case.snapshot:
        broken.append("a second recovery found something to do")
    if phase == "undone":
        broken += [f"{row.id} was not taken back" for row in found.actions if _could_go_back(found, row)]
    case.snapshot, case.waited = snapshot, any(row.state == "waiting" for row in found.rows)
    running = [row.id for row in found.rows if row.state == "running"]
    started = any(row.started for row in found.rows if row.state == "running" or row.undo_of is None)
    states = [f"{row.operation} {row.state}" for row in found.rows]
    return {"broken": broken, "inside": bool(running) and started, "states": states}


def _found(case: Case) -> Found:
    whole = world(case.base / "home", case.contents, TRASH)
    trash = case.base / "home" / TRASH
    trashed = world(trash, case.contents) if trash.exists() else {}
    own = world(case.base / "sayso", case.contents)
    diary = diary_in(case.base / "diary")
    rows = read_rows(case.base / "sayso/sayso.db")
    return Found(rows, whole, diary, as_if_alone(whole, diary), trashed, own)


def _subsets(actions: list[Row]) -> Iterator[frozenset[int]]:
    for count in range(len(actions) + 1):
        yield from map(frozenset, combinations(range(len(actions)), count))


def _after(case: Case, found: Found, standing: frozenset[int]) -> World | None:
    now: World | None = case.start
    for number in sorted(standing):
        row = found.actions[number]
        if now is not None and row.operation == "file.move" and homeless(found.whole, found.diary):
            now = moved_away(now, row.arguments) or moved(now, row.arguments, case.contents)
        elif now is not None:
            now = OPERATIONS[row.operation](now, row.arguments, case.contents)
    return now


def _fits(case: Case, found: Found, standing: frozenset[int]) -> bool:
    expected = _after(case, found, standing)
    old = frozenset(thing.inode for thing in case.start.values())
    return expected is not None and alike(expected, found.seen, old)


def _differences(case: Case, found: Found) -> str:
    news = sorted(found.seen.keys() - case.start.keys())
    gone = sorted(case.start.keys() - found.seen.keys())
    other = sorted(path for path in found.seen.keys() & case.start.keys() if found.seen[path] != case.start[path])
    return f"new {news}, gone {gone}, other {other}; {[(row.operation, row.state) for row in found.rows]}"


def _whole(case: Case, found: Found) -> Iterator[str]:
    """Hold what is so at any time: nothing is lost, and no temporary file stands about."""
    kept = {path: thing for path, thing in found.own.items() if "/item" in path and path.startswith("trash/")}
    in_trash = {path: thing for path, thing in found.trashed.items() if _has_a_note(path, found.trashed)}
    ours = {path: thing for path, thing in found.whole.items() if path not in found.diary.mine}
    somewhere = {thing.what for place in (ours, kept, in_trash) for thing in place.values()}
    for path, thing in case.start.items():
        if thing.kind == "f" and thing.what not in somewhere:
            yield f"the content of {path} is lost"
    for path in {path.split("/")[0] for path in found.own} - OWN:
        yield f"sayso's folder holds {path}"
    for name in {path.name for path in case.base.iterdir()} - {"home", "sayso", "diary"}:
        yield f"beside the home stands {name}"


def _left_alone(found: Found) -> Iterator[str]:
    """Hold that what is somebody else's is as they left it, and is nowhere taken for sayso's."""
    for path, mine in found.diary.mine.items():
        thing = found.whole.get(path)
        if thing is None or mine != (thing.inode, thing.mode, thing.time):
            yield f"{path}, which is somebody else's, was {'touched' if thing else 'taken away'}"
    theirs = {inode for inode, _, _ in found.diary.mine.values()}
    for row in found.rows:
        if theirs & row.left_inodes:
            yield f"{row.id} ({row.operation}) says that it left what is somebody else's"


def _has_a_note(path: str, trashed: World) -> bool:
    parts = path.split("/")
    return len(parts) > 1 and parts[0] == "files" and f"info/{parts[1]}.trashinfo" in trashed


def _true(found: Found, standing: frozenset[int], *, dead: bool) -> Iterator[str]:
    """Hold that every action is done exactly when the files show it, and that nothing acted before it was begun."""
    for number, row in enumerate(found.actions):
        wrong = _wrong(found, row, stands=number in standing, dead=dead)
        if wrong:
            yield f"{row.operation} {wrong}"
        backs = [undo.id for undo in found.undos(row) if undo.state == "done"]
        if len(backs) != (row.state == "undone") or (backs and [row.undone_by] != backs):
            yield f"{row.operation} is {row.state} and was taken back {len(backs)} times"


def _wrong(found: Found, row: Row, *, stands: bool, dead: bool) -> str:
    undos = found.undos(row)
    if row.state == "running":
        return "was done before the journal said that it had begun" if stands and not row.started else ""
    if row.state == "unknown" or any(undo.state == "unknown" for undo in undos):
        return "" if found.touched(row) else f"is unknown, though nobody was in its way: {row.error}"
    if row.state == "done":
        being_undone = dead and any(undo.state == "running" and undo.started for undo in undos)
        # Once somebody else has emptied a folder, it can be taken back although what was in it was not.
        taken = found.touched(row) and homeless(found.whole, found.diary)
        return "" if stands or being_undone or taken else "is done in the journal and not in the files"
    if stands:
        return f"is done in the files and {row.state} in the journal"
    return "" if row.state in NOT_DONE | {"undone"} else f"ended as {row.state}"


def _taken_once(case: Case, found: Found, standing: frozenset[int]) -> Iterator[str]:
    """Hold that exactly what was deleted lies in the Trash."""
    deleted = [found.actions[number].arguments["path"].removeprefix("~/") for number in standing
               if found.actions[number].operation == "file.delete"]  # fmt: skip
    lie = sorted(thing.inode for path, thing in found.trashed.items() if _is_entry(path, "files"))
    if lie != sorted(case.start[path].inode for path in deleted):
        yield f"{deleted} were deleted, and {len(lie)} things lie in the Trash"


def _tidy(case: Case, found: Found, standing: frozenset[int]) -> Iterator[str]:
    """Hold that nothing lies about that no way back needs, once all is settled."""
    yield from _taken_once(case, found, standing)
    entries = {path.split("/")[1] for path in found.trashed if _is_entry(path, "files")}
    notes = {path.split("/")[1].removesuffix(".trashinfo") for path in found.trashed if _is_entry(path, "info")}
    if entries != notes:
        yield f"the Trash has notes {sorted(notes)} for {sorted(entries)}"
    needed = {token for row in found.rows for token in row.tokens}
    for path in found.own:
        parts = path.split("/")
        if parts[0] == "trash" and len(parts) == 2 and parts[1] not in needed:
            yield f"{path} was left over"
        if parts[0] == "trash" and len(parts) == 3 and parts[2] not in {"item", "note"}:
            yield f"{path} was left over"


def _is_entry(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/") and path.count("/") == 1


def _could_go_back(found: Found, row: Row) -> bool:
    # Once somebody else is in the way of one action, what stands on it cannot be taken back either.
    return row.state == "done" and not any(found.touched(each) for each in found.actions)


if __name__ == "__main__":
    main()
