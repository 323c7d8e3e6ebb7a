"""Make the examples that the classifier learns from: wishes of the sets, and paraphrases with real names put in."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.sites import SITES
from sayso.models.builtin.classify import MERGED, NONE, features
from sayso.models.builtin.clauses import focus_of, parts_of
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.tokens import strip_courtesy, tokenize
from sayso.models.builtin.world import ContextWorld, Utterance, world_of
from tests.assistant.worlds import Case, read
from tools.wishes.augment import asking_nothing, dictated, manners, said_otherwise
from tools.wishes.chance import Chance
from tools.wishes.spreading import cut, spread

PARAPHRASES = Path(__file__).parent / "paraphrases"
_PLACE = re.compile(r"\{([a-z]+)\}")
_RESTING = frozenset({"negation", "hypothetical", "quoted", "impossible", "injected"})
"""Reasons to leave a wish alone that can be heard in its words; the others depend on what there is."""
_TEXTS = ("title", "text", "body", "new_text", "content", "message", "subject")

_LONGEST, _SHORTEST, _WHOLE = 60, 3, 0.5
_WHEN = (
    "tomorrow", "at 5pm", "tomorrow at nine", "on friday", "at noon", "in 20 minutes", "next tuesday at 14:30",
    "at six", "tonight at 8", "on the 12th", "monday morning", "at half past three", "in an hour", "10:15",
    "wednesday 4 pm",
)  # fmt: skip
_RANGE = (
    "this week", "next week", "tomorrow", "on thursday", "the weekend", "the next three days", "monday",
    "friday afternoon",
)  # fmt: skip
_DURATION = ("20 minutes", "an hour", "half an hour", "10 min", "two hours", "45 minutes", "90 min", "ten minutes")
_REPEAT = (
    "every day",
    "daily",
    "every 4 hours",
    "every two hours",
    "weekly",
    "every morning",
    "every week",
    "each day",
)
_PLACES = (
    "left half", "right half", "top right corner", "bottom left corner", "right third", "full screen",
    "left two thirds",     "top half", "bottom half", "upper left quarter", "middle third", "lower right corner",
)  # fmt: skip
_MONITORS = (
    "left screen",
    "right monitor",
    "main screen",
    "other screen",
    "right display",
    "left monitor",
    "big screen",
)
_PEOPLE = ("Ana", "Rui", "Marta", "Mr Okafor", "my sister", "the landlord", "Jonas", "Priya", "the accountant", "Lena")
_ADDRESSES = ("ana@example.org", "rui.costa@harbour.example", "office@school.example", "j.berg@posteo.example")
_QUERIES = (
    "invoice", "ferry times", "lamp", "budget", "boiler", "kitchen", "passport", "parking", "the roof quote",
    "sourdough",     "visa", "garden centre", "tax return", "wifi password",
)  # fmt: skip
_NOTES = ("shopping", "ideas", "packing list", "meeting notes", "recipes", "garden plan", "gift ideas", "book list")
_MAILS = (
    "the mail from Ana",
    "the invoice mail",
    "the landlord's message",
    "the newsletter",
    "the one about the boiler",
)
_URLS = ("ferryland.org", "https://example.org/timetable", "www.museum.example/tickets", "docs.python.org")


class Example(Struct, frozen=True):
    """The features of a clause, and the operation that it asks for; it counts as much as its share says."""

    group: str
    label: str
    features: tuple[str, ...]
    share: float


class Scene(Struct, frozen=True):
    """A world as the rules see it, and its time."""

    world: ContextWorld
    now: datetime


class Said(Struct, frozen=True):
    """A sentence that was said in a world, and the operation that it asks for."""

    group: str
    label: str
    text: str
    scene: Scene
    share: float = 1.0


def label_of(case: Case) -> str | None:
    """Return the operation that a wish asks for, `none`, or `several`; None if it is unclear."""
    if case.leave is not None:
        return NONE if case.leave in _RESTING else None
    operations = {deed.operation for deed in case.do}
    return None if not operations else operations.pop() if len(operations) == 1 else SEVERAL


def of_sets(paths: Iterable[Path]) -> Iterator[Said]:
    """Yield the wishes of sets, each as it stands and in other manners."""
    told = manners()
    for path in paths:
        wishes = read(path)
        scenes = {name: Scene(world_of(one.context()), one.moment) for name, one in wishes.worlds.items()}
        for case in wishes.cases:
            label = label_of(case)
            if label is not None:
                chance = Chance(f"{path.stem} {case.id}")
                yield from _manners_of(Said(path.stem, label, case.words, scenes[case.world]), told, chance)


def _manners_of(said: Said, told: Mapping[str, Sequence[str]], chance: Chance) -> Iterator[Said]:
    yield said
    if said.label == NONE:
        yield replace(said, text=dictated(said.text), share=OTHER_MANNER)
        return
    for _ in range(COPIES - (said.group == PARAPHRASED)):
        yield replace(said, text=said_otherwise(said.text, told, chance), share=OTHER_MANNER)
    if said.label != SEVERAL and chance.share() < TURNED:
        yield from (replace(said, label=NONE, text=each, share=MADE_UP) for each in asking_nothing(said.text, chance))


def scenes_of(paths: Iterable[Path]) -> list[Scene]:
    """Return the worlds of these sets."""
    return [Scene(world_of(one.context()), one.moment) for path in paths for one in read(path).worlds.values()]


def texts_of(paths: Iterable[Path]) -> list[str]:
    """Return the free texts in the right answers of these sets, each once."""
    deeds = (deed for path in paths for case in read(path).cases for deed in case.do)
    found = (str(deed.arguments[name]) for deed in deeds for name in _TEXTS if deed.arguments.get(name))
    return list(dict.fromkeys(one for one in found if len(one) < _LONGEST))


def says(folder: Path = PARAPHRASES) -> Mapping[str, Sequence[str]]:
    """Return all paraphrases by operation."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.toml")):
        for operation, table in cast("dict[str, dict[str, list[str]]]", tomllib.loads(path.read_text("utf-8"))).items():
            found.setdefault(operation, []).extend(table["says"])
    return found


def of_paraphrases(told: Mapping[str, Sequence[str]], scenes: Sequence[Scene], texts: Sequence[str]) -> Iterator[Said]:
    """Yield each paraphrase, with names of things that are there in one of the worlds, and in other manners."""
    around = manners()
    for operation, lines in told.items():
        for line in lines:
            chance = Chance(f"{operation}: {line}")
            scene = chance.choice(scenes)
            said = Said(PARAPHRASED, operation, rendered(line, scene.world, texts, chance), scene)
            yield from _manners_of(said, around, chance)


def of_two(told: Mapping[str, Sequence[str]], scenes: Sequence[Scene], texts: Sequence[str]) -> Iterator[Said]:
    """Yield sentences that ask for two things, made of two paraphrases."""
    lines = [(operation, line) for operation, each in told.items() if operation != NONE for line in each]
    for number in range(TWO):
        chance = Chance(f"two {number}")
        (one, first), (other, second) = chance.choice(lines), chance.choice(lines)
        scene = chance.choice(scenes)
        first, second = (rendered(line, scene.world, texts, chance) for line in (first, second))
        text = f"{first.rstrip('.!')}{chance.choice(_BETWEEN)}{second[:1].lower()}{second[1:]}"
        if MERGED.get(one, one) != MERGED.get(other, other) and len(text) < _LONGEST_TWO:
            text = dictated(text) if chance.share() < _SPOKEN else text
            yield Said(PARAPHRASED, SEVERAL, text, scene, MADE_UP)


PARAPHRASED, SEVERAL = "paraphrases", "several"
COPIES, TURNED, TWO, OTHER_MANNER, MADE_UP = 2, 0.4, 3000, 0.5, 0.4
"""How often each wish is said in another manner (a paraphrase once less), how many are turned into one that asks for
nothing, how many ask for two things, and what each of these counts."""
_BETWEEN = (
    " and ", " and then ", ", then ", " and also ", ". ", ", and ", "; ", " then ", ", ", " and after that ",
    " also ", ". also, ", " plus ", ", after ",
)  # fmt: skip
_LONGEST_TWO, _SPOKEN = 160, 0.3


def examples_of(said: Iterable[Said]) -> list[Example]:
    """Return an example of each whole wish, and one of it without its remarks; those of one world together."""
    numbered = list(said)
    order = {id(one.scene): at for at, one in enumerate(numbered)}
    ordered = sorted(numbered, key=lambda one: order[id(one.scene)])
    return [each for made in spread(_examples_of, cut(ordered, _AT_ONCE)) for each in made]


_AT_ONCE = 1000


def _examples_of(said: Sequence[Said]) -> list[Example]:
    return [each for one in said for each in _examples(one)]


def _examples(said: Said) -> Iterator[Example]:
    words = strip_courtesy(tokenize(said.text)).words
    for told in dict.fromkeys((words, focus_of(parts_of(words)))):
        found = find_mentions(told, Utterance(said.text, said.scene.world, said.scene.now))
        yield Example(said.group, MERGED.get(said.label, said.label), tuple(features(told, found)), said.share)


def rendered(line: str, world: ContextWorld, texts: Sequence[str], chance: Chance) -> str:
    """Return a paraphrase with real names and texts in place of its marks."""
    return _PLACE.sub(lambda place: _value(place[1], world, texts, chance), line)


def _value(kind: str, world: ContextWorld, texts: Sequence[str], chance: Chance) -> str:
    fixed: dict[str, Sequence[str]] = {
        "when": _WHEN, "range": _RANGE, "duration": _DURATION, "repeat": _REPEAT, "place": _PLACES,
        "monitor": _MONITORS, "person": _PEOPLE, "address": _ADDRESSES, "query": _QUERIES, "note": _NOTES,
        "mail": _MAILS, "url": _URLS,
        "number": [str(one) for one in range(1, 9)], "site": list(SITES), "text": texts, "newtext": texts,
    }  # fmt: skip
    if kind in fixed:
        return chance.choice(fixed[kind])
    names = _names(kind, world) or list(_QUERIES)
    name = chance.choice(names)
    return name if chance.share() < _WHOLE else _shortened(name, chance)


def _names(kind: str, world: ContextWorld) -> list[str]:
    folders = [one for one in world.files if one.is_folder]
    plain = [one for one in world.files if not one.is_folder]
    found: dict[str, list[str]] = {
        "tab": [name for tab in world.tabs for name in (tab.title, tab.domain.rpartition(".")[0])],
        "app": [*world.apps],
        "preset": [*world.presets],
        "task": [*world.tasks],
        "habit": [*world.habits],
        "event": [one.title for one in world.events],
        "file": [name for one in plain for name in (one.name, PurePosixPath(one.name).stem)],
        "folder": [one.name for one in folders] or ["Documents", "Downloads"],
        "path": [one.path for one in plain],
    }
    return [one for one in found[kind] if one]


def _shortened(name: str, chance: Chance) -> str:
    """Return one, two or three words of a name, in lower case, as people say it."""
    words = [one for one in re.split(r"[^\w.']+", name) if len(one) >= _SHORTEST] or [name]
    count = min(len(words), chance.choice((1, 2, 2, 3)))
    at = int(chance.share() * (len(words) - count + 1))
    return " ".join(words[at : at + count]).lower()
