"""The backend for the application Mail of macOS, which keeps the person's accounts.

Mail is asked with scripts that check each message again before they change it. It gives a moved message a new number,
which is looked up by its Message-ID.
"""

from collections.abc import Sequence
from pathlib import Path

from anyio import to_thread

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.disk.own_ids import OwnIds
from sayso.providers.macos.engine import build_engine
from sayso.providers.mail.addresses import read_addresses, sender_of
from sayso.providers.mail.apple.app import APP, TRIES, Changed, Filter, MailApp, Written
from sayso.providers.mail.apple.reads import AppleMail, Labels
from sayso.providers.mail.backend import KnownPlaces, MailBackend, search_capability, sending_capability
from sayso.providers.mail.model import (
    Changing,
    ComposeMessage,
    MailAt,
    MailFlag,
    MailLabel,
    MailSent,
    MoveMessages,
    SendMessage,
    SetFlag,
    SetLabel,
    Steps,
)
from sayso.providers.mail.outbox import AGAIN, Outbox
from sayso.providers.mail.store import MailContext, MailPlace

NOBODY = "you@localhost"
BY_LABEL = "Mail has no labels; sayso keeps this one for itself"


def build(context: BackendContext, tries: int = TRIES) -> "AppleMailBackend":
    """Return the backend for the application Mail. Mail is not asked yet."""
    address, name = str(context.settings.get("address") or NOBODY), str(context.settings.get("name") or "")
    return AppleMailBackend(context, MailApp(build_engine(context), tries), sender_of(address, name))


class SentByMail:
    """The mailbox of sent mail of Mail, to which no script can add a message."""

    reads: AppleMail

    async def holds(self, message_id: str) -> bool:
        """Return whether Mail has a message with this Message-ID."""
        return message_id in await self.reads.find((message_id,), first=True)

    async def keep(self, message: bytes) -> None:
        """Raise `ProviderError`, since no script can add a message to Mail."""
        raise ProviderError("Mail takes no copy of a sent mail from a script", "mail.sent_copy")


class AppleMailBackend(MailBackend[AppleMail]):
    """The person's mail in the application Mail."""

    name = "apple"

    def __init__(self, context: BackendContext, app: MailApp, sender: str) -> None:
        sent = SentByMail()
        super().__init__(context, sent)
        folder = str(Path(context.own) / "macos" / "mail")
        self._app, self._labels = app, Labels(folder, context.ids.token)
        self._own, self._outbox = OwnIds(folder), Outbox(Path(context.own) / "outbox")
        self._told: dict[str, str] = {}
        mail = MailContext(sender, context.ids, context.clock)
        self.reads = AppleMail(KnownPlaces(), mail, self.outgoing, self.saver, app, self._labels)
        sent.reads = self.reads

    async def settle_opened(self, step: ComposeMessage) -> Settlement:
        """Return whether an interrupted step opened a window, as far as sayso has noted it."""
        opened = await self._own.get(step.message_id) is not None
        return Applied(step.leaves()) if opened else await super().settle_opened(step)

    async def change(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        """Change messages that are as expected. Raises `ProviderError`, with nothing done, if one is not."""
        if isinstance(step, ComposeMessage):
            raise ProviderError("Mail keeps no drafts for sayso", "mail.compose")
        items = await self._items(step.ids, expects)
        self.kill(step, "before")
        left = await self._do(step, items)
        self.kill(step, "after")
        return left

    async def settle_change(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        """Return whether an interrupted step was done; a message does not show who moved or marked it."""
        if isinstance(step, ComposeMessage):
            return CannotTell("whether a window was opened cannot be seen")
        try:
            _require_as_expected(await self._app.check(await self._items(step.ids, expects)), step.ids)
        except (ProviderError, ProposalError) as changed:
            if changed.code not in {"world.changed", "target.ambiguous"}:
                raise
            return CannotTell("some of the messages are not as they were, and who changed them cannot be seen")
        return NotDone("all messages are as they were")

    def tells(self, step: Steps, left: Applied) -> str:
        """Return a note for the person if the result differs from what was asked for; empty otherwise."""
        if isinstance(step, SetLabel):
            return BY_LABEL if step.on else ""
        told = self._told.pop(step.message_id, "") if isinstance(step, SendMessage | ComposeMessage) else ""
        return told or super().tells(step, left)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether sayso may control Mail, and whether mail can be searched and sent."""
        try:
            await self._app.list(Filter(("inbox",), most=1))
        except SaysoError as error:
            there = Capability("mail of macOS", "", str(error), "allow it, then run sayso doctor again", asked=True)
        else:
            there = Capability("mail of macOS", APP, "its mailboxes can be read")
        if self.context.settings.get("smtp_host"):
            return there, search_capability(), sending_capability(self.context)
        try:
            self.reads.check_sending()
        except SetupError as missing:
            says, _, fix = str(missing).partition("; ")
            return there, search_capability(), Capability("sending mail", "", says, fix)
        return there, search_capability(), Capability("sending mail", APP, "no mail.smtp_host is set")

    async def _items(self, ids: Sequence[str], expects: Facts) -> list[dict[str, Json]]:
        """Return where each message is expected, with the flags that it should have."""
        found = await self.reads.find(ids)
        places = {fact.about: fact.place for fact in expects if isinstance(fact, MailAt)}
        flags = {(fact.message_id, fact.flag): fact.on for fact in expects if isinstance(fact, MailFlag)}
        for fact in expects:
            if isinstance(fact, MailLabel) and fact.message_id in found:
                labels = found[fact.message_id].message.labels
                if not fact.agrees((), labels):
                    raise ProviderError(
                        f"the message {fact.message_id} was changed since; nothing was done", "world.changed"
                    )
        items: list[dict[str, Json]] = []
        for one in ids:
            head = found.get(one)
            if head is None or places.get(one, head.message.place) != head.message.place:
                raise _not_there(one)
            items.append({**head.item, "read": flags.get((one, "read")), "starred": flags.get((one, "starred"))})
        return items

    async def _do(self, step: Changing, items: Sequence[dict[str, Json]]) -> Applied:
        match step:
            case SetLabel():
                _require_as_expected(await self._app.check(items), step.ids)
                await self._labels.put(step.ids, step.label, on=step.on)
            case SetFlag():
                changed = _require_as_expected(await self._app.mark(items, step.flag, on=step.on), step.ids)
                if not changed.set:
                    raise Uncertain("Mail does not show the flag that was set; look at the messages", "mail.partly")
            case MoveMessages():
                changed = _require_as_expected(await self._app.move(items, step.destination), step.ids)
                if changed.refused:
                    raise ProviderError(
                        f"an account in Mail has no mailbox {quoted(step.destination)}; nothing was done",
                        "mail.mailbox",
                    )
                moved = {one: uid for one, uid in zip(step.ids, changed.moved, strict=True) if uid is not None}
                if len(moved) < len(step.ids):
                    raise Uncertain(
                        f"Mail shows {len(moved)} of {len(step.ids)} messages in their new mailbox; the others may "
                        "still be on their way",
                        "mail.partly",
                    )
                return self.result_of(step, {one: MailPlace(step.destination, uid) for one, uid in moved.items()})
        return Applied(step.leaves())

    async def open(self, step: ComposeMessage) -> Applied:
        """Open a window of Mail with a mail of any length."""
        self.kill(step, "before")
        written = await self._app.write("open", _mail_of(step))
        self.kill(step, "made")
        await self._own.put(step.message_id, written.id)
        self.kill(step, "after")
        if not written.whole:
            self._told[step.message_id] = (
                "Mail shows parts of it differently, such as a signature; read it in its window"
            )
        return Applied(step.leaves())

    async def send(self, step: SendMessage) -> Applied:
        """Send a mail by Mail, unless a server is set. A mail that has begun to be sent is never begun again."""
        if self.context.settings.get("smtp_host"):
            return await super().send(step)
        if step.reply_to:
            raise ProviderError(
                "Mail cannot write another address for replies; set a server for sending with “sayso config mail”",
                "mail.reply_to",
            )
        if await to_thread.run_sync(self._outbox.stage, step.message_id) is not None:
            raise Uncertain(AGAIN, "mail.sent_before")
        (sender,) = read_addresses(step.sender, "from")
        self.kill(step, "before")
        await to_thread.run_sync(self._outbox.mark_going, step.message_id, self.context.clock.now())
        try:
            mail = {**_mail_of(step), "sender": step.sender, "address": sender.address}
            written = await self._app.write("send", mail)
            self._require_taken(written, sender.address)
        except Uncertain:
            raise
        except SaysoError:
            await to_thread.run_sync(self._outbox.mark_refused, step.message_id)
            raise
        await to_thread.run_sync(self._outbox.mark_sent, step.message_id)
        self.kill(step, "after")
        if written.waits:
            self._told[step.message_id] = "it is still in the Outbox of Mail, which sends it as soon as it can"
        return Applied((MailSent(step.message_id),))

    def _require_taken(self, written: Written, address: str) -> None:
        match written.refused:
            case "no account":
                raise ProviderError(
                    f"no account in Mail has the address {quoted(address)} (mail.address); nothing was sent",
                    "mail.sender",
                )
            case "not whole":
                raise ProviderError(
                    "Mail would send something else than was shown, such as a signature; nothing was sent", "mail.built"
                )
            case _ if not written.taken:
                raise Uncertain("Mail says that it did not send it; look into its Outbox and its drafts", "mail.send")
            case _:
                return

    async def settle_sent(self, step: SendMessage) -> Settlement:
        """Return whether an interrupted sending sent the mail, as far as sayso has noted it."""
        if self.context.settings.get("smtp_host"):
            return await super().settle_sent(step)
        match await to_thread.run_sync(self._outbox.stage, step.message_id):
            case "sent":
                return Applied((MailSent(step.message_id),))
            case None:
                return NotDone("Mail was not told of it")
            case "going":
                return CannotTell("Mail was asked to send it; look into its sent mail and its Outbox")


def _mail_of(step: ComposeMessage | SendMessage) -> dict[str, Json]:
    copies = {"cc": step.cc, "bcc": step.bcc} if isinstance(step, SendMessage) else {"cc": (), "bcc": ()}
    return {
        "subject": step.subject,
        "body": step.body.replace("\r\n", "\n").replace("\r", "\n"),
        "to": _people(step.to, "to"),
        **{name: _people(people, name) for name, people in copies.items()},
    }


def _people(people: Sequence[str], name: str) -> list[Json]:
    read = (one for person in people for one in read_addresses(person, name))
    return [{"name": one.name, "address": one.address} for one in read]


def _require_as_expected(changed: Changed, ids: Sequence[str]) -> Changed:
    if changed.odd >= 0:
        raise _not_there(ids[changed.odd])
    return changed


def _not_there(id_: str) -> ProviderError:
    return ProviderError(f"the message {id_} is not where or as it was; nothing was done", "world.changed")
