"""The operations that sort mail: archive, trash, star, read state and labels."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from sayso.core.arguments import Ids, Line
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, operation
from sayso.core.plan import Change, Fact, Facts, Plan
from sayso.providers.mail.attachments import ATTACHMENTS
from sayso.providers.mail.ids import all_of
from sayso.providers.mail.labels import has_label
from sayso.providers.mail.reading import READING, in_part
from sayso.providers.mail.sending import SENDING
from sayso.providers.mail.steps import MoveMessages, SetFlag, SetLabel
from sayso.providers.mail.store import Flag, Mail, Message


@operation("mail.archive", kind="write", asks="click")
async def archive(mail: Mail, ids: Ids) -> Plan:
    """Take messages out of the inbox into the archive."""
    found = await all_of(mail, ids)
    moving = [message for message in found if message.mailbox == "inbox"]
    if not moving:
        return Plan(f"{_named(found)}: not in the inbox, nothing to archive")
    return _moved(mail, found, moving, ("archive", "Archive", "Archived"))


@operation("mail.trash", kind="destructive", asks="click")
async def trash(mail: Mail, ids: Ids) -> Plan:
    """Put messages into the trash."""
    found = await all_of(mail, ids)
    moving = [message for message in found if message.mailbox != "trash"]
    if not moving:
        return Plan(f"{_named(found)}: already in the trash")
    return _moved(mail, found, moving, ("trash", "Put into the trash:", "Put into the trash:"))


@operation("mail.star", kind="write", asks="click")
async def star(mail: Mail, ids: Ids) -> Plan:
    """Star messages."""
    return await _flagged(mail, ids, "starred", ("Star", "Starred", "already starred"), on=True)


@operation("mail.unstar", kind="write", asks="click")
async def unstar(mail: Mail, ids: Ids) -> Plan:
    """Take the star off messages."""
    words = ("Take the star off", "Took the star off", "not starred")
    return await _flagged(mail, ids, "starred", words, on=False)


@operation("mail.mark_read", kind="write", asks="click")
async def mark_read(mail: Mail, ids: Ids) -> Plan:
    """Mark messages as read."""
    words = ("Mark as read:", "Marked as read:", "already read")
    return await _flagged(mail, ids, "read", words, on=True)


@operation("mail.mark_unread", kind="write", asks="click")
async def mark_unread(mail: Mail, ids: Ids) -> Plan:
    """Mark messages as unread."""
    words = ("Mark as unread:", "Marked as unread:", "already unread")
    return await _flagged(mail, ids, "read", words, on=False)


@operation("mail.add_label", kind="write", asks="click")
async def add_label(mail: Mail, ids: Ids, label: Line) -> Plan:
    """Add a label to messages."""
    return await _labelled(mail, ids, label, ("Add the label", "to", "Added the label"), on=True)


@operation("mail.remove_label", kind="write", asks="click")
async def remove_label(mail: Mail, ids: Ids, label: Line) -> Plan:
    """Take a label off messages."""
    return await _labelled(mail, ids, label, ("Take the label", "off", "Took the label"), on=False)


def _moved(mail: Mail, found: Sequence[Message], moving: Sequence[Message], words: tuple[str, str, str]) -> Plan:
    destination, verb, past = words
    changes: list[Change] = []
    for source, group in groupby(sorted(moving, key=lambda one: one.mailbox), key=lambda one: one.mailbox):
        messages = tuple(group)
        ids = tuple(message.message_id for message in messages)
        step = MoveMessages(ids, source, destination, mail.new_token())
        undo = MoveMessages(ids, destination, source, mail.new_token())
        changes.append(Change(step, undo, _grouped(mail.where(message) for message in messages)))
    return Plan(
        f"{verb} {_named(moving)}",
        tuple(changes),
        said_when_done=f"{past} {_named(moving)}",
        on_failure="go on",
        warns=_left_out(found, moving),
        preview=_listed(moving),
        data={"ids": [message.message_id for message in moving]},
    )


async def _flagged(mail: Mail, ids: Sequence[str], flag: Flag, words: tuple[str, str, str], *, on: bool) -> Plan:
    found = await all_of(mail, ids)
    changing = [message for message in found if (flag in message.flags) is not on]
    if not changing:
        return Plan(f"{_named(found)}: {words[2]}")
    targets = tuple(message.message_id for message in changing)
    facts = _grouped(fact for one in changing for fact in (mail.where(one), mail.flag(one, flag)))
    return Plan(
        f"{words[0]} {_named(changing)}",
        (Change(SetFlag(targets, flag, on), SetFlag(targets, flag, not on), facts),),
        said_when_done=f"{words[1]} {_named(changing)}",
        on_failure="go on",
        warns=_left_out(found, changing),
        preview=_listed(changing),
        data={"ids": list(targets)},
    )


async def _labelled(mail: Mail, ids: Sequence[str], label: str, words: tuple[str, str, str], *, on: bool) -> Plan:
    name = label.strip()
    if not name:
        raise ProposalError("“label” must be a text that is not only blanks", "arguments.type")
    found = await all_of(mail, ids)
    changing = [message for message in found if has_label(message, name) is not on]
    if not changing:
        return Plan(f"{_named(found)}: {'already' if on else 'not'} labelled “{name}”")
    targets = tuple(message.message_id for message in changing)
    facts = _grouped(fact for one in changing for fact in (mail.where(one), mail.label(one, name)))
    return Plan(
        f"{words[0]} “{name}” {words[1]} {_named(changing)}",
        (Change(SetLabel(targets, name, on), SetLabel(targets, name, not on), facts),),
        said_when_done=f"{words[2]} “{name}” {words[1]} {_named(changing)}",
        on_failure="go on",
        warns=_left_out(found, changing),
        preview=_listed(changing),
        data={"ids": list(targets)},
    )


def _grouped(facts: Iterable[Fact]) -> Facts:
    # In the order in which the journal gives them back: fact by fact.
    return tuple(sorted(facts, key=attrgetter("fact")))


def _named(messages: Sequence[Message]) -> str:
    if len(messages) > 1:
        return f"{len(messages)} messages"
    return f"“{in_part(messages[0].subject) or '(no subject)'}” from {in_part(messages[0].from_address)}"


def _listed(messages: Sequence[Message]) -> str:
    return "\n".join(f"{in_part(one.from_address)}: {in_part(one.subject)} ({one.received_at})" for one in messages)


def _left_out(found: Sequence[Message], changing: Sequence[Message]) -> tuple[str, ...]:
    same = len(found) - len(changing)
    if not same:
        return ()
    return (f"{same} of {len(found)} messages {'is' if same == 1 else 'are'} so already and stay as they are",)


OPERATIONS: tuple[Operation, ...] = (
    *SENDING, *READING, archive, star, unstar, mark_read, mark_unread, add_label, remove_label, trash, *ATTACHMENTS,
)  # fmt: skip
