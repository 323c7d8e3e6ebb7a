"""Which mount a folder lies on, where that mount begins, and what is mounted within a folder."""

import os
import re

_TABLE = "/proc/self/mountinfo"


def mount_of(folder: int) -> int:
    """Return a number that is the same for two folders exactly when a rename between them can work.

    Two mounts of one file system differ, though their device is the same.
    """
    try:
        with open(f"/proc/self/fdinfo/{folder}", encoding="ascii") as info:
            for line in info:
                if line.startswith("mnt_id:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return os.fstat(folder).st_dev


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
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as table:
            rows = [line.split(" ") for line in table]
    except OSError:
        return {}
    return {int(row[0]): _plain(row[4]) for row in rows}


def _plain(escaped: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found.group(1), 8)), escaped)
