"""What a person edited in a preview: which new proposal comes from which action, and that it is asked about as new."""

import json
from collections.abc import Iterator, Sequence

from sayso.core.canonical import Json
from sayso.core.loading import load
from sayso.core.proposal import Proposal
from sayso.core.record import Record
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.core.verdict import Verdict

EDITED = "edit.replaced"
"""The code of what waited and was edited: what came of it stands in another run."""


@dataclass(frozen=True)
class Edit:
    """What an edit made of the actions of one question."""

    proposals: tuple[Proposal, ...]
    """The new ones in their order, each with the action or run that it comes from."""
    sentences: tuple[str, ...]
    """What is said of each of the old ones."""


Code = tuple[str, int, int, int, int]
"""How two stretches differ, and where they begin and end."""


def edit_of(records: Sequence[Record], proposals: Sequence[Proposal], run: str, into: str) -> Edit:
    """Return what becomes of the records of `run` when these proposals, as run `into`, take their place."""
    came_from: dict[int, str] = {}
    taken_out = set(range(len(records)))
    for old, new in _pairs(records, proposals):
        came_from[new] = records[old].id
        taken_out.discard(old)
    new_ones = [
        replace(proposal, index=index, edit_of=came_from.get(index, run)) for index, proposal in enumerate(proposals)
    ]
    out, on = f"you took this out; the rest goes on in {into}", f"you edited this; it goes on in {into}"
    return Edit(tuple(new_ones), tuple(out if number in taken_out else on for number in range(len(records))))


def _pairs(records: Sequence[Record], proposals: Sequence[Proposal]) -> Iterator[tuple[int, int]]:
    """Pair what was there with what is there now: what is the same first, then what stands in its place."""
    old = [_key(record.operation, record.arguments) for record in records]
    new = [_key(proposal.operation, proposal.arguments) for proposal in proposals]
    codes: list[Code] = load("difflib:SequenceMatcher")(None, old, new, autojunk=False).get_opcodes()
    for how, old_from, old_to, new_from, new_to in codes:
        if how == "equal" or old_to - old_from == new_to - new_from:
            yield from zip(range(old_from, old_to), range(new_from, new_to), strict=True)
        elif how == "replace":
            yield from _alike(records, range(old_from, old_to), proposals, range(new_from, new_to))


def _alike(
    records: Sequence[Record], old: range, proposals: Sequence[Proposal], new: range
) -> Iterator[tuple[int, int]]:
    start = new.start
    for number in old:
        operation = records[number].operation
        found = next((place for place in range(start, new.stop) if proposals[place].operation == operation), None)
        if found is not None:
            yield number, found
            start = found + 1


def _key(operation: str | None, arguments: Json) -> str:
    return json.dumps([operation, arguments], sort_keys=True, default=str)


def asked_as_new(verdict: Verdict) -> Verdict:
    """Return the verdict on something edited: whatever would be allowed is asked, and only the person answers.

    No flag and no standing permission was given for it (T-37: nothing is approved by editing).
    """
    if verdict.ruling == "allow":
        return replace(
            verdict,
            ruling="ask",
            because="you edited this, so you are asked about it as new",
            rule="edited",
            level="click",
            approved_by=None,
        )
    return replace(verdict, level="click") if verdict.ruling == "ask" and verdict.level == "mode" else verdict
