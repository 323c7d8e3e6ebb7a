"""Ask the disk whether a step that had begun when its process died was done; nothing is started here.

A thing is known by its inode: from what the step expected, or from the note that the step wrote beside what
it built before it put it into place. What sayso itself left half-built is tidied away.
"""

import os
from contextlib import ExitStack, suppress
from typing import assert_never

from msgspec.structs import replace as but

from sayso.core.errors import SaysoError
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.providers.files.local.sandbox import Spot
from sayso.providers.files.local.transaction import Bench, there_by_fact
from sayso.providers.files.local.undo_store import Kept, Note
from sayso.providers.files.model import (
    Copy,
    Exchange,
    Free,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Steps,
    Trash,
    Unchanged,
    Unkeep,
    Write,
)

_NOT_BEGUN = NotDone("it had not begun; nothing was changed")


def settle(bench: Bench, step: Steps, expects: Facts) -> Settlement:
    """Return what `step` left, that it was not done, or that the disk cannot tell."""
    with ExitStack() as stack:
        match step:
            case Rename():
                source, target = _spot(bench, step.source, stack), _spot(bench, step.destination, stack)
                return _settle_move(
                    expected_at(expects, step.source), (step.source, source), (step.destination, target)
                )
            case Trash() | Restore():
                return _settle_trash(bench, step, expects, stack)
            case Keep() | RemoveFolders() | Unkeep():
                return _settle_keep(bench, step, expects, stack)
            case Write() | Copy() | MakeFolders():
                return _settle_make(bench, step, stack)
            case Replace() | Exchange():
                return _settle_exchange(bench, step, expects, stack)
            case _:
                assert_never(step)


def expected_at(expects: Facts, about: str) -> Unchanged | None:
    """Return what was expected to stand at this path."""
    return next((fact for fact in expects if isinstance(fact, Unchanged) and fact.about == about), None)


Place = tuple[str, Spot | None]
"""What facts call a place, and the place if its folder is there."""


def _settle_move(what: Unchanged | None, source: Place, target: Place) -> Settlement:
    here, there = _is(what, source[1]), _is(what, target[1])
    if what is not None and there and not here:
        return Applied((Free(source[0]), *there_by_fact(but(what, tree=""), target[0])))
    if not there and (here or (what is None and _stands(source[1]) and not _stands(target[1]))):
        return _NOT_BEGUN
    return CannotTell(f"neither “{source[0]}” nor “{target[0]}” shows what became of it")


def _settle_trash(bench: Bench, step: Trash | Restore, expects: Facts, stack: ExitStack) -> Settlement:
    near = _spot(bench, step.path, stack)
    opened = None
    if near is not None:
        with suppress(SaysoError, OSError):
            opened = bench.trashes.open(step.entry, near, stack, create=False)
    path: Place = (step.path, near)
    entry: Place = (step.entry, opened[1] if opened is not None else None)
    source, target = (path, entry) if isinstance(step, Trash) else (entry, path)
    settled = _settle_move(expected_at(expects, source[0]), source, target)
    if opened is not None and not _stands(entry[1]):
        # A note about nothing: the name is one that only this step gave out.
        bench.trashes.remove_info(opened[0], opened[1].name)
    return settled


def _settle_keep(bench: Bench, step: Keep | RemoveFolders | Unkeep, expects: Facts, stack: ExitStack) -> Settlement:
    near = _spot(bench, step.path, stack)
    kept = _place(bench, step.kept, near, stack)
    note = kept.note() if kept is not None else None
    path: Place = (step.path, near)
    item: Place = (f"kept:{step.kept}", kept.item(step.path) if kept is not None else None)
    if isinstance(step, Unkeep):
        return _settle_move(expected_at(expects, item[0]) or (note.was if note else None), item, path)
    if kept is not None and not _stands(item[1]) and (note is None or note.step != step.step) and _stands(near):
        kept.clear_notes()
        return _NOT_BEGUN
    what = expected_at(expects, step.path) or (note.was if note else None)
    settled = _settle_move(what, path, item)
    if isinstance(settled, NotDone) and kept is not None:
        kept.clear_notes()
    if isinstance(settled, Applied) and isinstance(step, RemoveFolders):
        return Applied((Free(step.path),))
    return settled


def _settle_make(bench: Bench, step: Write | Copy | MakeFolders, stack: ExitStack) -> Settlement:
    path = step.destination if isinstance(step, Copy) else step.path
    near = _spot(bench, path, stack)
    kept = _place(bench, step.kept, near, stack)
    if near is None or kept is None:
        if near is not None and not _stands(near):
            return _NOT_BEGUN
        return CannotTell(f"“{path}” does not show whether it was made by this step")
    note = _own_note(kept, step)
    item = kept.item(path)
    if note is not None and note.made is not None and not _stands(item):
        if _is(note.made, near):
            return Applied((*there_by_fact(note.made, path), *note.folders))
        return CannotTell(f"what was made for “{path}” is no longer there, nor is it in sayso's own place")
    if _stands(item) and note is None and kept.note() is not None:
        return CannotTell(f"something else is kept in the place where “{path}” was to be made")
    if _stands(item) and note is not None and not _is(note.made, item):
        return CannotTell(f"what lies in the place where “{path}” was made is not what was made")
    kept.clear()
    return NotDone("it had not been put into place; nothing was changed")


def _settle_exchange(bench: Bench, step: Replace | Exchange, expects: Facts, stack: ExitStack) -> Settlement:
    near = _spot(bench, step.path, stack)
    kept = _place(bench, step.kept, near, stack)
    note = kept.note() if kept is not None else None
    item = kept.item(step.path) if kept is not None else None
    about = f"kept:{step.kept}"
    if isinstance(step, Replace) and (note is None or note.step != step.step):
        return _never_replaced(kept, note, near, step)
    made, was = (note.made, note.was) if note is not None else (None, None)
    new, old = (made, was) if isinstance(step, Replace) else (was, made)
    new, old = expected_at(expects, about) or new, expected_at(expects, step.path) or old
    if new is not None and old is not None and _is(new, near) and _is(old, item):
        return Applied((but(new, about=step.path), but(old, about=about)))
    replacing = isinstance(step, Replace)
    if _is(old, near) and (_is(new, item) or (replacing and not _stands(item))):
        if replacing and kept is not None:
            kept.clear()
        return NotDone("it had not been exchanged; nothing was changed")
    if _is(old, near) and item is not None and _stands(item):
        return CannotTell(
            f"another program was changing “{step.path}” at that moment; a file of it is at “{item.path}”"
        )
    return CannotTell(f"neither “{step.path}” nor what is kept shows whether they were exchanged")


def _never_replaced(kept: Kept | None, note: Note | None, near: Spot | None, step: Replace) -> Settlement:
    if kept is not None and note is None:
        kept.clear()
        return NotDone("it had not been put into place; nothing was changed")
    if kept is None and _stands(near):
        return _NOT_BEGUN
    return CannotTell(f"“{step.path}” does not show whether it was replaced by this step")


def _own_note(kept: Kept, step: Write | Copy | MakeFolders) -> Note | None:
    note = kept.note()
    return note if note is not None and note.step == step.step else None


def _place(bench: Bench, token: str, near: Spot | None, stack: ExitStack) -> Kept | None:
    if near is None:
        return None
    with suppress(OSError):
        return bench.kept.find(token, near, stack)
    return None


def _spot(bench: Bench, path: str, stack: ExitStack) -> Spot | None:
    """Return the place of a path, or None where its folder is gone or out of reach by now."""
    with suppress(SaysoError, OSError):
        return bench.spot(path, stack)
    return None


def _is(what: Unchanged | None, spot: Spot | None) -> bool:
    found = _stat_spot(spot)
    return what is not None and found is not None and (what.device, what.inode) == (found.st_dev, found.st_ino)


def _stands(spot: Spot | None) -> bool:
    return _stat_spot(spot) is not None


def _stat_spot(spot: Spot | None) -> os.stat_result | None:
    if spot is None:
        return None
    with suppress(OSError):
        return spot.stat()
    return None
