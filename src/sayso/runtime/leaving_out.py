"""Which actions of a question need which others, and what becomes of the rest when a person leaves some out."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from sayso.core.plan import AsLeft, Plan
from sayso.core.record import State
from sayso.core.replacing import replace
from sayso.core.verdict import Question
from sayso.runtime.prepared import Prepared, ended
from sayso.runtime.targets import folders_above

WISHED = frozenset({"step.left_out", "step.needs_left_out"})
"""Codes of what did not happen because the person wished so: no failure that stops the rest."""


def stands_on(plan: Plan | None) -> list[int]:
    """Return the actions of the run whose effect this plan expects, by index."""
    facts = [fact for change in plan.changes for fact in change.expects] if plan else []
    return sorted({fact.action for fact in facts if isinstance(fact, AsLeft) and fact.action is not None})


def needs_of(items: Sequence[Prepared]) -> dict[int, tuple[int, ...]]:
    """Return by index which earlier ones of these actions each of them needs.

    It needs those whose effect its plan expects and, where content could be gone after it, those that
    are aimed at the same thing (T-18). Who needs one that needs another is not listed for that other.
    """
    asked = {item.record.index for item in items}
    known = _Aimed()
    needs: dict[int, tuple[int, ...]] = {}
    for item in items:
        found = asked.intersection(stands_on(item.plan))
        if item.destroys:
            found |= known.on_the_same(item)
        needs[item.record.index] = tuple(sorted(found))
        known.add(item)
    return needs


class _Aimed:
    """The actions so far, by what they are aimed at."""

    def __init__(self) -> None:
        self._at: defaultdict[str, list[int]] = defaultdict(list)
        self._below: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, item: Prepared) -> None:
        for name in item.aim.names | item.aim.paths:
            # What destroys needs all before it on the same thing, so that whoever comes later needs it alone.
            self._at[name] = [*([] if item.destroys else self._at[name]), item.record.index]
        for folder in {folder for path in item.aim.paths for folder in folders_above(path)}:
            self._below[folder].append(item.record.index)

    def on_the_same(self, item: Prepared) -> set[int]:
        paths = item.aim.paths
        at = {*item.aim.names, *paths, *(folder for path in paths for folder in folders_above(path))}
        found = {index for name in at for index in self._at.get(name, ())}
        return found | {index for path in paths for index in self._below.get(path, ())}


def parted(items: Iterable[Prepared], question: Question, ticked: Collection[str]) -> tuple[list[Prepared], ...]:
    """Return what goes on, and what is over because the person left it out or because it needs that."""
    left_out = {card.index for card in question.cards if card.id not in ticked}
    lacking = question.lacking(left_out)
    going: list[Prepared] = []
    over: list[Prepared] = []
    for item in items:
        index = item.record.index
        if index in left_out:
            over.append(_understood(ended(item, State.DECLINED, "you left this out", "step.left_out")))
        elif index in lacking:
            sentence = f"skipped because it needs step {lacking[index] + 1}, which you left out"
            over.append(_understood(ended(item, State.SKIPPED, sentence, "step.needs_left_out")))
        else:
            going.append(item)
    return going, over


def _understood(item: Prepared) -> Prepared:
    """Return it without its raw text: that is searched for paths only where nobody understood it (T-18)."""
    return replace(item, aim=replace(item.aim, raw=""))
