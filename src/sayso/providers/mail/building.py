"""Build the bytes of a message once, before anybody is asked, and make sure that they say what is shown."""

from datetime import datetime
from email import message_from_string
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from sayso.core.arguments import text_problem
from sayso.core.errors import ProposalError, SetupError
from sayso.providers.mail.addresses import read_addresses
from sayso.providers.mail.steps import SendMessage

_LONGEST_PLAIN = 900
"""RFC 5322 lets a line have 998 characters; what is longer, or not ASCII, is encoded."""


def built(step: SendMessage, moment: datetime) -> str:
    """Return a message as it goes over the wire: ASCII, CR LF, and no word of hidden recipients."""
    problem = text_problem(step.subject, "line")
    if problem is not None:
        raise ProposalError(f"“subject” {problem}", "arguments.characters")
    message = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
    message["From"] = _sender(step.sender)
    message["To"] = _people(step.to, "to")
    for name, people in (("Cc", step.cc), ("Reply-To", step.reply_to)):
        if people:
            message[name] = _people(people, name.lower())
    message["Subject"] = step.subject
    message["Date"] = format_datetime(moment)
    message["Message-ID"] = step.message_id
    lines = step.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    plain = all(line.isascii() and len(line) < _LONGEST_PLAIN for line in lines)
    message.set_content("\n".join(lines), cte="7bit" if plain else "quoted-printable")
    raw = message.as_bytes().decode("ascii")
    _says_the_same(raw, step, "\n".join(lines))
    return raw


def _sender(sender: str) -> list[Address]:
    try:
        return _people((sender,), "from")
    except ProposalError as wrong:
        raise SetupError(f"“name” and “address” in [mail] make no sender: {wrong}", "mail.sender") from None


def _people(people: tuple[str, ...], field: str) -> list[Address]:
    return [Address(one.name, addr_spec=one.address) for person in people for one in read_addresses(person, field)]


def _says_the_same(raw: str, step: SendMessage, body: str) -> None:
    """Read the message as its receivers will. Raises `ProposalError` where it does not say what is shown."""
    read: Any = message_from_string(raw, policy=SMTP)
    to = [one.addr_spec for one in read["To"].addresses]
    said = str(read.get_content()).replace("\r\n", "\n").removesuffix("\n")
    same = (
        to == [one.addr_spec for one in _people(step.to, "to")]
        and str(read["Subject"]).split() == step.subject.split()
        and said == body.removesuffix("\n")
        and set(read.keys()) <= _FIELDS
    )
    if not same:
        raise ProposalError("the mail cannot be written as it is; write subject and body more plainly", "mail.built")


_FIELDS = frozenset(
    {"From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"}
    | {"Content-Transfer-Encoding"}
)
