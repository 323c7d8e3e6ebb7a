"""Find and read the messages of Mail, newest first and within bounds; and keep its labels, which Mail has none of."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from mimetypes import guess_type

import msgspec
from anyio import to_thread
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import Texts
from sayso.providers.mail.account import read_server
from sayso.providers.mail.apple.app import NEWEST, Details, Filter, Head, MailApp, ReadBox, bare_id, heads_of
from sayso.providers.mail.backend import LISTED, StoredMail, tell_apart
from sayso.providers.mail.messages import (
    ambiguous,
    fulfils,
    fulfils_by_head,
    no_file,
    parse_query,
    query_message,
    too_large,
)
from sayso.providers.mail.mime import MimePart, file_name, files_of, parse_message
from sayso.providers.mail.query.match import leaves, matches
from sayso.providers.mail.query.parser import HasAttachment, Query, Words, fold_mailbox
from sayso.providers.mail.store import (
    HIDDEN,
    MOST_FILE,
    Attachment,
    AttachmentFile,
    DatedCriteria,
    Message,
    place_of,
)

FILE = "labels.json"
Kept = dict[str, tuple[str, ...]]
"""The labels of each message that has some, by its id."""


class Labels:
    """Keeps the labels of messages in one small file."""

    def __init__(self, folder: str, token: Callable[[], str]) -> None:
        self._texts = Texts(folder, beneath())
        self._token = token

    async def read(self) -> Kept:
        """Return all labels."""
        return await to_thread.run_sync(lambda: self._read()[0])

    async def put(self, ids: Sequence[str], label: str, *, on: bool) -> None:
        """Add a label to messages, or remove it from them in every spelling of it."""
        await to_thread.run_sync(lambda: self._put(ids, label, on=on))

    def _read(self) -> tuple[Kept, str]:
        file = self._texts.read(FILE) if self._texts.is_there() else None
        if file is None:
            return {}, ""
        try:
            return msgspec.json.decode(file.data, type=Kept), file.etag
        except msgspec.DecodeError as wrong:
            raise ProviderError(f"the labels of mail cannot be read: {wrong}", "mail.labels") from wrong

    def _put(self, ids: Sequence[str], label: str, *, on: bool) -> None:
        kept, etag = self._read()
        for id_ in ids:
            others = tuple(one for one in kept.pop(id_, ()) if one.casefold() != label.casefold())
            if on or others:
                kept[id_] = (*others, label) if on else others
        data = msgspec.json.encode(kept)
        if etag:
            self._texts.exchange(FILE, etag, data, self._token())
        else:
            self._texts.make_folder()
            self._texts.make(FILE, data, self._token())


AT_ONCE = 50
DEEP = 1000
"""The most messages whose texts and recipients a search reads."""
WHOLE = 10_000_000
"""The most characters that are read of the text of one message."""
IN_COLUMNS = frozenset({"from", "subject"})


@dataclass(frozen=True)
class AppleMail(StoredMail):
    """The person's mail in the application Mail."""

    app: MailApp
    labels: Labels
    deep: int = DEEP

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        wanted = Filter(("inbox",), unread=None if include_read else True, most=limit)
        return tell_apart(await self._with_details(heads_of(await self.app.list(wanted))[:limit]), self.known)

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        criteria = wanted.criteria
        read = await self.app.list(Filter(None, wanted.after, wanted.before, criteria.unread))
        boxes = [box for box in read if box.name not in HIDDEN]
        shallow = replace(wanted, criteria=replace(criteria, to=None))
        heads = [one for one in await self._labelled(boxes) if fulfils_by_head(one.message, shallow)]
        deep = criteria.to is not None or criteria.text is not None
        found = await self._pick(heads, criteria.limit, lambda one: fulfils(one, wanted), deep=deep)
        return self._complete(found, boxes, criteria.limit)

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        parsed = parse_query(query, self.context)
        boxes = [box for box in await self.app.list(Filter()) if parsed.searches(fold_mailbox(box.name))]

        def is_found(message: Message) -> bool:
            names = tuple(one.name for one in message.attachments)
            return matches(parsed, replace(query_message(message), body=message.body_text, attachments=names))

        heads = await self._labelled(boxes)
        found = await self._pick(heads, limit, is_found, deep=_needs_details(parsed))
        return self._complete(found, boxes, limit)

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        found = await self.find(ids, first=True)
        read = await self._with_details([found[one] for one in ids if one in found], WHOLE)
        by_place = {message.place: message for message in read}
        return tuple(
            replace(by_place[found[one].message.place], message_id=one)
            for one in ids
            if one in found and found[one].message.place in by_place
        )

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        found = await self.find(ids)
        return tuple(replace(found[one].message, message_id=one) for one in ids if one in found)

    async def find(self, ids: Sequence[str], *, first: bool = False) -> dict[str, Head]:
        """Return messages by their ids, with their labels; unknown ids are left out.

        If several messages of a mailbox have the same id, returns the newest one if `first`, and else raises
        `ProposalError`.
        """
        if not ids:
            return {}
        places = {one: place_of(one) for one in ids}
        by_id = [bare_id(one) for one, place in places.items() if place is None]
        by_uid = [place.uid for place in places.values() if place is not None]
        likely = {place.mailbox for one in ids if (place := places[one] or self.known[one]) is not None}
        boxes = await self.app.find(by_id, by_uid, sorted(likely))
        heads = await self._labelled(boxes)
        found: dict[str, Head] = {}
        for one in ids:
            place = places[one]
            alike = [head for head in heads if (head.message.place == place if place else head.id == bare_id(one))]
            here = [head for head in alike if head.message.mailbox == _best(alike, boxes)]
            if len(here) > 1 and not first:
                raise ambiguous(one, [head.message.place for head in here])
            if here:
                found[one] = here[0]
                self.known.put(one, here[0].message.place)
        return found

    async def find_attachment(self, id_: str, number: int) -> AttachmentFile | None:
        for head in (await self.find((id_,), first=True)).values():
            (read,) = await self.app.details([head], 0)
            source = await self.app.source(head)
            if read is None or source is None:
                return None
            return _read_attachment(head, read, source, number)
        return None

    async def keeps_draft(self, length: int) -> bool:
        """Return false: Mail opens a window with a mail of any length."""
        return False

    def check_sending(self) -> None:
        """Raise `SetupError` if mail can be sent neither by a server nor by Mail itself."""
        settings = self.outgoing.context.settings
        if settings.get("smtp_host"):
            read_server(settings)
        elif not settings.get("address"):
            raise SetupError(
                "mail cannot be sent yet: sayso does not know from which address; set it to an address of Mail's with "
                "“sayso config set mail.address YOU@EXAMPLE.ORG”",
                "mail.sender",
            )

    async def _labelled(self, boxes: Sequence[ReadBox]) -> list[Head]:
        kept = await self.labels.read()
        return [
            replace(head, message=replace(head.message, labels=kept.get(head.message.message_id, ())))
            for head in heads_of(boxes)
        ]

    async def _with_details(self, heads: Sequence[Head], most: int = LISTED) -> list[Message]:
        """Return messages with their texts; one that is gone by now is left out."""
        found: list[Message] = []
        kept = await self.labels.read()
        for some in _in_parts(heads):
            for head, read in zip(some, await self.app.details(some, most), strict=True):
                if read is not None:
                    labels = kept.get(head.message.message_id, ())
                    found.append(_with_text(replace(head.message, labels=labels), read))
        return found

    async def _pick(
        self, heads: Sequence[Head], limit: int, wanted: Callable[[Message], bool], *, deep: bool
    ) -> list[Message]:
        """Return the newest of these messages that are wanted; if `deep`, that can be told only by their details."""
        if not deep:
            return await self._with_details([head for head in heads if wanted(head.message)][:limit])
        found: list[Message] = []
        for number, some in enumerate(_in_parts(heads)):
            if number * AT_ONCE >= self.deep:
                raise ProviderError(
                    f"only the texts of the newest {self.deep:,} messages were looked at, and {len(found)} of them "
                    "match; name a time or a sender, so that fewer have to be read",
                    "mail.too_many",
                )
            found += [message for message in await self._with_details(some) if wanted(message)]
            if len(found) >= limit:
                break
        return found[:limit]

    def _complete(self, found: Sequence[Message], boxes: Sequence[ReadBox], limit: int) -> tuple[Message, ...]:
        """Return what was found. Raises `ProviderError` if there may be more that was not looked at."""
        cut = [box for box in boxes if box.matching > len(box.messages)]
        if cut and len(found) < limit:
            raise ProviderError(
                f"{quoted(cut[0].name)} has {cut[0].matching:,} messages, and only the newest {NEWEST:,} were looked "
                f"at: {len(found)} match; name a time, so that fewer have to be read",
                "mail.too_many",
            )
        return tell_apart(found, self.known)


def _needs_details(query: Query) -> bool:
    """Return whether a query asks for more than the columns of a mailbox have."""
    return any(
        isinstance(leaf, HasAttachment) or (isinstance(leaf, Words) and leaf.field not in IN_COLUMNS)
        for leaf in leaves(query.term)
    )


def _best(alike: Sequence[Head], boxes: Sequence[ReadBox]) -> str:
    """Return the first mailbox in which one of these messages is, the trash and junk last; empty if there is none."""
    names = {head.message.mailbox for head in alike}
    order = sorted(boxes, key=lambda box: box.name in HIDDEN)
    return next((box.name for box in order if box.name in names), "")


def _in_parts(heads: Sequence[Head]) -> Iterator[Sequence[Head]]:
    return (heads[start : start + AT_ONCE] for start in range(0, len(heads), AT_ONCE))


def _with_text(message: Message, read: Details) -> Message:
    files = ((number, _plain_name(name, number)) for number, name in enumerate(read.files, 1))
    return replace(
        message,
        to=tuple(map(str, read.to)),
        cc=tuple(map(str, read.cc)),
        body_text=read.text or "",
        text_left=message.size if read.text is None else read.left,
        attachments=tuple(Attachment(number, name, guess_type(name)[0] or "", 0) for number, name in files),
    )


def _plain_name(name: str, number: int) -> str:
    return file_name(MimePart("", "", name=name), number)


def _read_attachment(head: Head, read: Details, source: bytes, number: int) -> AttachmentFile:
    """Return an attachment by its number in Mail's list, found by its name in the source of the message."""
    if not 1 <= number <= len(read.files):
        raise no_file(number, len(read.files))
    name, parsed = _plain_name(read.files[number - 1], number), parse_message(source)
    named = [at for at, part in enumerate(files_of(parsed.root), 1) if _plain_name(part.name, number) == name]
    content = parsed.file(named[0]) if len(named) == 1 else None
    if content is None:
        raise ProposalError(f"{quoted(name)} cannot be told apart in this mail; save it in Mail", "mail.attachment")
    if len(content) > MOST_FILE:
        raise too_large(name, MOST_FILE)
    return AttachmentFile(head.message.from_address, head.message.subject, name, content)
