"""Remove sayso's own things: half-built ones and kept ones whose time is over; never a person's files in place."""

import os
import stat
from contextlib import suppress

from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.walk import Met, Way, walk


def remove(folder: int, name: str) -> None:
    """Remove what has this name in an open folder of sayso's own, a whole tree too; nothing there is fine."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(name, dir_fd=folder)
        return
    _open_up(folder, name)
    tree = os.open(name, FOLDER, dir_fd=folder)
    try:
        for met in walk(tree, _may_enter):
            if met.way is Way.THING:
                os.unlink(met.name, dir_fd=met.folder)
            elif met.way is Way.OUT:
                os.rmdir(met.name, dir_fd=met.folder)
    finally:
        os.close(tree)
    os.rmdir(name, dir_fd=folder)


def _may_enter(met: Met) -> bool:
    _open_up(met.folder, met.name)
    return True


def _open_up(folder: int, name: str) -> None:
    # A kept folder may be one that not even its owner may write to. It was found to be a folder, and nobody
    # else can reach into the place where it lies.
    with suppress(OSError):
        os.chmod(name, 0o700, dir_fd=folder)
