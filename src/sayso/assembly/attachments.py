"""Texts that the person attaches to their words in a conversation: files named after `@`, and what they pasted."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from sayso.assembly.home import Home
from sayso.assistant.asker import Attachment
from sayso.core.proposal import TERMINAL, Origin, Proposal
from sayso.core.record import State
from sayso.runtime.results import Report

MOST = 100_000
"""Maximum number of characters of one attachment."""
READS = "file.read"
"""The operation that reads an attached file: with its confinement, its policy and its row in the journal."""
_NAMED = re.compile(r"(?<!\S)@(\"[^\"\n]{1,1000}\"|\S+)")
_AFTER = ".,;:!?)"
_FILE_NAME = re.compile(r"[^/]{1,200}\.[A-Za-z][A-Za-z0-9]{0,4}")


class Wording(Struct, frozen=True):
    """What the person said, and where the names of files in it begin."""

    text: str
    base: Path
    """The folder that names without a folder are in."""
    pasted: Mapping[str, str] = {}
    """Pasted texts, by what stands for them in the words."""
    must_be_there: bool = False
    """Whether a name is one of a file only if the file is there, as in words that may have been pasted."""


class Attached(Struct, frozen=True):
    """The attachments of some words, and the reports on files that could not be read."""

    texts: tuple[Attachment, ...] = ()
    refused: tuple[Report, ...] = ()
    missing: tuple[str, ...] = ()
    """Names that look like a file's, while there is no such file: they are only words."""


async def attach(home: Home, session: str, entry: str, typed: Wording) -> Attached:
    """Return what the words attach; each file is read by the operation that models use, with all that restricts it."""
    texts: list[Attachment] = []
    refused: list[Report] = []
    for name in dict.fromkeys(_names(typed)):
        if f"@{name}" in typed.pasted:
            text = typed.pasted[f"@{name}"]
            texts.append(Attachment(name, text[:MOST], cut=len(text) > MOST))
            continue
        wish = Proposal(0, "", READS, {"path": _path(name, typed.base), "limit": MOST})
        report = await home.take([wish], Origin("tools", entry, session, principal=TERMINAL))
        outcome = report.outcomes[0]
        if outcome.record.state is State.DONE:
            texts.append(Attachment(name, str(outcome.data["text"]), cut=bool(outcome.data["truncated"])))
        else:
            refused.append(report)
    missing = [name for name in _after_at(typed) if _FILE_NAME.fullmatch(name) and not _is_known(name, typed)]
    return Attached(tuple(texts), tuple(refused), tuple(dict.fromkeys(missing)))


def _names(typed: Wording) -> Iterator[str]:
    """Yield the names after `@` that are a pasted text or look like a file; others are only words, such as “@ana”."""
    return (name for name in _after_at(typed) if _is_known(name, typed))


def _is_known(name: str, typed: Wording) -> bool:
    there = os.path.lexists(typed.base / Path(name).expanduser())
    return f"@{name}" in typed.pasted or there or ("/" in name and not typed.must_be_there)


def _after_at(typed: Wording) -> Iterator[str]:
    for found in _NAMED.findall(typed.text):
        yield found.strip('"') if found.startswith('"') else found.rstrip(_AFTER)


def _path(name: str, base: Path) -> str:
    return name if name.startswith(("/", "~")) else f"{base}/{name}"


def describe(texts: tuple[Attachment, ...]) -> str:
    """Return the names and sizes of attachments."""
    return ", ".join(f"{one.name} ({'the first ' * one.cut}{len(one.text):,} characters)" for one in texts)
