"""Keep sayso's own folders closed to others."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sayso.config.places import Places

OTHERS = 0o077
PRIVATE = 0o700


def open_to_others(at: Places, *, named: bool) -> Iterator[Path]:
    """Close the person's folders of sayso to others, and return those that are left open.

    A folder of the default name is sayso's own, so it is made 0700. One that the person `named` in
    `SAYSO_HOME`, or put a link in place of, may be shared on purpose: it stays as it is, for the caller
    to say so. Either way every file that sayso makes in it is 0600. What is not the person's is left to
    `doctor`, and what is not there yet is made private when it is made.
    """
    for folder in at.own_folders:
        if not _lets_others_in(folder):
            continue
        if named or folder.is_symlink():
            yield folder
        else:
            folder.chmod(PRIVATE)


def _lets_others_in(folder: Path) -> bool:
    try:
        found = folder.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and bool(found.st_mode & OTHERS)
