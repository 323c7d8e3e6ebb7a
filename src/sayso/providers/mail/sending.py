"""The operations that write mail: compose and send."""

import re
from typing import Annotated

from msgspec import Meta

from sayso.core.arguments import AnyLine, Text
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, operation
from sayso.core.plan import CannotUndo, Change, Plan
from sayso.core.replacing import replace
from sayso.providers.mail.addresses import Recipient, read_addresses
from sayso.providers.mail.building import built
from sayso.providers.mail.steps import ComposeMessage, MoveMessages, SendMessage
from sayso.providers.mail.store import Mail

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
    recipients = _written(read_addresses(to, "to"))
    draft = await mail.keeps_draft(len(subject) + len(body))
    step = ComposeMessage(mail.new_message_id(), recipients, subject, body, draft)
    verb = "Save as a draft" if draft else "Open"
    return Plan(
        f"{verb} a mail to {', '.join(recipients)} for you to look at: “{subject}”",
        (Change(step, undo=_put_away(mail, step)),),
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
    mail.may_send()
    subject = _plain(subject)
    first, copies, hidden = read_addresses(to, "to"), _maybe(cc, "cc"), _maybe(bcc, "bcc")
    answers = _written(_maybe(reply_to, "reply_to"))
    step = SendMessage(
        mail.new_message_id(),
        mail.sender(),
        _written(first),
        subject,
        body,
        _written(copies),
        _written(hidden),
        answers,
    )
    step = replace(step, raw=built(step, mail.now()))
    everyone = dict.fromkeys(one.address for one in (*first, *copies, *hidden))
    return Plan(
        f"Send “{subject}” to {', '.join(everyone)}",
        (Change(step, undo=CannotUndo("a sent mail cannot be called back")),),
        said_when_done=f"Sent “{subject}” to {', '.join(everyone)}",
        sends=(
            *(f"mail to {one}{_spelled(one)}" for one in first),
            *(f"mail, as a copy, to {one}{_spelled(one)}" for one in copies),
            *(f"mail, as a hidden copy, to {one}{_spelled(one)}" for one in hidden),
        ),
        warns=(f"Answers will go to {', '.join(answers)}",) if answers else (),
        preview=_preview(step),
        data={"message_id": step.message_id},
    )


def _put_away(mail: Mail, step: ComposeMessage) -> MoveMessages | CannotUndo:
    if step.draft:
        return MoveMessages((step.message_id,), "drafts", "trash", mail.new_token())
    return CannotUndo("close the compose window yourself; nothing was sent")


def _maybe(text: str | None, field: str) -> tuple[Recipient, ...]:
    return () if text is None else read_addresses(text, field)


def _written(recipients: tuple[Recipient, ...]) -> tuple[str, ...]:
    return tuple(str(recipient) for recipient in recipients)


def _spelled(recipient: Recipient) -> str:
    """Return how a domain with letters beyond ASCII looks to a person, beside the form that decides."""
    domain = recipient.address.rpartition("@")[2]
    if "xn--" not in domain:
        return ""
    try:
        return f" (that is {domain.encode('ascii').decode('idna')}, a name with letters beyond a to z)"
    except UnicodeError:
        return " (a name with letters beyond a to z)"


def _plain(subject: str) -> str:
    """Return a subject as it arrives: blanks around it do not."""
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
