"""Look at both ends of a move or copy: what is there, and a free place for it."""

import posixpath
import unicodedata
from dataclasses import replace

from sayso.core.errors import ProviderError
from sayso.policy.names import DENIED
from sayso.policy.paths import denied_name, folded, names_denied_in
from sayso.providers.files import trouble
from sayso.providers.files.facts import Unchanged
from sayso.providers.files.store import Files, Gap, Item, Place

WHOLE = 100_000
"""Names in a tree that are looked at."""
_HEADS = frozenset(name for entry in DENIED for name in entry.split("/")[:-1])
"""Names that, with one below them, make a protected name."""


async def place_for(files: Files, path: str) -> Place:
    """Return the free place `path`; without a folder to stand in, the error says how to make it."""
    try:
        return await files.free(path)
    except ProviderError:
        folder = posixpath.dirname(path.rstrip("/"))
        if folder in {"", "/"} or not isinstance(await files.gap(folder), Gap):
            raise
        raise trouble.no_folder(path, folder) from None


async def place_beside(files: Files, source: Item, said: str, path: str) -> Place | None:
    """Return the place to move `source` to; None when that is where it is already.

    Where letters of either case are one, a name that differs only in case is taken by the thing itself:
    that place is given, expecting nothing but the thing.
    """
    try:
        place = await place_for(files, path)
    except ProviderError:
        if not await files.exists(path):
            raise
        there = await files.look(path)
        if there.path == source.path:
            return None
        if _is_same(source, there):
            return replace(await _folder_of(files, path), path=there.path)
        raise
    if place.path.startswith(source.path + "/"):
        raise trouble.inside_itself(said, path)
    return place


async def must_stay_allowed(files: Files, source: Item, place: Place, said: str) -> None:
    """Refuse a new place that would make a protected name of one inside: `hooks` in a folder renamed to `.git`."""
    if source.kind != "folder" or folded(posixpath.basename(place.path)) not in _HEADS:
        return
    if source.entries > WHOLE:
        raise trouble.too_many_names(said, WHOLE)
    inside = await files.find(source.path, "*", WHOLE)
    if len(inside.entries) + inside.omitted > WHOLE:
        raise trouble.too_many_names(said, WHOLE)
    names = [entry.path.removeprefix(source.path + "/") for entry in inside.entries]
    for name in names_denied_in(names, at=place.path):
        raise trouble.denied(said, denied_name(f"{place.path}/{name}") or name)


async def _folder_of(files: Files, path: str) -> Place:
    # Asked with a name that nothing has, for the fact about the folder; only that fact is used.
    return await files.free(posixpath.join(posixpath.dirname(path.rstrip("/")), files.token()))


def _is_same(one: Item, other: Item) -> bool:
    if not isinstance(one.fact, Unchanged) or not isinstance(other.fact, Unchanged) or one.links != 1:
        return False
    same_thing = (one.fact.device, one.fact.inode) == (other.fact.device, other.fact.inode)
    return same_thing and _folded(one.path) == _folded(other.path)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
