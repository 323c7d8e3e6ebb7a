"""Build the bytes of a message once, before anybody is asked, and make sure that they say what is shown."""

from datetime import datetime
from email import message_from_string
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from sayso.core.arguments import text_problem
from sayso.core.errors import ProposalError, SetupError
from sayso.providers.mail.addresses import Recipient, read_addresses
from sayso.providers.mail.steps import SendMessage

_LONGEST_PLAIN = 900
"""RFC 5322 lets a line have 998 characters; what is longer, or not ASCII, is encoded."""
_LONGEST_NAME = 60
"""A longer name is encoded too, in pieces, so that no line becomes too long."""


def built(step: SendMessage, moment: datetime) -> str:
    """Return a message as it goes over the wire: ASCII, CR LF, and no word of hidden recipients."""
    problem = text_problem(step.subject, "line")
    if problem is not None:
        raise ProposalError(f"“subject” {problem}", "arguments.characters")
    people = _fields(step)
    message = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
    message["Subject"] = step.subject
    message["Date"] = format_datetime(moment)
    message["Message-ID"] = step.message_id
    lines = step.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    plain = all(line.isascii() and len(line) < _LONGEST_PLAIN for line in lines)
    message.set_content("\n".join(lines), cte="7bit" if plain else "quoted-printable")
    raw = "".join(_line(name, those) for name, those in people.items()) + message.as_bytes().decode("ascii")
    _says_the_same(raw, step, people, "\n".join(lines))
    return raw


def _fields(step: SendMessage) -> dict[str, list[Recipient]]:
    fields = {"From": _sender(step.sender), "To": _people(step.to, "to")}
    more = {"Cc": _people(step.cc, "cc"), "Reply-To": _people(step.reply_to, "reply_to")}
    return fields | {name: people for name, people in more.items() if people}


def _sender(sender: str) -> list[Recipient]:
    try:
        return _people((sender,), "from")
    except ProposalError as wrong:
        raise SetupError(f"“name” and “address” in [mail] make no sender: {wrong}", "mail.sender") from None


def _people(people: tuple[str, ...], field: str) -> list[Recipient]:
    return [one for person in people for one in read_addresses(person, field)]


def _line(name: str, people: list[Recipient]) -> str:
    # Written here, one address to a line: the standard library folds long lists with encoded names into
    # fields in which the comma between two addresses is encoded as well, and so is none.
    return f"{name}: " + ",\r\n ".join(_person(one) for one in people) + "\r\n"


def _person(one: Recipient) -> str:
    if not one.name:
        return one.address
    if one.name.isascii() and len(one.name) <= _LONGEST_NAME:
        return f'"{one.name}" <{one.address}>'
    name = Header(one.name, "utf-8", maxlinelen=_LONGEST_NAME).encode(splitchars="", linesep="\r\n")
    return f"{name}\r\n <{one.address}>"


def _says_the_same(raw: str, step: SendMessage, people: dict[str, list[Recipient]], body: str) -> None:
    """Read the message as its receivers will. Raises `ProposalError` where it does not say what is shown."""
    read: Any = message_from_string(raw, policy=SMTP)
    said = str(read.get_content()).replace("\r\n", "\n").removesuffix("\n")
    same = (
        all(
            _reads(read[name].addresses) == [(_squeezed(one.name), one.address) for one in those]
            for name, those in people.items()
        )
        and str(read["Subject"]).split() == step.subject.split()
        and said == body.removesuffix("\n")
        and set(read.keys()) <= _FIELDS
    )
    if not same:
        raise ProposalError("the mail cannot be written as it is; write subject and body more plainly", "mail.built")


def _reads(addresses: Any) -> list[tuple[str, str]]:
    return [(_squeezed(one.display_name), one.addr_spec) for one in addresses]


def _squeezed(name: str) -> str:
    return "".join(name.split())


_FIELDS = frozenset(
    {"From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"}
    | {"Content-Transfer-Encoding"}
)
