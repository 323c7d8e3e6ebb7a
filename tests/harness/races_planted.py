"""Bugs that make sayso, in this process, handle paths as careless programs do."""

import os
from contextlib import ExitStack
from typing import Any

from msgspec.structs import replace

from sayso.providers.disk import syscalls
from sayso.providers.files.local import creation, measure, sandbox, steps, transaction
from tests.harness.races_swapper import put
from tests.harness.told import Planted

_ANYHOW = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def by_name() -> None:
    """Check a path by its name, and then open it by its name."""

    def folder(self: sandbox.Confinement, real: str, stack: ExitStack, own: object) -> int:
        if not any(os.path.realpath(real).startswith(root.path) for root in self.roots):
            return _strict(self, real, stack, own)
        opened = os.open(real, _ANYHOW)
        stack.callback(os.close, opened)
        return opened

    _strict: Any = vars(sandbox.Confinement)["_folder"]
    put(sandbox.Confinement, _folder=folder)


def links_followed() -> None:
    """Open folders without asking the kernel to follow no link."""

    def opened(folder: int, path: str) -> int:
        return os.open(path or ".", _ANYHOW, dir_fd=folder)

    put(syscalls, openat2=opened, walked=opened)


def last_name_followed() -> None:
    """Open the last name of a path without O_NOFOLLOW, and believe that it is what was found there."""
    put(sandbox, _READ=vars(sandbox)["_READ"] & ~os.O_NOFOLLOW, same=_always)


def any_file() -> None:
    """Take whatever stands at a path for the thing that was seen when the plan was made."""

    def none(expected: object, now: object) -> str:
        return ""

    put(transaction, difference=none)
    put(steps, difference=none)


def any_folder() -> None:
    """Take whatever folder stands at a path for the one that was seen when the plan was made."""

    def unchecked(self: object, fact: object) -> None:
        return

    put(transaction.Expectations, _same_folder=unchecked)


def parent_by_path() -> None:
    """Find the folder to put something into by its path once more, at the last moment."""
    carry = transaction.carry

    def carried(seen: Any, source: sandbox.Spot, target: sandbox.Spot, *more: Any) -> None:
        if target.is_ours:
            carry(seen, source, target, *more)
            return
        again = os.open(os.path.dirname(target.path), _ANYHOW)
        try:
            carry(seen, source, replace(target, folder=again), *more)
        finally:
            os.close(again)

    put(steps, carry=carried)
    put(creation, carry=carried)


def not_looked_at_again() -> None:
    """Do not look at what was carried away: another thing may have slipped in since it was checked."""
    put(transaction, same=_always)


def put_over() -> None:
    """Rename over whatever has the new name by then."""
    put(syscalls, _NOREPLACE=0)


def way_back_trusted() -> None:
    """Go back up from a folder by `..` without asking whether that is where one came from."""

    def swap(here: int, name: str, expected: object) -> int:
        there = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
        os.close(here)
        return there

    put(measure, _swap=swap)


def _always(one: object, other: object) -> bool:
    return True


PLANTED: Planted = {
    "by-name": by_name,
    "links-followed": links_followed,
    "last-name-followed": last_name_followed,
    "any-file": any_file,
    "any-folder": any_folder,
    "parent-by-path": parent_by_path,
    "not-looked-at-again": not_looked_at_again,
    "put-over": put_over,
    "way-back-trusted": way_back_trusted,
}
