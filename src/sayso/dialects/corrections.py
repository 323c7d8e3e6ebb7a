"""Corrected proposals: they are offered to the model, and never run by themselves."""

import re
from collections.abc import Iterator

from sayso.dialects.answers import AnsweringDialect, Operations
from sayso.dialects.base import read
from sayso.dialects.json import LONGEST

MOST_TRIED = 8

_NO_SUCH = re.compile(r"^Unknown command: |^there is no (?:command|type|tool) “|“action”, one of: .+, not “")


def write_corrected(dialect: AnsweringDialect, said: str, error: str, operations: Operations) -> str:
    """Return a whole reply of this dialect that proposes what was meant and has no problem; empty where none is sure.

    Tried are the mended JSON, the nearest key for one that is not taken, and the name that means what was written.
    A name of another meaning is never tried: what is near by its letters only may be the opposite.
    """
    if len(said) > LONGEST:
        return ""
    return _first(dialect, dialect.spellings(said, error), operations) or _otherwise(dialect, said, error, operations)


def _otherwise(dialect: AnsweringDialect, said: str, error: str, operations: Operations) -> str:
    """Return the reply under the name that was meant; of several that can say it, one is picked of reads alone."""
    if not _NO_SUCH.search(error):
        return ""
    may = dialect.find_meant(said, operations)
    found = [(one, _first(dialect, dialect.with_other_names(said, one), operations)) for one in may]
    able = [(one, reply) for one, reply in found if reply]
    sure = len(able) == 1 or all(one.kind == "read" for one, _ in able)
    return able[0][1] if able and sure else ""


def _first(dialect: AnsweringDialect, candidates: Iterator[str], operations: Operations) -> str:
    for _, candidate in zip(range(MOST_TRIED), candidates, strict=False):
        reply = dialect.whole(candidate)
        found = read(dialect, operations, reply)
        if found.proposals and all(proposal.problem is None for proposal in found.proposals):
            return reply
    return ""
