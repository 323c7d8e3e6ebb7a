"""Which mount a folder lies on, where that mount begins, and what is mounted within a folder."""

import os
import re

_TABLE = "/proc/self/mountinfo"


def mount_of(folder: int) -> int:
    """Return a number that is the same for two folders exactly when a rename between them can work.

    Two mounts of one file system differ, though their device is the same.
    """
    try:
        with open(f"/proc/self/fdinfo/{folder}", "rb") as info:
            found = re.search(rb"^mnt_id:\s*([0-9]+)", info.read(), re.MULTILINE)
    except OSError:
        found = None
    return int(found[1]) if found else os.fstat(folder).st_dev


def top_of(path: str, folder: int) -> str:
    """Return the folder at which the mount begins that holds the open folder `folder` at `path`."""
    mounts = _mounts()
    wanted = mount_of(folder)
    if wanted in mounts:
        return mounts[wanted]
    device = os.fstat(folder).st_dev
    top = path
    while top != "/" and os.stat(os.path.dirname(top)).st_dev == device:
        top = os.path.dirname(top)
    return top


def mounted_at_or_within(path: str) -> list[str]:
    """Return the mount points that are `path` or lie in its tree, as far as the system tells."""
    start = path.rstrip("/") + "/"
    return sorted({place for place in _mounts().values() if (place + "/").startswith(start)})


def _mounts() -> dict[int, str]:
    try:
        with open(_TABLE, "rb") as table:
            rows = [line.split(b" ") for line in table]
    except OSError:
        return {}
    return {int(row[0]): _plain(row[4]) for row in rows}


def _plain(escaped: bytes) -> str:
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found.group(1), 8)]), escaped))
