"""Errands on files of their own, and what became of each by the files and the database alone, with nothing of sayso.

An errand was done exactly once, or not and so it is said, or it is said to be unknown; what was said to be the end
stays so over restarts. What lies beside that no errand made was left behind.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

KINDS = ("append", "write", "move", "delete", "call")
BASE, THEIRS = "as it was\n", "by somebody else\n"
OPEN, NOT_DONE = {"waiting", "running"}, {"waiting", "refused", "declined", "expired", "skipped", "invalid", "failed"}


@dataclass
class Errand:
    """One change that was proposed, and what is known of the answer to it."""

    name: str
    kind: str
    theirs: bool = False
    """Whether somebody else changes or makes the file once it is proposed, so that it must not be done."""
    run: str = ""
    sent: set[str] = field(default_factory=set[str])
    """The answers that were sent, whether or not one came back."""
    told: str = ""
    """What the server said became of it."""
    undo_sent: bool = False
    undo_told: str = ""

    @property
    def line(self) -> str:
        """Return the line that no other errand has."""
        return f"line {self.name}\n"

    @property
    def file(self) -> str:
        """Return the name of its own file in the folder of documents."""
        return f"{self.kind}-{self.name}.txt"

    @property
    def text(self) -> str:
        """Return what is proposed."""
        path = f'"~/Documents/{self.file}"'
        return {
            "append": f'APPEND_FILE {path} "line {self.name}\\n"',
            "write": f'WRITE_FILE {path} "line {self.name}\\n"',
            "move": f'MOVE_FILE {path} "~/Documents/Moved/{self.file}"',
            "delete": f"DELETE_FILE {path}",
            "call": json.dumps({"name": "small_add", "arguments": {"item": self.line.strip()}}),
        }[self.kind]

    def lay(self, folder: Path) -> None:
        """Make the file that it is about."""
        if self.kind == "append":
            (folder / "Documents" / self.file).write_text(BASE)
        elif self.kind in {"move", "delete"}:
            (folder / "Documents" / self.file).write_text(self.line)

    def interfere(self, folder: Path) -> None:
        """Change or make its file, as somebody else would."""
        self.theirs = True
        with (folder / "Documents" / self.file).open("a") as file:
            file.write(THEIRS)


class Row(NamedTuple):
    """One action as the view of the database tells it."""

    id: str
    run: str
    state: str
    undo_of: str | None
    begun: bool
    """Whether a change of it was begun, or one more was, of which no outcome is written."""


def rows_in(database: Path) -> list[Row]:
    """Return all actions, oldest first."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as journal:
        found = journal.execute("SELECT id, run, state, undo_of, marks FROM history ORDER BY id").fetchall()
    return [Row(id_, run, state, undo_of, _is_begun(json.loads(marks))) for id_, run, state, undo_of, marks in found]


def _is_begun(marks: dict[str, object]) -> bool:
    return marks.get("begun") is not None or bool(marks.get("changes"))


class Oracle:
    """Looks again and again at one folder, and knows what it was told before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended: dict[str, str] = {}
        """What was last said to be the end of a run."""
        self._fell: set[tuple[str, str]] = set()
        """What was unanswered after a death, by run and state."""
        self.states: Counter[str] = Counter()
        """What became of the errands, when this looked last."""

    def fell(self, errands: Sequence[Errand]) -> Counter[str]:
        """Return where a death fell, before anything is settled: for each errand that was under way."""
        found = Counter[str]()
        rows = rows_in(self._folder / "own" / "sayso.db")
        mine = {row.run: row for row in rows if row.undo_of is None}
        undoing = {row.undo_of: row for row in rows if row.undo_of is not None and row.state == "running"}
        for errand in errands:
            row = mine.get(errand.run)
            if row is None:
                continue
            there = "there" if self._times(errand) == 1 else "not there"
            if row.id in undoing:
                found[f"in an undo, effect {there}"] += 1
            elif row.state == "running":
                found[f"{'inside' if row.begun else 'before'}, effect {there}"] += 1
            elif errand.sent and not errand.told:
                new = row.state != self._ended.get(errand.run) and (errand.run, row.state) not in self._fell
                self._fell.add((errand.run, row.state))
                found["before, still waiting" if row.state == "waiting" else "after, unanswered"] += new
        return +found

    def look(self, errands: Sequence[Errand]) -> list[str]:
        """Return what is broken, once what the dead left is settled."""
        rows = rows_in(self._folder / "own" / "sayso.db")
        mine = {row.run: row for row in rows if row.undo_of is None}
        undos: dict[str | None, list[Row]] = {}
        for row in rows:
            undos.setdefault(row.undo_of, []).append(row)
        self.states.clear()
        broken: list[str] = []
        for errand in errands:
            row = mine.get(errand.run)
            backs = [one.state for one in undos.get(row.id, [])] if row else []
            state = row.state if row else "waiting"
            wrong = "" if row or not errand.run else "is no longer in the journal"
            wrong = wrong or self._wrong(errand, state, backs)
            if wrong:
                broken.append(f"{errand.kind} {errand.name}: {wrong} ({state}, undos {backs}, {errand})")
            if row and state not in OPEN:
                self._ended[errand.run] = state
            self.states[f"{errand.kind} {state}"] += 1
        known = {"Moved", *(errand.file for errand in errands)}
        left = {
            one.name for place in ("Documents", "Documents/Moved") for one in (self._folder / place).iterdir()
        } - known
        return broken + ([f"left behind: {sorted(left)}"] if left else [])

    def _wrong(self, errand: Errand, state: str, backs: list[str]) -> str:
        times = self._times(errand)
        if isinstance(times, str):
            return times
        if times > 1:
            return f"was done {times} times"
        if times and errand.theirs:
            return "was done on what somebody else had changed"
        if times and "yes" not in errand.sent:
            return "was done without a yes"
        if state == "running" or "running" in backs:
            return "runs, and nobody is left who does it"
        if backs.count("done") > 1:
            return "was taken back twice"
        if (state == "undone" or backs) and not errand.undo_sent:
            return "was taken back, and nobody asked for it"
        return self._said_otherwise(errand, state, backs, times)

    def _said_otherwise(self, errand: Errand, state: str, backs: list[str], times: int) -> str:
        before = self._ended.get(errand.run, state)
        if state != before and not (before == "done" and state == "undone"):
            return f"was {before} after a restart before"
        if errand.told not in {"", state} and not (errand.told == "done" and state == "undone"):
            return "was said to be otherwise"
        if errand.undo_told == "done" and state != "undone":
            return "was said to be taken back"
        if state == "declined" and "no" not in errand.sent:
            return "was declined by nobody"
        if state != "waiting" and not errand.sent:
            return "was decided by nobody"
        if (times and state in NOT_DONE | {"undone"}) or (not times and state == "done"):
            return "" if "unknown" in backs else f"is not what the journal says: done {times} times"
        return ""

    def _times(self, errand: Errand) -> int | str:
        """Return how many times it is done by what is there, or what is wrong with that."""
        documents = self._folder / "Documents"
        if errand.kind == "call":
            return _read(self._folder / "served" / "list").splitlines().count(errand.line.strip())
        now = _read(documents / errand.file)
        theirs = THEIRS if errand.theirs else ""
        if errand.kind in {"append", "write"}:
            before = (BASE if errand.kind == "append" else "") + theirs
            times = now.count(errand.line)
            whole = before + errand.line * times
            return times if now == whole else f"has {now!r}"
        other = self._other(errand)
        return len(other) if [now, *other] in (["", errand.line], [errand.line]) else f"has {[now, *other]}"

    def _other(self, errand: Errand) -> list[str]:
        """Return what is in each file where a move or a deletion brings it."""
        trash = self._folder / ".local" / "share" / "Trash" / "files"
        place = self._folder / "Documents" / "Moved" if errand.kind == "move" else trash
        return [_read(one) for one in sorted(place.glob(f"{errand.kind}-{errand.name}.*"))]


def _read(file: Path) -> str:
    return file.read_text() if file.exists() else ""
