"""Say how a tree of files must look after an action, worked out from the tree before and from nothing of sayso's."""

import hashlib

from tests.journeys.ground import Thing, Tree

ANY = "any"
"""Stands for a time that nobody can say beforehand."""


def moved(before: Tree, source: str, destination: str) -> Tree:
    """Return the tree with one thing, and all in it, at another place."""
    rest = {path: thing for path, thing in before.items() if not is_at(path, source)}
    return rest | _at(before, source, destination)


def copied(before: Tree, source: str, destination: str) -> Tree:
    """Return the tree with a second one of a thing, and of all in it."""
    return before | _at(before, source, destination)


def removed(before: Tree, path: str) -> Tree:
    """Return the tree without a thing and all in it."""
    return {at: thing for at, thing in before.items() if not is_at(at, path)}


def written(before: Tree, path: str, content: str) -> Tree:
    """Return the tree with a file of this content; the mode of one that was there stays."""
    mode = before[path].mode if path in before else "644"
    return before | {path: Thing("f", mode, ANY, hashlib.sha256(content.encode()).hexdigest())}


def with_folders(before: Tree, *paths: str) -> Tree:
    """Return the tree with new folders."""
    return before | {path: Thing("d", "755", "", "") for path in paths}


def alike(expected: Tree, found: Tree) -> bool:
    """Say whether a tree is as expected."""
    return expected.keys() == found.keys() and all(
        wanted == found[path] or (wanted.time == ANY and wanted == found[path]._replace(time=ANY))
        for path, wanted in expected.items()
    )


def is_at(path: str, place: str) -> bool:
    """Say whether a path is this place or lies in it."""
    return path == place or path.startswith(place + "/")


def _at(before: Tree, source: str, destination: str) -> Tree:
    return {destination + path.removeprefix(source): thing for path, thing in before.items() if is_at(path, source)}
