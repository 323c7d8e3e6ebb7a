"""Decide what a clause means: one thing when that is sure, a question when two are near, else nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from sayso.core.canonical import Json, canonical
from sayso.core.values import dataclass
from sayso.models.embedded.intents import Intent
from sayso.models.embedded.names import alike
from sayso.models.embedded.patterns import Slot, slots_of, spoken
from sayso.models.embedded.readings import Choice, Missing, Several, listed, quoted
from sayso.models.embedded.things import NOT_ALL
from sayso.models.embedded.understanding import Meant

NEAR = 0.08
"""Two meanings that are no further apart are both asked about."""
LEAST = 0.4
"""What is less sure than this is not done."""
_TOLD_APART = frozenset({"task", "habit"})
"""Kinds of things that are named with their kind, since one of another kind may have the same name."""
LIKE = 75.0
"""How like the name that was said, of 100, one must be that is offered instead."""
MOST_OFFERED = 3
_UNKNOWN = 100
"""As many words as count for a clause about something that is not there."""


@dataclass(frozen=True)
class Act:
    """What is to be done."""

    operation: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True)
class Option:
    """One way to go on: what a person is told, and what it would do."""

    said: str
    act: Act | None = None


@dataclass(frozen=True)
class Ask:
    """A question, the operations in doubt, and what may be answered."""

    why: str
    about: tuple[str, ...] = ()
    open: Meant | None = None
    """What goes on when one of the choices is named."""
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Understood:
    """What a clause comes to, and how many of its words were not understood, only taken."""

    what: Act | Ask
    free: int
    verb: tuple[str, ...] = ()
    open_ended: bool = False
    meant: Meant | None = None
    """What it was made of, where it is to be done."""


def decided(all_meant: Iterable[Meant]) -> Understood | None:
    """Return what is to be done about a clause, or asked; None when it is not understood at all."""
    best = _best_of_each(all_meant)
    certain = [one for one in best if not isinstance(one.doubt, Missing) or one.doubt.sure]
    if not certain:
        return _missing([one for one in best if isinstance(one.doubt, Missing)])
    top = max(one.sureness for one in certain)
    near = [one for one in certain if one.sureness > top - NEAR]
    if top < LEAST:
        return None
    if len(near) == 1:
        return _one(near[0])
    doubtful = [one for one in near if one.doubt is not None]
    return _one(doubtful[0]) if doubtful else _which(near)


def _best_of_each(all_meant: Iterable[Meant]) -> list[Meant]:
    """Return, of each operation, the meaning that took the fewest words as they are; the same thing counts once."""
    best: dict[tuple[str, bytes], Meant] = {}
    fewest: dict[str, int] = {}
    for one in all_meant:
        if isinstance(one.doubt, Missing) and not one.doubt.sure:
            best.setdefault((one.intent.means, one.doubt.why.encode()), one)
            continue
        fewest[one.intent.means] = min(fewest.get(one.intent.means, one.free), one.free)
        key = (one.intent.means, _same(one))
        if key not in best or one.sureness > best[key].sureness:
            best[key] = one
    return [
        one
        for one in best.values()
        if (isinstance(one.doubt, Missing) and not one.doubt.sure) or one.free == fewest[one.intent.means]
    ]


def _same(one: Meant) -> bytes:
    if one.doubt is None:
        return canonical(dict(one.arguments))
    return (one.doubt.why if isinstance(one.doubt, Missing) else one.doubt.said).encode()


def _one(meant: Meant) -> Understood:
    match meant.doubt:
        case None:
            return Understood(Act(meant.intent.means, meant.arguments), meant.free, meant.verb, meant.open_ended, meant)
        case Missing(why):
            return Understood(Ask(why, (meant.intent.means,)), meant.free, meant.verb)
        case Several(said, choices):
            why = f"{said} There {'is' if len(choices) == 1 else 'are'} {listed(choices)}."
            return Understood(Ask(why, (meant.intent.means,), meant), meant.free, meant.verb)


def _which(near: Sequence[Meant]) -> Understood:
    options = tuple(Option(told(one.intent, one.said), Act(one.intent.means, one.arguments)) for one in near)
    said = " or ".join(option.said for option in options)
    about = tuple(dict.fromkeys(one.intent.means for one in near))
    return Understood(Ask(f"It may mean one of these: {said}. Which one?", about, options=options), near[0].free)


def told(intent: Intent, said: Mapping[str, Json]) -> str:
    """Return an intent with what its slots hold as one may say it: `switch to tab 3`, `delete the task “Buy wine”`."""
    parts = intent.patterns[0].parts
    return spoken(parts, {slot.name: _held(slot, said[slot.name]) for slot in slots_of(parts) if slot.name in said})


def _held(slot: Slot, value: Json) -> str:
    kind = slot.kind.partition("_")[0]
    match value:
        case list() | tuple():
            each = cast("Sequence[Json]", value)
            said = ", ".join(str(one) if isinstance(one, int) else quoted(str(one)) for one in each)
            return f"{kind} {said}" if kind == "tabs" else said
        case int():
            return f"{kind} {value}"
        case Mapping():
            return quoted(str(cast("Mapping[str, Json]", value).get("title", "")))
        case _:
            said = quoted(str(value))
            return f"the {kind} {said}" if kind in _TOLD_APART else said


def _missing(missing: Sequence[Meant]) -> Understood | None:
    if not missing:
        return None
    doubts = [one.doubt for one in missing if isinstance(one.doubt, Missing)]
    whys = dict.fromkeys(why for one in _by_their_words(doubts) for why in one)
    about = dict.fromkeys(one.intent.means for one in missing)
    parts = [why.removesuffix(f" {NOT_ALL}") for why in list(whys)[:2]]
    if any(one.why.endswith(NOT_ALL) for one in doubts):
        return Understood(Ask(" ".join((*parts, NOT_ALL)), tuple(about)[:1]), _UNKNOWN)
    nearest = _nearest(missing)
    if nearest is None:
        return Understood(Ask(" ".join(parts), tuple(about)[:1]), _UNKNOWN)
    meant, choices = nearest
    parts.append(f"Is {listed(choices)} meant?")
    open_ = replace(meant, doubt=Several(parts[-1], choices))
    return Understood(Ask(" ".join(parts), (meant.intent.means,), open_), _UNKNOWN)


def _by_their_words(doubts: Sequence[Missing]) -> Iterator[list[str]]:
    """Yield the sentences about each of the doubts; what the same words name none of is said in one."""
    shortest = min((one.said for one in doubts if one.what), key=len, default="")
    same = [one for one in doubts if one.what and shortest.strip("“”") in one.said]
    kinds = list(dict.fromkeys(one.what for one in same))
    if kinds:
        every = " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
        yield [f"No {every} here is called {shortest}."]
    yield [one.why for one in doubts if one not in same]


def _nearest(missing: Sequence[Meant]) -> tuple[Meant, tuple[Choice, ...]] | None:
    """Return what goes by the name that is most like the one that was said; None where none is like it."""
    found = [
        (likeness, at, number)
        for at, one in enumerate(missing)
        if isinstance(one.doubt, Missing) and one.slot is not None
        for number, likeness in enumerate(alike(one.doubt.telling, [choice.said for choice in one.doubt.there]))
        if likeness >= LIKE
    ]
    if not found:
        return None
    _, at, _ = max(found, key=lambda one: one[0])
    meant = missing[at]
    there = meant.doubt.there if isinstance(meant.doubt, Missing) else ()
    best = sorted((one for one in found if one[1] == at), key=lambda one: -one[0])[:MOST_OFFERED]
    return meant, tuple(there[number] for _, _, number in best)
