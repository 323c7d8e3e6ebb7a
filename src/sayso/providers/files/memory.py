"""The file store in memory: the same steps, facts and refusals as on a disk, for tests and measurements."""

import posixpath

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts, Left, Ref, Settled
from sayso.core.ports import Ground
from sayso.policy.paths import within
from sayso.providers.files import trouble
from sayso.providers.files.carrying import KEPT, Carrying, about, place_of, way
from sayso.providers.files.facts import Free, SameFolder, Unchanged
from sayso.providers.files.memory_reads import MemoryFiles
from sayso.providers.files.memory_settle import made_folders, settled
from sayso.providers.files.memory_world import Thing, World, stamp
from sayso.providers.files.overlay import imagine
from sayso.providers.files.steps import (
    Copy,
    Exchange,
    MakeFolders,
    RemoveFolders,
    Replace,
    Restore,
    Steps,
    Unkeep,
    Write,
)
from sayso.providers.files.store import Files


def build(ground: Ground) -> "MemoryBackend":
    """Return a backend over a new world that holds the home and the roots."""
    world = World()
    for folder in (ground.home, *ground.roots):
        _make_whole(world, folder)
    return MemoryBackend(world, ground)


def _make_whole(world: World, folder: str) -> None:
    here = "/"
    for name in folder.strip("/").split("/"):
        here = posixpath.join(here, name)
        if world.get(here) is None:
            world.put(here, world.make("folder", world.folder_of(here).device))


class MemoryBackend:
    """Carries steps out in a world in memory."""

    name = "memory"
    imagines = True
    note = ""
    private = True

    def __init__(self, world: World, ground: Ground) -> None:
        self.world = world
        self.reads = MemoryFiles(world, ground)
        self._kill = ground.kill

    async def apply(self, step: Steps, expects: Facts) -> Left:
        """Do `step` if what it expects still holds."""
        for path in (getattr(step, name) for name in step.paths):
            self._must_lead_there(path)
        for fact in expects:
            self._must_hold(fact)
        self._kill(f"files.{step.step.removeprefix('file.')}.begun")
        return Left(self._done(step))

    def imagine(self, seen: Files, step: Steps, ref: Ref) -> Files:
        """Return reads in which `step` has been done."""
        return imagine(seen, step, ref)

    def _must_lead_there(self, path: str) -> None:
        said = self.reads.said(path)
        folder = posixpath.dirname(path)
        if self.world.resolved(folder, said) != folder:
            raise trouble.changed(said)
        self.reads.judged(path, said)

    def _must_hold(self, fact: object) -> None:
        match fact:
            case Unchanged(thing):
                holds = self.world.unchanged(place_of(thing)) == fact and self._is_whole(fact)
            case SameFolder(thing, device, inode):
                there = self.world.get(place_of(thing))
                holds = there is not None and (there.kind, there.device, there.inode) == ("folder", device, inode)
            case Free(thing):
                holds = self.world.get(place_of(thing)) is None
            case _:
                raise TypeError(f"{fact!r} is not a fact about files")
        if not holds:
            raise trouble.changed(self.reads.said(thing))

    def _is_whole(self, fact: Unchanged) -> bool:
        thing = self.world.get(place_of(fact.about))
        return not fact.tree or (thing is not None and stamp(thing) == fact.tree)

    def _done(self, step: Steps) -> Facts:
        match step:
            case Copy():
                return self._copy(step)
            case MakeFolders(path, below, kept):
                return self._make_folders(path, below, kept)
            case RemoveFolders(path, kept):
                return self._remove_folders(path, kept)
            case Write(path, content, kept):
                return self._new(path, self._file(content.encode(), self._disk(path), kept))
            case Replace() | Exchange():
                return self._exchange(step)
            case _:
                return self._carry(step)

    def _carry(self, step: Carrying) -> Facts:
        source, destination = way(step)
        thing = self._movable(source)
        self._must_be_free(destination)
        if destination.startswith("/"):
            if within(destination, [source]):
                raise trouble.inside_itself(self.reads.said(source), self.reads.said(destination))
            if self._disk(destination) != thing.device:
                said = self.reads.said(destination)
                raise ProviderError(f"“{said}” lies on another disk and cannot be moved to in one go", "disk.other")
        self.world.put(destination, self.world.take(source))
        gone = Free(about(source))
        came_back = isinstance(step, Restore | Unkeep)
        return (gone, *(self.world.whole(destination) if came_back else self.world.there(destination)))

    def _movable(self, place: str) -> Thing:
        thing = self.world.get(place)
        said = self.reads.said(about(place))
        if thing is None:
            raise trouble.changed(said)
        if place.startswith("/") and any(within(root, [place]) for root in self.reads.roots):
            raise trouble.is_root(said)
        return thing

    def _must_be_free(self, place: str) -> None:
        if self.world.get(place) is not None:
            raise trouble.changed(self.reads.said(about(place)))

    def _disk(self, path: str) -> int:
        return self.world.folder_of(path).device

    def _copy(self, step: Copy) -> Facts:
        source = self.world.get(step.source)
        if source is None:
            raise trouble.changed(self.reads.said(step.source))
        copied = self.world.copied(source, self._disk(step.destination))
        copied.born = step.kept
        return self._new(step.destination, copied)

    def _file(self, data: bytes, device: int, kept: str) -> Thing:
        thing = self.world.make("file", device)
        thing.data, thing.born = data, kept
        return thing

    def _new(self, path: str, thing: Thing) -> Facts:
        self._must_be_free(path)
        self.world.put(path, thing)
        return self.world.whole(path)

    def _make_folders(self, path: str, below: tuple[str, ...], kept: str) -> Facts:
        top = self.world.make("folder", self._disk(path))
        top.born = kept
        self._new(path, top)
        here = path
        for name in below:
            here = posixpath.join(here, name)
            self.world.put(here, self.world.make("folder", top.device))
        return made_folders(self.world, path, below)

    def _remove_folders(self, path: str, kept: str) -> Facts:
        thing = self._movable(path)
        if thing.kind != "folder" or any(inner.kind != "folder" for _, inner in thing.tree()):
            raise trouble.changed(self.reads.said(path))
        self.world.take(path)
        self.world.spent.add(kept)
        return (Free(path),)

    def _exchange(self, step: Replace | Exchange) -> Facts:
        old, kept = self.world.get(step.path), KEPT + step.kept
        new = self._replaced(old, step) if isinstance(step, Replace) else self.world.get(kept)
        if old is None or new is None:
            raise trouble.changed(self.reads.said(step.path))
        self.world.take(step.path)
        self.world.put(step.path, new)
        self.world.away[kept] = old
        return (*self.world.there(step.path), *self.world.there(kept))

    def _replaced(self, old: Thing | None, step: Replace) -> Thing | None:
        if old is None or old.kind != "file":
            return None
        data = (old.data if step.append else b"") + step.content.encode()
        new = self._file(data, old.device, step.kept)
        new.mode = old.mode
        return new

    async def settle(self, step: Steps, expects: Facts) -> Settled:
        """Look whether a step that had begun was done."""
        return settled(self.world, step, expects)
