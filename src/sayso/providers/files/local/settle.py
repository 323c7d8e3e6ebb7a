"""Find out on the disk, after a crash, whether a step that had begun was completed; no step is started.

A file or folder is recognised by its inode, which is known from the facts that the step expected or from the note that
the step wrote beside what it built. What sayso left half-built is removed.
"""

import os
from contextlib import ExitStack, suppress

from msgspec.structs import replace

from sayso.core.errors import SaysoError
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.quotes import quoted
from sayso.providers.files.local.sandbox import Spot
from sayso.providers.files.local.transaction import Workspace
from sayso.providers.files.local.undo_store import Stash, StashNote
from sayso.providers.files.model import (
    KEPT,
    TRASHED,
    FileStep,
    Free,
    StepEffect,
    Unchanged,
    facts_at,
    find_unchanged,
    subject_of,
)

_NOT_BEGUN = NotDone("it had not begun; nothing was changed")


def settle(workspace: Workspace, step: FileStep, expects: Facts) -> Settlement:
    """Return `Applied` with the facts that `step` left, `NotDone`, or `CannotTell` if the disk does not show it."""
    effect = step.effect
    with ExitStack() as stack:
        if effect.displaces:
            return _settle_exchange(workspace, step, expects, stack)
        if effect.builds is not None:
            return _settle_make(workspace, step, stack)
        if effect.token:
            return _settle_keeping(workspace, step, expects, stack)
        if TRASHED in (effect.takes[: len(TRASHED)], effect.puts[: len(TRASHED)]):
            return _settle_trash(workspace, effect, expects, stack)
        source, target = _spot(workspace, effect.takes, stack), _spot(workspace, effect.puts, stack)
        was = find_unchanged(expects, effect.takes)
        return _settle_move(was, (effect.takes, source), (effect.puts, target))


Subject = tuple[str, Spot | None]
"""The name of a place in facts, and the place itself, or None when its folder is gone."""


def _settle_move(what: Unchanged | None, source: Subject, target: Subject) -> Settlement:
    at_source, at_target = _is(what, source[1]), _is(what, target[1])
    if what is not None and at_target and not at_source:
        return Applied((Free(source[0]), *facts_at(replace(what, tree=""), target[0])))
    if not at_target and (at_source or (what is None and _stands(source[1]) and not _stands(target[1]))):
        return _NOT_BEGUN
    return CannotTell(f"neither {quoted(source[0])} nor {quoted(target[0])} shows what became of it")


def _settle_trash(workspace: Workspace, effect: StepEffect, expects: Facts, stack: ExitStack) -> Settlement:
    goes_in = effect.puts.startswith(TRASHED)
    path, entry = (effect.takes, effect.puts) if goes_in else (effect.puts, effect.takes)
    name = subject_of(entry)
    near = _spot(workspace, path, stack)
    opened = None
    if near is not None:
        with suppress(SaysoError, OSError):
            opened = workspace.trashes.open(name, near, stack, create=False)
    outside: Subject = (path, near)
    inside: Subject = (name, opened[1] if opened is not None else None)
    source, target = (outside, inside) if goes_in else (inside, outside)
    settled = _settle_move(find_unchanged(expects, effect.takes), source, target)
    if opened is not None and not _stands(inside[1]):
        # The `.trashinfo` describes no file, and only this step can have written it: its name contains the step's
        # token.
        workspace.trashes.remove_info(opened[0], opened[1].name)
    return settled


def _settle_keeping(workspace: Workspace, step: FileStep, expects: Facts, stack: ExitStack) -> Settlement:
    effect = step.effect
    comes_back = effect.takes.startswith(KEPT)
    path, place = (effect.puts, effect.takes) if comes_back else (effect.takes, effect.puts)
    near = _spot(workspace, path, stack)
    kept = _place(workspace, effect.token, near, stack)
    note = kept.note() if kept is not None else None
    outside: Subject = (path, near)
    inside: Subject = (place, kept.item(path) if kept is not None else None)
    what = find_unchanged(expects, effect.takes) or (note.was if note else None)
    if comes_back:
        return _settle_move(what, inside, outside)
    if kept is not None and not _stands(inside[1]) and (note is None or note.step != step.step) and _stands(near):
        kept.clear_notes()
        return _NOT_BEGUN
    settled = _settle_move(what, outside, inside)
    if isinstance(settled, NotDone) and kept is not None:
        kept.clear_notes()
    if isinstance(settled, Applied) and effect.discards:
        return Applied((Free(path),))
    return settled


def _settle_make(workspace: Workspace, step: FileStep, stack: ExitStack) -> Settlement:
    path = step.effect.puts
    near = _spot(workspace, path, stack)
    kept = _place(workspace, step.effect.token, near, stack)
    if near is None or kept is None:
        if near is not None and not _stands(near):
            return _NOT_BEGUN
        return CannotTell(f"{quoted(path)} does not show whether it was made by this step")
    found = kept.note()
    note = found if found is not None and found.step == step.step else None
    item = kept.item(path)
    if note is not None and note.made is not None and not _stands(item):
        if _is(note.made, near):
            return Applied((*facts_at(note.made, path), *note.folders))
        return CannotTell(f"what was made for {quoted(path)} is no longer there, nor is it in sayso's own place")
    if _stands(item) and note is None and found is not None:
        return CannotTell(f"something else is kept in the place where {quoted(path)} was to be made")
    if _stands(item) and note is not None and not _is(note.made, item):
        return CannotTell(f"what lies in the place where {quoted(path)} was made is not what was made")
    kept.clear()
    return NotDone("it had not been put into place; nothing was changed")


def _settle_exchange(workspace: Workspace, step: FileStep, expects: Facts, stack: ExitStack) -> Settlement:
    effect = step.effect
    path, place, builds = effect.puts, effect.displaces, effect.builds is not None
    near = _spot(workspace, path, stack)
    kept = _place(workspace, effect.token, near, stack)
    note = kept.note() if kept is not None else None
    item = kept.item(path) if kept is not None else None
    if builds and (note is None or note.step != step.step):
        return _never_replaced(kept, note, near, path)
    made, was = (note.made, note.was) if note is not None else (None, None)
    new, old = (made, was) if builds else (was, made)
    new, old = find_unchanged(expects, place) or new, find_unchanged(expects, path) or old
    if new is not None and old is not None and _is(new, near) and _is(old, item):
        return Applied((replace(new, about=path), replace(old, about=place)))
    if _is(old, near) and (_is(new, item) or (builds and not _stands(item))):
        if builds and kept is not None:
            kept.clear()
        return NotDone("it had not been exchanged; nothing was changed")
    if _is(old, near) and item is not None and _stands(item):
        return CannotTell(
            f"another program was changing {quoted(path)} at that moment; a file of it is at {quoted(item.path)}"
        )
    return CannotTell(f"neither {quoted(path)} nor what is kept shows whether they were exchanged")


def _never_replaced(kept: Stash | None, note: StashNote | None, near: Spot | None, path: str) -> Settlement:
    if kept is not None and note is None:
        kept.clear()
        return NotDone("it had not been put into place; nothing was changed")
    if kept is None and _stands(near):
        return _NOT_BEGUN
    return CannotTell(f"{quoted(path)} does not show whether it was replaced by this step")


def _place(workspace: Workspace, token: str, near: Spot | None, stack: ExitStack) -> Stash | None:
    if near is None:
        return None
    with suppress(OSError):
        return workspace.kept.find(token, near, stack)
    return None


def _spot(workspace: Workspace, path: str, stack: ExitStack) -> Spot | None:
    """Return the `Spot` for a path; None when its folder is gone or can no longer be reached."""
    with suppress(SaysoError, OSError):
        return workspace.spot(path, stack)
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
