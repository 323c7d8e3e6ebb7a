"""Do a step on the disk, if what it expects still holds, and say what it left."""

import errno
from typing import assert_never

from sayso.core.plan import Facts, Left
from sayso.providers.disk.wrong import in_words
from sayso.providers.files.local.bench import Bench
from sayso.providers.files.local.making import copy, make_folders, write
from sayso.providers.files.local.moving import keep, remove_folders, rename, restore, trash, unkeep
from sayso.providers.files.local.replacing import exchange, replace
from sayso.providers.files.steps import (
    Copy,
    Exchange,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Steps,
    Trash,
    Unkeep,
    Write,
)

_CARRIED = ("begun", "renamed", "synced")
_BUILT = ("begun", "place", "created", "filled", "built", "noted", "renamed", "synced")
_WHERE = {
    "rename": _CARRIED,
    "copy": ("begun", "place", "entry", "filled", "built", "noted", "renamed", "synced"),
    "trash": ("begun", "place", "noted", "renamed", "synced"),
    "restore": ("begun", "renamed", "cleared", "synced"),
    "keep": ("begun", "place", "noted", "renamed", "synced"),
    "unkeep": _CARRIED,
    "make_folders": ("begun", "place", "created", "built", "noted", "renamed", "synced"),
    "remove_folders": ("begun", "place", "noted", "renamed", "synced"),
    "write": _BUILT,
    "replace": ("begun", "place", "created", "filled", "built", "noted", "exchanged", "synced"),
    "exchange": ("begun", "exchanged", "synced"),
}
KILL_POINTS = tuple(f"files.{step}.{where}" for step, places in _WHERE.items() for where in places)
"""Every label that a step calls the kill point with, in the order in which it comes by."""


_EITHER_END = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def apply(bench: Bench, step: Steps, expects: Facts) -> Left:
    """Do `step`. Raises `Refused`, `ProviderError`, `Uncertain`."""
    try:
        return _done(bench, step, expects)
    except OSError as wrong:
        raise in_words(wrong, _where(bench, step, wrong)) from wrong


def _where(bench: Bench, step: Steps, wrong: OSError) -> str:
    """Return the path that a fault is about; a missing permission does not say at which end it is missing."""
    paths = [bench.confine.said(getattr(step, field)) for field in step.paths]
    return "” or “".join(paths) if wrong.errno in _EITHER_END else paths[-1]


def _done(bench: Bench, step: Steps, expects: Facts) -> Left:
    match step:
        case Rename() | Trash() | Restore():
            return _moved(bench, step, expects)
        case Keep() | Unkeep() | RemoveFolders():
            return _kept(bench, step, expects)
        case Copy() | Write() | MakeFolders():
            return _made(bench, step, expects)
        case Replace():
            return replace(bench, step, expects)
        case Exchange():
            return exchange(bench, step, expects)
        case _:
            assert_never(step)


def _moved(bench: Bench, step: Rename | Trash | Restore, expects: Facts) -> Left:
    match step:
        case Rename():
            return rename(bench, step, expects)
        case Trash():
            return trash(bench, step, expects)
        case Restore():
            return restore(bench, step, expects)
        case _:
            assert_never(step)


def _kept(bench: Bench, step: Keep | Unkeep | RemoveFolders, expects: Facts) -> Left:
    match step:
        case Keep():
            return keep(bench, step, expects)
        case Unkeep():
            return unkeep(bench, step, expects)
        case RemoveFolders():
            return remove_folders(bench, step, expects)
        case _:
            assert_never(step)


def _made(bench: Bench, step: Copy | Write | MakeFolders, expects: Facts) -> Left:
    match step:
        case Copy():
            return copy(bench, step, expects)
        case Write():
            return write(bench, step, expects)
        case MakeFolders():
            return make_folders(bench, step, expects)
        case _:
            assert_never(step)
