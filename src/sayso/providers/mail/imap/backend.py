"""The backend for an account on an IMAP server.

If the connection is lost during a step, the server is asked afterwards whether the step was done.
"""

from sayso.core.errors import ProposalError, ProviderError, SaysoError
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.accounts.keyring import password_line
from sayso.providers.mail.account import account_of, entry_of
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.backend import KnownPlaces, MailBackend, search_capability, sending_capability
from sayso.providers.mail.compose import message_bytes
from sayso.providers.mail.imap.changes import (
    CheckedMessages,
    ImapSent,
    check_messages,
    find_copy,
    mark_messages,
    move_messages,
)
from sayso.providers.mail.imap.client import ImapSession
from sayso.providers.mail.imap.connection import ImapConnection, Mailboxes
from sayso.providers.mail.imap.reads import ImapMail
from sayso.providers.mail.model import Changing, ComposeMessage, MoveMessages
from sayso.providers.mail.store import MailContext, MailPlace


def build(context: BackendContext) -> "Imap":
    """Build the backend without connecting to the server. Raises `SetupError` if a setting is missing."""
    account_of(context)
    settings = context.settings
    user = str(settings.get("user") or settings.get("address") or "")
    address, name = str(settings.get("address") or user), str(settings.get("name") or "")
    return Imap(context, f"imap:{user}", sender_of(address, name))


class Imap(MailBackend[ImapMail]):
    """The person's mail on a server."""

    def __init__(self, context: BackendContext, name: str, sender: str) -> None:
        self.name = name
        self._connection = ImapConnection(context)
        super().__init__(context, ImapSent(self._connection, context))
        mail = MailContext(sender, context.ids, context.clock)
        self.reads = ImapMail(KnownPlaces(), mail, self.outgoing, self.saver, self._connection)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    async def change(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        """Do a step, after asking the server whether everything is as expected."""
        if isinstance(step, ComposeMessage):
            return await self._save_draft(step)

        def act(session: ImapSession, checked: CheckedMessages) -> dict[str, MailPlace]:
            self.kill(step, "before")
            places: dict[str, MailPlace] = {}
            if isinstance(step, MoveMessages):
                places = move_messages(session, step, checked)
            else:
                mark_messages(session, step, checked)
            self.kill(step, "after")
            return places

        places = await self._connection.change(
            lambda session, boxes: check_messages(session, boxes, self.reads.known, step, expects), act
        )
        return self.result_of(step, places)

    async def settle_change(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        if isinstance(step, ComposeMessage):
            return await self._settle_draft(step)
        try:
            await self._connection.read(
                lambda session, boxes: check_messages(session, boxes, self.reads.known, step, expects)
            )
        except (ProviderError, ProposalError) as changed:
            if changed.code != "world.changed":
                raise
            return CannotTell("some of the messages are not as they were, and who changed them cannot be seen")
        return NotDone("all messages are as they were")

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether the password is available, the server lists mailboxes, and mail can be searched and sent."""
        password = await password_line(self.context, entry_of(self.context.settings))
        mailboxes = (await self._mailboxes(),) if password.served else ()
        return password, *mailboxes, search_capability(), sending_capability(self.context)

    async def _mailboxes(self) -> Capability:
        try:
            boxes = await self._connection.read(lambda session, boxes: boxes)
        except SaysoError as error:
            says, _, fix = str(error).partition("; ")
            return Capability("mailboxes", "", says, fix, asked=True)
        named = account_of(self.context).named
        return Capability("mailboxes", named, f"mail.host names it; {len(boxes.names)} mailboxes")

    async def _save_draft(self, step: ComposeMessage) -> Applied:
        now = self.context.clock.now()
        data = message_bytes(step, self.reads.context.sender, now)

        def act(session: ImapSession, boxes: Mailboxes) -> MailPlace | None:
            name = boxes.make(session, "drafts")
            self.kill(step, "before")
            session.append(name, data, (rb"\Draft", rb"\Seen"), now)
            self.kill(step, "after")
            return find_copy(session, boxes, "drafts", step.message_id)

        place = await self._connection.change(lambda session, boxes: boxes, act)
        if place is None:
            raise ProviderError("the mail server accepted the draft, but does not show it", "mail.draft")
        return self.result_of(step, {step.message_id: place})

    async def _settle_draft(self, step: ComposeMessage) -> Settlement:
        place = await self._connection.read(lambda session, boxes: find_copy(session, boxes, "drafts", step.message_id))
        return NotDone("there is no such draft") if place is None else self.result_of(step, {step.message_id: place})
