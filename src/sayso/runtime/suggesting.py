"""Find in the history what the person said the same yes to again and again, and propose a permission like it."""

from collections.abc import Sequence

from sayso.core.canonical import Json, canonical
from sayso.core.errors import SaysoError
from sayso.core.grant import Grant, Wish
from sayso.core.ports import Query
from sayso.core.record import Record, State
from sayso.core.values import dataclass
from sayso.policy.granting import could_vary, derived, offer_digest
from sayso.policy.grants import over
from sayso.runtime.learning import Lesson, lesson
from sayso.runtime.tools import Tools
from sayso.runtime.trying import LOOKED_AT, Trial, on_history, why_like

TIMES = 3
"""How often the same yes is said before a permission is proposed."""

_TOLD = frozenset({State.DONE, State.DECLINED})


@dataclass(frozen=True)
class Suggestion:
    """A permission that would have answered several questions as the person did; giving it is theirs."""

    wish: Wish
    """What to ask for, to be offered it."""
    grant: Grant
    said_yes: tuple[str, ...]
    """The actions that the person said yes to, newest first."""
    trial: Trial


async def suggestions(tools: Tools, times: int = TIMES, most: int = LOOKED_AT) -> list[Suggestion]:
    """Return what could be permitted, the most often asked first.

    Nothing is proposed that a permission answers already, nor what would have allowed something that the
    person said no to.
    """
    records = await tools.journal.query(Query(limit=most, states=_TOLD))
    groups: dict[str, list[Lesson]] = {}
    for record in records:
        learnt = _learnt(record, tools)
        if learnt is not None:
            alike, one = learnt
            groups.setdefault(alike, []).append(one)
    standing = [grant for grant in await tools.journal.grants() if over(grant, tools.policy(), tools.now()) is None]
    found = [_suggested(group, records, standing, tools) for group in groups.values() if len(group) >= times]
    return sorted((one for one in found if one is not None), key=lambda one: -len(one.said_yes))


def _learnt(record: Record, tools: Tools) -> tuple[str, Lesson] | None:
    """Return what can be learnt from an action, and what is the same of all that are like it."""
    if record.state is not State.DONE:
        return None
    try:
        learnt = lesson(record, tools)
        return _alike(learnt), learnt
    except SaysoError:
        return None


def _alike(learnt: Lesson) -> str:
    """Return what is the same of actions that differ only in what may vary."""
    names = tuple(one.argument for one in could_vary(learnt.case))
    return offer_digest(derived(learnt.case, learnt.standing, vary=names, seconds=None, uses=None), None)


def _suggested(
    group: Sequence[Lesson], records: Sequence[Record], standing: Sequence[Grant], tools: Tools
) -> Suggestion | None:
    newest = group[0]
    vary = _differing(group)
    try:
        grant = derived(newest.case, newest.standing, vary=vary, seconds=None, uses=None)
    except SaysoError:
        return None
    if any(why_like(grant, learnt) is not None for learnt in group):
        return None
    if any(all(why_like(known, learnt) is None for learnt in group) for known in standing):
        return None
    tried = on_history(grant, records, tools)
    if tried.against_you:
        return None
    return Suggestion(Wish(newest.record.id, vary), grant, tuple(one.record.id for one in group), tried)


def _differing(group: Sequence[Lesson]) -> tuple[str, ...]:
    """Return the arguments that were not always the same."""
    first = group[0].record.arguments
    return tuple(
        name for name, value in first.items() if any(not _same(value, one.record.arguments.get(name)) for one in group)
    )


def _same(value: Json, other: Json) -> bool:
    return canonical(value) == canonical(other)
