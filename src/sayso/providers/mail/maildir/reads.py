"""The reads of mail in a Maildir; each looks at the folders as they are then."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parseaddr
from typing import TypeVar

from anyio import to_thread

from sayso.core.values import dataclass
from sayso.providers.mail.alike import Alike
from sayso.providers.mail.criteria import came_within, fulfils_by_head, fulfils_by_text
from sayso.providers.mail.ids import ambiguous, no_file, too_large
from sayso.providers.mail.maildir.asking import letter
from sayso.providers.mail.maildir.folders import Folder, Folders
from sayso.providers.mail.maildir.scanning import MOST, Entry, dated, entries, head, message_id_of, newest, whole_bytes
from sayso.providers.mail.mime.shape import attachments_of
from sayso.providers.mail.mime.whole import read_whole
from sayso.providers.mail.places import Place, place_of
from sayso.providers.mail.query.matching import matches
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.terms import Query
from sayso.providers.mail.query.values import Asked
from sayso.providers.mail.query.words import place
from sayso.providers.mail.store import MOST_FILE, Came, Message, Wanted
from sayso.providers.mail.texts import LISTED, shortened, told_apart

T = TypeVar("T")
_OUT_OF_SIGHT = frozenset({"trash", "junk"})


@dataclass(frozen=True)
class Reads(Alike):
    """The person's mail in the folders below one root."""

    folders: Folders

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._inbox(limit, include_read=include_read))

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        return await to_thread.run_sync(lambda: self._listed(self._found(wanted), wanted.criteria.limit))

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        meant = parse(query, Asked(self.clock.now(), self.zone(), (parseaddr(self.address)[1],)))
        return await to_thread.run_sync(lambda: self._listed(self._meant(meant), limit))

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
        return dated(entry) if entry else None

    def _in(self, folder: Folder, wanted: set[str]) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in entries(folder):
            id_ = _id_of(entry)
            self.seen.put(id_, entry.place)
            if id_ in wanted and (there := dated(entry)) is not None:
                found.setdefault(id_, []).append(there)
        return found

    def _inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        inbox = self.folders.find("inbox")
        if inbox is None:
            return ()
        there = (one for one in entries(inbox) if include_read or "S" not in one.name.letters)
        return self._listed(iter(newest(there)), limit)

    def _found(self, wanted: Wanted) -> Iterator[Entry]:
        folders = (one for one in self.folders.all() if one.mailbox not in _OUT_OF_SIGHT)
        unread = wanted.criteria.unread
        there = (entry for folder in folders for entry in entries(folder))
        by_name = (one for one in there if unread is None or unread is ("S" not in one.name.letters))
        for entry in newest(by_name):
            with suppress(FileNotFoundError):
                if came_within(datetime.fromtimestamp(entry.seconds, UTC), wanted) and _fulfils(entry, wanted):
                    yield entry

    def _meant(self, query: Query) -> Iterator[Entry]:
        folders = (one for one in self.folders.all() if query.searches(place(one.mailbox)))
        for entry in newest(entry for folder in folders for entry in entries(folder)):
            with suppress(FileNotFoundError):
                if matches(query, letter(entry, query)):
                    yield entry

    def _listed(self, found: Iterator[Entry], limit: int) -> tuple[Message, ...]:
        messages: list[Message] = []
        for entry in found:
            if len(messages) == limit:
                break
            with suppress(FileNotFoundError):
                messages.append(shortened(_whole(entry), LISTED))
        return told_apart(messages, self.seen)

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
