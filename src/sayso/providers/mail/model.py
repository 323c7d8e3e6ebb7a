"""The steps that a mail backend can do, and the facts that may be expected of messages."""

from typing import ClassVar

from sayso.core.plan import Fact, Step
from sayso.providers.mail.store import Flag


class MailStep(Step, frozen=True):
    """A step of the mail store."""

    store: ClassVar[str] = "mail"


class MoveMessages(MailStep, frozen=True):
    """Move messages from one mailbox to another; leaves where each of them is then.

    Where a message has a name of its own in its mailbox, `token` becomes part of it: so what this very step moved is
    known after a crash.
    """

    step: ClassVar[str] = "mail.move"
    ids: tuple[str, ...]
    source: str
    destination: str
    token: str = ""


class SetFlag(MailStep, frozen=True):
    """Set or clear a flag on messages that do not have it so."""

    step: ClassVar[str] = "mail.flag"
    ids: tuple[str, ...]
    flag: Flag
    on: bool


class SetLabel(MailStep, frozen=True):
    """Add a label to messages or take it off them."""

    step: ClassVar[str] = "mail.label"
    ids: tuple[str, ...]
    label: str
    on: bool


class SendMessage(MailStep, frozen=True):
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


class ComposeMessage(MailStep, frozen=True):
    """Open a compose window with this message, or save it as a draft where there is none; nothing is sent."""

    step: ClassVar[str] = "mail.compose"
    message_id: str
    to: tuple[str, ...]
    subject: str
    body: str
    draft: bool = False


class SaveAttachment(MailStep, frozen=True):
    """Save file `number` of a message at a free path, if it is what was shown: these bytes, and nothing over others."""

    step: ClassVar[str] = "mail.save"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    id: str
    number: int
    path: str
    sha256: str
    size: int
    token: str


class RemoveSaved(MailStep, frozen=True):
    """Take away what was saved at this path, if nobody changed it since; the mail still holds it."""

    step: ClassVar[str] = "mail.unsave"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    token: str


Files = SaveAttachment | RemoveSaved
Changing = MoveMessages | SetFlag | SetLabel
Steps = Changing | SendMessage | ComposeMessage | Files
STEPS: tuple[type[MailStep], ...] = (
    MoveMessages,
    SetFlag,
    SetLabel,
    SendMessage,
    ComposeMessage,
    SaveAttachment,
    RemoveSaved,
)


class MailAt(Fact, frozen=True):
    """The message with this Message-ID is in this mailbox, under this UID of this UIDVALIDITY (ML-08)."""

    fact: ClassVar[str] = "mail_at"
    mailbox: str
    uid: str
    uidvalidity: int = 1


class MailFlag(Fact, frozen=True):
    """Whether a message has a flag; `about` joins both, so that each is a thing of its own."""

    fact: ClassVar[str] = "mail_flag"
    message_id: str
    flag: str
    on: bool


class MailLabel(Fact, frozen=True):
    """Whether a message has a label; `about` joins both, so that each is a thing of its own."""

    fact: ClassVar[str] = "mail_label"
    message_id: str
    label: str
    on: bool


class MailSent(Fact, frozen=True):
    """The message with this Message-ID was handed over."""

    fact: ClassVar[str] = "mail_sent"
    kept: bool = True
    """It stands among the sent ones, too."""


class MailComposed(Fact, frozen=True):
    """A compose window, or a draft where there is none, holds the message with this Message-ID."""

    fact: ClassVar[str] = "mail_composed"


class MailFile(Fact, frozen=True):
    """What came with a mail is saved at this path, as exactly this file."""

    fact: ClassVar[str] = "mail_file"
    sha256: str
    number: str = ""
    """Device and inode."""
    changed: str = ""
    """When it was last changed, in nanoseconds: a decimal string, since JSON numbers hold no such."""


FACTS: tuple[type[Fact], ...] = (MailAt, MailFlag, MailLabel, MailSent, MailComposed, MailFile)
