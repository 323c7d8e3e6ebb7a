"""Kernel calls that Python does not offer (openat2, renames with flags, syncfs), and messages for their errors."""

import ctypes
import errno
import os
import stat
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.quotes import quoted

_SAID = {
    errno.ENOSPC: ("disk.full", "the disk is full: make room for {path} and try again"),
    errno.EDQUOT: ("disk.full", "your share of the disk is full: make room for {path} and try again"),
    errno.EFBIG: ("disk.full", "{path} would be larger than the system allows"),
    errno.EIO: ("disk.failed", "the disk reported a fault at {path}"),
    errno.EROFS: ("disk.read_only", "the disk that holds {path} cannot be written to"),
    errno.EACCES: ("path.not_permitted", "you have no permission for {path}"),
    errno.EPERM: ("path.not_permitted", "the system does not permit this for {path}"),
    errno.ENOENT: ("path.missing", "{path} does not exist"),
    errno.ENOTDIR: ("path.not_a_folder", "something on the way to {path} is not a folder"),
    errno.EISDIR: ("path.not_a_file", "{path} is a folder"),
    errno.EEXIST: ("world.changed", "{path} already exists"),
    errno.ENOTEMPTY: ("world.changed", "{path} is not empty"),
    errno.ENAMETOOLONG: ("path.too_long", "the name of {path} is too long for this disk"),
    errno.EXDEV: ("disk.other", "{path} lies on another disk and cannot be moved in one go; copy it instead"),
    errno.EINVAL: ("disk.unsupported", "the disk that holds {path} cannot do this in one go"),
    errno.ENOSYS: ("disk.unsupported", "this system cannot do this in one go for {path}"),
    errno.ENOTSUP: ("disk.unsupported", "the disk that holds {path} cannot do this in one go"),
    errno.EBUSY: ("path.busy", "{path} is in use by the system"),
    errno.EMFILE: ("system.busy", "too many files are open; try {path} again"),
    errno.ENFILE: ("system.busy", "too many files are open; try {path} again"),
}


def in_words(wrong: OSError, *paths: str) -> SaysoError:
    """Return the error with a message for this system error at one of these paths."""
    if wrong.errno == errno.ELOOP:
        return path_changed_error(paths[-1])
    code, sentence = _SAID.get(wrong.errno or 0, ("disk.failed", "the system could not do this for {path}"))
    return ProviderError(sentence.format(path=" or ".join(map(quoted, paths))), code)


def path_changed_error(path: str) -> Refused:
    """Return the refusal for a path that no longer leads to the same place."""
    return Refused(
        f"{quoted(path)} no longer leads where it led when it was looked at; nothing was changed", "path.changed"
    )


def thing_changed_error(path: str, how: str) -> ProviderError:
    """Return the error for a thing that has changed since the plan was made; `how` says what changed."""
    return ProviderError(f"{quoted(path)} has changed since it was looked at: {how}", "world.changed")


Beneath = Callable[[int, str], int]
"""Opens the folder at a relative path below an open folder without following any link; returns a descriptor."""

FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

RENAMEAT2 = {"x86_64": 316, "aarch64": 276}
"""The number of the system call on each machine, for C libraries without a function for it."""

_OPENAT2 = 437
_NO_SYMLINKS, _BENEATH = 0x04, 0x08
_TRIES = 64

_NOREPLACE, _EXCHANGE = 1, 2
_MAC_SWAP, _MAC_EXCL = 2, 4

# The argument of openat2: flags, mode, resolve. O_NOFOLLOW would make a link at the end look like a file.
_HOW = struct.pack("=QQQ", FOLDER & ~os.O_NOFOLLOW, 0, _BENEATH | _NO_SYMLINKS)
_HOW_LONG = len(_HOW)


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    # The first arguments of every system call in this module; more may follow.
    libc.syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p)
    return libc


def beneath() -> Beneath:
    """Return `openat2` where the kernel has and permits it, else `open_below`, which opens one name after the other."""
    if sys.platform != "linux":
        return open_below
    here = os.open("/", FOLDER)
    try:
        os.close(openat2(here, "."))
    except OSError:
        return open_below
    finally:
        os.close(here)
    return openat2


def openat2(folder: int, path: str) -> int:
    """Open a folder below `folder` in one call of the kernel (Linux 5.6).

    If something is renamed at the same moment, the kernel returns EAGAIN and the call is repeated. After 64 tries it
    raises `OSError`.
    """
    name = os.fsencode(path or ".")
    for _ in range(_TRIES):
        opened: int = _libc().syscall(_OPENAT2, folder, name, _HOW, _HOW_LONG)
        if opened >= 0:
            return opened
        wrong = ctypes.get_errno()
        if wrong not in (errno.EAGAIN, errno.EINTR):
            raise OSError(wrong, os.strerror(wrong), path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def from_the_top(path: str) -> int:
    """Open the folder at an absolute path that had no link in it; if one was put there since, it is not followed."""
    top = os.open("/", FOLDER)
    try:
        return open_below(top, path)
    finally:
        os.close(top)


def open_below(folder: int, path: str) -> int:
    """Open a folder below `folder` name by name, without following any link."""
    here = os.open(".", FOLDER, dir_fd=folder)
    for name in filter(None, path.split("/")):
        try:
            below = _one_down(here, name)
        finally:
            os.close(here)
        here = below
    return here


def _one_down(folder: int, name: str) -> int:
    if name == "..":
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), name)
    try:
        return os.open(name, FOLDER, dir_fd=folder)
    except NotADirectoryError:
        # With O_DIRECTORY the kernel returns the same error for a link and for a file.
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def rename_to_free(source: int, name: str, target: int, new_name: str) -> None:
    """Rename in one call if the new name is free. Raises `FileExistsError` otherwise."""
    _rename((source, name), (target, new_name), _NOREPLACE, _MAC_EXCL)


def exchange(one: int, name: str, other: int, other_name: str) -> None:
    """Exchange two files or folders by their names, in one call."""
    _rename((one, name), (other, other_name), _EXCHANGE, _MAC_SWAP)


def _rename(old: tuple[int, str], new: tuple[int, str], flag: int, mac_flag: int) -> None:
    libc = _libc()
    ends = (old[0], os.fsencode(old[1]), new[0], os.fsencode(new[1]))
    if sys.platform == "darwin":
        said = libc.renameatx_np(*ends, mac_flag)
    elif hasattr(libc, "renameat2"):
        said = libc.renameat2(*ends, flag)
    else:
        said = renameat2_by_number(*ends, flag)
    if said != 0:
        wrong = ctypes.get_errno()
        raise OSError(wrong, os.strerror(wrong), old[1], None, new[1])


def renameat2_by_number(source: int, name: bytes, target: int, new_name: bytes, flag: int) -> int:
    """Call renameat2 by its number; return 0 on success, else set the error that `ctypes.get_errno` returns."""
    return _libc().syscall(RENAMEAT2[os.uname().machine], source, name, target, new_name, flag)


def sync_file_system(folder: int) -> None:
    """Write everything of the file system that holds `folder` to the disk."""
    if not hasattr(_libc(), "syncfs"):
        os.sync()
    elif _libc().syncfs(folder) != 0:
        wrong = ctypes.get_errno()
        raise OSError(wrong, os.strerror(wrong))


def sync(descriptor: int) -> None:
    """Write a file or folder to the disk; an error is ignored if it only says that syncing is not supported."""
    try:
        os.fsync(descriptor)
    except OSError as wrong:
        if wrong.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
