"""Correct a proposal that cannot be read as it stands; what is offered was read by the dialect itself and is valid."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from sayso.core.dialect import Dialect
from sayso.core.operation import Operation
from sayso.dialects.actions import ACTIONS
from sayso.dialects.actions.describing import fenced as action_fenced
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.blocks.describing import fenced as block_fenced
from sayso.dialects.commands import COMMANDS
from sayso.dialects.lines import LINES
from sayso.dialects.mending import LONGEST, mended_text
from sayso.dialects.reading import read
from sayso.dialects.renaming import meant, renamed
from sayso.dialects.tools import TOOLS

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {found.name: found for found in (LINES, TOOLS, BLOCKS, ACTIONS, COMMANDS)}
)
MOST_TRIED = 8

_CLOSE = 0.4
"""How near a key must be to one that is taken; a wrong guess would be read without a problem."""

_NOT_TAKEN = re.compile(r"does not take “([^”]+)”; it takes ([^;]+?)(?:, and |$)|has no “([^”]+)”")
_NO_SUCH = re.compile(r"^Unknown command: |^there is no (?:command|type|tool) “|“action”, one of: .+, not “")
_MEANT = re.compile(r"did you mean (.+)\?$")
_INSTANCE = ("templateId", "label", "params", "style", "description")

Operations = Mapping[str, Operation]


def corrected(dialect: str, said: str, error: str, operations: Operations) -> str:
    """Return a whole reply of this dialect that proposes what was meant and has no problem; empty where none is sure.

    Tried are the mended JSON, the nearest key for one that is not taken, and the name that means what was written.
    A name of another meaning is never tried: what is near by its letters only may be the opposite.
    """
    if len(said) > LONGEST:
        return ""
    candidates = _lines(said, error) if dialect == "lines" else _objects(said, error)
    return _first(dialect, candidates, operations) or _otherwise(dialect, said, error, operations)


def _otherwise(dialect: str, said: str, error: str, operations: Operations) -> str:
    """Return the reply under the name that was meant; of several that can say it, one is picked of reads alone."""
    if not _NO_SUCH.search(error):
        return ""
    may = meant(dialect, said, operations)
    found = [(one, _first(dialect, renamed(dialect, said, one), operations)) for one in may]
    able = [(one, reply) for one, reply in found if reply]
    sure = len(able) == 1 or all(one.kind == "read" for one, _ in able)
    return able[0][1] if able and sure else ""


def _first(dialect: str, candidates: Iterator[str], operations: Operations) -> str:
    for _, candidate in zip(range(MOST_TRIED), candidates, strict=False):
        reply = _reply(dialect, candidate)
        found = read(DIALECTS[dialect], operations, reply)
        if found.proposals and all(proposal.problem is None for proposal in found.proposals):
            return reply
    return ""


def _lines(said: str, error: str) -> Iterator[str]:
    meant = _MEANT.search(error)
    if meant is not None:
        yield meant.group(1)
        yield " ".join([meant.group(1), *said.split(None, 1)[1:]])
    if "a quote is not closed" in error:
        yield said + '"'


def _objects(said: str, error: str) -> Iterator[str]:
    whole = mended_text(said)
    if whole and whole != said:
        yield whole
    for wrong in _NOT_TAKEN.finditer(error):
        known = wrong.group(2).split(", ") if wrong.group(2) else _INSTANCE
        key = wrong.group(1) or wrong.group(3)
        yield from _renamed(said, key, get_close_matches(key, known, 3, _CLOSE))


def _renamed(said: str, wrong: str, names: list[str]) -> Iterator[str]:
    if said.count(f'"{wrong}"') == 1:
        yield from (said.replace(f'"{wrong}"', f'"{name}"') for name in names)


def _reply(dialect: str, text: str) -> str:
    if dialect == "blocks":
        return block_fenced(text)
    if dialect == "actions":
        return action_fenced(text if '"actions"' in text else f'{{"actions": [{text}]}}')
    if dialect == "commands" and '"commands"' not in text:
        return f'{{"commands": [{text}], "needs_clarification": false, "clarification_reason": null}}'
    return text
