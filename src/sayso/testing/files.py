"""The tests that every file backend must pass: every step, its undo step, and batches."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from sayso.core.errors import ProviderError, Refused
from sayso.core.operation import Operation
from sayso.core.plan import Applied, Change, ChangeRef, Fact, Facts, NotDone, Plan, ResultRef, Step
from sayso.core.ports import Backend
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    FileStep,
    Keep,
    MakeFolders,
    Rename,
    Replace,
    Restore,
    Trash,
    Unchanged,
    Unkeep,
    Write,
)
from sayso.providers.files.store import Files, Gap, Item

STEP_CASES = (
    "rename a file", "rename a folder", "rename a link", "copy a file", "copy a folder", "copy a link",
    "trash a file", "trash a folder", "keep a file", "keep a folder", "keep a link", "make folders",
    "make one folder", "write", "replace", "append",
)  # fmt: skip


class FileStage(Protocol):
    """Files and folders to act on, made and inspected without sayso's own code."""

    root: str
    """The absolute path of the only root; no link is on it."""

    def backend(self) -> Backend:
        """Return a new backend over these files, which remembers nothing of earlier backends."""
        ...

    def file(self, path: str, data: bytes) -> None:
        """Make a file, or replace the content of an existing one."""
        ...

    def folder(self, path: str) -> None:
        """Make a folder in an existing folder."""
        ...

    def link(self, path: str, target: str) -> None:
        """Make a link."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, link or empty folder."""
        ...

    def tree(self) -> Mapping[str, object]:
        """Return everything below the root: by relative path the kind, identity, content, mode and time.

        The time of a folder is left out, because it changes when entries are made or removed.
        """
        ...


@dataclass(frozen=True)
class StepCase:
    """A step, the facts that it expects, and the keys of the facts that it must return."""

    do: FileStep
    expects: Facts
    leaves: frozenset[tuple[str, str]]
    spoil: Callable[[FileStage], None]
    """Changes the files so that the step must not be done."""
    spoil_after: Callable[[FileStage], None]
    """Changes the result of the step, so that the step must not be undone."""

    @property
    def undo(self) -> FileStep:
        """Return the undo step that the step declares."""
        back = self.do.way_back(lambda: "keptfortheundoofacase")
        if not isinstance(back, FileStep):
            raise TypeError(f"{self.do} has no way back")
        return back


def plant(stage: FileStage) -> None:
    """Make the files of the suite: a file, a folder with a tree, links, a protected name."""
    root = stage.root
    stage.file(f"{root}/a", b"alpha\n")
    stage.file(f"{root}/empty", b"")
    for folder in ("b", "b/c", "b/g", "b/g/.git"):
        stage.folder(f"{root}/{folder}")
    stage.file(f"{root}/b/x", "héllo\n".encode())
    stage.file(f"{root}/b/c/y", b"\xff\x00binary")
    stage.file(f"{root}/b/g/.git/config", b"[core]\n")
    stage.link(f"{root}/b/m", "../a")
    stage.link(f"{root}/l", "b")


async def plant_case(name: str, stage: FileStage) -> StepCase:
    """Make the files of the suite, and return the case of this name."""
    plant(stage)
    return await case_of(name, stage)


async def case_of(name: str, stage: FileStage) -> StepCase:
    """Return the case of this name; the files of the suite must exist."""
    verb, _, what = name.partition(" ")
    files: Files = stage.backend().reads
    make = {"rename": _rename, "copy": _copy, "trash": _put_away, "keep": _put_away, "make": _make}.get(verb, _text)
    return await make(files, stage.root, verb, what)


def _thing(root: str, what: str) -> str:
    return root + {"a file": "/a", "a folder": "/b", "a link": "/l"}[what]


def _change(path: str, what: str) -> Callable[[FileStage], None]:
    """Return a function that changes what is at a path: another entry in a folder, other content, or another target."""
    if what == "a folder":
        return lambda stage: stage.file(f"{path}/new", b"new")
    if what == "a link":
        return lambda stage: (stage.remove(path), stage.link(path, "elsewhere"))[0]
    return lambda stage: stage.file(path, b"other\n")


def _occupy(path: str) -> Callable[[FileStage], None]:
    """Return a function that puts somebody else's file at a path."""
    return lambda stage: stage.file(path, b"theirs")


def _arrives(item: Item, path: str) -> set[tuple[str, str]]:
    """Return the keys of the facts that a step returns about a thing that it has put at a path."""
    return {("unchanged", path), *([("same_folder", path)] if item.kind == "folder" else [])}


async def _rename(files: Files, root: str, verb: str, what: str) -> StepCase:
    source, target = _thing(root, what), f"{root}/new"
    item, place = await files.look(source), await files.free(target)
    leaves = frozenset({("free", source), *_arrives(item, target)})
    expects = (item.fact, place.free, place.parent)
    return StepCase(Rename(source, target), expects, leaves, _change(source, what), _change(target, what))


async def _copy(files: Files, root: str, verb: str, what: str) -> StepCase:
    source, target = _thing(root, what), f"{root}/new"
    item, place = await files.look(source), await files.free(target)
    step, expects = Copy(source, target, files.token()), (item.fact, place.free, place.parent)
    return StepCase(step, expects, frozenset(_arrives(item, target)), _occupy(target), _change(target, what))


async def _put_away(files: Files, root: str, verb: str, what: str) -> StepCase:
    path = _thing(root, what)
    item, kept = await files.look(path), files.token()
    entry = await files.trash_entry(item) if verb == "trash" else None
    step = Keep(path, kept) if entry is None else Trash(path, entry)
    leaves = frozenset({("free", path), ("unchanged", entry or f"kept:{kept}")})
    return StepCase(step, (item.fact,), leaves, _change(path, what), _occupy(path))


async def _make(files: Files, root: str, verb: str, what: str) -> StepCase:
    gap = await files.gap(f"{root}/n/o/p" if what == "folders" else f"{root}/n")
    if not isinstance(gap, Gap):
        raise TypeError("the folder is there already")
    path = gap.place.path
    each = [path, *[f"{path}/{'/'.join(gap.below[: count + 1])}" for count in range(len(gap.below))]]
    step, expects = MakeFolders(path, gap.below, files.token()), (gap.place.free, gap.place.parent)
    leaves = frozenset({("unchanged", path), *[("same_folder", folder) for folder in each]})
    return StepCase(step, expects, leaves, _occupy(path), _occupy(f"{each[-1]}/theirs"))


async def _text(files: Files, root: str, verb: str, what: str) -> StepCase:
    kept = files.token()
    if verb == "write":
        path = f"{root}/new"
        place = await files.free(path)
        step, expects = Write(path, "né\n", kept), (place.free, place.parent)
        leaves = frozenset({("unchanged", path)})
    else:
        path = f"{root}/a"
        step, expects = Replace(path, "né\n", kept, append=verb == "append"), ((await files.opened(path)).fact,)
        leaves = frozenset({("unchanged", path), ("unchanged", f"kept:{kept}")})
    spoil = _change(path, "a file")
    return StepCase(step, expects, leaves, spoil, spoil)


Wish = tuple[str, Mapping[str, str]]
"""The id of an operation, and its arguments."""

WHOLE = 10_000


@dataclass
class PlannedBatch:
    """The changes of a batch, each with its reference, and the files as they would be after all these changes."""

    seen: Files
    changes: list[tuple[ChangeRef, Change]] = field(default_factory=list[tuple[ChangeRef, Change]])


async def plan_wishes(backend: Backend, operations: Mapping[str, Operation], wishes: Sequence[Wish]) -> PlannedBatch:
    """Plan wishes one after another, each for the files as they would be after the earlier ones."""
    batch = PlannedBatch(backend.reads)
    for number, (name, arguments) in enumerate(wishes):
        operation = operations[name]
        try:
            plan = await operation.function(batch.seen, **arguments)
        except (ProviderError, Refused):
            continue
        if not isinstance(plan, Plan):
            continue
        for place, change in enumerate(plan.changes):
            ref = ChangeRef(number, place)
            batch.seen = backend.imagine(batch.seen, change.do, ref)
            batch.changes.append((ref, change))
    return batch


async def execute_batch(backend: Backend, batch: PlannedBatch) -> Mapping[tuple[int, int], Facts]:
    """Do all changes, and return the facts that each returned.

    If a change cannot be done, it was planned wrongly, and its error is raised.
    """
    lefts: dict[tuple[int, int], Facts] = {}
    for ref, change in batch.changes:
        expects = tuple(resolve_reference(fact, lefts) for fact in change.expects)
        left = await backend.apply(change.do, expects)
        lefts[ref.action, ref.change] = left.facts
    return lefts


async def undo_batch(backend: Backend, batch: PlannedBatch, lefts: Mapping[tuple[int, int], Facts]) -> None:
    """Undo all changes, last first."""
    for ref, change in reversed(batch.changes):
        await backend.apply(change.undo, lefts[ref.action, ref.change])


def resolve_reference(fact: Fact, lefts: Mapping[tuple[int, int], Facts]) -> Fact:
    """Return the fact that an earlier step returned, if `fact` is a reference to it; else the fact itself."""
    if not isinstance(fact, ResultRef):
        return fact
    for left in lefts[fact.action or 0, fact.change]:
        if left.key == fact.key:
            return left
    raise AssertionError(f"{fact} is not among what that step left: {lefts[fact.action or 0, fact.change]}")


async def snapshot_of(files: Files, paths: Iterable[str]) -> dict[str, object]:
    """Return what each read method says about these paths, except what is unknown before the changes are done."""
    found: dict[str, object] = {}
    for path in paths:
        found[f"look {path}"] = await _describe_read(_look(files, path))
        found[f"opened {path}"] = await _describe_read(_describe_opened(files, path))
        found[f"exists {path}"] = await _describe_read(files.exists(path))
        found[f"free {path}"] = await _describe_read(_free(files, path))
        found[f"gap {path}"] = await _describe_read(_gap(files, path))
        found[f"read {path}"] = await _describe_read(files.read(path, WHOLE))
        found[f"list {path}"] = await _describe_read(_list(files, path))
        found[f"find {path}"] = await _describe_read(_find(files, path))
    return found


async def facts(files: Files, paths: Iterable[str]) -> dict[str, Fact]:
    """Return the fact about each existing path, and one more about each folder."""
    found: dict[str, Fact] = {}
    for path in paths:
        try:
            found[path] = (await files.look(path)).fact
            item = await files.gap(path)
        except (ProviderError, Refused):
            continue
        if isinstance(item, Item):
            found[f"folder {path}"] = item.fact
    return found


def must_agree(before: Fact, after: Fact, lefts: Mapping[tuple[int, int], Facts]) -> None:
    """Raise `AssertionError` if the fact imagined before the changes differs from the one found after them.

    The imagined fact may be about a folder that contains the path.
    """
    expected = resolve_reference(before, lefts)
    if expected.about != after.about:
        if not after.about.startswith(expected.about + "/"):
            raise AssertionError(f"{before} stands for {after}")
        return
    if expected.key == after.key and expected != after and not _only_time(expected, after):
        raise AssertionError(f"expected {expected}\nfound    {after}")


def _only_time(one: Fact, other: Fact) -> bool:
    return isinstance(one, Unchanged) and one.kind == "folder" and isinstance(other, Unchanged) and one == other


async def _describe_read(read: Awaitable[object]) -> object:
    try:
        return await read
    except Refused:
        return "refused"
    except ProviderError:
        return "not possible"


async def _look(files: Files, path: str) -> object:
    return _item(await files.look(path))


async def _describe_opened(files: Files, path: str) -> object:
    return _item(await files.opened(path))


async def _gap(files: Files, path: str) -> object:
    found = await files.gap(path)
    return (found.place.path, found.below, found.place.device) if isinstance(found, Gap) else _item(found)


async def _free(files: Files, path: str) -> object:
    place = await files.free(path)
    return place.path, place.device


async def _list(files: Files, path: str) -> object:
    listing = await files.list(path, WHOLE)
    return [(entry.path, entry.kind, entry.size) for entry in listing.entries], listing.omitted


async def _find(files: Files, path: str) -> object:
    listing = await files.find(path, "*", WHOLE)
    return [(entry.path, entry.kind, entry.size) for entry in listing.entries], listing.omitted


def _item(item: Item) -> object:
    # The time, mode and inode of a new file are not known before it is made.
    return item.path, item.kind, item.device, item.size, item.entries, item.target, sorted(item.denied)


class FilesSuite:
    """A test class inherits these tests, and defines how a `stage` is made.

    ```python
    class TestMine(FilesSuite):
        def stage(self):  # a context manager that yields an empty FileStage
            return contextlib.nullcontext(MyStage())
    ```
    """

    def stage(self) -> AbstractContextManager[FileStage]:
        """Return a context manager that yields an empty stage."""
        raise NotImplementedError

    async def test_each_step_leaves_what_it_says_and_can_be_taken_back(self) -> None:
        """Do and undo each step; it returns the promised facts, and after the undo the files are as before."""
        for name in STEP_CASES:
            with self.stage() as stage:
                case = await plant_case(name, stage)
                before = stage.tree()
                left = await stage.backend().apply(case.do, case.expects)
                unsaid = case.leaves - {fact.key for fact in left.facts}
                _equal(len(unsaid), 0, f"left unsaid by {name}: {unsaid}")
                _differ(stage.tree(), before, name)
                back = await stage.backend().apply(case.undo, left.facts)
                _equal(stage.tree(), before, f"taken back: {name}")
                await self._again(stage, case, back)

    async def _again(self, stage: FileStage, case: StepCase, back: Applied) -> None:
        """Do and undo a step once more, beginning with the facts that its undo returned."""
        if isinstance(case.undo, Restore | Unkeep | ExchangeFiles | Rename):
            before = stage.tree()
            onward = case.undo if isinstance(case.undo, ExchangeFiles) else case.do
            left = await stage.backend().apply(onward, back.facts)
            await stage.backend().apply(case.undo, left.facts)
            _equal(stage.tree(), before, f"once more: {case.do}")

    async def test_a_step_is_not_done_when_the_world_has_moved_on(self) -> None:
        """Change what each step expects; the step is refused, and nothing is done."""
        for name in STEP_CASES:
            with self.stage() as stage:
                case = await plant_case(name, stage)
                case.spoil(stage)
                before = stage.tree()
                await _no(stage.backend(), case.do, case.expects, name)
                _equal(stage.tree(), before, f"spoilt: {name}")

    async def test_an_undo_is_not_done_when_what_was_left_has_changed(self) -> None:
        """Change the result of each step; its undo is refused, and nothing is done (UN-01)."""
        for name in STEP_CASES:
            with self.stage() as stage:
                case = await plant_case(name, stage)
                left = await stage.backend().apply(case.do, case.expects)
                case.spoil_after(stage)
                before = stage.tree()
                await _no(stage.backend(), case.undo, left.facts, name)
                _equal(stage.tree(), before, f"spoilt after: {name}")

    async def test_settling_says_what_became_of_a_step(self) -> None:
        """Settle each step with a new backend: before it, as not done; after it, as done with the same facts."""
        for name in STEP_CASES:
            with self.stage() as stage:
                case = await plant_case(name, stage)
                await _settles(stage, case.do, case.expects, name)
                left = await stage.backend().apply(case.do, case.expects)
                await _settles_as(stage, case.do, case.expects, left, name)
                await _settles(stage, case.undo, left.facts, f"undo of {name}")
                back = await stage.backend().apply(case.undo, left.facts)
                await _settles_as(stage, case.undo, left.facts, back, f"undo of {name}")

    async def test_nothing_is_reached_outside_the_root(self) -> None:
        """Read paths outside the root, directly and through links; every read is refused (FS-01, FS-02)."""
        with self.stage() as stage:
            plant(stage)
            stage.link(f"{stage.root}/out", "/")
            files: Files = stage.backend().reads
            for path in (f"{stage.root}/../x", "/etc/passwd", f"{stage.root}/out/etc", f"{stage.root}_evil/x"):
                for read in (files.look, files.opened, files.exists, files.free, files.gap):
                    await _describe_refusal(read(path), path)


async def _no(backend: Backend, step: Step, expects: Facts, name: str) -> None:
    try:
        left = await backend.apply(step, expects)
    except (ProviderError, Refused):
        return
    raise AssertionError(f"{name}: it was done all the same, leaving {left}")


async def _settles(stage: FileStage, step: Step, expects: Facts, name: str) -> None:
    settled = await stage.backend().settle(step, expects)
    _equal(type(settled), NotDone, f"{name}: before it was done it settles as {settled}")


async def _settles_as(stage: FileStage, step: Step, expects: Facts, left: Applied, name: str) -> None:
    settled = await stage.backend().settle(step, expects)
    found = set(settled.facts) if isinstance(settled, Applied) else settled
    _equal(found, set(left.facts), f"settled: {name}")


async def _describe_refusal(read: Awaitable[object], path: str) -> None:
    try:
        found = await read
    except Refused:
        return
    raise AssertionError(f"{path} was looked at: {found}")


def _equal(found: object, wanted: object, where: str) -> None:
    if found != wanted:
        raise AssertionError(f"{where}\nfound:  {found}\nwanted: {wanted}")


def _differ(found: object, other: object, where: str) -> None:
    if found == other:
        raise AssertionError(f"{where}: nothing was done")
