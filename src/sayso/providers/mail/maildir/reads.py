"""The reads of mail in a Maildir."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parseaddr
from pathlib import Path
from typing import BinaryIO, TypeVar

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from sayso.providers.mail.maildir.files import Folder, Folders, Name, keywords_in, labels_in, read_name
from sayso.providers.mail.messages import (
    Beside,
    Place,
    ambiguous,
    came_within,
    fulfils_by_head,
    fulfils_by_text,
    head_of,
    letter_of,
    no_file,
    place_of,
    too_large,
    with_files,
)
from sayso.providers.mail.mime import attachments_of, headers_of, read_whole
from sayso.providers.mail.query.match import Letter, leaves, matches, needs
from sayso.providers.mail.query.parser import Asked, Larger, Query, Smaller, parse, place
from sayso.providers.mail.reads import LISTED, Alike, shorten_message, tell_apart
from sayso.providers.mail.store import MOST_FILE, Came, Message, Wanted

_CHUNK = 8192
_MOST_HEAD = 262_144
MOST = 96 * 2**20
"""Bytes of a message that are looked at."""


class Entry(Struct, frozen=True):
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


def date_entry(found: Entry) -> Entry | None:
    """Return a message with its time and size; None when it is gone by now, or is no file."""
    try:
        seen = found.path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Entry(found.folder, found.part, found.file, found.name, int(seen.st_mtime), seen.st_size)


def newest(found: Iterator[Entry]) -> list[Entry]:
    """Return messages with their times, newest first."""
    there = [one for entry in found if (one := date_entry(entry)) is not None]
    return sorted(there, key=lambda one: (one.seconds, one.name.unique), reverse=True)


def head_bytes(entry: Entry) -> bytes:
    """Return the bytes before the first empty line. Raises `FileNotFoundError`."""
    with _open_entry(entry) as file:
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
    with _open_entry(entry) as file:
        return file.read(MOST)


def _open_entry(entry: Entry) -> BinaryIO:
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


def letter(entry: Entry, query: Query) -> Letter:
    """Return a message as this query sees it. Raises `FileNotFoundError`."""
    needed = needs(query)
    measured = any(isinstance(leaf, Larger | Smaller) for leaf in leaves(query.term))
    deep = measured or bool(needed & {"body", "attachments"})
    data = whole_bytes(entry) if deep else head_bytes(entry) if needed else b""
    found = letter_of(head(entry, data), headers_of(data))
    if not deep:
        return found
    read = read_whole(data)
    # IMAP counts lines as they go over the wire, whatever ends them in a file.
    size = len(data) + data.count(b"\n") - data.count(b"\r\n")
    return with_files(replace(found, body=read.text(), size=size), read.root)


T = TypeVar("T")
_OUT_OF_SIGHT = frozenset({"trash", "junk"})


@dataclass(frozen=True)
class Reads(Alike):
    """The person's mail in the folders below one root."""

    folders: Folders

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._inbox(limit, include_read=include_read))

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._list_messages(self._find_entries(wanted), wanted.criteria.limit))

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        meant = parse(query, Asked(self.clock.now(), self.zone(), (parseaddr(self.address)[1],)))
        return await to_thread.run_sync(lambda: self._list_messages(self._query_entries(meant), limit))

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._all(ids, _whole, first=True))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._all(ids, head, first=False))

    async def found_file(self, id_: str, number: int) -> Came | None:
        return await to_thread.run_sync(lambda: self._file(id_, number))

    def entries_of(self, ids: Sequence[str], *, first: bool = False) -> dict[str, Entry]:
        """Return the files of messages by their ids; of several in one folder the newest when `first`, else none.

        Raises `ProposalError` where an id is that of several messages and not `first`.
        """
        found: dict[str, Entry] = {}
        for one in ids:
            place = place_of(one) or self.seen[one]
            entry = self.at(place) if place is not None else None
            if entry is not None and one in {str(entry.place), _id_of(entry)}:
                found[one] = entry
        missing = {one for one in ids if one not in found and place_of(one) is None}
        for folder in sorted(self.folders.all(), key=lambda one: one.mailbox in _OUT_OF_SIGHT):
            if not missing:
                break
            for one, there in self._in(folder, missing).items():
                if len(there) > 1 and not first:
                    raise ambiguous(one, [entry.place for entry in there])
                found[one] = max(there, key=lambda entry: entry.seconds)
                missing.discard(one)
        return found

    def at(self, place: Place) -> Entry | None:
        """Return the file at a place; None when it is not there any more."""
        folder = self.folders.find(place.mailbox)
        there = (entry for entry in entries(folder) if entry.name.unique == place.uid) if folder else iter(())
        entry = next(there, None)
        return date_entry(entry) if entry else None

    def _in(self, folder: Folder, wanted: set[str]) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in entries(folder):
            id_ = _id_of(entry)
            self.seen.put(id_, entry.place)
            if id_ in wanted and (there := date_entry(entry)) is not None:
                found.setdefault(id_, []).append(there)
        return found

    def _inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        inbox = self.folders.find("inbox")
        if inbox is None:
            return ()
        there = (one for one in entries(inbox) if include_read or "S" not in one.name.letters)
        return self._list_messages(iter(newest(there)), limit)

    def _find_entries(self, wanted: Wanted) -> Iterator[Entry]:
        folders = (one for one in self.folders.all() if one.mailbox not in _OUT_OF_SIGHT)
        unread = wanted.criteria.unread
        there = (entry for folder in folders for entry in entries(folder))
        by_name = (one for one in there if unread is None or unread is ("S" not in one.name.letters))
        for entry in newest(by_name):
            with suppress(FileNotFoundError):
                if came_within(datetime.fromtimestamp(entry.seconds, UTC), wanted) and _fulfils(entry, wanted):
                    yield entry

    def _query_entries(self, query: Query) -> Iterator[Entry]:
        folders = (one for one in self.folders.all() if query.searches(place(one.mailbox)))
        for entry in newest(entry for folder in folders for entry in entries(folder)):
            with suppress(FileNotFoundError):
                if matches(query, letter(entry, query)):
                    yield entry

    def _list_messages(self, found: Iterator[Entry], limit: int) -> tuple[Message, ...]:
        messages: list[Message] = []
        for entry in found:
            if len(messages) == limit:
                break
            with suppress(FileNotFoundError):
                messages.append(shorten_message(_whole(entry), LISTED))
        return tell_apart(messages, self.seen)

    def _all(self, ids: tuple[str, ...], read: Callable[[Entry], Message], *, first: bool) -> tuple[Message, ...]:
        found = self.entries_of(ids, first=first)
        messages: list[Message] = []
        for one in ids:
            with suppress(FileNotFoundError):
                if one in found:
                    messages.append(replace(read(found[one]), message_id=one))
                    self.seen.put(one, found[one].place)
        return tuple(messages)

    def _file(self, id_: str, number: int) -> Came | None:
        for entry in self.entries_of([id_], first=True).values():
            with suppress(FileNotFoundError):
                return _file_of(entry, number)
        return None


def _file_of(entry: Entry, number: int) -> Came:
    data = whole_bytes(entry)
    read, told = read_whole(data), head(entry, data)
    named = attachments_of(read.root)
    content = read.file(number)
    if content is None:
        raise no_file(number, len(named))
    name = named[number - 1].name
    if len(content) > MOST_FILE or len(data) >= MOST:
        raise too_large(name, MOST_FILE)
    return Came(told.from_address, told.subject, name, content)


def _id_of(entry: Entry) -> str:
    try:
        return message_id_of(entry)
    except FileNotFoundError:
        return ""


def _fulfils(entry: Entry, wanted: Wanted) -> bool:
    if not fulfils_by_head(head(entry), wanted):
        return False
    part = wanted.criteria.text
    return fulfils_by_text(head(entry), part) or fulfils_by_text(_whole(entry), part)


def _whole(entry: Entry) -> Message:
    data = whole_bytes(entry)
    read = read_whole(data)
    return replace(head(entry, data), body_text=read.text(), attachments=attachments_of(read.root))
