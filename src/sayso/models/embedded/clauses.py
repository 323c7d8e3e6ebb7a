"""Cut what was said into clauses, so that as much as possible of it is understood."""

from collections.abc import Sequence
from typing import Protocol

from sayso.core.values import dataclass
from sayso.models.embedded.deciding import Understood
from sayso.models.embedded.words import Word

_JOINING = frozenset(
    {"and", "then", "also", "plus", "but", "afterwards", "after", "that", "next", "finally", "&", "so"}
)
_PAUSES = frozenset(",;.!?")
MOST = 12
"""So many places at which a text may be cut are looked at."""
NOT_UNDERSTOOD = 1000


class Decide(Protocol):
    """Says what words mean, after words that another clause began with; alone is what nothing else was said with."""

    def __call__(self, words: Sequence[Word], verb: tuple[str, ...] = (), *, alone: bool = False) -> Understood | None:
        """Return it, or None where they mean nothing here."""
        ...


@dataclass(frozen=True)
class Cut:
    """A text cut into clauses, each understood or not, and how many words were not."""

    clauses: tuple[Understood | None, ...]
    cost: int


def cut(words: Sequence[Word], decide: Decide) -> Cut:
    """Return the best way to cut: the one with the fewest words that are not understood, then the fewest clauses."""
    places = [0, *_places(words), len(words)]
    best: list[Cut] = [Cut((), 0)]
    for last in range(1, len(places)):
        options = [
            _longer(best[first], _clause(words, places[first], places[last], best[first], decide))
            for first in range(last)
        ]
        best.append(min(options, key=lambda option: (option.cost, len(option.clauses))))
    return best[-1]


def _places(words: Sequence[Word]) -> list[int]:
    found = [
        at
        for at in range(1, len(words))
        if (words[at].text in {"and", "then", "plus", "&"} and not words[at].quoted) or words[at - 1].pause in _PAUSES
    ]
    return found[:MOST]


def _clause(words: Sequence[Word], start: int, end: int, before: Cut, decide: Decide) -> Understood | None:
    alone = start == 0 and end == len(words)
    while start < end and start and words[start].text in _JOINING and not words[start].quoted:
        start += 1
    part = words[start:end]
    if not part:
        return None
    found = decide(part, alone=alone)
    last = before.clauses[-1] if before.clauses else None
    if found is None and last is not None and last.verb:
        return decide(part, last.verb)
    return found


def _longer(before: Cut, clause: Understood | None) -> Cut:
    if clause is None:
        return Cut((*before.clauses, None), before.cost + NOT_UNDERSTOOD)
    return Cut((*before.clauses, clause), before.cost + clause.free)
