"""Read a wish by what it holds, where no pattern has all its words: a verb, names, times, and a text that is left.

A wish is cut into parts. A part that gives an order, or names things without a sentence, is read; reasons and remarks
are passed over. In a part, each word must be explained: by the verb, by a word for the kind of thing, by what a slot
took, or by being a small word. A reading with a word left over is none, and of two readings with different effects
none is taken. Words that may take a wish back stop all of it.
"""

import posixpath
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json, canonical
from sayso.core.sites import SITES
from sayso.models.builtin.entities import USUAL
from sayso.models.builtin.interpreter import ORDERS, RequestedAction
from sayso.models.builtin.match import EVERYTHING, LEAST_FOR_SLIPS, SlotValue, correct_all, name_parts
from sayso.models.builtin.parts import Part, parts_of
from sayso.models.builtin.slots import fill_template, read
from sayso.models.builtin.tokens import COLON, Token, is_same_word, source_text, vocabulary, word_list
from sayso.models.builtin.world import ContextWorld, Utterance


class ReadingRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of `readings.toml`; the file explains the fields."""

    means: str
    arguments: dict[str, Json]
    verbs: str = ""
    nouns: str = ""
    named: str = ""
    slots: str = ""
    bare: bool = False


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    verbs: dict[str, str]
    reading: tuple[ReadingRow, ...]


class Frame(Struct, frozen=True):
    """What a clause must hold to mean an operation."""

    means: str
    arguments: Mapping[str, Json]
    verbs: frozenset[str]
    nouns: frozenset[str]
    named: frozenset[str]
    slots: tuple[str, ...]
    maybe: tuple[str, ...]
    bare: bool


@lru_cache(maxsize=1)
def frames() -> tuple[Frame, ...]:
    """Return all entries of `readings.toml`; the file is read once per process."""
    told = msgspec.convert(tomllib.loads(files(__package__ or "").joinpath("readings.toml").read_text("utf-8")), _File)
    return tuple(_frame(row, told.verbs) for row in told.reading)


def _frame(row: ReadingRow, verbs: Mapping[str, str]) -> Frame:
    words = frozenset(word for one in row.verbs.split() for word in verbs[one].split())
    slots = row.slots.split()
    return Frame(
        row.means, row.arguments, words, frozenset(row.nouns.split()), frozenset(row.named.split()),
        tuple(one for one in slots if one[-1] != "?"), tuple(one[:-1] for one in slots if one[-1] == "?"), row.bare,
    )  # fmt: skip


@lru_cache(maxsize=1)
def verbs() -> frozenset[str]:
    """Return every word with which an order may begin."""
    return frozenset(word for one in frames() for word in one.verbs)


_SMALL = frozenset(
    word_list(
        "a an the my our your their his her its this that these those of to in on at by for from with into onto as it "
        "them up down out off over back away and also just please now then me us you i some any one ones is are be "
        "there here so only again really quickly kindly rather more much both two : itself where among once present "
        "called named titled under title saying which what thing stuff other others rn tonight's whole again yet w do "
        "once have got was were been will would can could still so-called let let's"
    )
)
"""Words that need no explanation."""
_PLACES = ("app", "file", "tab", "folder", "task", "completed", "habit", "event", "reminder")
_POINTING = frozenset(word_list("it them that this those these one"))
_LONGEST = 12
_TAKES_AWAY = frozenset(word_list("file.delete calendar.delete_event task.delete reminder.delete app.quit"))


class Named(Struct, frozen=True):
    """A thing that can be named: its value, the words of its name, and words that stand beside it."""

    value: Json
    name: frozenset[str]
    beside: frozenset[str]
    length: int


class Clause(Struct, frozen=True):
    """The words that are read, and the words before them that “it” may mean."""

    words: Sequence[Token]
    topic: Sequence[Token]
    utterance: Utterance


class Claim(Struct, frozen=True):
    """Words, by their indices, that a slot took, and its value."""

    value: Json
    at: frozenset[int]


class Reading(Struct, frozen=True):
    """An operation that a clause may mean; `explained` counts the words that the slots and the verb explain."""

    action: RequestedAction
    explained: int


def interpret_by_coverage(utterance: Utterance, words: Sequence[Token]) -> tuple[RequestedAction, ...] | None:
    """Return the actions that a wish holds; None if a part of it is unclear, or if it holds none."""
    parts = parts_of(_corrected(words, utterance.world), verbs())
    if parts is None:
        return None
    found: list[RequestedAction] = []
    read_: list[bool] = []
    head: list[Token] = []
    for at, part in enumerate(parts):
        colon = next((place for place, word in enumerate(part.words) if word.text == COLON), -1)
        said = (*head, *part.words) if head and colon < 0 else part.words
        head = [*part.words[: colon + 1]] or head
        one = None if part.telling else _only(read_part(said, utterance))
        if one is None and part.order:
            one = _with_topic(part, [each for each, was in zip(parts[:at], read_, strict=True) if not was], utterance)
            if one is None:
                return None
        read_.append(one is not None)
        found += [] if one is None else [one]
    left = [part for part, was in zip(parts, read_, strict=True) if not was and not part.telling]
    return tuple(found) if found and all(_is_loose(part) for part in left) else None


def _corrected(words: Sequence[Token], world: ContextWorld) -> tuple[Token, ...]:
    """Return the words with typing errors corrected, but those of names and those that are known here."""
    named = {part for kind in _PLACES for thing in _things(kind, world) for part in thing.name | thing.beside}
    known = named | _SMALL | verbs() | _PASSED | {noun for one in frames() for noun in one.nouns}
    right = correct_all(words)
    return tuple(word if word.text in known else other for word, other in zip(words, right, strict=True))


def _is_loose(part: Part) -> bool:
    """Say whether words beside a wish are few, and neither a verb nor what another wish may consist of."""
    return len(part.words) <= _MOST_LOOSE and not any(word.text in verbs() | _NOUNS for word in part.words)


_NOUNS = frozenset(word_list("half left right disturb volume vol monitor screen tab file mail reminder task"))


def _with_topic(part: Part, before: Sequence[Part], utterance: Utterance) -> RequestedAction | None:
    """Return the action of an order whose thing is named before it, as in “payslip in downloads, move it to …”."""
    if before and not before[-1].telling:
        joined = _only(read_part([*before[-1].words, *part.words], utterance, ()))
        if joined is not None:
            return joined
    return _only(read_part(part.words, utterance, [word for one in before for word in one.words]))


_MOST_LOOSE = 6


def _only(readings: Sequence[Reading]) -> RequestedAction | None:
    most = max((one.explained for one in readings), default=0)
    near = [one.action for one in readings if one.explained == most]
    best = {canonical([one.operation, dict(one.arguments)]): one for one in near}
    return next(iter(best.values())) if len(best) == 1 else None


def read_part(words: Sequence[Token], utterance: Utterance, topic: Sequence[Token] = ()) -> list[Reading]:
    """Return the readings of a part of a wish; `topic` has the words before it that “it” may mean."""
    return [one for frame in frames() if (one := _read_frame(frame, words, utterance, topic)) is not None]


def _read_frame(frame: Frame, words: Sequence[Token], utterance: Utterance, topic: Sequence[Token]) -> Reading | None:
    said = [word.text for word in words]
    verb = next((at for at, word in enumerate(words) if word.text in frame.verbs and not word.quoted), None)
    if (verb is None and not frame.bare) or (frame.named and frame.named.isdisjoint(said)):
        return None
    taken = frozenset[int]() if verb is None else frozenset({verb})
    values: dict[str, Json] = {}
    for slot in sorted((*frame.slots, *frame.maybe), key=_ORDER.index):
        claim = _claim(slot, frame, Clause(words, topic, utterance), taken)
        if claim is None:
            if slot in frame.slots:
                return None
            continue
        values[_NAMES.get(slot, slot)] = claim.value
        taken |= claim.at
    left = [word for at, word in enumerate(words) if at not in taken and not _is_free(word, frame)]
    if left or (not frame.slots and verb is None):
        return None
    arguments = {name: fill_template(one, values, utterance) for name, one in frame.arguments.items()}
    arguments = {name: value for name, value in arguments.items() if value != "" or name in {"body", "subject"}}
    if None in arguments.values() or _is_idle(frame.means, arguments):
        return None
    return Reading(RequestedAction(frame.means, arguments), len(taken))


def _is_idle(means: str, arguments: Mapping[str, Json]) -> bool:
    return means in {"file.move", "file.copy"} and arguments["source"] == arguments["destination"]


def _is_free(word: Token, frame: Frame) -> bool:
    return not word.quoted and (word.text in _SMALL or word.text in frame.nouns or word.text in _PASSED)


_PASSED = vocabulary("calls") | vocabulary("certainly_closes")
_ORDER = word_list(
    "quote mail subject body newname span when moment clock ending shift often long today days level area monitor into "
    "under sender app running tab tabs file folder task completed habit event reminder preset term place title"
)
_NAMES = {"newname": "name", "moment": "when", "ending": "when"}
_TIMES = frozenset(word_list("span when moment clock shift often long days area monitor level repeat"))


def _claim(slot: str, frame: Frame, clause: Clause, taken: frozenset[int]) -> Claim | None:
    words, utterance = clause.words, clause.utterance
    match slot:
        case "quote":
            return _quoted(words, taken, utterance)
        case "subject" | "body":
            return _after_marker(slot, words, taken, utterance)
        case "mail":
            return next(_windows("mail", words, taken, utterance, 1), None)
        case "today":
            at = frozenset(at for at, word in enumerate(words) if word.text in {"today", "today's", "tonight"})
            return Claim(1, at) if at else None
        case "ending":
            return _ending(words, taken, utterance)
        case "newname":
            at = next((at for at in range(len(words) - 1, 0, -1) if words[at - 1].text in {"to", "as", "into"}), None)
            found = None if at is None or at in taken else read("name", words[at : at + 1], utterance)
            return Claim(found.value, frozenset({cast("int", at)})) if isinstance(found, SlotValue) else None
        case "into" | "under":
            return _after_preposition(slot, words, taken, utterance, frame)
        case "title" | "term" | "sender" | "place":
            return _text(slot, frame, words, taken, utterance)
        case _ if slot in _TIMES:
            claims = [*_windows(slot, words, taken, utterance, _LONGEST)]
            return claims[0] if len(claims) == 1 else None
        case _:
            return _name(slot, frame, clause, taken)


def _windows(
    slot: str, words: Sequence[Token], taken: frozenset[int], utterance: Utterance, most: int
) -> Iterator[Claim]:
    """Yield what the words mean as this kind, from left to right, the longest span first."""
    at = 0
    while at < len(words):
        for end in range(min(len(words), at + most), at, -1):
            span = frozenset(range(at, end))
            if span & taken or any(word.quoted for word in words[at:end]):
                continue
            found = read(slot, words[at:end], utterance)
            if isinstance(found, SlotValue):
                yield Claim(found.value, span)
                at = end - 1
                break
        at += 1


def _ending(words: Sequence[Token], taken: frozenset[int], utterance: Utterance) -> Claim | None:
    at = next((at for at, word in enumerate(words) if word.text in {"until", "till"}), None)
    if at is None:
        return None
    for end in range(min(len(words), at + _LONGEST), at + 1, -1):
        found = read("clock", words[at + 1 : end], utterance)
        if isinstance(found, SlotValue) and isinstance(found.value, str):
            return Claim(f"{utterance.now:%Y-%m-%d} {found.value}", frozenset(range(at, end)))
    return None


def _quoted(words: Sequence[Token], taken: frozenset[int], utterance: Utterance) -> Claim | None:
    found = [at for at, word in enumerate(words) if word.quoted and at not in taken]
    return None if len(found) != 1 else Claim(source_text(utterance.text, [words[found[0]]]), frozenset(found))


def _after_marker(slot: str, words: Sequence[Token], taken: frozenset[int], utterance: Utterance) -> Claim | None:
    """Return the quoted text after a word such as “subject”."""
    marks = {"subject": {"subject", "titled", "about"}, "body": {"text", "body", "saying", "says", "words"}}[slot]
    at = next((at for at in range(1, len(words)) if words[at].quoted and words[at - 1].text in marks), None)
    return (
        None if at is None or at in taken else Claim(source_text(utterance.text, [words[at]]), frozenset({at - 1, at}))
    )


def _text(slot: str, frame: Frame, words: Sequence[Token], taken: frozenset[int], utterance: Utterance) -> Claim | None:
    """Return the one stretch of words that nothing else explains, without small words on its sides."""
    if slot == "sender" and not {"from", "by"} & {word.text for word in words}:
        return None
    quoted = _quoted(words, taken, utterance)
    if quoted is not None:
        return quoted
    runs: list[list[int]] = [[]]
    for at, word in enumerate(words):
        if at in taken or (word.text in frame.nouns and slot != "title") or (not runs[-1] and word.text in frame.nouns):
            runs.append([])
        else:
            runs[-1].append(at)
        if word.pause and runs[-1]:
            runs.append([])
    trimmed = [one for run in runs if (one := _trim(run, words))]
    if slot == "place":
        trimmed = trimmed[1:] if len(trimmed) == _TWO else []
    elif slot == "title" and "place" in frame.maybe:
        trimmed = trimmed[:1]
    if len(trimmed) != 1 or (words[trimmed[0][0]].text in ORDERS and trimmed[0][0] < max(taken, default=-1)):
        return None
    told = {words[at].text for at in trimmed[0]}
    if slot == "place" and all(word.isdigit() for word in told):
        return None  # a number alone is rather a time
    if slot == "title" and (told & (frame.nouns | EVERYTHING) or (len(told) < _TWO and told <= verbs())):
        return None
    return Claim(source_text(utterance.text, [words[at] for at in trimmed[0]]), frozenset(trimmed[0]))


_TWO = 2
_EDGES = _SMALL | vocabulary("calls") | frozenset(word_list("about mentioning mentions that sent"))


def _trim(run: Sequence[int], words: Sequence[Token]) -> list[int]:
    left = list(run)
    while left and words[left[0]].text in _EDGES:
        left = left[1:]
    while left and words[left[-1]].text in _EDGES:
        left = left[:-1]
    return left


_LEADS = {
    "into": frozenset(word_list("to into in under inside onto on")),
    "under": frozenset(word_list("under below beneath to")),
}


def _after_preposition(
    slot: str, words: Sequence[Token], taken: frozenset[int], utterance: Utterance, frame: Frame
) -> Claim | None:
    leads = _LEADS[slot]
    kind = "folder" if slot == "into" else "task"
    for at in range(len(words) - 2, -1, -1):
        if words[at].text not in leads or at in taken:
            continue
        rest = [one for one in range(at + 1, len(words)) if one not in taken]
        stop = next(
            (one for one in rest if one > at + 1 and words[one].text in verbs() and words[one].text != "file"),
            len(words),
        )
        rest = [one for one in rest if one < stop and words[one].text not in _SMALL | frame.nouns | {"folder"}]
        found = _lookup(_things(kind, utterance.world), rest, words, whole=True)
        if found is not None:
            return Claim(found.value, found.at | {at})
    return None


def _name(slot: str, frame: Frame, clause: Clause, taken: frozenset[int]) -> Claim | None:
    words, topic = clause.words, clause.topic
    things = _things("tab" if slot == "tabs" else slot, clause.utterance.world)
    free = [at for at, word in enumerate(words) if at not in taken and not word.quoted and not _is_free(word, frame)]
    telling = [at for at, word in enumerate(topic) if word.text not in _SMALL]
    if free:
        found = _lookup(things, free, words, whole=True)
    else:
        found = _lookup(things, telling, topic, whole=False, exact=True)
    if found is None:
        return None
    value: Json = [found.value] if slot == "tabs" else found.value
    return Claim(value, found.at if free else frozenset())


def _lookup(
    things: Sequence[Named], at: Sequence[int], words: Sequence[Token], *, whole: bool, exact: bool = False
) -> Claim | None:
    """Return the one thing that these words name.

    With `whole`, each of the words must belong to it; with `exact`, two words of its name must be there.
    """
    said = {one: name_parts(words[one].text) for one in at}
    scored: list[tuple[float, Named, frozenset[int]]] = []
    for thing in things:
        strong = [one for one in at if said[one] and all(_is_in(part, thing.name) for part in said[one])]
        beside = [one for one in at if one not in strong and said[one]]
        weak = [one for one in beside if all(_is_in(part, thing.beside) for part in said[one])]
        parts = {word for one in strong for word in said[one]}
        enough = not exact or len(parts) >= min(_TWO, thing.length)
        if strong and enough and (not whole or len(strong) + len(weak) == len(at)):
            score = len(strong) + len(weak) / 2 + len(strong) / (10 * max(1, thing.length))
            scored.append((score, thing, frozenset((*strong, *weak))))
    best = max((score for score, _, _ in scored), default=0.0)
    top = [(thing, span) for score, thing, span in scored if score >= best - (_LEAD_TO_TAKE if exact else _LEAD)]
    return Claim(top[0][0].value, top[0][1]) if len(top) == 1 else None


_LEAD, _LEAD_TO_TAKE = 0.2, 0.5
_MONTHS = {name: f"{at:02}" for at, name in enumerate(word_list("jan feb mar apr may jun jul aug sep oct nov dec"), 1)}


def _is_in(part: str, name: frozenset[str]) -> bool:
    if part in name or part.rstrip("s") in name or f"{part}s" in name:
        return True
    long = [one for one in name if len(one) >= LEAST_FOR_SLIPS]
    if len(part) >= LEAST_FOR_SLIPS - 1 and any(one.startswith(part) for one in long):
        return True
    if len(part) > LEAST_FOR_SLIPS and any(is_same_word(part, one) for one in name):
        return True
    return part[:3] in _MONTHS and len(part) in {3, 9} and _MONTHS[part[:3]] in name


@lru_cache(maxsize=64)
def _things(kind: str, world: ContextWorld) -> tuple[Named, ...]:
    match kind:
        case "tab":
            return tuple(_named(tab.index, tab.title, f"{tab.url} {_sites(tab.domain)}") for tab in world.tabs)
        case "app":
            return tuple(_named(name, name) for name in world.apps)
        case "running":
            return tuple(_named(name, name) for name in world.running)
        case "file":
            return tuple(
                _named(one.path, one.name, posixpath.basename(posixpath.dirname(one.path)))
                for one in world.files
                if not one.is_folder
            )
        case "folder":
            usual = [_named(path, name) for name, path in USUAL.items()]
            inside = [_named(one.path, one.name) for one in world.files if one.is_folder]
            return (*usual, *(one for one in inside if not any(one.name == each.name for each in usual)))
        case "event":
            return tuple(
                Named({"id": one.id, "title": one.title, "start": one.start}, *_sets(one.title, one.start))
                for one in world.events
            )
        case _:
            names = {"task": world.tasks, "completed": world.completed, "habit": world.habits, "preset": world.presets,
                     "reminder": world.reminders}[kind]  # fmt: skip
            return tuple(_named(name, name) for name in names)


def _sites(domain: str) -> str:
    return " ".join(name for name, host in SITES.items() if host == domain)


def _named(value: Json, name: str, beside: str = "") -> Named:
    parts = [part for part in name_parts(name) if part not in _SMALL]
    return Named(value, frozenset(parts), frozenset(name_parts(beside)), len(parts))


def _sets(name: str, start: str) -> tuple[frozenset[str], frozenset[str], int]:
    parts = [part for part in name_parts(name) if part not in _SMALL]
    return frozenset(parts), frozenset(), len(parts)
