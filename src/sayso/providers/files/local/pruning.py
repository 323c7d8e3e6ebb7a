"""Give up what was kept too long, and the oldest of what takes more room than it may."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sayso.core.values import dataclass
from sayso.providers.files.local.kept import GONE, ITEM, Kept, KeptPlaces, Note, Shelf, opened_place
from sayso.providers.files.local.removing import remove


@dataclass(frozen=True, slots=True)
class _Thing:
    shelf: Shelf
    token: str
    note: Note | None
    since: datetime
    size: int
    stands: bool
    waiting: bool
    """It was built and is not in its place yet, or no longer: it counts by age only."""


def prune(places: KeptPlaces, keep: timedelta, most_bytes: int) -> int:
    """Remove what is older than `keep`, and the oldest until the rest fits; return how many things were given up.

    What another home of sayso keeps on a shared disk is left alone, and so is a thing that a program went on
    writing to after it was kept. The note stays as long again, so that a way back that is over can say so.
    Call it while nothing acts on the store.
    """
    given_up = 0
    now = places.now()
    with ExitStack() as stack:
        things = [thing for shelf in places.shelves(stack) for thing in _things(shelf, places.owner)]
        room = most_bytes
        for thing in sorted(things, key=lambda thing: thing.since, reverse=True):
            room -= 0 if thing.waiting else thing.size
            age = now - thing.since
            over = age > keep or (room < 0 and not thing.waiting)
            if thing.stands and over:
                _give_up(thing)
                given_up += 1
            elif not thing.stands and age > 2 * keep:
                _forget(thing)
    return given_up


def _things(shelf: Shelf, owner: str) -> Iterator[_Thing]:
    for token in sorted(os.listdir(shelf.folder)):
        with ExitStack() as stack:
            kept = opened_place(token, shelf, stack)
            thing = _thing(kept, shelf, owner) if kept is not None else None
            if thing is not None:
                yield thing


def _thing(kept: Kept, shelf: Shelf, owner: str) -> _Thing | None:
    """Return what lies in a place; None for what is to be left alone."""
    note = kept.note()
    item = kept.item("").stat()
    if not shelf.private and (note is None or note.owner != owner):
        return None
    if note is None:
        since = datetime.fromtimestamp(os.fstat(kept.folder).st_mtime, UTC)
        return _Thing(shelf, kept.token, None, since, 0, stands=item is not None, waiting=True)
    waiting = item is not None and note.made is not None and note.made.inode == item.st_ino
    if item is not None and _has_grown(note, item):
        if not note.grown:
            kept.put_note(replace(note, grown=True))
        return None
    size = note.was.size if note.was is not None and item is not None else 0
    since = _read_time(note.time)
    if since is None:
        return None
    return _Thing(shelf, kept.token, note, since, size, stands=item is not None, waiting=waiting)


def _has_grown(note: Note, item: os.stat_result) -> bool:
    """Say whether a file is not as it was when it was kept, though it is that very file."""
    known = [fact for fact in (note.was, note.made) if fact is not None and fact.inode == item.st_ino]
    return any(fact.kind == "file" and (fact.size, fact.mtime_ns) != (item.st_size, item.st_mtime_ns) for fact in known)


def _read_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def _give_up(thing: _Thing) -> None:
    with ExitStack() as stack:
        kept = opened_place(thing.token, thing.shelf, stack)
        if kept is not None and thing.note is not None:
            kept.put_note(replace(thing.note, pruned=True))
            os.rename(ITEM, GONE, src_dir_fd=kept.folder, dst_dir_fd=kept.folder)
            remove(kept.folder, GONE)
        elif kept is not None:
            kept.clear()


def _forget(thing: _Thing) -> None:
    with ExitStack() as stack:
        kept = opened_place(thing.token, thing.shelf, stack)
        if kept is not None:
            kept.clear()
