"""The labels of a folder: which letter of a file name stands for which, written down as Dovecot does.

`dovecot-keywords` has lines such as `0 URGENT`: the letter `a` stands for the keyword URGENT in this folder.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sayso.core.errors import ProviderError
from sayso.providers.mail.labels import label_of_keyword

FILE = "dovecot-keywords"
LOCK = "dovecot-uidlist.lock"
MOST = 26
"""As many letters as there are."""


def keywords_in(folder: Path) -> dict[int, str]:
    """Return the keywords of a folder by their numbers."""
    try:
        lines = (folder / FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    parted = (line.partition(" ") for line in lines)
    return {int(number): name for number, _, name in parted if number.isdecimal() and int(number) < MOST and name}


def labels_in(keywords: Mapping[int, str], numbers: Iterable[int]) -> tuple[str, ...]:
    """Return the labels that these numbers stand for."""
    found = (label_of_keyword(keywords[number]) for number in numbers if number in keywords)
    return tuple(sorted({label for label in found if label is not None}))


def numbers_of(keywords: Mapping[int, str], label: str) -> set[int]:
    """Return the numbers that stand for a label, however it is written."""
    wanted = label.casefold()
    named = {number: label_of_keyword(keyword) for number, keyword in keywords.items()}
    return {number for number, label in named.items() if label is not None and label.casefold() == wanted}


def number_for(folder: Path, keyword: str) -> int:
    """Return the number of a keyword in a folder, written down if it is new.

    Raises `ProviderError` where all are taken, or another program is writing.
    """
    there = _number(keywords_in(folder), keyword)
    if there is not None:
        return there
    lock = folder / LOCK
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        raise ProviderError(
            f"another program is at work in the mail folder “{folder}”; nothing was done, try again", "mail.busy"
        ) from None
    try:
        return _written_down(folder, keyword)
    finally:
        with suppress(FileNotFoundError):
            lock.unlink()


def _number(keywords: Mapping[int, str], keyword: str) -> int | None:
    wanted = keyword.casefold()
    return next((number for number, name in keywords.items() if name.casefold() == wanted), None)


def _written_down(folder: Path, keyword: str) -> int:
    known = keywords_in(folder)
    there = _number(known, keyword)
    if there is not None:
        return there
    free = next((number for number in range(MOST) if number not in known), None)
    if free is None:
        raise ProviderError(
            f"the mail folder “{folder}” has {MOST} labels already, as many as a Maildir can hold; nothing was done",
            "mail.labels_full",
        )
    lines = "".join(f"{number} {name}\n" for number, name in sorted({**known, free: keyword}.items()))
    new = folder / f"{FILE}.new"
    new.write_text(lines, encoding="utf-8")
    new.replace(folder / FILE)
    return free
