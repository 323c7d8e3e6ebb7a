"""Make the examples that the classifier learns from: wishes of the sets, and paraphrases with real names put in."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import cast

from msgspec import Struct

from sayso.core.sites import SITES
from sayso.models.builtin.classify import NONE, features
from sayso.models.builtin.clauses import focus_of, parts_of
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.tokens import strip_courtesy, tokenize
from sayso.models.builtin.world import ContextWorld, Utterance, world_of
from tests.assistant.worlds import Case, read
from tools.wishes.chance import Chance

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
    """The features of a clause, the operation that it asks for, and the others that are as good."""

    group: str
    label: str
    others: frozenset[str]
    features: tuple[str, ...]


class Scene(Struct, frozen=True):
    """A world as the rules see it, and its time."""

    world: ContextWorld
    now: datetime


def label_of(case: Case) -> str | None:
    """Return the operation that a wish asks for, or `none`; None if it asks for several, or is unclear."""
    if case.leave is not None:
        return NONE if case.leave in _RESTING else None
    operations = {deed.operation for deed in case.do}
    return operations.pop() if len(operations) == 1 else None


def of_sets(paths: Iterable[Path]) -> Iterator[Example]:
    """Yield the examples of sets of wishes."""
    for path in paths:
        wishes = read(path)
        scenes = {name: Scene(world_of(one.context()), one.moment) for name, one in wishes.worlds.items()}
        for case in wishes.cases:
            label = label_of(case)
            if label is None:
                continue
            others = {each[0].operation for each in case.right if len({one.operation for one in each}) == 1}
            yield from _examples(path.stem, label, others | {*case.may}, case.words, scenes[case.world])


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


def of_paraphrases(
    told: Mapping[str, Sequence[str]], scenes: Sequence[Scene], texts: Sequence[str]
) -> Iterator[Example]:
    """Yield an example of each paraphrase, with names of things that are there in one of the worlds."""
    for operation, lines in told.items():
        for line in lines:
            chance = Chance(f"{operation}: {line}")
            scene = chance.choice(scenes)
            yield from _examples("paraphrases", operation, set(), rendered(line, scene.world, texts, chance), scene)


def _examples(group: str, label: str, others: Iterable[str], text: str, scene: Scene) -> Iterator[Example]:
    """Yield an example of a whole wish, and one of it without its remarks."""
    words = strip_courtesy(tokenize(text)).words
    for told in dict.fromkeys((words, focus_of(parts_of(words)))):
        found = find_mentions(told, Utterance(text, scene.world, scene.now))
        yield Example(group, label, frozenset(others), tuple(features(told, found)))


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
