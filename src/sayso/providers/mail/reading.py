"""The operations that read mail: the inbox, searches, and single messages."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from sayso.core.arguments import Ids, Line
from sayso.core.canonical import Json
from sayso.core.fence import fenced
from sayso.core.objects import members_of, read_object
from sayso.core.operation import Operation, operation
from sayso.core.plan import Answer
from sayso.core.when import read_when
from sayso.providers.mail.ids import checked
from sayso.providers.mail.store import Criteria, Mail, Message, Wanted

PREVIEW = 200
"""Characters of each text that a model is shown of a list."""
WHOLE = 20_000
"""Characters that it is shown of one message."""
LONGEST, MOST_NAMED = 300, 50
"""Characters of a subject, a sender or a name, and names of attachments, that it is shown of any message."""
DEFAULT_LIMIT = 50
Limit = Annotated[int, Meta(ge=1, le=500, description="How many messages at most.")]
CriteriaObject = Annotated[
    dict[str, Any],
    Meta(
        description="What to search for; all members are optional and combined by AND.",
        extra_json_schema=members_of(Criteria),
    ),
]


@operation("mail.inbox", kind="read", asks="none", outside=True)
async def inbox(mail: Mail, limit: Limit = DEFAULT_LIMIT, include_read: bool = True) -> Answer:  # noqa: FBT001, FBT002 - arguments of the specification
    """List the messages in the inbox, newest first."""
    found = await mail.inbox(limit, include_read=include_read)
    return _answer(found, "in the inbox" if include_read else "unread in the inbox")


@operation("mail.search", kind="read", asks="none", outside=True)
async def search(mail: Mail, criteria: CriteriaObject) -> Answer:
    """Search all mail by sender, recipient, subject, text, label, read state and time."""
    wanted = read_object("criteria", criteria, Criteria)
    after, before = (read_when(day).at(mail.zone()) if day else None for day in (wanted.after, wanted.before))
    return _answer(await mail.search(Wanted(wanted, after, before)), "found")


@operation("mail.query", kind="read", asks="none", outside=True)
async def query(mail: Mail, query: Line) -> Answer:
    """Search all mail with a query in Gmail's language."""
    return _answer(await mail.query(query, DEFAULT_LIMIT), "found")


@operation("mail.get", kind="read", asks="none", outside=True)
async def get(mail: Mail, id: Line) -> Answer:  # noqa: A002 - the word of the specification
    """Show the message with this id, if there is one."""
    return _answer(await mail.get(checked([id])), "found", WHOLE)


@operation("mail.get_many", kind="read", asks="none", outside=True)
async def get_many(mail: Mail, ids: Ids) -> Answer:
    """Show the messages with these ids; ids that no message has are left out."""
    return _answer(await mail.get(checked(ids)), "found")


def message_json(message: Message) -> dict[str, Json]:
    """Return a message as results hold it."""
    return {
        "message_id": message.message_id,
        "from_address": message.from_address,
        "to": list(message.to),
        "cc": list(message.cc),
        "subject": message.subject,
        "body_text": message.body_text,
        "body_characters": len(message.body_text) + message.text_left,
        "received_at": message.received_at,
        "labels": list(message.labels),
        "starred": "starred" in message.flags,
        "unread": "read" not in message.flags,
        "mailbox": message.mailbox,
        "size": message.size,
        "attachments": [
            {"number": one.number, "name": one.name, "type": one.type, "size": one.size} for one in message.attachments
        ],
    }


def _answer(found: Sequence[Message], where: str, most: int = PREVIEW) -> Answer:
    if not found:
        return Answer(f"No messages {where}", {"messages": []}, f"No messages {where}.")
    count = f"{len(found)} message{'s' if len(found) > 1 else ''} {where}"
    told = fenced("messages", [_told(one, most) for one in found])
    return Answer(count, {"messages": [message_json(one) for one in found]}, f"{count}:\n{told}")


def _told(message: Message, most: int) -> dict[str, Json]:
    """Return what a model is shown of a message: a part of its text, and how much there is."""
    text = message.body_text if most > PREVIEW else " ".join(message.body_text.split())
    whole = len(text) + message.text_left
    told: dict[str, Json] = {
        "from": in_part(message.from_address),
        "subject": in_part(message.subject),
        "received_at": message.received_at,
        "id": message.message_id,
        "text": text[:most],
    }
    if whole > most:
        told["shortened"] = f"the first {most:,} of {whole:,} characters"
    if message.attachments:
        told["attachments"] = [in_part(one.name) for one in message.attachments[:MOST_NAMED]]
    if len(message.attachments) > MOST_NAMED:
        told["attachments_shortened"] = f"the first {MOST_NAMED} of {len(message.attachments):,}"
    return told


def in_part(text: str) -> str:
    """Return one line of a message as a model or a list is shown it: a part of a long one, and how long it is."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


READING: tuple[Operation, ...] = (inbox, search, query, get, get_many)
