"""Compose a message: its bytes are built once, before anybody is asked."""

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
from sayso.providers.mail.smtp import Delivery, Outbox, SentMailbox
from sayso.providers.programs.run import ProgramCall, ProgramRunner


def message_bytes(step: ComposeMessage, sender: str, moment: datetime) -> bytes:
    """Return the draft."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = ", ".join(step.to)
    message["Subject"] = step.subject
    message["Date"] = format_datetime(moment)
    message["Message-ID"] = step.message_id
    message.set_content(step.body, cte="quoted-printable")
    return message.as_bytes()


_LONGEST_PLAIN = 900
"""RFC 5322 lets a line have 998 characters; what is longer, or not ASCII, is encoded."""
_LONGEST_NAME = 60
"""A longer name is encoded too, in pieces, so that no line becomes too long."""


def build_message(step: SendMessage, moment: datetime) -> str:
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


def _check_message(raw: str, step: SendMessage, people: dict[str, list[Recipient]], body: str) -> None:
    """Read the message as its receivers will. Raises `ProposalError` where it does not say what is shown."""
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

HANDLER = "x-scheme-handler/mailto"
OPENERS = (("gio", ("open",)), ("xdg-open", ()))
LONGEST = 8_000
"""Characters of a mail that every mail program takes this way; a longer one is saved as a draft instead."""


class Composer:
    """Opens windows on this desktop, where there is one with a mail program."""

    def __init__(self, runner: ProgramRunner) -> None:
        self._runner = runner

    async def opens(self, length: int) -> bool:
        """Say whether there is a screen, a program that the desktop chose for mail, and room for so much text."""
        environ = self._runner.environ
        if length > LONGEST or not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")) or self._opener() is None:
            return False
        try:
            chosen = await self._runner.run_for_text(ProgramCall("xdg-mime", ("query", "default", HANDLER), whole=True))
        except (ProviderError, SetupError):
            return False
        return bool(chosen.strip())

    async def open(self, step: ComposeMessage) -> Applied:
        """Open a window with this mail. Raises `ProviderError` where none was opened."""
        opener = self._opener()
        if opener is None:
            raise ProviderError("there is nothing to open a mail with any more; no window was opened", "mail.compose")
        program, words = opener
        done = await self._runner.run(ProgramCall(program, words, (mailto(step),), silent=True, whole=True))
        if done.code:
            raise ProviderError(f"no window was opened: {done.name} ended with {done.code}", "mail.compose")
        return Applied(step.leaves())

    def _opener(self) -> tuple[str, tuple[str, ...]] | None:
        return next(((program, words) for program, words in OPENERS if self._runner.find(program)), None)


def mailto(step: ComposeMessage) -> str:
    """Return a mail as an address that mail programs take (RFC 6068)."""
    to = [one.address for person in step.to for one in read_addresses(person, "to")]
    body = "\r\n".join(step.body.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    fields = [("subject", step.subject), ("body", body)]
    written = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields if value)
    return f"mailto:{','.join(quote(one, safe='@') for one in to)}" + (f"?{written}" if written else "")


HOLD = 10.0
"""Seconds for which a mail is held back where the settings do not say."""


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
        """Send. Raises `ProviderError` when nothing was sent, and `Uncertain`."""
        try:
            delivery = self._delivery()
        except SetupError as missing:
            raise ProviderError(f"{missing}; nothing was sent", missing.code) from missing
        return await delivery.send(step, self.sent)

    async def settle(self, step: SendMessage) -> Settlement:
        """Say what became of a message, as far as can be seen."""
        return await self._delivery().settle(step, self.sent)

    def tells(self, step: Step, left: Applied) -> str:
        """Say that no copy could be kept, where that is so."""
        gone = any(isinstance(fact, MailSent) and not fact.kept for fact in left.facts)
        return "no copy could be put among the sent ones" if gone else ""

    def _delivery(self) -> Delivery:
        context = self.context
        server, outbox = read_server(context.settings), Outbox(Path(context.own) / "outbox")
        return Delivery(server, lambda: self.password(context), outbox, context.clock, context.kill)
