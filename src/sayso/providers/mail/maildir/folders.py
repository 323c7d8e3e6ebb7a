"""The folders of a Maildir, as Dovecot lays them out (`.Archive`) or side by side (`INBOX`, `Archive`)."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sayso.core.errors import ProviderError
from sayso.core.values import dataclass
from sayso.providers.mail.store import Role

_USUAL: dict[Role, tuple[str, ...]] = {
    "inbox": ("INBOX",),
    "archive": ("Archive", "Archives", "All Mail"),
    "sent": ("Sent", "Sent Items", "Sent Messages", "Sent Mail"),
    "trash": ("Trash", "Deleted Items", "Deleted Messages", "Bin"),
    "drafts": ("Drafts", "Draft"),
    "junk": ("Junk", "Spam", "Junk E-mail", "Bulk Mail"),
}
"""How folders are called by what they are for; the first is what a new one is called."""
_PARTS = ("tmp", "new", "cur")


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder: what it is for or called, and where it is."""

    mailbox: str
    path: Path


class Folders:
    """The folders below `root`; there need be none yet."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def all(self) -> list[Folder]:
        """Return every folder there is, the inbox first."""
        found = dict(self._there())
        roles = {self._named(role, found): role for role in _USUAL}
        folders = [Folder(roles.get(name, name), path) for name, path in sorted(found.items())]
        return sorted(folders, key=lambda one: one.mailbox != "inbox")

    def find(self, mailbox: str) -> Folder | None:
        """Return a folder by what it is for or called; None where there is none."""
        return next((one for one in self.all() if one.mailbox == mailbox), None)

    def made(self, mailbox: str) -> Folder:
        """Return a folder, made if it is not there; only one that has a purpose is made."""
        there = self.find(mailbox)
        if there is not None:
            return there
        names = next((names for role, names in _USUAL.items() if role == mailbox), None)
        if names is None:
            raise ProviderError(f"there is no mail folder “{mailbox}” any more; nothing was done", "world.changed")
        if mailbox == "inbox":
            path = self.root
        else:
            self.made("inbox")
            path = self.root / (f".{names[0]}" if is_maildir(self.root) else names[0])
        try:
            for part in _PARTS:
                (path / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as wrong:
            raise ProviderError(f"the mail folder “{path}” cannot be made: {wrong.strerror}", "mail.folder") from wrong
        return Folder(mailbox, path)

    def _there(self) -> Iterator[tuple[str, Path]]:
        flat = is_maildir(self.root)
        if flat:
            yield "INBOX", self.root
        with suppress(FileNotFoundError, NotADirectoryError):
            for entry in sorted(os.scandir(self.root), key=lambda one: one.name):
                name = entry.name.removeprefix(".") if flat else entry.name
                wanted = entry.name.startswith(".") is flat and name and name.isprintable()
                if wanted and is_maildir(Path(entry.path)):
                    yield name.replace(".", "/") if flat else name, Path(entry.path)

    @staticmethod
    def _named(role: Role, found: dict[str, Path]) -> str:
        by_name = {name.casefold(): name for name in found}
        return next((by_name[name.casefold()] for name in _USUAL[role] if name.casefold() in by_name), "")


def is_maildir(path: Path) -> bool:
    """Say whether a folder holds messages as a Maildir does."""
    return (path / "cur").is_dir()
