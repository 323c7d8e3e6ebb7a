"""Build a mail, open it in a mail program, or send it; its bytes are built once, before the person is asked."""

import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from email import message_from_string
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import Applied, Settlement, Step
from sayso.core.ports import BackendContext
from sayso.core.schema import text_problem
from sayso.providers.mail.account import read_server
from sayso.providers.mail.addresses import Recipient, read_addresses
from sayso.providers.mail.model import ComposeMessage, MailSent, SendMessage
from sayso.providers.mail.outbox import Delivery, Outbox, SentMailbox
from sayso.providers.programs.run import ProgramCall, ProgramRunner


def message_bytes(step: ComposeMessage, sender: str, moment: datetime) -> bytes:
    """Return the bytes of the draft that `mail.compose` saves."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = ", ".join(step.to)
    message["Subject"] = step.subject
    message["Date"] = format_datetime(moment)
    message["Message-ID"] = step.message_id
    message.set_content(step.body, cte="quoted-printable")
    return message.as_bytes()


_LONGEST_PLAIN = 900
"""If a line is longer than this, or not ASCII, the body is encoded; RFC 5322 allows 998 characters in a line."""
_LONGEST_NAME = 60
"""A name that is longer than this is encoded even if it is ASCII: in pieces, so that no line becomes too long."""


def build_message(step: SendMessage, moment: datetime) -> str:
    """Return the message as it is sent: ASCII, lines ended by CR LF, and no mention of hidden recipients.

    Raises `ProposalError` or `SetupError` if no correct message can be built.
    """
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
    _check_message(raw, step, people, "\n".join(lines))
    return raw


def _fields(step: SendMessage) -> dict[str, list[Recipient]]:
    fields = {"From": _sender(step.sender), "To": _people(step.to, "to")}
    more = {"Cc": _people(step.cc, "cc"), "Reply-To": _people(step.reply_to, "reply_to")}
    return fields | {name: people for name, people in more.items() if people}


def _sender(sender: str) -> list[Recipient]:
    try:
        return _people((sender,), "from")
    except ProposalError as error:
        raise SetupError(f"“name” and “address” in [mail] make no sender: {error}", "mail.sender") from None


def _people(people: tuple[str, ...], field: str) -> list[Recipient]:
    return [one for person in people for one in read_addresses(person, field)]


def _line(name: str, people: list[Recipient]) -> str:
    # The line is written here, with one address to a line. In a long list with encoded names, the standard library also
    # encodes the commas between addresses, and then these commas no longer separate them.
    return f"{name}: " + ",\r\n ".join(_person(one) for one in people) + "\r\n"


def _person(one: Recipient) -> str:
    if not one.name:
        return one.address
    if one.name.isascii() and len(one.name) <= _LONGEST_NAME:
        return f'"{one.name}" <{one.address}>'
    name = Header(one.name, "utf-8", maxlinelen=_LONGEST_NAME).encode(splitchars="", linesep="\r\n")
    return f"{name}\r\n <{one.address}>"


def _check_message(raw: str, step: SendMessage, people: dict[str, list[Recipient]], body: str) -> None:
    """Parse the built message, and raise `ProposalError` if it differs from what the person is shown."""
    read: Any = message_from_string(raw, policy=SMTP)
    text = str(read.get_content()).replace("\r\n", "\n").removesuffix("\n")
    same = (
        all(
            _name_and_address(read[name].addresses) == [(_squeeze_blanks(one.name), one.address) for one in those]
            for name, those in people.items()
        )
        and str(read["Subject"]).split() == step.subject.split()
        and text == body.removesuffix("\n")
        and set(read.keys()) <= _FIELDS
    )
    if not same:
        raise ProposalError("the mail cannot be written as it is; write subject and body more plainly", "mail.built")


def _name_and_address(addresses: Any) -> list[tuple[str, str]]:
    return [(_squeeze_blanks(one.display_name), one.addr_spec) for one in addresses]


def _squeeze_blanks(name: str) -> str:
    return "".join(name.split())


_FIELDS = frozenset(
    {"From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"}
    | {"Content-Transfer-Encoding"}
)

Openers = tuple[tuple[str, tuple[str, ...]], ...]
HANDLER = "x-scheme-handler/mailto"
OPENERS: Openers = (("gio", ("open",)), ("xdg-open", ()))
OPENERS_OF_MACOS: Openers = (("open", ()),)
LONGEST = 8_000
"""The most characters of a mail that is opened in a mail program; a longer one is saved as a draft instead."""


class Composer:
    """Opens a mail in the desktop's mail program; `system` is the platform, as in `sys.platform`."""

    def __init__(self, runner: ProgramRunner, system: str = sys.platform) -> None:
        self._runner = runner
        self._system = system

    async def opens(self, length: int) -> bool:
        """Return whether a mail of this length can be opened: there must be a screen and a default mail program.

        macOS has both.
        """
        environ = self._runner.environ
        if self._system == "darwin":
            return length <= LONGEST and self._opener() is not None
        if length > LONGEST or not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")) or self._opener() is None:
            return False
        try:
            chosen = await self._runner.run_for_text(ProgramCall("xdg-mime", ("query", "default", HANDLER), whole=True))
        except (ProviderError, SetupError):
            return False
        return bool(chosen.strip())

    async def open(self, step: ComposeMessage) -> Applied:
        """Open a window with this mail. Raises `ProviderError` if no window was opened."""
        opener = self._opener()
        if opener is None:
            raise ProviderError("the program that opens mails is no longer there; no window was opened", "mail.compose")
        program, words = opener
        done = await self._runner.run(ProgramCall(program, words, (mailto(step),), silent=True, whole=True))
        if done.code:
            raise ProviderError(f"no window was opened: {done.name} ended with {done.code}", "mail.compose")
        return Applied(step.leaves())

    def _opener(self) -> tuple[str, tuple[str, ...]] | None:
        openers = OPENERS_OF_MACOS if self._system == "darwin" else OPENERS
        return next(((program, words) for program, words in openers if self._runner.find(program)), None)


def mailto(step: ComposeMessage) -> str:
    """Return the `mailto:` address (RFC 6068) that opens this mail in a mail program."""
    to = [one.address for person in step.to for one in read_addresses(person, "to")]
    body = "\r\n".join(step.body.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    fields = [("subject", step.subject), ("body", body)]
    written = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields if value)
    return f"mailto:{','.join(quote(one, safe='@') for one in to)}" + (f"?{written}" if written else "")


HOLD = 10.0
"""Seconds for which a mail is held back before it is sent, unless `hold_seconds` is set."""


class Outgoing(Struct, frozen=True):
    """Sends mail, and keeps a copy in the mailbox of sent messages."""

    context: BackendContext
    sent: SentMailbox
    password: Callable[[BackendContext], Awaitable[str]]
    composer: Composer

    def holds(self, step: Step) -> float:
        """Return for how many seconds a step is held back."""
        if not isinstance(step, SendMessage):
            return 0
        seconds = self.context.settings.get("hold_seconds")
        return float(seconds) if isinstance(seconds, int | float) else HOLD

    async def send(self, step: SendMessage) -> Applied:
        """Send the mail. Raises `ProviderError` if it was not sent, and `Uncertain` if that cannot be known."""
        try:
            delivery = self._delivery()
        except SetupError as missing:
            raise ProviderError(f"{missing}; nothing was sent", missing.code) from missing
        return await delivery.send(step, self.sent)

    async def settle(self, step: SendMessage) -> Settlement:
        """Return whether an interrupted `send` sent the mail, as far as the mailbox of sent mail shows it."""
        return await self._delivery().settle(step, self.sent)

    def tells(self, step: Step, left: Applied) -> str:
        """Return a note for the person if the mail was sent without a copy being kept; empty otherwise."""
        gone = any(isinstance(fact, MailSent) and not fact.kept for fact in left.facts)
        return "no copy could be saved in the mailbox of sent mail" if gone else ""

    def _delivery(self) -> Delivery:
        context = self.context
        server, outbox = read_server(context.settings), Outbox(Path(context.own) / "outbox")
        return Delivery(server, lambda: self.password(context), outbox, context.clock, context.kill)
