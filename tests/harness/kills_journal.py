"""Read a journal with nothing but SQLite, and hold its chain and the ways of its rows to what they should be."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

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
