"""Look at a world in memory for what became of a step that had begun."""

import posixpath

from sayso.core.plan import CannotTell, Facts, Left, NotDone, Settled
from sayso.providers.files.carrying import KEPT, about, way
from sayso.providers.files.facts import Free, SameFolder, Unchanged
from sayso.providers.files.memory_world import World
from sayso.providers.files.steps import Copy, Exchange, MakeFolders, RemoveFolders, Replace, Steps, Write


def settled(world: World, step: Steps, expects: Facts) -> Settled:
    """Say whether the world shows that `step` was done; what looks right without its token is no proof."""
    match step:
        case Copy(_, path, kept) | Write(path, _, kept):
            return _new(world, path, kept, world.whole(path))
        case MakeFolders(path, below, kept):
            return _new(world, path, kept, made_folders(world, path, below))
        case RemoveFolders(path, kept):
            return _removed(world, path, kept, _inode(path, expects))
        case Replace(path, _, kept) | Exchange(path, kept):
            return _carried(world, path, KEPT + kept, expects, world.there(path))
        case _:
            source, destination = way(step)
            return _carried(world, source, destination, expects, (Free(about(source)),))


def made_folders(world: World, path: str, below: tuple[str, ...]) -> Facts:
    """Return the facts that making these folders leaves."""
    left = world.whole(path)
    for name in below:
        path = posixpath.join(path, name)
        left = (*left, *world.there(path)[1:])
    return left


def _new(world: World, path: str, kept: str, left: Facts) -> Settled:
    thing = world.get(path)
    if thing is None:
        return NotDone("nothing stands there")
    if thing.born == kept:
        return Left(left)
    return CannotTell(f"something stands at “{path}”, and it is not known whose it is")


def _removed(world: World, path: str, kept: str, inode: int | None) -> Settled:
    if kept in world.spent:
        return Left((Free(path),))
    thing = world.get(path)
    if thing is not None and thing.inode == inode:
        return NotDone("the folders are still there")
    return CannotTell(f"“{path}” is gone, and it is not known who took it away")


def _carried(world: World, source: str, destination: str, expects: Facts, gone: Facts) -> Settled:
    """Look where the thing is that stood at `source`; `gone` is what is left there when it is not there any more."""
    inode = _inode(about(source), expects)
    there, here = world.get(destination), world.get(source)
    if inode is not None and there is not None and there.inode == inode:
        return Left((*gone, *world.there(destination)))
    if inode is not None and here is not None and here.inode == inode:
        return NotDone("it is still where it was")
    return CannotTell("it is neither where it was nor where it should be")


def _inode(thing: str, expects: Facts) -> int | None:
    for fact in expects:
        if fact.about == thing and isinstance(fact, Unchanged | SameFolder):
            return fact.inode
    return None
