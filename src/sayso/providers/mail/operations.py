"""The operations on mail: read, search, sort, write, and save attachments."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from sayso.core.datetimes import order_problem, read_when
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, operation
from sayso.core.plan import Answer, Change, Fact, Plan
from sayso.core.quotes import quoted
from sayso.core.sanitize import fence_data
from sayso.core.schema import AnyLine, Ids, Index, Line, Text, UserPath, members_of, read_object
from sayso.providers.mail.addresses import Recipient, read_addresses
from sayso.providers.mail.compose import build_message
from sayso.providers.mail.messages import all_of, check_ids
from sayso.providers.mail.model import (
    ComposeMessage,
    MailAt,
    MailFlag,
    MailLabel,
    MoveMessages,
    SaveAttachment,
    SendMessage,
    SetFlag,
    SetLabel,
)
from sayso.providers.mail.store import Criteria, DatedCriteria, Flag, Mail, Message, digest_of

PREVIEW = 200
"""Number of characters of each text that a model is shown when messages are listed."""
WHOLE = 20_000
"""Number of characters of the text that a model is shown of one message."""
LONGEST, MOST_NAMED = 300, 50
"""The most characters of a subject, sender or name, and the most attachment names, that a model is shown."""
DEFAULT_LIMIT = 50
Limit = Annotated[int, Meta(ge=1, le=500, description="How many messages at most.")]


def _check_criteria(name: str, value: dict[str, Json]) -> None:
    wanted = read_object(name, value, Criteria)
    if wanted.after is not None and wanted.before is not None:
        wrong = order_problem((f"{name}.after", f"{name}.before"), wanted.after, wanted.before)
        if wrong is not None:
            raise ProposalError(wrong, "arguments.date")


CriteriaObject = Annotated[
    dict[str, Any],
    Meta(
        description="What to search for; all members are optional and combined by AND.",
        extra_json_schema=members_of(Criteria),
        extra={"check": _check_criteria},
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
    after, before = (read_when(day).at(mail.context.zone()) if day else None for day in (wanted.after, wanted.before))
    return _answer(await mail.search(DatedCriteria(wanted, after, before)), "found")


@operation("mail.query", kind="read", asks="none", outside=True)
async def query(mail: Mail, query: Line) -> Answer:
    """Search all mail with a query in Gmail's language."""
    return _answer(await mail.query(query, DEFAULT_LIMIT), "found")


@operation("mail.get", kind="read", asks="none", outside=True)
async def get(mail: Mail, id: Line) -> Answer:  # noqa: A002 - the word of the specification
    """Show the message with this id, if there is one."""
    return _answer(await mail.get(check_ids([id])), "found", WHOLE)


@operation("mail.get_many", kind="read", asks="none", outside=True)
async def get_many(mail: Mail, ids: Ids) -> Answer:
    """Show the messages with these ids; ids that no message has are left out."""
    return _answer(await mail.get(check_ids(ids)), "found")


def message_json(message: Message) -> dict[str, Json]:
    """Return a message as JSON for the data of a result."""
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
    fenced = fence_data("messages", [_excerpt(one, most) for one in found])
    return Answer(count, {"messages": [message_json(one) for one in found]}, f"{count}:\n{fenced}")


def _excerpt(message: Message, most: int) -> dict[str, Json]:
    """Return what a model is shown of a message: the beginning of its text, and how long the text is."""
    text = message.body_text if most > PREVIEW else " ".join(message.body_text.split())
    whole = len(text) + message.text_left
    shown: dict[str, Json] = {
        "from": in_part(message.from_address),
        "subject": in_part(message.subject),
        "received_at": message.received_at,
        "id": message.message_id,
        "text": text[:most],
    }
    if whole > most:
        shown["shortened"] = f"the first {most:,} of {whole:,} characters"
    if message.attachments:
        shown["attachments"] = [in_part(one.name) for one in message.attachments[:MOST_NAMED]]
    if len(message.attachments) > MOST_NAMED:
        shown["attachments_shortened"] = f"the first {MOST_NAMED} of {len(message.attachments):,}"
    return shown


def in_part(text: str) -> str:
    """Return a line of a message; a long one is shortened, followed by its full length."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


READING: tuple[Operation, ...] = (inbox, search, query, get, get_many)

Addresses = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=20_000,
        description="Mail addresses, separated by commas: name@example.org or Name <name@example.org>.",
        extra={"kind": "line"},
    ),
]
_ENCODED_WORD = re.compile(r"=\?[^?\s]+\?[bBqQ]\?[^?]*\?=")


@operation("mail.compose", kind="write", asks="mode")
async def compose(mail: Mail, to: Addresses, subject: AnyLine, body: Text) -> Plan:
    """Open a mail compose window filled with recipient, subject and body; nothing is sent."""
    subject = _plain(subject)
    recipients = _write_recipients(read_addresses(to, "to"))
    draft = await mail.keeps_draft(len(subject) + len(body))
    step = ComposeMessage(mail.context.new_message_id(), recipients, subject, body, draft)
    verb = "Save as a draft" if draft else "Open"
    about = f" for you to look at: {quoted(subject)}" if subject else " without a subject, for you to look at"
    return Plan(
        f"{verb} a mail to {', '.join(recipients)}{about}",
        (Change(step, step.undo(mail.context)),),
        said_when_done="Saved a draft for you to look at and send" if draft else "Opened email compose",
        preview=_preview(step),
        data={"message_id": step.message_id},
    )


@operation("mail.send", kind="external", asks="floor")
async def send(  # noqa: PLR0913, PLR0917 - the arguments of the specification
    mail: Mail,
    to: Addresses,
    subject: AnyLine,
    body: Text,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    reply_to: Addresses | None = None,
) -> Plan:
    """Send a mail."""
    mail.check_sending()
    subject = _plain(subject)
    first, copies, hidden = read_addresses(to, "to"), _maybe(cc, "cc"), _maybe(bcc, "bcc")
    answers = _write_recipients(_maybe(reply_to, "reply_to"))
    step = SendMessage(
        mail.context.new_message_id(),
        mail.context.sender,
        _write_recipients(first),
        subject,
        body,
        _write_recipients(copies),
        _write_recipients(hidden),
        answers,
    )
    step = replace(step, raw=build_message(step, mail.context.now()))
    everyone = ", ".join(dict.fromkeys(one.address for one in (*first, *copies, *hidden)))
    titled = quoted(subject) if subject else "a mail without a subject"
    return Plan(
        f"Send {titled} to {everyone}",
        (Change(step, step.undo(mail.context)),),
        said_when_done=f"Sent {titled} to {everyone}",
        sends=(
            *(f"mail to {one}{_spell_recipient(one)}" for one in first),
            *(f"mail, as a copy, to {one}{_spell_recipient(one)}" for one in copies),
            *(f"mail, as a hidden copy, to {one}{_spell_recipient(one)}" for one in hidden),
        ),
        warns=(f"Answers will go to {', '.join(answers)}",) if answers else (),
        preview=_preview(step),
        data={"message_id": step.message_id},
    )


def _maybe(text: str | None, field: str) -> tuple[Recipient, ...]:
    return () if text is None else read_addresses(text, field)


def _write_recipients(recipients: tuple[Recipient, ...]) -> tuple[str, ...]:
    return tuple(str(recipient) for recipient in recipients)


def _spell_recipient(recipient: Recipient) -> str:
    """Return a note that shows a domain with letters beyond ASCII in its readable form; empty for other domains."""
    domain = recipient.address.rpartition("@")[2]
    if "xn--" not in domain:
        return ""
    try:
        return f" (that is {domain.encode('ascii').decode('idna')}, a name with letters beyond a to z)"
    except UnicodeError:
        return " (a name with letters beyond a to z)"


def _plain(subject: str) -> str:
    """Return the subject as it will arrive, which is without blanks around it.

    Raises `ProposalError` for encoded words.
    """
    if _ENCODED_WORD.search(subject):
        raise ProposalError("“subject” holds an encoded word; write it plainly", "arguments.characters")
    return subject.strip()


def _preview(step: SendMessage | ComposeMessage) -> str:
    lines = [("To", step.to)]
    if isinstance(step, SendMessage):
        lines.insert(0, ("From", (step.sender,)))
        lines += [("Cc", step.cc), ("Bcc", step.bcc), ("Reply-To", step.reply_to)]
    lines.append(("Subject", (step.subject,)))
    head = "\n".join(f"{name}: {', '.join(values)}" for name, values in lines if values)
    return f"{head}\n\n{step.body}"


SENDING: tuple[Operation, ...] = (compose, send)

Number = Annotated[Index, Meta(description="Which file of the mail, counting from 1 as in its list of attachments.")]
Place = Annotated[UserPath, Meta(description="A folder, or a path that is still free; absolute or starting with ~/.")]


@operation("mail.save_attachment", kind="write", asks="click")
async def save_attachment(mail: Mail, message_id: Line, number: Number, path: Place) -> Plan:
    """Save a file that came with a mail into a folder, or as a path that is still free."""
    (id_,) = check_ids([message_id])
    file = await mail.attachment(id_, number)
    place = await mail.free_path(path, file.name)
    if not file.data:
        raise ProposalError(f"{quoted(file.name)} is empty; there is nothing to save", "mail.attachment")
    step = SaveAttachment(id_, number, place.path, digest_of(file.data), len(file.data), mail.context.new_token())
    mail_named = f"the mail {quoted(file.subject or '(no subject)')}"
    return Plan(
        f"Save {quoted(file.name)} ({len(file.data):,} bytes) from {mail_named} as {quoted(place.path)}",
        (Change(step, step.undo(mail.context), place.expects),),
        said_when_done=f"Saved {quoted(file.name)} as {quoted(place.path)}",
        warns=(f"The file was sent by {file.sender or 'somebody'}; open it only if you trust them",),
        data={"path": place.path, "size": len(file.data), "sha256": step.sha256},
    )


@operation("mail.archive", kind="write", asks="click")
async def archive(mail: Mail, ids: Ids) -> Plan:
    """Take messages out of the inbox into the archive."""
    found = await all_of(mail, ids)
    moving = [message for message in found if message.mailbox == "inbox"]
    if not moving:
        return Plan(f"{_name_messages(found)}: not in the inbox, nothing to archive")
    return _plan_move(mail, found, moving, ("archive", "Archive", "Archived"))


@operation("mail.trash", kind="destructive", asks="click")
async def trash(mail: Mail, ids: Ids) -> Plan:
    """Put messages into the trash."""
    found = await all_of(mail, ids)
    moving = [message for message in found if message.mailbox != "trash"]
    if not moving:
        return Plan(f"{_name_messages(found)}: already in the trash")
    return _plan_move(mail, found, moving, ("trash", "Put into the trash:", "Put into the trash:"))


@operation("mail.star", kind="write", asks="click")
async def star(mail: Mail, ids: Ids) -> Plan:
    """Star messages."""
    return await _plan_flag(mail, ids, "starred", ("Star", "Starred", "already starred"), on=True)


@operation("mail.unstar", kind="write", asks="click")
async def unstar(mail: Mail, ids: Ids) -> Plan:
    """Take the star off messages."""
    words = ("Take the star off", "Took the star off", "not starred")
    return await _plan_flag(mail, ids, "starred", words, on=False)


@operation("mail.mark_read", kind="write", asks="click")
async def mark_read(mail: Mail, ids: Ids) -> Plan:
    """Mark messages as read."""
    words = ("Mark as read:", "Marked as read:", "already read")
    return await _plan_flag(mail, ids, "read", words, on=True)


@operation("mail.mark_unread", kind="write", asks="click")
async def mark_unread(mail: Mail, ids: Ids) -> Plan:
    """Mark messages as unread."""
    words = ("Mark as unread:", "Marked as unread:", "already unread")
    return await _plan_flag(mail, ids, "read", words, on=False)


@operation("mail.add_label", kind="write", asks="click")
async def add_label(mail: Mail, ids: Ids, label: Line) -> Plan:
    """Add a label to messages."""
    return await _plan_label(mail, ids, label, ("Add the label", "to", "Added the label"), on=True)


@operation("mail.remove_label", kind="write", asks="click")
async def remove_label(mail: Mail, ids: Ids, label: Line) -> Plan:
    """Take a label off messages."""
    return await _plan_label(mail, ids, label, ("Take the label", "off", "Took the label"), on=False)


def _plan_move(mail: Mail, found: Sequence[Message], moving: Sequence[Message], words: tuple[str, str, str]) -> Plan:
    destination, verb, past = words
    changes: list[Change] = []
    for source, group in groupby(sorted(moving, key=attrgetter("mailbox")), key=attrgetter("mailbox")):
        messages = tuple(group)
        step = MoveMessages(_ids_of(messages), source, destination, mail.context.new_token())
        changes.append(_change(mail, step, [MailAt.of(one) for one in messages]))
    return _plan_changes(found, moving, changes, (f"{verb} ", f"{past} "))


async def _plan_flag(mail: Mail, ids: Sequence[str], flag: Flag, words: tuple[str, str, str], *, on: bool) -> Plan:
    verb, past, already = words
    found = await all_of(mail, ids)
    changing = [message for message in found if (flag in message.flags) is not on]
    if not changing:
        return Plan(f"{_name_messages(found)}: {already}")
    facts = [fact for one in changing for fact in (MailAt.of(one), MailFlag.of(one, flag))]
    change = _change(mail, SetFlag(_ids_of(changing), flag, on), facts)
    return _plan_changes(found, changing, [change], (f"{verb} ", f"{past} "))


async def _plan_label(mail: Mail, ids: Sequence[str], label: str, words: tuple[str, str, str], *, on: bool) -> Plan:
    verb, preposition, past = words
    name = label.strip()
    if not name:
        raise ProposalError("“label” must be a text that is not only blanks", "arguments.type")
    found = await all_of(mail, ids)
    changing = [message for message in found if message.has_label(name) is not on]
    if not changing:
        return Plan(f"{_name_messages(found)}: {'already' if on else 'not'} labelled {quoted(name)}")
    facts = [fact for one in changing for fact in (MailAt.of(one), MailLabel.of(one, name))]
    change = _change(mail, SetLabel(_ids_of(changing), name, on), facts)
    begins = (f"{verb} {quoted(name)} {preposition} ", f"{past} {quoted(name)} {preposition} ")
    return _plan_changes(found, changing, [change], begins)


def _change(mail: Mail, step: MoveMessages | SetFlag | SetLabel, facts: Iterable[Fact]) -> Change:
    # Sorted by kind of fact, which is the order in which the journal returns them.
    expects = sorted(map(mail.fact, facts), key=attrgetter("fact"))
    return Change(step, step.undo(mail.context), tuple(expects))


def _plan_changes(
    found: Sequence[Message], changing: Sequence[Message], changes: Sequence[Change], begins: tuple[str, str]
) -> Plan:
    """Return the plan for the messages that must be changed.

    `begins` are the first words of two sentences: the summary, and what is said when the plan is done.
    """
    summary, done = begins
    return Plan(
        f"{summary}{_name_messages(changing)}",
        tuple(changes),
        said_when_done=f"{done}{_name_messages(changing)}",
        on_failure="go on",
        warns=_describe_left_out(found, changing),
        preview=_list_subjects(changing),
        data={"ids": list(_ids_of(changing))},
    )


def _ids_of(messages: Sequence[Message]) -> tuple[str, ...]:
    return tuple(message.message_id for message in messages)


def _name_messages(messages: Sequence[Message]) -> str:
    if len(messages) > 1:
        return f"{len(messages)} messages"
    return f"{quoted(in_part(messages[0].subject) or '(no subject)')} from {in_part(messages[0].from_address)}"


def _list_subjects(messages: Sequence[Message]) -> str:
    return "\n".join(f"{in_part(one.from_address)}: {in_part(one.subject)} ({one.received_at})" for one in messages)


def _describe_left_out(found: Sequence[Message], changing: Sequence[Message]) -> tuple[str, ...]:
    same = len(found) - len(changing)
    if not same:
        return ()
    return (f"{same} of {len(found)} messages {'is' if same == 1 else 'are'} so already and stay as they are",)
