"""Give up what was kept too long, and the oldest of what takes more room than it may."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

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

    The note stays as long again, so that a way back that is over can say so. Call it while nothing acts on
    the store.
    """
    given_up = 0
    now = places.now()
    with ExitStack() as stack:
        things = [thing for shelf in places.shelves(stack) for thing in _things(shelf)]
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


def _things(shelf: Shelf) -> Iterator[_Thing]:
    for token in sorted(os.listdir(shelf.folder)):
        with ExitStack() as stack:
            kept = opened_place(token, shelf, stack)
            if kept is not None:
                yield _thing(kept, shelf)


def _thing(kept: Kept, shelf: Shelf) -> _Thing:
    note = kept.note()
    item = kept.item("").stat()
    if note is None:
        since = datetime.fromtimestamp(os.fstat(kept.folder).st_mtime, UTC)
        return _Thing(shelf, kept.token, None, since, 0, stands=item is not None, waiting=True)
    waiting = item is not None and note.made is not None and note.made.inode == item.st_ino
    size = note.was.size if note.was is not None and item is not None else 0
    since = datetime.fromisoformat(note.time)
    return _Thing(shelf, kept.token, note, since, size, stands=item is not None, waiting=waiting)


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
