"""What may be expected of messages, each fact about one message."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class MailAt(Fact):
    """The message with this Message-ID is in this mailbox, under this UID of this UIDVALIDITY (ML-08)."""

    fact: ClassVar[str] = "mail_at"
    mailbox: str
    uid: str
    uidvalidity: int = 1


@dataclass(frozen=True, slots=True)
class MailFlag(Fact):
    """Whether a message has a flag; `about` joins both, so that each is a thing of its own."""

    fact: ClassVar[str] = "mail_flag"
    message_id: str
    flag: str
    on: bool


@dataclass(frozen=True, slots=True)
class MailLabel(Fact):
    """Whether a message has a label; `about` joins both, so that each is a thing of its own."""

    fact: ClassVar[str] = "mail_label"
    message_id: str
    label: str
    on: bool


@dataclass(frozen=True, slots=True)
class MailSent(Fact):
    """The message with this Message-ID was handed over."""

    fact: ClassVar[str] = "mail_sent"
    kept: bool = True
    """It stands among the sent ones, too."""


@dataclass(frozen=True, slots=True)
class MailComposed(Fact):
    """A compose window, or a draft where there is none, holds the message with this Message-ID."""

    fact: ClassVar[str] = "mail_composed"


@dataclass(frozen=True, slots=True)
class MailFile(Fact):
    """What came with a mail is saved at this path, as exactly this file."""

    fact: ClassVar[str] = "mail_file"
    sha256: str
    number: str = ""
    """Device and inode."""
    changed: str = ""
    """When it was last changed, in nanoseconds: a decimal string, since JSON numbers hold no such."""


FACTS: tuple[type[Fact], ...] = (MailAt, MailFlag, MailLabel, MailSent, MailComposed, MailFile)
