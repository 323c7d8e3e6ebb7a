"""The operations that are killed: where their processes can die, and the homes in which they run."""

import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, cast

import sayso
from sayso.core.decision import Question
from sayso.core.errors import Stale
from sayso.core.ports import Approver, Ids, KillPoint, no_kill_point
from sayso.runtime.system import RandomIds
from tests.journeys.deeds import DEEDS, Deed, prepare
from tests.journeys.dying import Scene, Work, well
from tests.journeys.ground import Ground, a_ground, in_mode, yes


def waiting(scene: Scene) -> Work:
    """Return the work of proposing the deed where nobody can answer."""

    async def work() -> None:
        async with scene.ground.opened() as home:
            await home.run(scene.deed.text)

    return work


def approving(scene: Scene, run: str, kill: KillPoint = no_kill_point, approver: Approver | None = None) -> Work:
    """Return the work of saying yes to a run that waits."""

    async def work() -> None:
        async with scene.ground.opened(kill=kill) as home:
            await home.approve(run, approver or yes())

    return work


@dataclass
class GetsInTheWay:
    """A kill point at which somebody else gets in the way; the process dies at the next one."""

    label: str
    at: int
    deed: Callable[[], object]
    seen: int = 0
    came: bool = False

    def __call__(self, label: str) -> None:
        """Count, and let it come when it is time."""
        self.seen += 1
        if self.came:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.seen == self.at or (not self.at and label == self.label):
            self.deed()
            self.came = True


@dataclass
class Patient(Ids):
    """Ids that are given out only once `pause` is over, the first time."""

    pause: Callable[[], None]
    ids: RandomIds = field(default_factory=RandomIds)
    paused: bool = False

    def key(self) -> int:
        """Return the next key."""
        if not self.paused:
            self.paused = True
            self.pause()
        return self.ids.key()

    def token(self) -> str:
        """Return a token."""
        return self.ids.token()


def a_second(scene: Scene, run: str, pause: Callable[[], None]) -> Work:
    """Return the work of a process that has looked, pauses, and then does what it was about to do."""

    def yes_after_all(_: Question) -> bool:
        pause()
        return True

    async def take_back() -> None:
        async with scene.ground.opened(ids=Patient(pause)) as home:
            with suppress(Stale):
                await home.undo(scene.ground.rows()[0].run)

    return approving(scene, run, approver=sayso.Client(yes_after_all)) if run else take_back


def shows_begun(database: Path, child: int) -> bool:
    """Wait until the journal shows that an action has begun; False when the process has ended before."""
    journal = sqlite3.connect(f"file:{database}?mode=ro", uri=True, isolation_level=None)
    try:
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            with suppress(sqlite3.OperationalError):
                if journal.execute("SELECT 1 FROM action WHERE state = 'running' LIMIT 1").fetchone():
                    return True
        return False
    finally:
        journal.close()


ROOT = Path(__file__).parents[2]
LARGE = 400_000
"""Bytes of the large file."""


class Way(StrEnum):
    """What a process is at when it is killed."""

    DO = "do"
    UNDO = "undo"
    RECOVERY = "recovery"


def a_template(base: Path) -> Path:
    """Make a home with files in it and an empty journal, once, and return where it is."""
    ground = a_ground(base)
    prepare(ground)
    ground.file("large.bin", os.urandom(LARGE))
    (ground.home / ".local" / "share").mkdir(parents=True)
    well(Scene(ground, Deed("", ()), undoing=False).opening())
    return base


def laid(template: Path, base: Path, text: str, *, asked: bool, way: Way) -> Scene:
    """Lay out a ground of its own for one deed."""
    shutil.copytree(template, base, symlinks=True)
    mode = "always" if asked else "never"
    ground = Ground(base)
    (ground.own / "config.toml").write_text(in_mode(mode), "utf-8")
    return Scene(ground, Deed(text, (), mode), undoing=way is Way.UNDO)


@dataclass(frozen=True)
class Program:
    """A program of its own that is told what to do line by line, and answers each with a line."""

    running: "subprocess.Popen[bytes]"

    def tell(self, *words: Any) -> Any:
        """Say this, and return the answer, read as JSON where it is more than a word."""
        to, answers = cast("Sequence[Any]", (self.running.stdin, self.running.stdout))
        os.write(to.fileno(), json.dumps(words).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = os.read(answers.fileno(), 65536)
            if not piece:
                raise EOFError(f"{self.running.args!r} ended when it was told {words}")
            answer += piece
        return json.loads(answer) if answer.startswith(b"{") else None

    def end(self) -> None:
        """Let it end."""
        cast("Any", self.running.stdin).close()
        self.running.wait()


def a_program(module: str) -> Program:
    """Start a program that can import nothing but Python's own and what stands beside the tests."""
    command = [sys.executable, "-S", "-E", "-m", module]
    return Program(subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0))


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
