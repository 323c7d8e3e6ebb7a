"""What lies in the folders of a Maildir, without opening more of a message than is asked for."""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from sayso.core.values import dataclass
from sayso.providers.mail.heads import Beside, head_of
from sayso.providers.mail.maildir.folders import Folder
from sayso.providers.mail.maildir.keywords import keywords_in, labels_in
from sayso.providers.mail.maildir.names import Name, read_name
from sayso.providers.mail.mime.headers import headers_of
from sayso.providers.mail.places import Place
from sayso.providers.mail.store import Message

_CHUNK = 8192
_MOST_HEAD = 262_144
MOST = 96 * 2**20
"""Bytes of a message that are looked at."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message file, where it was when somebody looked."""

    folder: Folder
    part: str
    """`cur`, or `new` where no program has seen it yet."""
    file: str
    name: Name
    seconds: int = 0
    """When it came."""
    size: int = 0

    @property
    def path(self) -> Path:
        """Return where the file is."""
        return self.folder.path / self.part / self.file

    @property
    def place(self) -> Place:
        """Return the place it goes by."""
        return Place(self.folder.mailbox, self.name.unique)


def entries(folder: Folder) -> Iterator[Entry]:
    """Yield the messages of a folder by their names alone; what is marked as deleted, a link, or no file, is none."""
    for part in ("new", "cur"):
        with suppress(FileNotFoundError), os.scandir(folder.path / part) as found:
            for entry in found:
                name = read_name(entry.name)
                if name is not None and "T" not in name.letters and entry.is_file(follow_symlinks=False):
                    yield Entry(folder, part, entry.name, name)


def dated(found: Entry) -> Entry | None:
    """Return a message with its time and size; None when it is gone by now, or is no file."""
    try:
        seen = found.path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Entry(found.folder, found.part, found.file, found.name, int(seen.st_mtime), seen.st_size)


def newest(found: Iterator[Entry]) -> list[Entry]:
    """Return messages with their times, newest first."""
    there = [one for entry in found if (one := dated(entry)) is not None]
    return sorted(there, key=lambda one: (one.seconds, one.name.unique), reverse=True)


def head_bytes(entry: Entry) -> bytes:
    """Return the bytes before the first empty line. Raises `FileNotFoundError`."""
    with _opened(entry) as file:
        read = b""
        while len(read) < _MOST_HEAD:
            chunk = file.read(_CHUNK)
            read += chunk
            ends = read.replace(b"\r\n", b"\n").find(b"\n\n")
            if not chunk or ends >= 0:
                break
    return read.replace(b"\r\n", b"\n").partition(b"\n\n")[0]


def whole_bytes(entry: Entry) -> bytes:
    """Return the message. Raises `FileNotFoundError`."""
    with _opened(entry) as file:
        return file.read(MOST)


def _opened(entry: Entry) -> BinaryIO:
    """Open a message, and nothing that a link in its place leads to. Raises `FileNotFoundError`."""
    try:
        handle = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as wrong:
        if wrong.errno == errno.ELOOP:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(entry.path)) from wrong
        raise
    return os.fdopen(handle, "rb")


def message_id_of(entry: Entry) -> str:
    """Return the id that a message goes by. Raises `FileNotFoundError`."""
    return headers_of(head_bytes(entry)).message_id() or str(entry.place)


def head(entry: Entry, head_of_it: bytes | None = None) -> Message:
    """Return a message without its text. Raises `FileNotFoundError`."""
    read = headers_of(head_bytes(entry) if head_of_it is None else head_of_it)
    moment = datetime.fromtimestamp(entry.seconds, UTC)
    return head_of(read, Beside(entry.place, moment, entry.name.flags, labels_of(entry), entry.size))


def labels_of(entry: Entry) -> tuple[str, ...]:
    """Return the labels of a message."""
    numbers = entry.name.keywords
    return labels_in(keywords_in(entry.folder.path), numbers) if numbers else ()
