"""The folders and files of a Maildir: names, flags and labels."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted
from sayso.providers.mail.messages import flags_of, label_of_keyword
from sayso.providers.mail.store import Flag, Role

LETTERS: dict[Flag, str] = {"starred": "F", "read": "S"}
_NAME = re.compile(r"(?P<unique>[^:/]+)(?::2,(?P<letters>[A-Za-z]*).*|:1,.*|:)?", re.DOTALL)


class FileName(Struct, frozen=True):
    """A file name split into its parts. `unique` stays the same when flags change."""

    unique: str
    letters: str = ""

    def __str__(self) -> str:
        return f"{self.unique}:2,{self.letters}"

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Return the flags of the message."""
        return flags_of(starred="F" in self.letters, read="S" in self.letters)

    @property
    def keywords(self) -> tuple[int, ...]:
        """Return the numbers of the message's keywords: `a` is 0."""
        return tuple(ord(letter) - ord("a") for letter in self.letters if letter.islower())

    def with_letters(self, letters: Iterable[str]) -> "FileName":
        """Return the name with exactly these letters, sorted as the format requires."""
        return FileName(self.unique, "".join(sorted(set(letters))))


def read_name(name: str) -> FileName | None:
    """Split a file name into its parts; return None for files that are not messages, such as hidden files."""
    found = None if name.startswith(".") else _NAME.fullmatch(name)
    return None if found is None else FileName(found["unique"], found["letters"] or "")


FILE = "dovecot-keywords"
LOCK = "dovecot-uidlist.lock"
MOST = 26
"""The most keywords in a folder: one for each letter."""


def keywords_in(folder: Path) -> dict[int, str]:
    """Return the keywords of a folder by their numbers."""
    try:
        lines = (folder / FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    parted = (line.partition(" ") for line in lines)
    return {int(number): name for number, _, name in parted if number.isdecimal() and int(number) < MOST and name}


def labels_in(keywords: Mapping[int, str], numbers: Iterable[int]) -> tuple[str, ...]:
    """Return the labels that the keywords with these numbers stand for."""
    found = (label_of_keyword(keywords[number]) for number in numbers if number in keywords)
    return tuple(sorted({label for label in found if label is not None}))


def numbers_of(keywords: Mapping[int, str], label: str) -> set[int]:
    """Return the numbers of the keywords for a label, ignoring case."""
    wanted = label.casefold()
    named = {number: label_of_keyword(keyword) for number, keyword in keywords.items()}
    return {number for number, label in named.items() if label is not None and label.casefold() == wanted}


def number_for(folder: Path, keyword: str) -> int:
    """Return the number of a keyword in a folder; a new keyword is added to the folder's file of keywords.

    Raises `ProviderError` if all numbers are in use, or if another program is writing.
    """
    known = _number(keywords_in(folder), keyword)
    if known is not None:
        return known
    lock = folder / LOCK
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        raise ProviderError(
            f"another program is at work in the mail folder {quoted(folder)}; nothing was done, try again", "mail.busy"
        ) from None
    try:
        return _write_keyword(folder, keyword)
    finally:
        with suppress(FileNotFoundError):
            lock.unlink()


def _number(keywords: Mapping[int, str], keyword: str) -> int | None:
    wanted = keyword.casefold()
    return next((number for number, name in keywords.items() if name.casefold() == wanted), None)


def _write_keyword(folder: Path, keyword: str) -> int:
    known = keywords_in(folder)
    number = _number(known, keyword)
    if number is not None:
        return number
    free = next((number for number in range(MOST) if number not in known), None)
    if free is None:
        raise ProviderError(
            (
                f"the mail folder {quoted(folder)} has {MOST} labels already, as "
                "many as a Maildir can hold; nothing was done"
            ),
            "mail.labels_full",
        )
    lines = "".join(f"{number} {name}\n" for number, name in sorted({**known, free: keyword}.items()))
    new = folder / f"{FILE}.new"
    new.write_text(lines, encoding="utf-8")
    new.replace(folder / FILE)
    return free


_USUAL: dict[Role, tuple[str, ...]] = {
    "inbox": ("INBOX",),
    "archive": ("Archive", "Archives", "All Mail"),
    "sent": ("Sent", "Sent Items", "Sent Messages", "Sent Mail"),
    "trash": ("Trash", "Deleted Items", "Deleted Messages", "Bin"),
    "drafts": ("Drafts", "Draft"),
    "junk": ("Junk", "Spam", "Junk E-mail", "Bulk Mail"),
}
"""The usual names of the folder for each role. A new folder gets the first name."""
_PARTS = ("tmp", "new", "cur")


class MailFolder(Struct, frozen=True):
    """One folder: its role or name, and its path."""

    mailbox: str
    path: Path


class MailFolders:
    """The folders below `root`. They may not exist yet."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def all(self) -> list[MailFolder]:
        """Return all folders that exist, the inbox first."""
        found = dict(self._list())
        roles = {self._folder_of_role(role, found): role for role in _USUAL}
        folders = [MailFolder(roles.get(name, name), path) for name, path in sorted(found.items())]
        return sorted(folders, key=lambda one: one.mailbox != "inbox")

    def why_none(self) -> str:
        """Return why there is no mailbox at `root`, in a few words; empty if there is one."""
        where = quoted(str(self.root))
        if not self.root.exists():
            return f"{where} is not there"
        if not self.root.is_dir():
            return f"{where} is not a Maildir but a file"
        if not self.all():
            return f"{where} is not a Maildir: neither it nor a folder in it has a folder “cur”"
        return ""

    def find(self, mailbox: str) -> MailFolder | None:
        """Return a folder by its role or name; None if it does not exist."""
        return next((one for one in self.all() if one.mailbox == mailbox), None)

    def make(self, mailbox: str) -> MailFolder:
        """Return a folder. If it has a role and does not exist, create it; otherwise raises `ProviderError`."""
        folder = self.find(mailbox)
        if folder is not None:
            return folder
        names = next((names for role, names in _USUAL.items() if role == mailbox), None)
        if names is None:
            raise ProviderError(
                f"there is no mail folder {quoted(mailbox)} any more; nothing was done", "world.changed"
            )
        if mailbox == "inbox":
            path = self.root
        else:
            self.make("inbox")
            path = self.root / (f".{names[0]}" if is_maildir(self.root) else names[0])
        try:
            for part in _PARTS:
                (path / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ProviderError(
                f"the mail folder {quoted(path)} cannot be made: {error.strerror}", "mail.folder"
            ) from error
        return MailFolder(mailbox, path)

    def _list(self) -> Iterator[tuple[str, Path]]:
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
    def _folder_of_role(role: Role, found: dict[str, Path]) -> str:
        by_name = {name.casefold(): name for name in found}
        return next((by_name[name.casefold()] for name in _USUAL[role] if name.casefold() in by_name), "")


def is_maildir(path: Path) -> bool:
    """Return whether a folder has the form of a Maildir."""
    return (path / "cur").is_dir()
