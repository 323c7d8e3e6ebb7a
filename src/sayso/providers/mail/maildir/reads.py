"""Read the message files of a Maildir: by their names, their headers, or whole."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.providers.mail.backend import StoredMail, shorten_message, tell_apart
from sayso.providers.mail.maildir.files import FileName, MailFolder, MailFolders, keywords_in, labels_in, read_name
from sayso.providers.mail.messages import (
    Metadata,
    ambiguous,
    came_within,
    fulfils_by_head,
    fulfils_by_text,
    head_of,
    no_file,
    parse_query,
    query_message,
    too_large,
    with_files,
)
from sayso.providers.mail.mime import attachments_of, headers_of, parse_message
from sayso.providers.mail.query.match import QueryMessage, leaves, matches, needs
from sayso.providers.mail.query.parser import Larger, Query, Smaller, fold_mailbox
from sayso.providers.mail.store import (
    HIDDEN,
    MOST_FILE,
    AttachmentFile,
    DatedCriteria,
    MailPlace,
    Message,
    place_of,
)

_CHUNK = 8192
_MOST_HEAD = 262_144
MOST = 96 * 2**20
"""The most bytes of a message that are read."""


class MessageFile(Struct, frozen=True):
    """One message file, as it was when the folder was listed."""

    folder: MailFolder
    part: str
    """`cur`, or `new` if no mail program has seen the message yet."""
    file: str
    name: FileName
    seconds: int = 0
    """When the message was received, in seconds since 1970; 0 until the file was examined."""
    size: int = 0

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.folder.path / self.part / self.file

    @property
    def place(self) -> MailPlace:
        """Return the place of the message."""
        return MailPlace(self.folder.mailbox, self.name.unique)

    @property
    def letters(self) -> set[str]:
        """Return the letters of the message's flags and keywords."""
        return set(self.name.letters)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the message."""
        numbers = self.name.keywords
        return labels_in(keywords_in(self.folder.path), numbers) if numbers else ()


def list_files(folder: MailFolder) -> Iterator[MessageFile]:
    """Yield the messages of a folder, reading only file names. Links and messages marked as deleted are left out."""
    for part in ("new", "cur"):
        with suppress(FileNotFoundError), os.scandir(folder.path / part) as found:
            for entry in found:
                name = read_name(entry.name)
                if name is not None and "T" not in name.letters and entry.is_file(follow_symlinks=False):
                    yield MessageFile(folder, part, entry.name, name)


def with_stat(file: MessageFile) -> MessageFile | None:
    """Return a message file with its time and size; None if it is gone."""
    try:
        stat = file.path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return replace(file, seconds=int(stat.st_mtime), size=stat.st_size)


def newest(found: Iterator[MessageFile]) -> list[MessageFile]:
    """Return message files with their times and sizes, newest first."""
    dated = [one for file in found if (one := with_stat(file)) is not None]
    return sorted(dated, key=lambda one: (one.seconds, one.name.unique), reverse=True)


def head_bytes(file: MessageFile) -> bytes:
    """Return the bytes of the header, which are those before the first empty line. Raises `FileNotFoundError`."""
    with _open_file(file) as opened:
        read = b""
        while len(read) < _MOST_HEAD:
            chunk = opened.read(_CHUNK)
            read += chunk
            ends = read.replace(b"\r\n", b"\n").find(b"\n\n")
            if not chunk or ends >= 0:
                break
    return read.replace(b"\r\n", b"\n").partition(b"\n\n")[0]


def whole_bytes(file: MessageFile) -> bytes:
    """Return the bytes of the message, at most `MOST`. Raises `FileNotFoundError`."""
    with _open_file(file) as opened:
        return opened.read(MOST)


def _open_file(file: MessageFile) -> BinaryIO:
    """Open a message file, without following a link. Raises `FileNotFoundError`."""
    try:
        handle = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file.path)) from error
        raise
    return os.fdopen(handle, "rb")


def message_id_of(file: MessageFile) -> str:
    """Return the id of a message: its Message-ID, or else its place. Raises `FileNotFoundError`."""
    return headers_of(head_bytes(file)).message_id() or str(file.place)


def read_head(file: MessageFile, data: bytes | None = None) -> Message:
    """Return a message without its text; `data` are its bytes, if already read. Raises `FileNotFoundError`."""
    headers = headers_of(head_bytes(file) if data is None else data)
    moment = datetime.fromtimestamp(file.seconds, UTC)
    return head_of(headers, Metadata(file.place, moment, file.name.flags, file.labels, file.size))


def read_message(file: MessageFile) -> Message:
    """Return a message with its text and the list of its attachments. Raises `FileNotFoundError`."""
    data = whole_bytes(file)
    parsed = parse_message(data)
    return replace(read_head(file, data), body_text=parsed.text(), attachments=attachments_of(parsed.root))


def read_query_message(file: MessageFile, query: Query) -> QueryMessage:
    """Return the parts of a message that this query needs. Raises `FileNotFoundError`."""
    needed = needs(query)
    measured = any(isinstance(leaf, Larger | Smaller) for leaf in leaves(query.term))
    deep = measured or bool(needed & {"body", "attachments"})
    data = whole_bytes(file) if deep else head_bytes(file) if needed else b""
    found = query_message(read_head(file, data), headers_of(data).addresses("bcc"))
    if not deep:
        return found
    parsed = parse_message(data)
    # IMAP counts every line end as CR LF, whatever the file has.
    size = len(data) + data.count(b"\n") - data.count(b"\r\n")
    return with_files(replace(found, body=parsed.text(), size=size), parsed.root)


@dataclass(frozen=True)
class MaildirMail(StoredMail):
    """The person's mail in the folders below one root."""

    folders: MailFolders

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._inbox(limit, include_read=include_read))

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._list_messages(self._search_files(wanted), wanted.criteria.limit))

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        parsed = parse_query(query, self.context)
        return await to_thread.run_sync(lambda: self._list_messages(self._match_files(parsed), limit))

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._read_all(ids, read_message, first=True))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._read_all(ids, read_head, first=False))

    async def find_attachment(self, id_: str, number: int) -> AttachmentFile | None:
        return await to_thread.run_sync(lambda: self._attachment(id_, number))

    def files_of(self, ids: Sequence[str], *, first: bool = False) -> dict[str, MessageFile]:
        """Return the files of messages by their ids; unknown ids are left out.

        If several messages in a folder have the same id, returns the newest one if `first`, and else raises
        `ProposalError`.
        """
        found: dict[str, MessageFile] = {}
        for one in ids:
            place = place_of(one) or self.known[one]
            file = self.file_at(place) if place is not None else None
            if file is not None and one in {str(file.place), _id_of(file)}:
                found[one] = file
        missing = {one for one in ids if one not in found and place_of(one) is None}
        for folder in sorted(self.folders.all(), key=lambda one: one.mailbox in HIDDEN):
            if not missing:
                break
            for one, files in self._find_in(folder, missing).items():
                if len(files) > 1 and not first:
                    raise ambiguous(one, [file.place for file in files])
                found[one] = max(files, key=lambda file: file.seconds)
                missing.discard(one)
        return found

    def file_at(self, place: MailPlace) -> MessageFile | None:
        """Return the file at a place; None if it is not there any more."""
        folder = self.folders.find(place.mailbox)
        files = (file for file in list_files(folder) if file.name.unique == place.uid) if folder else iter(())
        file = next(files, None)
        return with_stat(file) if file else None

    def _find_in(self, folder: MailFolder, wanted: set[str]) -> dict[str, list[MessageFile]]:
        found: dict[str, list[MessageFile]] = {}
        for file in list_files(folder):
            id_ = _id_of(file)
            self.known.put(id_, file.place)
            if id_ in wanted and (dated := with_stat(file)) is not None:
                found.setdefault(id_, []).append(dated)
        return found

    def _must_be_there(self) -> None:
        if why := self.folders.why_none():
            raise ProviderError(f"no mailbox is set up: {why}; “sayso config mail” sets one up", "mail.no_mailbox")

    def _inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        self._must_be_there()
        inbox = self.folders.find("inbox")
        if inbox is None:
            return ()
        files = (one for one in list_files(inbox) if include_read or "S" not in one.name.letters)
        return self._list_messages(iter(newest(files)), limit)

    def _search_files(self, wanted: DatedCriteria) -> Iterator[MessageFile]:
        self._must_be_there()
        unread = wanted.criteria.unread
        files = (file for folder in self.folders.all() if folder.mailbox not in HIDDEN for file in list_files(folder))
        by_name = (one for one in files if unread is None or unread is ("S" not in one.name.letters))
        for file in newest(by_name):
            with suppress(FileNotFoundError):
                if came_within(datetime.fromtimestamp(file.seconds, UTC), wanted) and _fulfils(file, wanted):
                    yield file

    def _match_files(self, query: Query) -> Iterator[MessageFile]:
        self._must_be_there()
        folders = (one for one in self.folders.all() if query.searches(fold_mailbox(one.mailbox)))
        for file in newest(file for folder in folders for file in list_files(folder)):
            with suppress(FileNotFoundError):
                if matches(query, read_query_message(file, query)):
                    yield file

    def _list_messages(self, found: Iterator[MessageFile], limit: int) -> tuple[Message, ...]:
        messages: list[Message] = []
        for file in found:
            if len(messages) == limit:
                break
            with suppress(FileNotFoundError):
                messages.append(shorten_message(read_message(file)))
        return tell_apart(messages, self.known)

    def _read_all(
        self, ids: tuple[str, ...], read: Callable[[MessageFile], Message], *, first: bool
    ) -> tuple[Message, ...]:
        self._must_be_there()
        found = self.files_of(ids, first=first)
        messages: list[Message] = []
        for one in ids:
            with suppress(FileNotFoundError):
                if one in found:
                    messages.append(replace(read(found[one]), message_id=one))
                    self.known.put(one, found[one].place)
        return tuple(messages)

    def _attachment(self, id_: str, number: int) -> AttachmentFile | None:
        self._must_be_there()
        for file in self.files_of([id_], first=True).values():
            with suppress(FileNotFoundError):
                return _read_attachment(file, number)
        return None


def _read_attachment(file: MessageFile, number: int) -> AttachmentFile:
    data = whole_bytes(file)
    parsed, head = parse_message(data), read_head(file, data)
    listed = attachments_of(parsed.root)
    content = parsed.file(number)
    if content is None:
        raise no_file(number, len(listed))
    name = listed[number - 1].name
    if len(content) > MOST_FILE or len(data) >= MOST:
        raise too_large(name, MOST_FILE)
    return AttachmentFile(head.from_address, head.subject, name, content)


def _id_of(file: MessageFile) -> str:
    try:
        return message_id_of(file)
    except FileNotFoundError:
        return ""


def _fulfils(file: MessageFile, wanted: DatedCriteria) -> bool:
    head, part = read_head(file), wanted.criteria.text
    if not fulfils_by_head(head, wanted):
        return False
    return fulfils_by_text(head, part) or fulfils_by_text(read_message(file), part)
