"""The names of message files: what they are called, and the letters of their flags (`unique:2,FS`)."""

import re
from collections.abc import Iterable

from sayso.core.values import dataclass
from sayso.providers.mail.heads import flags_of
from sayso.providers.mail.store import Flag

LETTERS: dict[Flag, str] = {"starred": "F", "read": "S"}
_NAME = re.compile(r"(?P<unique>[^:/]+)(?::2,(?P<letters>[A-Za-z]*).*|:1,.*|:)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Name:
    """A file name taken apart. `unique` stays the same while flags come and go."""

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
        """Return the numbers of its keywords: `a` is 0."""
        return tuple(ord(letter) - ord("a") for letter in self.letters if letter.islower())

    def having(self, letters: Iterable[str]) -> "Name":
        """Return the name with exactly these letters, in the order that the format asks for."""
        return Name(self.unique, "".join(sorted(set(letters))))


def read_name(name: str) -> Name | None:
    """Take a file name apart; None for what is no message (hidden files)."""
    found = None if name.startswith(".") else _NAME.fullmatch(name)
    return None if found is None else Name(found["unique"], found["letters"] or "")
