"""The folder of own actions is looked at again and again: what it tells is what is there, after any edits."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TypeVar, cast

import anyio
import pytest

from sayso.assembly.actions import list_actions
from sayso.core.encoding import Json
from sayso.templates import watch
from sayso.templates.definition import ActionTemplate
from sayso.templates.library import Library, load_library
from sayso.templates.runner import HandlerRun
from sayso.templates.watch import COLLECTED_FOR, LibraryWatch, Signature, signature
from tests.patience import patience
from tests.templates.actions import Asked, handled

T = TypeVar("T")
EDITS = 200
HELD_EVERY = 20
"""After how many edits another action is started, which runs on while the next ones are made."""
SOURCE = """
from _words import WORD

config = {
    "id": "ID", "name": "Version VERSION", "description": "Says which it is.",
    "parameterSchema": {"type": "object", "properties": {}},
}


async def handler(params, context):
    await context.email_api.get_inbox()
    return {"success": True, "message": f"VERSION with {WORD}"}
"""


def source(id_: str, version: int) -> str:
    """Return an action; all versions are as long as each other."""
    return SOURCE.replace("ID", id_).replace("VERSION", f"{version:06}")


class Pace:
    """The waits of one watch: each lasts until the test lets it end, and was reached before the test goes on."""

    def __init__(self) -> None:
        self._reached, self._go = anyio.Semaphore(0), anyio.Semaphore(0)
        self.waits: list[float] = []

    async def wait(self, seconds: float) -> None:
        """Wait until the test says so."""
        self.waits.append(seconds)
        self._reached.release()
        await self._go.acquire()

    async def reached(self) -> None:
        """Return once the watch waits."""
        with anyio.fail_after(patience()):
            await self._reached.acquire()

    async def pass_(self, times: int) -> None:
        """Let the watch wait to its end this many times, and return when it waits again."""
        for _ in range(times):
            self._go.release()
            await self.reached()


@dataclass
class Watched:
    """A watch of a folder, and what it told."""

    watch: LibraryWatch
    pace: Pace
    told: list[Library] = field(default_factory=list[Library])


@asynccontextmanager
async def watched(folder: Path) -> AsyncGenerator[Watched]:
    told: list[Library] = []
    pace = Pace()
    one = Watched(LibraryWatch(lambda: folder, told.append, pace.wait), pace, told)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.watch.run)
        await pace.reached()
        yield one
        tasks.cancel_scope.cancel()


@pytest.mark.req("S3-70", "S3-60", "T-84")
async def test_a_new_action_is_told_once_with_all_others_and_is_there_from_then_on(tmp_path: Path):
    (tmp_path / "a.py").write_text(source("a", 1))
    async with watched(tmp_path) as seen:
        (tmp_path / "b.py").write_text(source("b", 1))
        (tmp_path / "c.py").write_text(source("c", 1))
        await seen.pace.pass_(2)

        assert [[one.id for one in library.templates] for library in seen.told] == [["a", "b", "c"]]
        assert seen.watch.library is seen.told[0]
        assert seen.pace.waits == [COLLECTED_FOR] * 3

        await seen.pace.pass_(40)
        assert len(seen.told) == 1


@pytest.mark.req("T-84")
async def test_a_file_that_breaks_takes_its_action_away_with_a_warning_and_no_other(tmp_path: Path):
    for id_ in "ab":
        (tmp_path / f"{id_}.py").write_text(source(id_, 1))
    async with watched(tmp_path) as seen:
        (tmp_path / "a.py").write_text("config = {")
        await seen.pace.pass_(2)

        assert [one.id for one in seen.watch.library.templates] == ["b"]
        assert [warning.partition(": ")[0] for warning in seen.watch.library.warnings] == [
            "Invalid action template a.py"
        ]


async def test_a_folder_that_comes_and_goes_is_told(tmp_path: Path):
    folder = tmp_path / "actions"
    async with watched(folder) as seen:
        folder.mkdir()
        (folder / "a.py").write_text(source("a", 1))
        await seen.pace.pass_(2)
        folder.rename(tmp_path / "elsewhere")
        await seen.pace.pass_(2)

        assert [[one.id for one in library.templates] for library in seen.told] == [["a"], []]


class Folder:
    """A folder of actions that is edited at random, and what it must hold after each edit."""

    def __init__(self, place: Path, seed: int) -> None:
        self.place = place
        self.word = ""
        self._drawn = (sha256(f"{seed}.{number}".encode()).digest()[0] for number in count())
        self._versions = 0
        self._good: dict[str, tuple[str, int]] = {}
        self._bad: set[str] = set()
        self.kinds: set[str] = set()
        self._helper()

    @property
    def expected(self) -> list[tuple[str, str, str]]:
        """Return the file, id and version of each usable action; of two with one id, the first by name counts."""
        found: dict[str, tuple[str, str, str]] = {}
        for file in sorted(self._good):
            id_, version = self._good[file]
            found.setdefault(id_, (file, id_, f"Version {version:06}"))
        return [*found.values()]

    @property
    def warned(self) -> list[str]:
        """Return the files that cannot be used."""
        used = {file for file, _, _ in self.expected}
        return sorted({*self._bad, *(set(self._good) - used)})

    def edit(self) -> None:
        """Make one edit."""
        edits: list[Callable[[str], None]] = [
            self._write, self._write, self._replace, self._break, self._delete, self._rename, self._cut, self._copy,
        ]  # fmt: skip
        one = self._draw([*edits, lambda _: self._helper()])
        self.kinds.add(getattr(one, "__name__", ""))
        one(f"{self._draw('abcdefgh')}.py")

    def _draw(self, values: Sequence[T]) -> T:
        return values[next(self._drawn) % len(values)]

    def _version(self) -> int:
        self._versions += 1
        return self._versions

    def _helper(self) -> None:
        self.word = f"word {self._version():06}"
        (self.place / "_words.py").write_text(f"WORD = {self.word!r}\n")

    def _write(self, file: str) -> None:
        """Write another version of the same length in place; its id is that of its name."""
        self._good[file] = (file[0], self._version())
        self._bad.discard(file)
        (self.place / file).write_text(source(*self._good[file]))

    def _replace(self, file: str) -> None:
        """Put another file in its place, as editors do, with the time of long ago."""
        self._good[file] = (file[0], self._version())
        self._bad.discard(file)
        beside = self.place / "new.tmp"
        beside.write_text(source(*self._good[file]))
        os.utime(beside, (1, 1))
        beside.replace(self.place / file)

    def _break(self, file: str) -> None:
        self._lose(file)
        (self.place / file).write_text(self._draw(("config = {", "config = 1", "\0", "x = 'no config'")))
        self._bad.add(file)

    def _cut(self, file: str) -> None:
        """Write only the half of it, as a program that is still writing does."""
        self._lose(file)
        (self.place / file).write_text(source(file[0], self._version())[:150])
        self._bad.add(file)

    def _delete(self, file: str) -> None:
        self._lose(file)
        (self.place / file).unlink(missing_ok=True)

    def _rename(self, file: str) -> None:
        other = f"{self._draw('abcdefgh')}.py"
        if file == other or file not in self._good:
            return
        kept = self._good.pop(file)
        self._lose(other)
        (self.place / file).rename(self.place / other)
        self._good[other] = kept

    def _copy(self, file: str) -> None:
        """Make a second file with the id of another one."""
        other = f"{self._draw('abcdefgh')}.py"
        if file == other or file not in self._good:
            return
        self._lose(other)
        self._good[other] = self._good[file]
        (self.place / other).write_text(source(*self._good[file]))

    def _lose(self, file: str) -> None:
        self._good.pop(file, None)
        self._bad.discard(file)


class Held(Asked):
    """A run of an action that goes on only when it is let go."""

    def __init__(self, template: ActionTemplate, word: str) -> None:
        super().__init__()
        self.template = template
        self.says = f"{template.name.removeprefix('Version ')} with {word}"
        self.ended: HandlerRun | None = None
        self._began, self._go = anyio.Event(), anyio.Event()

    async def __call__(self, operation: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        """Answer once the test says so."""
        self._began.set()
        await self._go.wait()
        return await super().__call__(operation, arguments)

    async def run(self) -> None:
        """Run the handler to its end."""
        self.ended = await handled(self.template, self)

    async def begun(self) -> None:
        """Return once the handler waits for what it asked."""
        with anyio.fail_after(patience()):
            await self._began.wait()

    def let_go(self) -> None:
        """Let the handler go on."""
        self._go.set()


async def edit_and_run(place: Path, *, edits: int = EDITS, seed: int = 17) -> set[str]:
    """Edit a folder while its actions run; fail if anything that is told is lost, stale or not told."""
    folder = Folder(place, seed)
    runs: list[Held] = []
    async with anyio.create_task_group() as tasks, watched(place) as seen:
        for number in range(edits):
            before = seen.watch.library
            folder.edit()
            if number % HELD_EVERY == 0 and before.templates and load_library(place).templates:
                held = Held(load_library(place).templates[0], folder.word)
                runs.append(held)
                tasks.start_soon(held.run)
                await held.begun()

            rows = cast("list[Mapping[str, Json]]", list_actions(place))
            await seen.pace.pass_(2)

            now = seen.watch.library
            assert now == before or seen.told[-1] is now
            listed = [(one.file, one.id, one.name) for one in now.templates]
            assert listed == folder.expected
            assert [(row["templateId"], row["name"]) for row in rows] == [(id_, name) for _, id_, name in listed]
            assert sorted(warning.partition(": ")[0].split()[-1] for warning in now.warnings) == folder.warned
            assert all(one.helpers == {"_words": f"WORD = {folder.word!r}\n"} for one in now.templates)
        for held in runs:
            held.let_go()
    assert len(runs) > 1
    for held in runs:
        assert held.ended is not None
        assert held.ended.result is not None
        assert held.ended.result.message == held.says
    return folder.kinds


@pytest.mark.req("S3-60", "S3-70", "S3-85", "T-84")
@pytest.mark.parametrize("seed", [17, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(10))])
async def test_after_each_of_two_hundred_edits_nothing_is_lost_or_stale_while_actions_run(seed: int, tmp_path: Path):
    kinds = await edit_and_run(tmp_path, seed=seed)

    assert kinds == {"_write", "_replace", "_break", "_delete", "_rename", "_cut", "_copy", "<lambda>"}


def _sign(monkeypatch: pytest.MonkeyPatch, sign: Callable[[Signature], object]) -> None:
    monkeypatch.setattr(watch, "AGAIN", 1)

    def signed(folder: Path) -> object:
        return sign(signature(folder))

    monkeypatch.setattr(watch, "signature", signed)


def _names_and_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust names and sizes."""
    _sign(monkeypatch, lambda files: [(name, size) for name, _, size, _, _ in files])


def _newest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust the newest time of content, which a file that is put in place need not change."""
    _sign(monkeypatch, lambda files: max(files, key=lambda one: one[-1], default=())[-1:])


def _no_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Overlook files that are no actions."""
    _sign(monkeypatch, lambda files: [one for one in files if not one[0].startswith("_")])


def _adds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what was there, as a loader does that only adds."""
    kept: dict[str, ActionTemplate] = {}

    def load(folder: Path) -> Library:
        fresh = load_library(folder)
        kept.update({one.file: one for one in fresh.templates})
        return Library(tuple(kept[file] for file in sorted(kept)), fresh.warnings)

    monkeypatch.setattr(watch, "load_library", load)


def _all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up everything because of one broken file."""

    def load(folder: Path) -> Library:
        fresh = load_library(folder)
        return Library((), fresh.warnings) if fresh.warnings else fresh

    monkeypatch.setattr(watch, "load_library", load)


def _never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the folder once."""

    def due(self: LibraryWatch) -> bool:
        return False

    monkeypatch.setattr(LibraryWatch, "is_due", due)


@pytest.mark.parametrize("plant", [_names_and_sizes, _newest, _no_helpers, _adds_only, _all_or_nothing, _never])
async def test_the_two_hundred_edits_find_a_watch_that_is_wrong(
    plant: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    plant(monkeypatch)

    with pytest.RaisesGroup(AssertionError, flatten_subgroups=True):
        await edit_and_run(tmp_path)
