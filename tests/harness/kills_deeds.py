"""What the processes that are killed are doing, and at which of its boundaries each of them can die."""

import json
import shlex
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sayso.core.ports import no_kill_point
from tests.harness.kills_ground import Way, laid
from tests.journeys.deeds import DEEDS
from tests.journeys.dying import Scene, well

MORE = {
    "copy a large file": "COPY_FILE ~/Documents/large.bin ~/Documents/sub/large.bin",
    "a batch of deeds that stand alone": (
        "COPY_FILE ~/Documents/tree ~/Documents/sub/t\n"
        "DELETE_FILE ~/Documents/other.txt\n"
        'WRITE_FILE ~/Documents/a.txt "two"\n'
        "CREATE_FOLDER ~/Downloads/new/er"
    ),
    "a batch in a new folder": (
        "CREATE_FOLDER ~/Documents/x/y\n"
        "COPY_FILE ~/Documents/a.txt ~/Documents/x/y/a.txt\n"
        'APPEND_FILE ~/Documents/x/y/a.txt "two"\n'
        "DELETE_FILE ~/Documents/tree"
    ),
}
TEXTS = {name: deed.text for name, deed in DEEDS.items()} | MORE
"""Every file operation, alone and in batches."""


class Ends(NamedTuple):
    """Where an action makes something, of which kind, and from where it takes something (empty: nowhere)."""

    made: str
    kind: str
    taken: str


def ends(text: str) -> list[Ends]:
    """Return for each action in a text where somebody else could stand in its way."""
    found: list[Ends] = []
    for line in text.splitlines():
        verb, *words = shlex.split(line)
        paths = [word.removeprefix("~/") for word in words]
        kind = "d" if verb == "CREATE_FOLDER" or paths[0].endswith("tree") else "f"
        if verb in {"MOVE_FILE", "COPY_FILE"}:
            found.append(Ends(paths[1], kind, paths[0]))
        elif verb == "CREATE_FOLDER":
            found.append(Ends("/".join(paths[0].split("/")[:2]), kind, ""))
        else:
            found.append(Ends(paths[0], kind, paths[0]))
    return found


class Cell(NamedTuple):
    """One boundary of one operation: while it is done, taken back, or settled after a death."""

    operation: str
    way: Way
    label: str


class Spot(NamedTuple):
    """Where a deed can die: at the label that comes by as number `at`."""

    deed: str
    asked: bool
    way: Way
    at: int
    inside: bool
    """It lies between the first begun and the last done."""
    number: int
    """Which of the deed's actions is in hand."""
    before: bool
    """The action's effect is still to come."""


Spots = dict[Cell, list[Spot]]
AFTER = ("renamed", "synced", "exchanged", "cleared", "acted")
"""Ends of labels that come by after the effect."""


@dataclass
class Recorder:
    """A kill point that writes down what comes by, and what the journal shows at that moment."""

    scene: Scene
    passed: list[tuple[str, str, bool, int]] = field(default_factory=list[tuple[str, str, bool, int]])

    def __call__(self, label: str) -> None:
        """Write it down."""
        database = self.scene.ground.own / "sayso.db"
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as journal:
            rows = journal.execute("SELECT idx, operation, state, marks, undo_of, key FROM action").fetchall()
        named = {key: (operation, idx) for idx, operation, _, _, undo_of, key in rows if undo_of is None}
        running = [row for row in rows if row[2] == "running"]
        begun = [row for row in running if '"begun":' in row[3]] or running
        to_come = sorted(named[row[5]][::-1] for row in rows if row[2] in {"waiting", "done"} and row[4] is None)
        if begun:
            operation, number = named.get(begun[0][4], (begun[0][1], begun[0][0]))
        elif to_come:
            number, operation = to_come[-1 if self.scene.undoing else 0]
        else:
            operation, number = "", 0
        self.passed.append((label, operation, bool(running), number))


def stages() -> Iterator[tuple[str, bool, Way]]:
    """Yield every deed as it is done and taken back, allowed and asked."""
    for name in TEXTS:
        yield from ((name, False, Way.DO), (name, True, Way.DO), (name, False, Way.UNDO))


def spots(template: Path, base: Path) -> Spots:
    """Do every deed once, unharmed, in a process of its own; return where each can die."""
    base.mkdir()

    async def work() -> None:
        for number, (name, asked, way) in enumerate(stages()):
            scene = laid(template, base / str(number), TEXTS[name], asked=asked, way=way)
            recorder = Recorder(scene)
            if scene.undoing:
                await scene.doing(no_kill_point)()
            await scene.dying(recorder)()
            with (base / "passed").open("a") as out:
                out.write(json.dumps(recorder.passed) + "\n")

    well(work)
    found: Spots = defaultdict(list)
    for (name, asked, way), line in zip(stages(), (base / "passed").read_text().splitlines(), strict=True):
        passed = json.loads(line)
        # Before anything stands in the journal, it is the first action that is about to come.
        first = next(operation for _, operation, _, _ in passed if operation)
        for at, (label, operation, inside, number) in enumerate(passed, start=1):
            before = label.startswith("files.") and not label.endswith(AFTER)
            cell = Cell(operation or first, way, label)
            found[cell].append(Spot(name, asked, way, at, inside, number, before))
    return found
