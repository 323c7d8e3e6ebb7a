"""File trees as values, and what each file operation makes of one; computed without sayso."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISLNK
from typing import NamedTuple

ANY = -1
"""Stands for a time that nobody can say beforehand, and for an inode that is new."""


class Thing(NamedTuple):
    """One file, folder or link. Only a file's time is looked at."""

    kind: str
    mode: int
    time: int
    what: str
    """The SHA-256 of a file, the target of a link."""
    inode: int


World = dict[str, Thing]
"""Things by their path in the home."""
Contents = dict[str, bytes]
"""What has which SHA-256, as far as it was seen."""
Arguments = Mapping[str, str]


def world(folder: Path, contents: Contents, skip: str = "") -> World:
    """Read everything in a folder; what is at the path `skip` is left out."""
    return dict(_things(folder, "", contents, skip))


def _things(folder: Path, above: str, contents: Contents, skip: str) -> Iterator[tuple[str, Thing]]:
    for entry in sorted(os.scandir(folder / above), key=lambda entry: entry.name):
        path = above + entry.name
        if path == skip:
            continue
        found = entry.stat(follow_symlinks=False)
        if S_ISDIR(found.st_mode):
            yield path, Thing("d", S_IMODE(found.st_mode), 0, "", found.st_ino)
            yield from _things(folder, f"{path}/", contents, skip)
        elif S_ISLNK(found.st_mode):
            yield path, Thing("l", 0o777, 0, str((folder / path).readlink()), found.st_ino)
        else:
            what = seen((folder / path).read_bytes(), contents)
            yield path, Thing("f", S_IMODE(found.st_mode), found.st_mtime_ns, what, found.st_ino)


def seen(content: bytes, contents: Contents) -> str:
    """Return the SHA-256 of a content, and remember it."""
    what = hashlib.sha256(content).hexdigest()
    contents[what] = content
    return what


def alike(expected: World, found: World, old: frozenset[int]) -> bool:
    """Say whether a world is as expected; what is new in it has none of the `old` inodes."""
    return expected.keys() == found.keys() and all(_fits(expected[path], found[path], old) for path in expected)


def _fits(expected: Thing, found: Thing, old: frozenset[int]) -> bool:
    if (expected.kind, expected.mode, expected.what) != (found.kind, found.mode, found.what):
        return False
    if expected.inode == ANY:
        return found.inode not in old and expected.time in {ANY, found.time}
    return (expected.inode, expected.time) == (found.inode, found.time)


# Each returns what becomes of a world, or None where it cannot be done in that world.


def moved(before: World, arguments: Arguments, _: Contents) -> World | None:
    """Give one thing, with all in it, another path."""
    source, destination = _path(arguments["source"]), _path(arguments["destination"])
    if source not in before or not _can_be_made(before, destination):
        return None
    rest = {path: thing for path, thing in before.items() if not is_at(path, source)}
    return rest | {destination + path.removeprefix(source): before[path] for path in before if is_at(path, source)}


def moved_away(before: World, arguments: Arguments) -> World | None:
    """Give a thing another path in a folder that is gone by now, and with it what somebody else took out of it."""
    source, destination = _path(arguments["source"]), _path(arguments["destination"])
    if source not in before or destination.rpartition("/")[0] in before:
        return None
    return {path: thing for path, thing in before.items() if not is_at(path, source)}


def copied(before: World, arguments: Arguments, _: Contents) -> World | None:
    """Make a second one of a thing, with all in it."""
    source, destination = _path(arguments["source"]), _path(arguments["destination"])
    if source not in before or not _can_be_made(before, destination):
        return None
    second = {path: thing._replace(inode=ANY) for path, thing in before.items() if is_at(path, source)}
    return before | {destination + path.removeprefix(source): thing for path, thing in second.items()}


def deleted(before: World, arguments: Arguments, _: Contents) -> World | None:
    """Take a thing away, with all in it."""
    place = _path(arguments["path"])
    return {path: thing for path, thing in before.items() if not is_at(path, place)} if place in before else None


def with_folders(before: World, arguments: Arguments, _: Contents) -> World | None:
    """Make a folder and those above it."""
    place = _path(arguments["path"])
    parts = place.split("/")
    chain = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    new = {path: Thing("d", 0o777 & ~_mask(), 0, "", ANY) for path in chain if path not in before}
    return before | new if place in new else None


def written(before: World, arguments: Arguments, contents: Contents) -> World | None:
    """Give a file this content, or make one."""
    return _filled(before, _path(arguments["path"]), seen(arguments["content"].encode(), contents))


def appended(before: World, arguments: Arguments, contents: Contents) -> World | None:
    """Add this at the end of a file, or make one."""
    place = _path(arguments["path"])
    old = contents[before[place].what] if place in before else b""
    return _filled(before, place, seen(old + arguments["content"].encode(), contents))


OPERATIONS: Mapping[str, Callable[[World, Arguments, Contents], World | None]] = {
    "file.move": moved,
    "file.copy": copied,
    "file.delete": deleted,
    "file.mkdir": with_folders,
    "file.write": written,
    "file.append": appended,
}


def touches(arguments: Arguments, path: str) -> bool:
    """Say whether an action with these arguments has to do with this path, or with what is in it or above it."""
    places = [_path(arguments[name]) for name in ("source", "destination", "path") if name in arguments]
    return any(is_at(path, place) or is_at(place, path) for place in places)


def is_at(path: str, place: str) -> bool:
    """Say whether a path is this place or lies in it."""
    return path == place or path.startswith(place + "/")


def _filled(before: World, place: str, what: str) -> World | None:
    if place in before:
        return before | {place: Thing("f", before[place].mode, ANY, what, ANY)}
    return before | {place: Thing("f", 0o666 & ~_mask(), ANY, what, ANY)} if _can_be_made(before, place) else None


def _can_be_made(before: World, path: str) -> bool:
    above = before.get(path.rpartition("/")[0])
    return path not in before and above is not None and above.kind == "d"


def _path(argument: str) -> str:
    return argument.removeprefix("~/")


def _mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
