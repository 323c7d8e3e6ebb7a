"""The file backend in memory: the same steps, facts and refusals as on a disk."""

import posixpath

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.policy.paths import within
from sayso.providers.files import errors
from sayso.providers.files.memory_tree import MemoryFiles, Thing, World, stamp
from sayso.providers.files.model import (
    KEPT,
    Carrying,
    Copy,
    Exchange,
    Free,
    MakeFolders,
    RemoveFolders,
    Replace,
    Restore,
    SameFolder,
    Steps,
    Unchanged,
    Unkeep,
    Write,
    about,
    place_of,
    way,
)
from sayso.providers.files.overlay import imagine
from sayso.providers.files.store import Files


def settle_step(world: World, step: Steps, expects: Facts) -> Settlement:
    """Say whether the world shows that `step` was done; what looks right without its token is no proof."""
    match step:
        case Copy(_, path, kept) | Write(path, _, kept):
            return _new(world, path, kept, world.whole(path))
        case MakeFolders(path, below, kept):
            return _new(world, path, kept, folder_facts(world, path, below))
        case RemoveFolders(path, kept):
            return _settle_remove(world, path, kept, _inode(path, expects))
        case Replace(path, _, kept) | Exchange(path, kept):
            return _settle_carry(world, path, KEPT + kept, expects, world.there(path))
        case _:
            source, destination = way(step)
            return _settle_carry(world, source, destination, expects, (Free(about(source)),))


def folder_facts(world: World, path: str, below: tuple[str, ...]) -> Facts:
    """Return the facts that making these folders leaves."""
    left = world.whole(path)
    for name in below:
        path = posixpath.join(path, name)
        left = (*left, *world.there(path)[1:])
    return left


def _new(world: World, path: str, kept: str, left: Facts) -> Settlement:
    thing = world.get(path)
    if thing is None:
        return NotDone("nothing stands there")
    if thing.born == kept:
        return Applied(left)
    return CannotTell(f"something stands at “{path}”, and it is not known whose it is")


def _settle_remove(world: World, path: str, kept: str, inode: int | None) -> Settlement:
    if kept in world.spent:
        return Applied((Free(path),))
    thing = world.get(path)
    if thing is not None and thing.inode == inode:
        return NotDone("the folders are still there")
    return CannotTell(f"“{path}” is gone, and it is not known who took it away")


def _settle_carry(world: World, source: str, destination: str, expects: Facts, gone: Facts) -> Settlement:
    """Look where the thing is that stood at `source`; `gone` is what is left there when it is not there any more."""
    inode = _inode(about(source), expects)
    there, here = world.get(destination), world.get(source)
    if inode is not None and there is not None and there.inode == inode:
        return Applied((*gone, *world.there(destination)))
    if inode is not None and here is not None and here.inode == inode:
        return NotDone("it is still where it was")
    return CannotTell("it is neither where it was nor where it should be")


def _inode(thing: str, expects: Facts) -> int | None:
    for fact in expects:
        if fact.about == thing and isinstance(fact, Unchanged | SameFolder):
            return fact.inode
    return None


def build(ground: BackendContext) -> "MemoryBackend":
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

    def __init__(self, world: World, ground: BackendContext) -> None:
        self.world = world
        self.reads = MemoryFiles(world, ground)
        self._kill = ground.kill

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do `step` if what it expects still holds."""
        for path in (getattr(step, name) for name in step.paths):
            self._must_lead_there(path)
        for fact in expects:
            self._must_hold(fact)
        self._kill(f"files.{step.step.removeprefix('file.')}.begun")
        return Applied(self._execute_step(step))

    def imagine(self, seen: Files, step: Steps, ref: ChangeRef) -> Files:
        """Return reads in which `step` has been done."""
        return imagine(seen, step, ref)

    def _must_lead_there(self, path: str) -> None:
        said = self.reads.said(path)
        folder = posixpath.dirname(path)
        if self.world.resolve_links(folder, said) != folder:
            raise errors.path_changed_error(said)
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
            raise errors.path_changed_error(self.reads.said(thing))

    def _is_whole(self, fact: Unchanged) -> bool:
        thing = self.world.get(place_of(fact.about))
        return not fact.tree or (thing is not None and stamp(thing) == fact.tree)

    def _execute_step(self, step: Steps) -> Facts:
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
                raise errors.inside_itself(self.reads.said(source), self.reads.said(destination))
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
            raise errors.path_changed_error(said)
        if place.startswith("/") and any(within(root, [place]) for root in self.reads.roots):
            raise errors.is_root(said)
        return thing

    def _must_be_free(self, place: str) -> None:
        if self.world.get(place) is not None:
            raise errors.path_changed_error(self.reads.said(about(place)))

    def _disk(self, path: str) -> int:
        return self.world.folder_of(path).device

    def _copy(self, step: Copy) -> Facts:
        source = self.world.get(step.source)
        if source is None:
            raise errors.path_changed_error(self.reads.said(step.source))
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
        return folder_facts(self.world, path, below)

    def _remove_folders(self, path: str, kept: str) -> Facts:
        thing = self._movable(path)
        if thing.kind != "folder" or any(inner.kind != "folder" for _, inner in thing.tree()):
            raise errors.path_changed_error(self.reads.said(path))
        self.world.take(path)
        self.world.spent.add(kept)
        return (Free(path),)

    def _exchange(self, step: Replace | Exchange) -> Facts:
        old, kept = self.world.get(step.path), KEPT + step.kept
        new = self._replaced_thing(old, step) if isinstance(step, Replace) else self.world.get(kept)
        if old is None or new is None:
            raise errors.path_changed_error(self.reads.said(step.path))
        self.world.take(step.path)
        self.world.put(step.path, new)
        self.world.away[kept] = old
        return (*self.world.there(step.path), *self.world.there(kept))

    def _replaced_thing(self, old: Thing | None, step: Replace) -> Thing | None:
        if old is None or old.kind != "file":
            return None
        data = (old.data if step.append else b"") + step.content.encode()
        new = self._file(data, old.device, step.kept)
        new.mode = old.mode
        return new

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Look whether a step that had begun was done."""
        return settle_step(self.world, step, expects)
