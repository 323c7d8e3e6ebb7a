"""The steps that a mail backend can do, and the facts that a step can expect of messages.

The class of each step declares what the step changes and writes, which facts are true after it, and how to undo it. The
memory backend and the overlay of a batch use these declarations; a real backend only does the step.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import ClassVar

from msgspec.structs import replace

from sayso.core.plan import NOTHING, CannotUndo, Fact, Facts, Reach, Step, named
from sayso.providers.mail.store import Flag, MailContext, MailPlace, Message

Places = Mapping[str, MailPlace]
"""Places of messages, by their ids."""
NOWHERE: Places = MappingProxyType({})


class MailAt(Fact, frozen=True):
    """The message with this Message-ID is in this mailbox, under this UID of this UIDVALIDITY (ML-08)."""

    fact: ClassVar[str] = "mail_at"
    owner: ClassVar[str] = "mail"
    mailbox: str
    uid: str
    uidvalidity: int = 1

    @classmethod
    def of(cls, message: Message) -> "MailAt":
        """Return the fact that says where a message is."""
        return cls.at_place(message.message_id, message.place)

    @classmethod
    def at_place(cls, message_id: str, place: MailPlace) -> "MailAt":
        """Return the fact that a message is at this place."""
        return cls(message_id, place.mailbox, place.uid, place.uidvalidity)

    @property
    def place(self) -> MailPlace:
        """Return the place in this fact."""
        return MailPlace(self.mailbox, self.uid, self.uidvalidity)


class MailFlag(Fact, frozen=True):
    """Whether a message has a flag. `about` joins the flag and the id, so that each pair is a fact of its own."""

    fact: ClassVar[str] = "mail_flag"
    owner: ClassVar[str] = "mail"
    message_id: str
    flag: str
    on: bool

    @classmethod
    def of(cls, message: Message, flag: Flag) -> "MailFlag":
        """Return the fact that says whether a message has a flag."""
        return cls.set(message.message_id, flag, on=flag in message.flags)

    @classmethod
    def set(cls, message_id: str, flag: Flag, *, on: bool) -> "MailFlag":
        """Return the fact that a message has a flag, or that it does not have it."""
        return cls(f"{flag} {message_id}", message_id, flag, on)

    def agrees(self, flags: Collection[str], labels: Collection[str]) -> bool:
        """Return whether this fact is true of a message with these flags and labels."""
        return (self.flag in flags) is self.on


class MailLabel(Fact, frozen=True):
    """Whether a message has a label. `about` joins the label and the id, so that each pair is a fact of its own."""

    fact: ClassVar[str] = "mail_label"
    owner: ClassVar[str] = "mail"
    message_id: str
    label: str
    on: bool

    @classmethod
    def of(cls, message: Message, label: str) -> "MailLabel":
        """Return the fact that says whether a message has a label, ignoring case."""
        return cls.set(message.message_id, label, on=message.has_label(label))

    @classmethod
    def set(cls, message_id: str, label: str, *, on: bool) -> "MailLabel":
        """Return the fact that a message has a label, or that it does not have it."""
        return cls(f"{label} {message_id}", message_id, label, on)

    def agrees(self, flags: Collection[str], labels: Collection[str]) -> bool:
        """Return whether this fact is true of a message with these flags and labels."""
        return (self.label.casefold() in {one.casefold() for one in labels}) is self.on


class MailSent(Fact, frozen=True):
    """A server accepted the message with this Message-ID for delivery."""

    fact: ClassVar[str] = "mail_sent"
    owner: ClassVar[str] = "mail"
    kept: bool = True
    """Whether the mailbox of sent messages has a copy of it, too."""


class MailComposed(Fact, frozen=True):
    """A compose window, or a draft if no window can be opened, contains the message with this Message-ID."""

    fact: ClassVar[str] = "mail_composed"
    owner: ClassVar[str] = "mail"


class SaveFolder(Fact, frozen=True):
    """The folder at this path, in which an attachment is to be saved, is this one; `access` is its mode and owner."""

    fact: ClassVar[str] = "mail_save_folder"
    owner: ClassVar[str] = "mail"
    number: str
    """Device and inode."""
    access: str


class MailFile(Fact, frozen=True):
    """An attachment is saved at this path, as exactly this file."""

    fact: ClassVar[str] = "mail_file"
    owner: ClassVar[str] = "mail"
    sha256: str
    number: str = ""
    """Device and inode."""
    changed: str = ""
    """Time of the last change in nanoseconds, as a decimal string, since JSON numbers cannot hold it exactly."""


class MailStep(Step, frozen=True):
    """A step of the mail store. Its methods declare what it does to the mailboxes."""

    store: ClassVar[str] = "mail"

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the ids of the messages that the step changes."""
        return ()

    def apply_to(self, message: Message) -> Message:
        """Return a message that the step changes, as it is after the step."""
        return message

    def new_message(self, now: str) -> Message | None:
        """Return the message that the step adds to a mailbox; None if it adds none. `now` is its time."""
        return None

    def leaves(self, places: Places = NOWHERE) -> Facts:
        """Return the facts that are true after the step; `places` are the new places of the messages, if known."""
        return ()

    def undo(self, context: MailContext) -> Step | CannotUndo:
        """Return the step that undoes this one, or the reason why none can."""
        return CannotUndo("there is no way back")


class MoveMessages(MailStep, frozen=True):
    """Move messages from one mailbox to another. The facts after it say where each message is then.

    If the store gives each message a file name, `token` becomes part of the new name. After a crash, this shows which
    messages this step moved.
    """

    step: ClassVar[str] = "mail.move"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    source: str
    destination: str
    token: str = ""

    @property
    def changes(self) -> tuple[str, ...]:
        return self.ids

    def apply_to(self, message: Message) -> Message:
        return replace(message, mailbox=self.destination)

    def leaves(self, places: Places = NOWHERE) -> Facts:
        unknown = MailPlace(self.destination, "")
        return tuple(MailAt.at_place(one, places.get(one, unknown)) for one in self.ids)

    def undo(self, context: MailContext) -> "MoveMessages":
        return MoveMessages(self.ids, self.destination, self.source, context.new_token())


class SetFlag(MailStep, frozen=True):
    """Set a flag on messages that do not have it, or clear it on messages that have it."""

    step: ClassVar[str] = "mail.flag"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    flag: Flag
    on: bool

    @property
    def changes(self) -> tuple[str, ...]:
        return self.ids

    def apply_to(self, message: Message) -> Message:
        return message.with_flag(self.flag, on=self.on)

    def leaves(self, places: Places = NOWHERE) -> tuple[MailFlag, ...]:
        return tuple(MailFlag.set(one, self.flag, on=self.on) for one in self.ids)

    def undo(self, context: MailContext) -> "SetFlag":
        return SetFlag(self.ids, self.flag, not self.on)


class SetLabel(MailStep, frozen=True):
    """Add a label to messages, or remove it from them."""

    step: ClassVar[str] = "mail.label"
    reach: ClassVar[Reach] = NOTHING
    ids: tuple[str, ...]
    label: str
    on: bool

    @property
    def changes(self) -> tuple[str, ...]:
        return self.ids

    def apply_to(self, message: Message) -> Message:
        return message.with_label(self.label, on=self.on)

    def leaves(self, places: Places = NOWHERE) -> tuple[MailLabel, ...]:
        return tuple(MailLabel.set(one, self.label, on=self.on) for one in self.ids)

    def undo(self, context: MailContext) -> "SetLabel":
        return SetLabel(self.ids, self.label, not self.on)


class SendMessage(MailStep, frozen=True):
    """Send one message to exactly these recipients. Its Message-ID and bytes were made before the person was asked."""

    step: ClassVar[str] = "mail.send"
    reach: ClassVar[Reach] = named("the mail", "to", "cc", "bcc")
    message_id: str
    sender: str
    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    reply_to: tuple[str, ...] = ()
    raw: str = ""
    """The message as it is sent, in ASCII with CR LF line ends; it does not mention hidden recipients."""

    def new_message(self, now: str) -> Message:
        return Message(
            self.message_id, self.sender, self.to, self.subject, self.body, now, (), ("read",), "sent", self.cc
        )

    def leaves(self, places: Places = NOWHERE) -> Facts:
        return (MailSent(self.message_id),)

    def undo(self, context: MailContext) -> CannotUndo:
        return CannotUndo("a sent mail cannot be called back")


class ComposeMessage(MailStep, frozen=True):
    """Open a compose window with this message, or save it as a draft if no window can be opened. Nothing is sent."""

    step: ClassVar[str] = "mail.compose"
    reach: ClassVar[Reach] = NOTHING
    message_id: str
    to: tuple[str, ...]
    subject: str
    body: str
    draft: bool = False

    def new_message(self, now: str) -> Message | None:
        if not self.draft:
            return None
        return Message(self.message_id, "", self.to, self.subject, self.body, now, flags=("read",), mailbox="drafts")

    def leaves(self, places: Places = NOWHERE) -> Facts:
        composed = MailComposed(self.message_id)
        if not self.draft:
            return (composed,)
        return composed, MailAt.at_place(self.message_id, places.get(self.message_id, MailPlace("drafts", "")))

    def undo(self, context: MailContext) -> MoveMessages | CannotUndo:
        if self.draft:
            return MoveMessages((self.message_id,), "drafts", "trash", context.new_token())
        return CannotUndo("close the compose window yourself; nothing was sent")


class SaveAttachment(MailStep, frozen=True):
    """Save attachment `number` of a message at a free path, if its bytes are those that were shown to the person."""

    step: ClassVar[str] = "mail.save"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    writes: ClassVar[tuple[str, ...]] = ("path",)
    id: str
    number: int
    path: str
    sha256: str
    size: int
    token: str

    def leaves(self, places: Places = NOWHERE) -> Facts:
        return (MailFile(self.path, self.sha256),)

    def undo(self, context: MailContext) -> "RemoveSaved":
        return RemoveSaved(self.path, context.new_token())


class RemoveSaved(MailStep, frozen=True):
    """Delete the file that was saved at this path, unless it was changed since. The mail still contains it."""

    step: ClassVar[str] = "mail.unsave"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    token: str


Marking = SetFlag | SetLabel
Changing = MoveMessages | Marking
Saving = SaveAttachment | RemoveSaved
Steps = Changing | SendMessage | ComposeMessage | Saving
