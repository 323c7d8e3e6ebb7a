"""The closed union of what a mail backend can do, each step one exchange however many messages it names.

Messages go by their Message-ID; where each of them is, and under which UID, stands in what is expected.
"""

from typing import ClassVar

from sayso.core.plan import Step
from sayso.core.values import dataclass
from sayso.providers.mail.store import Flag


@dataclass(frozen=True, slots=True)
class MailStep(Step):
    """A step of the mail store."""

    store: ClassVar[str] = "mail"


@dataclass(frozen=True, slots=True)
class MoveMessages(MailStep):
    """Move messages from one mailbox to another; leaves where each of them is then.

    Where a message has a name of its own in its mailbox, `token` becomes part of it: so what this very step moved is
    known after a crash.
    """

    step: ClassVar[str] = "mail.move"
    ids: tuple[str, ...]
    source: str
    destination: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class SetFlag(MailStep):
    """Set or clear a flag on messages that do not have it so."""

    step: ClassVar[str] = "mail.flag"
    ids: tuple[str, ...]
    flag: Flag
    on: bool


@dataclass(frozen=True, slots=True)
class SetLabel(MailStep):
    """Add a label to messages or take it off them."""

    step: ClassVar[str] = "mail.label"
    ids: tuple[str, ...]
    label: str
    on: bool


@dataclass(frozen=True, slots=True)
class SendMessage(MailStep):
    """Send one message, whose Message-ID and bytes were made before it was shown, to exactly these recipients."""

    step: ClassVar[str] = "mail.send"
    message_id: str
    sender: str
    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    reply_to: tuple[str, ...] = ()
    raw: str = ""
    """The message as it goes over the wire, in ASCII and with CR LF; hidden recipients do not stand in it."""


@dataclass(frozen=True, slots=True)
class ComposeMessage(MailStep):
    """Open a compose window with this message, or save it as a draft where there is none; nothing is sent."""

    step: ClassVar[str] = "mail.compose"
    message_id: str
    to: tuple[str, ...]
    subject: str
    body: str
    draft: bool = False


Changing = MoveMessages | SetFlag | SetLabel
Steps = Changing | SendMessage | ComposeMessage
STEPS: tuple[type[MailStep], ...] = (MoveMessages, SetFlag, SetLabel, SendMessage, ComposeMessage)
