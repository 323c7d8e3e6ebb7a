"""Do a deed in processes that die at each kill point in turn, and settle it in fresh ones; tests start and ask it.

Prints one JSON line for each death: the files and the journal as they were found after each process. One warmed-up
process forks all the others, so that a death costs no start of Python.
"""

import gc
import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import anyio

import sayso
from sayso.core.ports import KillPoint, no_kill_point
from tests.journeys.deeds import DEEDS, Deed, prepare
from tests.journeys.ground import Ground, Row, a_ground, in_mode, tree, yes

Work = Callable[[], Awaitable[None]]
WARM = ("anyio._backends._asyncio", "sayso.assembly", "sayso.providers.files.local.backend")
"""What would be imported in every process, at its first use."""
LOCAL, TRASH = "home/.local", "home/.local/share/Trash/"
RECOVERY = ("recovery.before", "journal.before_commit", "journal.after_commit", "recovery.after")


@dataclass
class DiesAt:
    """A kill point that ends the process at the label that comes by as number `at`, counted from 1; 0 is never."""

    at: int = 0
    seen: list[str] = field(default_factory=list[str])

    def __call__(self, label: str) -> None:
        """Count, and die when it is time."""
        self.seen.append(label)
        if len(self.seen) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class DiesOn:
    """A kill point that ends the process at the first label of this name."""

    label: str

    def __call__(self, label: str) -> None:
        """Die when it is time."""
        if label == self.label:
            os.kill(os.getpid(), signal.SIGKILL)


def started(work: Work) -> int:
    """Begin this in a process of its own; return its number."""
    child = os.fork()
    if child == 0:
        ended = 1
        try:
            anyio.run(work)
            ended = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(ended)
    return child


def how_it_ended(child: int) -> int:
    """Wait for the end of a process, and return how it ended."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def in_child(work: Work) -> int:
    """Do this in a process of its own; return how it ended."""
    return how_it_ended(started(work))


def well(work: Work) -> None:
    """Do this in a process of its own, which must end well."""
    assert in_child(work) == 0


@dataclass
class Scene:
    """One deed on a fresh ground; `undoing` is about taking it back, after it was done."""

    ground: Ground
    deed: Deed
    undoing: bool
    start: dict[str, object] = field(default_factory=dict[str, object])

    def laid(self) -> "Scene":
        """Make the files, and do the deed where it is to be taken back."""
        a_ground(self.ground.base, in_mode(self.deed.mode))
        prepare(self.ground)
        self.start = self.found()
        if self.undoing:
            well(self.doing(no_kill_point))
        return self

    def doing(self, kill: KillPoint) -> Work:
        """Return the work of doing the deed."""

        async def work() -> None:
            async with self.ground.opened(kill=kill) as home:
                await home.run(self.deed.text, approver=yes())

        return work

    def taking_back(self, kill: KillPoint) -> Work:
        """Return the work of taking back all that was done of the deed."""

        async def work() -> None:
            async with self.ground.opened(kill=kill) as home:
                await home.undo(self.ground.rows()[0].run)

        return work

    def opening(self, kill: KillPoint = no_kill_point) -> Work:
        """Return the work of opening the home, which settles what the dead left."""

        async def work() -> None:
            async with self.ground.opened(kill=kill):
                pass

        return work

    def dying(self, kill: KillPoint) -> Work:
        """Return the work to die in."""
        return self.taking_back(kill) if self.undoing else self.doing(kill)

    def found(self) -> dict[str, object]:
        """Return files and journal as they are now."""
        whole = tree(self.ground.base)
        own = [path.split("/") for path in whole if path.startswith("sayso/")]
        return {
            "tree": {
                path[5:]: thing for path, thing in whole.items() if path.startswith("home/") and LOCAL not in path
            },
            "trash": {path[len(TRASH) :]: thing for path, thing in whole.items() if path.startswith(TRASH)},
            "all": sorted({thing.what for thing in whole.values() if thing.kind == "f"}),
            "own": sorted({parts[1] for parts in own}),
            "places": sorted({parts[2] for parts in own if parts[1] == "trash" and len(parts) > 2}),
            "rows": [told(row) for row in self.ground.rows()],
        }


def told(row: Row) -> dict[str, object]:
    """Return what the auditor asks of a row."""
    return {
        "id": row.id,
        "run": row.run,
        "state": row.state,
        "undo_of": row.undo_of,
        "turn": row.turn,
        "changes": row.changes,
        "begun": row.marks.get("begun"),
    }


def labels(name: str, base: Path, *, undoing: bool) -> list[str]:
    """Return every label that comes by, in order, by doing it whole once and writing them down.

    What is imported meanwhile is imported here as well, so that none of the processes that follow has to.
    """
    scene = Scene(Ground(base / "dry"), DEEDS[name], undoing).laid()
    out, imported = base / "labels", base / "imported"
    base.mkdir(parents=True, exist_ok=True)
    recorder = DiesAt()

    async def work() -> None:
        await scene.dying(recorder)()
        out.write_text("\n".join(recorder.seen))
        imported.write_text("\n".join(name for name in sys.modules if name.startswith("sayso.")))

    well(work)
    for module in imported.read_text().split("\n"):
        import_module(module)
    gc.freeze()
    return out.read_text().split("\n")


def one_death(scene: Scene, at: int, recovering: tuple[str, ...]) -> dict[str, object]:
    """Go through one death and what follows; recovery itself dies at the labels `recovering`, one by one."""
    scene.laid()
    looks = [scene.found()]
    ended = [in_child(scene.dying(DiesAt(at)))]
    looks.append(scene.found())
    for label in recovering:
        ended.append(in_child(scene.opening(DiesOn(label))))
        looks.append(scene.found())
    well(scene.opening())
    settled = scene.found()
    well(scene.opening())
    again = scene.found()
    rows = scene.ground.rows()
    undoable = any(row.state == "done" and row.undo_of is None for row in rows)
    if undoable:
        well(scene.taking_back(no_kill_point))
    return {
        "ended": ended,
        "start": scene.start,
        "before": looks[0],
        "dead": looks[1],
        "between": looks[2:],
        "settled": settled,
        "again": again,
        "undone": scene.found() if undoable else None,
    }


def with_outsider(scene: Scene, at: int) -> dict[str, object]:
    """Go through one death after which somebody makes the very same thing where the deed was to make it."""
    scene.laid()
    ground, place = scene.ground, scene.ground.home / scene.deed.made
    model = ground.base / "model"
    dry = Scene(Ground(ground.base / "dry"), scene.deed, undoing=False).laid()
    well(dry.doing(no_kill_point))
    (dry.ground.home / scene.deed.made).rename(model)
    died = in_child(scene.doing(DiesAt(at)))
    dead = scene.found()
    ours = place.exists()
    if ours:
        place.rename(ground.home / "Downloads" / "taken away")
    _same_again(model, place)
    theirs = place.stat()
    before = ground.tree()
    well(scene.opening())
    settled = scene.found()
    well(_undo_if_possible(scene))
    now = place.stat() if place.exists() else None
    return {
        "ended": [died],
        "ours": ours,
        "dead": dead,
        "before": before,
        "settled": settled,
        "untouched": now is not None and (now.st_ino, now.st_ctime_ns) == (theirs.st_ino, theirs.st_ctime_ns),
        "after": ground.tree(),
    }


def _undo_if_possible(scene: Scene) -> Work:
    async def work() -> None:
        async with scene.ground.opened() as home:
            rows = scene.ground.rows()
            if rows and rows[0].state == "done":
                await home.undo(rows[0].run)

    return work


def _same_again(model: Path, place: Path) -> None:
    if model.is_dir():
        shutil.copytree(model, place, symlinks=True)
    else:
        shutil.copy2(model, place)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def chosen(points: list[str], where: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the label of each kill point to die at, of those that come by.

    `everywhere` is every one of them; `once` is each point of a step the first time it comes by; `between` is every
    point at which one step has ended or the next has begun.
    """
    for number, label in enumerate(points, start=1):
        of_a_step = label.startswith("files.")
        once = of_a_step and label not in points[: number - 1]
        if {"everywhere": True, "once": once, "between": label.startswith(("path.", "undo."))}[where]:
            yield number, label


def die(how: str, name: str, base: str, where: str) -> None:
    """Go through the deaths of one deed that `where` chooses, and print a line for each."""
    undoing = how == "undo"
    for number, label in chosen(labels(name, Path(base), undoing=undoing), where):
        scene = Scene(Ground(Path(base) / str(number)), DEEDS[name], undoing)
        if how == "outsider":
            death = with_outsider(scene, number)
        else:
            # Every second death, recovery dies too, twice, at labels that change from death to death.
            first, second = RECOVERY[number // 2 % 4], RECOVERY[(number // 8 + 1) % 4]
            death = one_death(scene, number, (first, second) if number % 2 else ())
        say(json.dumps({"label": label, "number": number, **death}))


def saying(words: str, base: Path, label: str) -> Work:
    """Return the work of saying one thing to the home at `own`, and dying at the first kill point of this name."""

    async def work() -> None:
        environ = {"HOME": str(base), "PATH": os.environ["PATH"]}
        async with sayso.open_home(str(base / "own"), environ=environ, kill=DiesOn(label)) as home:
            await home.run(words, "lines", approver=yes())

    return work


def main() -> None:
    """Serve one request after the other: `how`, `name`, `base` and `where` as JSON; an empty line ends each answer.

    For `labels`, print every label of the deed that comes by, at doing it or, with `undo`, at taking it back. For
    `say`, say the words `name` in a process that dies at the label `where`, and print how it ended.
    """
    for module in WARM:
        import_module(module)
    for line in sys.stdin:
        how, name, base, where = json.loads(line)
        if how == "labels":
            say("\n".join(labels(name, Path(base), undoing=where == "undo")))
        elif how == "say":
            say(str(in_child(saying(name, Path(base), where))))
        else:
            die(how, name, base, where)
        say("")


if __name__ == "__main__":
    main()
