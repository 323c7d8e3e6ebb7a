"""Every step a file backend can do, in a planted world: with its way back, and what spoils it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from sayso.core.plan import Facts, Step
from sayso.core.ports import Backend
from sayso.providers.files.steps import (
    Copy,
    Exchange,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Trash,
    Unkeep,
    Write,
)
from sayso.providers.files.store import Files, Gap

DEEDS = (
    "rename a file", "rename a folder", "rename a link", "copy a file", "copy a folder", "copy a link",
    "trash a file", "trash a folder", "keep a file", "keep a folder", "keep a link", "make folders",
    "make one folder", "write", "replace", "append",
)  # fmt: skip


class FileStage(Protocol):
    """A world to act on, planted and inspected without sayso's own code."""

    root: str
    """The one root, absolute, without a link on the way."""

    def backend(self) -> Backend:
        """Return a backend over this world, with nothing remembered of the ones before."""
        ...

    def file(self, path: str, data: bytes) -> None:
        """Plant a file, or give the one that is there other content."""
        ...

    def folder(self, path: str) -> None:
        """Plant a folder in one that is there."""
        ...

    def link(self, path: str, target: str) -> None:
        """Plant a link."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, link or empty folder."""
        ...

    def tree(self) -> Mapping[str, object]:
        """Return what stands below the root: by relative path the kind, identity, content, mode and time.

        The time of a folder is left out: it changes when entries come and go.
        """
        ...


@dataclass(frozen=True)
class Deed:
    """A step with its way back, what it expects, and which facts it must leave."""

    do: Step
    undo: Step
    expects: Facts
    leaves: frozenset[tuple[str, str]]
    spoil: Callable[[FileStage], None]
    """Change the world so that the step must not be done."""
    spoil_after: Callable[[FileStage], None]
    """Change what the step left, so that it must not be taken back."""


def plant(stage: FileStage) -> None:
    """Plant the world of the suite: a file, a folder with a tree, links, a protected name."""
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


async def deed_of(name: str, stage: FileStage) -> Deed:
    """Plant the world and return the deed of this name in it."""
    plant(stage)
    verb, _, what = name.partition(" ")
    files: Files = stage.backend().reads
    make = {"rename": _rename, "copy": _copy, "trash": _put_away, "keep": _put_away, "make": _make}.get(verb, _text)
    return await make(files, stage.root, verb, what)


def _thing(root: str, what: str) -> str:
    return root + {"a file": "/a", "a folder": "/b", "a link": "/l"}[what]


def _change(path: str, what: str) -> Callable[[FileStage], None]:
    """Return what makes the thing at a path another: more in a folder, another file, another link."""
    if what == "a folder":
        return lambda stage: stage.file(f"{path}/new", b"new")
    if what == "a link":
        return lambda stage: (stage.remove(path), stage.link(path, "elsewhere"))[0]
    return lambda stage: stage.file(path, b"other\n")


async def _rename(files: Files, root: str, verb: str, what: str) -> Deed:
    source, target = _thing(root, what), f"{root}/new"
    item, place = await files.look(source), await files.free(target)
    leaves: set[tuple[str, str]] = {("free", source), ("unchanged", target)}
    if item.kind == "folder":
        leaves.add(("same_folder", target))
    return Deed(
        Rename(source, target),
        Rename(target, source),
        (item.fact, place.free, place.parent),
        frozenset(leaves),
        _change(source, what),
        _change(target, what),
    )


async def _copy(files: Files, root: str, verb: str, what: str) -> Deed:
    source, target = _thing(root, what), f"{root}/new"
    item, place = await files.look(source), await files.free(target)
    leaves: set[tuple[str, str]] = {("unchanged", target)}
    if item.kind == "folder":
        leaves.add(("same_folder", target))
    return Deed(
        Copy(source, target, files.token()),
        Keep(target, files.token()),
        (item.fact, place.free, place.parent),
        frozenset(leaves),
        lambda stage: stage.file(target, b"theirs"),
        _change(target, what),
    )


async def _put_away(files: Files, root: str, verb: str, what: str) -> Deed:
    path = _thing(root, what)
    item, kept = await files.look(path), files.token()
    entry = await files.trash_entry(item) if verb == "trash" else None
    away = entry or f"kept:{kept}"
    leaves: set[tuple[str, str]] = {("free", path), ("unchanged", away)}
    return Deed(
        Keep(path, kept) if entry is None else Trash(path, entry),
        Unkeep(path, kept) if entry is None else Restore(path, entry),
        (item.fact,),
        frozenset(leaves),
        _change(path, what),
        lambda stage: stage.file(path, b"theirs"),
    )


async def _make(files: Files, root: str, verb: str, what: str) -> Deed:
    gap = await files.gap(f"{root}/n/o/p" if what == "folders" else f"{root}/n")
    if not isinstance(gap, Gap):
        raise TypeError("the folder is there already")
    path = gap.place.path
    each = [path, *[f"{path}/{'/'.join(gap.below[: count + 1])}" for count in range(len(gap.below))]]
    return Deed(
        MakeFolders(path, gap.below, files.token()),
        RemoveFolders(path, files.token()),
        (gap.place.free, gap.place.parent),
        frozenset({("unchanged", path), *[("same_folder", folder) for folder in each]}),
        lambda stage: stage.file(path, b"theirs"),
        lambda stage: stage.file(f"{each[-1]}/theirs", b"theirs"),
    )


async def _text(files: Files, root: str, verb: str, what: str) -> Deed:
    kept = files.token()
    if verb == "write":
        path = f"{root}/new"
        place = await files.free(path)
        do, undo = Write(path, "né\n", kept), Keep(path, files.token())
        leaves = frozenset({("unchanged", path)})
        spoil = _change(path, "a file")
        return Deed(do, undo, (place.free, place.parent), leaves, spoil, spoil)
    path = f"{root}/a"
    item = await files.opened(path)
    do = Replace(path, "né\n", kept, append=verb == "append")
    leaves = frozenset({("unchanged", path), ("unchanged", f"kept:{kept}")})
    spoil = _change(path, "a file")
    return Deed(do, Exchange(path, kept), (item.fact,), leaves, spoil, spoil)
