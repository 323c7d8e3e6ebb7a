"""Decide what a wish asks for: the operations with their arguments, or what the person must be asked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.models.builtin import guards
from sayso.models.builtin.classify import MERGED, NONE, OTHER, Guess, features, hear
from sayso.models.builtin.clauses import ORDERS, Part, everything, focus_of, parts_of
from sayso.models.builtin.filling import fill
from sayso.models.builtin.judge import Scene, Weighed, likelihood, signs_of
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import Mention, find_mentions, find_things
from sayso.models.builtin.names import SMALL, name_parts
from sayso.models.builtin.outcomes import Ambiguous, Filled, Unresolved
from sayso.models.builtin.spans import TEXTS
from sayso.models.builtin.spoken import corrected
from sayso.models.builtin.times import number
from sayso.models.builtin.tokens import Token, source_text, strip_courtesy, tokenize, word_list
from sayso.models.builtin.world import Utterance

OWN = 0.85
"""How probable an operation must be in words that only tell something."""
SURE, RISKY, UNASKED = 0.85, 0.9, 0.95
"""How likely a reading must be right: usually, if it takes away or sends something, and if no verb orders it to."""
PLAIN, SURE_IF_PLAIN = 0.9, 0.75
"""How probable an operation is in a plain order that it explains without a text, and how likely that must be right."""
SURELY = 0.9
"""How likely a reading must be right that leaves something out which was said, or beside which more may be wished."""
PLAIN_ALONE = 0.9
"""How probable each operation must be, for words without verbs to ask for several."""
LIKELY_ALONE = 0.6
"""How likely a reading must be right by its own words, to be done as one of several."""
LEAST, LEAST_RISKY = 0.4, 0.55
"""How sure a reading must be as one of several: usually, and if it takes something away or sends it."""
POINTED = 0.45
"""How surely a thing must be named to be meant by “it” later."""
POSSIBLE, LIKELY, SEVERAL, HALF = 0.02, 0.4, 0.5, 0.7
"""How probable an operation must be: to be tried, another wish, one of several, and one without a verb."""
ODD, COVERED = 0.4, 0.6
OPEN = 0.4
"""How probable an operation must be, for which something is missing or which fits several things, to ask about it."""
PERHAPS_SEVERAL = 0.1
"""How probable it must be that words ask for several things, unless each begins with a verb."""
LEFT_OUT = 0.4
"""How surely arguments are meant that leave out a time, a quote or an address that was said."""
MOST_PARTS = 16
"""Wishes with more parts are read as one wish."""
_TRIED = 5


class Reading(Struct, frozen=True):
    """An operation that words may ask for, and what its arguments came to."""

    operation: str
    likely: float
    """How likely the operation and its arguments are what is meant."""
    found: Filled | Ambiguous | Unresolved
    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    guessed: float = 0.0
    """How probable the operation is by the words alone."""
    cover: float = 1.0
    """Which share of the telling words the operation explains."""
    pointed: str = ""
    """What a word such as “it” was taken for; empty without such a word."""


class Decision(Struct, frozen=True):
    """What a wish came to: readings to be done in their order, or a doubt about one of them."""

    readings: tuple[Reading, ...] = ()
    doubt: str = ""
    """Why nothing is done; empty if the readings are to be done. One of `unclear`, `guarded`, `which`, `none`."""
    guessed: tuple[Guess, ...] = ()
    told: tuple[str, ...] = ()
    """The features that the guess was made from."""


@lru_cache(maxsize=8)
def decide(utterance: Utterance) -> Decision:
    """Return what an utterance asks for."""
    words = strip_courtesy(corrected(tokenize(utterance.text), utterance.world)).words
    parts = parts_of(words)
    if not parts:
        return Decision(doubt="none")
    several = _several(parts, utterance) if len(parts) <= MOST_PARTS else None
    return several or _one(words, parts, utterance)


def _one(words: tuple[Token, ...], parts: Sequence[Part], utterance: Utterance) -> Decision:
    stretches = [Stretch(one, utterance) for one in dict.fromkeys((focus_of(parts), words))]
    guessed = _average([one.guesses for one in stretches])
    told = tuple(stretches[0].features)
    decision = Decision(guessed=tuple(guessed[:_TRIED]), told=told)
    possible = tried(stretches, utterance)
    readings = judged(possible, stretches, parts, utterance)
    if not readings:
        return replace(decision, readings=tuple(possible[:1]), doubt="unclear" if possible else "none")
    chosen = readings[0]
    open_ = next((one for one in possible if not isinstance(one.found, Filled)), None)
    if open_ is not None and chosen.likely < _least(chosen, parts) and open_.guessed > max(OPEN, chosen.likely):
        return replace(decision, readings=(open_,), doubt="unclear")
    decision = replace(decision, readings=(chosen,))
    if not isinstance(chosen.found, Filled):
        return replace(decision, doubt="unclear")
    if guards.stops(_against(chosen, parts), chosen.likely):
        return replace(decision, doubt="guarded")
    if chosen.likely < SURELY and guards.leaves_out(chosen.operation, chosen.found, stretches[-1].mentions):
        return replace(decision, doubt="unclear")
    if chosen.likely < SURELY and has_more(chosen, parts, utterance):
        return replace(decision, doubt="more")
    if chosen.likely >= _least(chosen, parts):
        return decision
    if guessed[0].label in {NONE, OTHER}:
        return replace(decision, doubt="none")
    return replace(decision, readings=tuple(readings), doubt="which")


def _against(reading: Reading, parts: Sequence[Part]) -> frozenset[str]:
    """Return what kinds of words speak against a reading."""
    if not isinstance(reading.found, Filled):
        return frozenset()
    return guards.kinds(reading.operation, reading.found, reading.words, reading.mentions, parts)


def _least(reading: Reading, parts: Sequence[Part]) -> float:
    """Return how likely a reading must be right to be done."""
    asked = any(part.order or part.asked for part in parts)
    whole = reading.cover == 1 and isinstance(reading.found, Filled) and not reading.found.free_words
    if reading.guessed >= PLAIN and whole and len(parts) == 1 and parts[0].order:
        return SURE_IF_PLAIN
    if guards.is_risky(reading.operation):
        return RISKY if asked else UNASKED
    told = reading.cover < COVERED or any(part.telling for part in parts)
    return UNASKED if told and not asked and reading.operation.startswith("app.") else SURE


def tried(stretches: Sequence["Stretch"], utterance: Utterance) -> list["Reading"]:
    """Return what a wish may ask for, with the arguments."""
    guessed = _average([one.guesses for one in stretches])
    best = [one for one in guessed[:_TRIED] if one.probability >= POSSIBLE and one.label not in {NONE, OTHER}]
    return [_reading(one, stretches, utterance) for one in best]


def judged(
    tried: Sequence["Reading"], stretches: Sequence["Stretch"], parts: Sequence[Part], utterance: Utterance
) -> list["Reading"]:
    """Return the readings that have all arguments, the likeliest first."""
    shares = [(each, signs) for each, signs in signs_of_all(tried, stretches, parts, utterance)]
    found = [replace(each, likely=likelihood(signs)) for each, signs in shares]
    return sorted(found, key=lambda one: -one.likely)


def signs_of_all(
    tried: Sequence["Reading"], stretches: Sequence["Stretch"], parts: Sequence[Part], utterance: Utterance
) -> Iterator[tuple["Reading", dict[str, float]]]:
    """Yield each reading that has all arguments, with the signs that it is judged by."""
    heard = [one.heard for one in stretches]
    question = strip_courtesy(tokenize(utterance.text)).asked
    for each in tried:
        if not isinstance(each.found, Filled):
            continue
        others = [one for one in tried if (one.operation, one.found) != (each.operation, each.found)]
        rivals = [(one.operation, one.guessed) for one in others]
        whole = stretches[-1]
        scene = Scene(heard[0], heard[-1], parts, whole.mentions, rivals, whole.words, question, utterance)
        more = has_more(each, parts, utterance)
        weighed = Weighed(
            each.operation, each.found, each.words, each.mentions, each.cover, bool(each.pointed), more,
            _taken(each), cues() | SMALL,
        )  # fmt: skip
        yield each, signs_of(weighed, scene)


def _is_sure(reading: Reading) -> bool:
    """Say whether an operation and its arguments are meant surely enough to be done, as one of several."""
    strength = reading.found.strength if isinstance(reading.found, Filled) else 0.0
    if guards.is_odd(reading.operation, reading.words, reading.mentions):
        strength *= ODD
    sure = reading.guessed * strength * reading.cover**0.25
    return sure >= (LEAST_RISKY if guards.is_risky(reading.operation) else LEAST)


def has_more(reading: Reading, parts: Sequence[Part], utterance: Utterance) -> bool:
    """Say whether there is another order in the wish that the reading leaves out."""
    groups = list(_groups(parts))
    texts = guards.text_words(reading.operation, reading.words, reading.mentions)
    covered = {reading.words[at].start for at in texts}
    for group in groups if len(groups) > 1 else ():
        words = everything(group)
        if words[0].start in covered:
            continue
        stretch = Stretch(words, utterance)
        top = stretch.guesses[0]
        if not group[0].order and top.probability < HALF:
            continue
        if (
            top.label == reading.operation
            and group[0].order
            and _does_other(reading, _reading(top, [stretch], utterance))
        ):
            return True
        if top.label not in {NONE, MERGED.get(reading.operation, reading.operation)} and top.probability >= LIKELY:
            return True
    return False


def _does_other(reading: Reading, other: Reading) -> bool:
    """Say whether words that ask for the same operation name another thing."""
    done = reading.found.arguments if isinstance(reading.found, Filled) else ()
    also = other.found.arguments if isinstance(other.found, Filled) and other.found.strength >= POINTED else ()
    return any(one.get(name) != value for one in done for each in also for name, value in each.items() if name in one)


def _taken(reading: Reading) -> frozenset[int]:
    """Return the places of words that name things which the operation takes."""
    kinds = _uses(reading.operation)
    named = [one for one in reading.mentions if one.kind in kinds and one.strength >= WEAK]
    return frozenset(at for one in named for at in range(one.start, one.end))


def _uses(operation: str) -> frozenset[str]:
    return USES.get(operation.partition(".")[0], frozenset[str]()) | {"pronoun"}


WEAK = 0.25
"""How surely a thing must be named to count as named at all."""
USES = MappingProxyType(
    {
        "tab": frozenset(word_list("tab site number url")),
        "page": frozenset({"tab", "site"}),
        "app": frozenset(word_list("app area monitor side size")),
        "layout": frozenset({"preset"}),
        "url": frozenset(word_list("url site quote")),
        "file": frozenset(word_list("file folder path app quote number side")),
        "mail": frozenset(word_list("address quote time")),
        "calendar": frozenset(word_list("event time repeat quote number")),
        "reminder": frozenset(word_list("time repeat reminder event quote number")),
        "task": frozenset(word_list("task done quote side")),
        "habit": frozenset(word_list("habit repeat quote time")),
        "sound": frozenset({"number", "side"}),
        "note": frozenset({"quote"}),
    }
)
"""The kinds of mentions that the operations of a domain take."""


def covered(operation: str, words: Sequence[Token], mentions: Sequence[Mention]) -> float:
    """Return which share of the telling words an operation explains: as a text, as a name, or as how people ask."""
    kinds = _uses(operation)
    used = {at for one in mentions if one.kind in kinds for at in range(one.start, one.end)}
    other = {at for one in mentions if one.kind in _EXACT - kinds for at in range(one.start, one.end)}
    used |= guards.text_words(operation, words, mentions)
    known = cues() | SMALL
    telling = [
        at for at, word in enumerate(words) if at in used or at in other or word.quoted or word.text not in known
    ]
    return sum(at in used for at in telling) / len(telling) if telling else 1.0


_EXACT = frozenset(word_list("time repeat area monitor address path url quote size event preset"))


class Stretch:
    """Words with their mentions, and what they may ask for; each is found once, when it is needed."""

    def __init__(self, words: tuple[Token, ...], utterance: Utterance) -> None:
        """Find the mentions in the words."""
        self.words = words
        self.mentions = find_mentions(words, utterance)
        self.features = features(words, self.mentions)
        self.heard = hear(self.features)
        self.guesses = self.heard.guesses


def _average(each: Sequence[Sequence[Guess]]) -> list[Guess]:
    total: dict[str, float] = {}
    for guessed in each:
        for one in guessed:
            total[one.label] = total.get(one.label, 0.0) + one.probability / len(each)
    return sorted((Guess(label, share) for label, share in total.items()), key=lambda one: -one.probability)


def _reading(guess: Guess, stretches: Sequence[Stretch], utterance: Utterance) -> Reading:
    """Return an operation with its arguments, from the first stretch of words that has them all."""
    tried: list[Reading] = []
    cover = covered(guess.label, stretches[0].words, stretches[0].mentions)
    for stretch in stretches:
        found = fill(guess.label, stretch.words, stretch.mentions, utterance)
        reading = Reading(guess.label, 0.0, found, stretch.words, stretch.mentions, guess.probability, cover)
        if isinstance(found, Unresolved) and found.kind:
            reading = _pointed(reading, found.kind, utterance) or reading
        if (
            isinstance(reading.found, Filled)
            and reading.found.strength >= LEFT_OUT
            and not guards.leaves_out(reading.operation, reading.found, stretches[-1].mentions)
        ):
            return settled(reading, utterance)
        tried.append(reading)
    first = max(tried, key=_how_far)
    if isinstance(first.found, Filled) and guards.leaves_out(first.operation, first.found, first.mentions):
        return replace(first, found=replace(first.found, strength=min(first.found.strength, LEFT_OUT)))
    return settled(first, utterance)


def _how_far(reading: Reading) -> float:
    """Return how far the arguments were found: wholly, up to a choice, or not."""
    found = reading.found
    return found.strength if isinstance(found, Filled) else -0.5 if isinstance(found, Ambiguous) else -1.0


def settled(reading: Reading, utterance: Utterance) -> Reading:
    """Return the reading with the operation that fits what there is, such as an application that runs."""
    if not isinstance(reading.found, Filled):
        return reading
    arguments = reading.found.arguments[0]
    match reading.operation:
        case "app.activate" if arguments.get("name") not in utterance.world.running:
            return replace(reading, operation="app.open")
        case "url.open" if (tab := _shown_already(reading, utterance)) is not None:
            return replace(reading, operation="tab.switch", found=replace(reading.found, arguments=({"index": tab},)))
        case "calendar.list" if _is_today(arguments, utterance):
            today = fill("calendar.today", reading.words, reading.mentions, utterance)
            return replace(reading, operation="calendar.today", found=today)
        case "task.add" if any(word.text in {"tasks", "todos", "to-dos"} for word in reading.words):
            found = fill("task.add_all", reading.words, reading.mentions, utterance)
            texts = found.arguments[0].get("texts") if isinstance(found, Filled) else None
            many = isinstance(texts, list) and len(cast("list[Json]", texts)) > 1
            return replace(reading, operation="task.add_all", found=found) if many else reading
        case _:
            return reading


def _shown_already(reading: Reading, utterance: Utterance) -> int | None:
    """Return the number of the one tab that shows a site which was named without its address."""
    arguments = reading.found.arguments if isinstance(reading.found, Filled) else ()
    said = {word.text for word in reading.words}
    if len(arguments) != 1 or _ANEW & said or any(one.kind == "url" for one in reading.mentions):
        return None
    host = str(arguments[0].get("url", "")).partition("://")[2].removeprefix("www.")
    tabs = [tab.index for tab in utterance.world.tabs if host and tab.domain == host.rstrip("/")]
    return tabs[0] if len(tabs) == 1 else None


_ANEW = frozenset(word_list("new another fresh second again start launch"))


def _is_today(arguments: Mapping[str, Json], utterance: Utterance) -> bool:
    today, next_ = utterance.now.date(), utterance.now.date() + timedelta(days=1)
    return arguments.get("start", f"{today}") == f"{today}" and arguments.get("end", f"{next_}") == f"{next_}"


def _pointed(reading: Reading, kind: str, utterance: Utterance) -> Reading | None:
    """Return the reading with the thing that a word such as “it” means: the last one that was named before."""
    pronoun = next((one for one in reading.mentions if one.kind == "pronoun"), None)
    if pronoun is None:
        return None
    start = reading.words[pronoun.start].start
    here = [word for word in tokenize(utterance.text) if word.end <= start]
    texts = [(utterance, here), *((replace(utterance, text=one), tokenize(one)) for one in reversed(utterance.before))]
    for told, words in texts:
        named = [one for one in find_things(kind, words, told) if one.strength >= POINTED and not one.rivals]
        if named:
            meant = max(named, key=lambda one: (one.strength, one.start))
            point = Mention(kind, pronoun.start, pronoun.end, meant.value, meant.strength)
            mentions = (*reading.mentions, point)
            found = fill(reading.operation, reading.words, mentions, utterance)
            said = source_text(told.text, words[meant.start : meant.end])
            return replace(reading, found=found, mentions=mentions, pointed=said)
    return None


def _several(parts: Sequence[Part], utterance: Utterance) -> Decision | None:
    """Return the readings of two or more orders in one sentence; None if there are not several."""
    units = [half for unit in units_of(parts, utterance) for half in _halves(unit, utterance)]
    told = everything(parts)
    if guards.depends(parts):
        return None
    plain = all(unit.parts[0].order for unit in units)
    if len(units) <= 1 or (not plain and _is_one(told, utterance) and not _are_plain(units, utterance)):
        return None
    readings: list[Reading] = []
    for unit in units:
        if readings and _goes_on(unit, readings[-1]):
            continue
        reading = _read_unit(unit, readings, utterance)
        last = readings[-1] if readings else None
        lost = reading is None and unit.parts[0].order and last is not None and last.operation in TEXTS
        if lost or (last is not None and guards.may_be_of_text(last.operation, last.words, last.mentions)):
            return None  # it may be the next of several texts, or go on with one
        if reading is None:
            continue
        if isinstance(reading.found, Ambiguous) and reading.guessed >= SEVERAL:
            readings.append(reading)
            continue
        likely = _alone(reading, unit, utterance)
        if not isinstance(reading.found, Filled) or reading.guessed < SEVERAL or likely < LIKELY_ALONE:
            return None
        if guards.is_risky(reading.operation) and not _is_sure(reading):
            return None
        if guards.stops(_against(reading, unit.parts), likely):
            return Decision((reading,), doubt="guarded")
        if not any((one.operation, one.found) == (reading.operation, reading.found) for one in readings):
            readings.append(reading)
    unclear = any(isinstance(one.found, Ambiguous) for one in readings)
    return Decision(_followed(readings), doubt="unclear" if unclear else "") if len(readings) > 1 else None


def _goes_on(unit: "Unit", before: Reading) -> bool:
    """Say whether what was named before goes on, as in the layout “till and mail”."""
    values = str(before.found.arguments) if isinstance(before.found, Filled) else ""
    return not TEXTS.keys() & {before.operation} and {one.text for one in unit.words} <= {*name_parts(values)}


def _followed(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return readings in which a file that was moved by an earlier one is named by its new path."""
    moved: dict[str, Json] = {}
    found: list[Reading] = []
    for one in readings:
        given = one.found.arguments if isinstance(one.found, Filled) else ()
        arguments = tuple({name: _now(name, value, moved) for name, value in each.items()} for each in given)
        if one.operation == "file.move":
            moved |= {str(each["source"]): each["destination"] for each in arguments}
        found.append(
            replace(one, found=replace(one.found, arguments=arguments)) if isinstance(one.found, Filled) else one
        )
    return tuple(found)


def _now(name: str, value: Json, moved: Mapping[str, Json]) -> Json:
    return moved.get(str(value), value) if name in {"path", "source"} else value


def _alone(reading: Reading, unit: "Unit", utterance: Utterance) -> float:
    """Return how likely a reading would be right if nothing but its own words were said."""
    stretches = [Stretch(unit.words, utterance)]
    return max((one.likely for one in judged([reading], stretches, unit.parts, utterance)), default=0.0)


def _are_plain(units: Sequence["Unit"], utterance: Utterance) -> bool:
    """Say whether each of some units plainly asks for another operation, alone."""
    tops = [Stretch(unit.words, utterance).guesses[0] for unit in units]
    labels = {one.label for one in tops}
    loose = [one.label for one, unit in zip(tops, units, strict=True) if not unit.parts[0].order]
    tells = any(unit.parts[0].telling for unit in units) or not TEXTS.keys().isdisjoint(loose)
    return (
        not tells
        and len(labels) == len(tops)
        and labels.isdisjoint({NONE, OTHER})
        and min(one.probability for one in tops) >= PLAIN_ALONE
    )


def _is_one(words: tuple[Token, ...], utterance: Utterance) -> bool:
    return Stretch(words, utterance).heard.several < PERHAPS_SEVERAL


class Unit(Struct, frozen=True):
    """Words that ask for one thing of several, and the parts that they are from."""

    words: tuple[Token, ...]
    parts: tuple[Part, ...]


def units_of(parts: Sequence[Part], utterance: Utterance) -> list[Unit]:
    """Return the parts from each order up to the next one, without remarks; a whole wish stands alone."""
    units: list[list[Part]] = []
    orders = {
        stretch.guesses[0].label.partition(".")[0]
        for one in parts
        if one.order
        for stretch in [Stretch(one.words, utterance)]
    }
    for part in parts:
        own = bool(orders) and part.telling and _is_own_wish(part, orders, utterance)
        if part.telling and not own:
            continue
        if (
            not units
            or own
            or part.order
            or (_domain(units[-1], utterance) is not None and _stands_alone(part, units[-1], utterance))
        ):
            units.append([part])
        else:
            units[-1].append(part)
    return [Unit(everything(unit), tuple(unit)) for unit in units]


def _is_own_wish(part: Part, orders: Collection[str], utterance: Utterance) -> bool:
    """Say whether a part that tells something is a wish of its own, and not what an order beside it is about."""
    stretch = Stretch(part.words, utterance)
    top = stretch.guesses[0]
    if top.label in {NONE, OTHER} or top.probability < OWN or top.label.partition(".")[0] in orders:
        return False
    reading = _reading(top, [stretch], utterance)
    return isinstance(reading.found, Filled) and _is_sure(reading)


def _domain(unit: Sequence[Part], utterance: Utterance) -> str | None:
    """Return the domain of what a unit asks for; None if this takes a text, in which more parts may follow."""
    top = Stretch(everything(unit), utterance).guesses[0].label
    return None if top in TEXTS else top.partition(".")[0]


def _stands_alone(part: Part, before: Sequence[Part], utterance: Utterance) -> bool:
    stretch = Stretch(part.words, utterance)
    top = stretch.guesses[0]
    if top.label in {NONE, OTHER} or top.probability < HALF:
        return False
    if top.label != "app.place" and top.label.partition(".")[0] == _domain(before, utterance) and not part.joined:
        return False
    if part.joined and top.label == Stretch(everything(before), utterance).guesses[0].label:
        return False
    reading = _reading(top, [stretch], utterance)
    return isinstance(reading.found, Filled) and reading.cover >= COVERED


def _read_unit(unit: Unit, before: Sequence[Reading], utterance: Utterance) -> Reading | None:
    """Return what a unit asks for; None if it asks for nothing."""
    stretch = Stretch(unit.words, utterance)
    top = stretch.guesses[0]
    if top.label in {NONE, OTHER}:
        return None
    last = before[-1] if before else None
    pronoun = next((one for one in stretch.mentions if one.kind == "pronoun"), None)
    if last is not None and last.operation == "file.mkdir" and pronoun is not None and isinstance(last.found, Filled):
        path = last.found.arguments[0]["path"]
        stretch.mentions = (*stretch.mentions, Mention("folder", pronoun.start, pronoun.end, path, 0.9))
    if (
        last is not None
        and last.operation == top.label == "app.place"
        and not any(one.kind == "monitor" for one in stretch.mentions)
    ):
        stretch.mentions += tuple(one for one in last.mentions if one.kind == "monitor")
    reading = _reading(top, [stretch], utterance)
    ordered = unit.parts[0].order
    return None if not ordered and not (top.probability >= HALF and isinstance(reading.found, Filled)) else reading


def _halves(unit: Unit, utterance: Utterance) -> list[Unit]:
    """Return a unit, or its two halves if each asks for another thing, as in “mute and dnd”."""
    words = unit.words
    joints = [at for at in range(1, len(words) - 1) if words[at].text in AND and not words[at].quoted]
    for at in joints[:_MOST_JOINTS]:
        before, after = words[:at], words[at + 1 :]
        if any(all(number(word.text) is not None for word in side) for side in (before, after)):
            continue  # “close tabs 3 and 4”
        for side in (after, *_with_verb(before, after)):
            if _are_two(before, side, utterance):
                return [Unit(before, unit.parts), Unit(side, unit.parts)]
    return [unit]


def _with_verb(before: tuple[Token, ...], after: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """Yield the words after a joint with the verb before it, as in “delete the task and the habit”."""
    if before[0].text in ORDERS and after[0].text not in ORDERS and not before[0].quoted:
        yield (*before[: 1 + (before[1:2] != () and before[1].text == "me")], *after)


def _are_two(before: tuple[Token, ...], after: tuple[Token, ...], utterance: Utterance) -> bool:
    """Say whether two halves of a sentence ask for different things."""
    stretches = [Stretch(side, utterance) for side in (before, after)]
    tops = [one.guesses[0] for one in stretches]
    labels = [one.label for one in tops]
    if {NONE, OTHER} & {*labels} or min(one.probability for one in tops) < HALF:
        return False
    if labels == ["reminder.create"] * 2:  # “remind me at six to eat and at seven to rest”
        times = [next((one.start for one in each.mentions if one.kind == "time"), len(before)) for each in stretches]
        if max(times) > len(("remind", "me")):
            return False
    elif labels[0] in TEXTS or (len({one.partition(".")[0] for one in labels}) == 1 and labels[1] != "app.place"):
        return False
    return all(
        isinstance(_reading(top, [each], utterance).found, Filled) for top, each in zip(tops, stretches, strict=True)
    )


AND = frozenset({"and", "+", "then", "plus"})
_MOST_JOINTS = 4


def _groups(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield the parts from each order up to the next one, without remarks; what stands before the first order too."""
    group: list[Part] = []
    for part in parts:
        if part.order and group:
            yield group
            group = []
        if not part.telling:
            group.append(part)
    if group:
        yield group
