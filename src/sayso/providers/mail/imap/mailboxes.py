"""The mailboxes of an account, and what each is for."""

from imaplib import IMAP4

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.providers.mail.imap.client import ImapSession
from sayso.providers.mail.store import HIDDEN, Role

_SPECIAL: dict[bytes, Role] = {
    rb"\archive": "archive",
    rb"\sent": "sent",
    rb"\trash": "trash",
    rb"\drafts": "drafts",
    rb"\junk": "junk",
}
_USUAL: dict[Role, tuple[str, ...]] = {
    "archive": ("archive", "archives"),
    "sent": ("sent", "sent items", "sent messages", "sent mail"),
    "trash": ("trash", "deleted items", "deleted messages", "bin"),
    "drafts": ("drafts", "draft"),
    "junk": ("junk", "spam", "junk e-mail", "bulk mail"),
}
_NO_MAIL = frozenset({rb"\noselect", rb"\nonexistent"})


class Mailboxes(Struct, frozen=True):
    """What was there when the connection was opened; `names` is what the server calls each, the inbox first."""

    names: dict[str, str]
    prefix: str = ""
    everything: str = ""
    """The mailbox that holds all mail at once, where there is one."""

    def name(self, mailbox: str) -> str:
        """Return what the server calls a mailbox. Raises `ProviderError` where there is none."""
        if mailbox not in self.names:
            raise ProviderError(f"there is no mailbox “{mailbox}” any more; nothing was done", "world.changed")
        return self.names[mailbox]

    def make(self, session: ImapSession, mailbox: str) -> str:
        """Return what the server calls a mailbox; one that has a purpose is made where it is missing."""
        role = next((role for role in _USUAL if role == mailbox), None)
        if mailbox in self.names or role is None:
            return self.name(mailbox)
        name = f"{self.prefix}{role.capitalize()}"
        session.create_folder(name)
        try:
            session.subscribe_folder(name)
        except IMAP4.abort:
            raise
        except IMAP4.error:
            pass  # it is there all the same
        self.names[mailbox] = name
        return name

    def mailboxes_to_search(self) -> list[str]:
        """Return the mailboxes that a search looks through, each message being in one of them."""
        if self.everything:
            return ["inbox", *([] if self.everything == "inbox" else [self.everything])]
        return [mailbox for mailbox in self.names if mailbox not in HIDDEN]


def list_mailboxes(session: ImapSession) -> Mailboxes:
    """Ask the server what there is."""
    listed = [(flags, name) for flags, _, name in session.list_folders() if _fit(flags, name)]
    lowered = [({flag.lower() for flag in flags}, name) for flags, name in listed]
    names = {"inbox": next((name for _, name in lowered if name.upper() == "INBOX"), "INBOX")}
    for flags, name in lowered:
        role = next((role for flag, role in _SPECIAL.items() if flag in flags), None)
        if role is not None:
            names.setdefault(role, name)
    everything = next((name for flags, name in lowered if rb"\all" in flags), "")
    if everything and "archive" not in names:
        names["archive"] = everything
    for role, usual in _USUAL.items():
        named = next((name for _, name in lowered if name.replace(".", "/").rpartition("/")[2].lower() in usual), None)
        if named is not None and named not in names.values():
            names.setdefault(role, named)
    known = set(names.values())
    names.update((name, name) for _, name in lowered if name not in known and name not in names)
    mailbox = next((mailbox for mailbox, name in names.items() if name == everything), "") if everything else ""
    return Mailboxes(names, _prefix(session), mailbox)


def _fit(flags: tuple[bytes, ...], name: str) -> bool:
    # A name with a line break or the like in it would be a command of its own (ML-07).
    return name.isprintable() and not _NO_MAIL & {flag.lower() for flag in flags}


def _prefix(session: ImapSession) -> str:
    if not session.has_capability("NAMESPACE"):
        return ""
    personal = session.namespace()[0]
    prefix = personal[0][0] if personal else ""
    return prefix if prefix.isprintable() else ""
