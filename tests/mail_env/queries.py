"""What queries find, by facts that messages were made from: an oracle that shares no code with sayso.

A query is drawn as a tree; `text` writes it as a person would, `holds` judges it on a planted message.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from zoneinfo import ZoneInfo

from tests.mail_env.planting import NOW, Planted

ZONE = ZoneInfo("America/New_York")
ME = "ana@example.test"
Judge = Callable[[Planted], bool]


@dataclass(frozen=True)
class Drawn:
    """A query as text, what it says of a message, and the operators in it."""

    text: str
    holds: Judge
    operators: frozenset[str]
    single: bool = True


@cache
def words(text: str) -> tuple[str, ...]:
    """Return runs of letters and digits in composed lower case; each East Asian character is a word."""
    found: list[str] = []
    run = ""
    for letter in unicodedata.normalize("NFC", text).lower():
        name = unicodedata.name(letter, "")
        alone = name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"))
        if run and (alone or unicodedata.category(letter)[0] not in "LN"):
            found.append(run)
            run = ""
        if alone:
            found.append(letter)
        elif unicodedata.category(letter)[0] in "LN":
            run += letter
    return tuple([*found, run] if run else found)


@cache
def has(text: str, sought: tuple[str, ...]) -> bool:
    """Say whether the words follow each other in the text."""
    there = words(text)
    return any(there[at : at + len(sought)] == sought for at in range(len(there) - len(sought) + 1))


def people(message: Planted, field: str) -> Iterator[str]:
    """Yield the people of a field, each as name and address."""
    sets = {"from": (message.sender,), "cc": message.cc, "bcc": message.bcc}
    sets["to"] = (*message.to, *message.cc, *message.bcc)
    for name, address in sets[field]:
        yield f"{name} {address}"


def about(message: Planted) -> Iterator[str]:
    """Yield what a bare word is looked for in."""
    yield from (message.subject, message.body)
    yield from people(message, "from")
    yield from people(message, "to")


def queries(messages: list[Planted], count: int, seed: int = 7) -> Iterator[Drawn]:
    """Yield queries about these messages, the same for the same seed."""
    random = Random(seed)
    for _ in range(count):
        yield draw(random, messages)


def draw(random: Random, messages: list[Planted], depth: int = 2) -> Drawn:
    """Return a query, most of which are about something that is in some message."""
    way = random.random()
    if depth == 0 or way < 0.35:
        return _leaf(random, messages)
    if way < 0.5:
        return _negated(draw(random, messages, depth - 1))
    parts = [draw(random, messages, depth - 1) for _ in range(random.choice([2, 2, 3]))]
    return _joined(random, parts, "or" if way < 0.8 else "and")


def _negated(inner: Drawn) -> Drawn:
    text = f"-{inner.text}" if inner.single and not inner.text.startswith("-") else f"-({inner.text})"
    return Drawn(text, lambda one: not inner.holds(one), inner.operators | {"-"})


def _joined(random: Random, parts: list[Drawn], word: str) -> Drawn:
    operators = frozenset[str]().union(*(part.operators for part in parts))
    texts = [part.text if part.single else f"({part.text})" for part in parts]
    judges = [part.holds for part in parts]
    if word == "and":
        spelled = random.choice([" ", " AND "])
        inside = {"AND"} if "AND" in spelled else {" "}
        text, single = spelled.join(texts), False
        return Drawn(text, lambda one: all(holds(one) for holds in judges), operators | inside, single)
    way = random.choice(["OR", "{}", "()"])
    text = {"OR": " OR ".join(texts), "{}": "{" + " ".join(texts) + "}", "()": "(" + " OR ".join(texts) + ")"}[way]
    return Drawn(text, lambda one: any(holds(one) for holds in judges), operators | {way}, way != "OR")


def _leaf(random: Random, messages: list[Planted]) -> Drawn:
    kinds = [_people, _people, _subject, _word, _phrase, _flag, _place, _day, _day, _age, _size, _file, _id]
    return random.choice(kinds)(random, random.choice(messages))


def _leaf_of(operator: str, text: str, holds: Judge) -> Drawn:
    return Drawn(text, holds, frozenset({operator}))


def _people(random: Random, model: Planted) -> Drawn:
    field = random.choice(["from", "to", "cc", "bcc"])
    there = list(people(model, field)) or ["Ana Berg ana@example.test"]
    person = random.choice(there)
    name, _, address = person.rpartition(" ")
    ways = [address, address.partition("@")[0], f'"{name}"' if name.strip() else address]
    text = random.choice([*ways, "me"])
    sought = words(ME if text == "me" else text)
    return _leaf_of(field, f"{field}:{text}", lambda one: any(has(who, sought) for who in people(one, field)))


def _subject(random: Random, model: Planted) -> Drawn:
    there = words(model.subject)
    one, two = random.choice(there), " ".join(there[:2])
    if random.random() < 0.5:
        return _leaf_of("subject", f"subject:{one}", lambda letter: has(letter.subject, (one,)))
    sought = words(two)
    return _leaf_of("subject", f'subject:"{two}"', lambda letter: has(letter.subject, sought))


def _word(random: Random, model: Planted) -> Drawn:
    word = random.choice(words(model.body[:400]))
    spelled = random.choice([word, word.title() if word.isascii() else word])
    return _leaf_of("word", spelled, lambda one: any(has(text, (word,)) for text in about(one)))


def _phrase(random: Random, model: Planted) -> Drawn:
    there = words(model.body[:400])
    at = random.randrange(max(1, len(there) - 1))
    sought = there[at : at + 2]
    return _leaf_of('"', f'"{" ".join(sought)}"', lambda one: any(has(text, sought) for text in about(one)))


def _flag(random: Random, model: Planted) -> Drawn:
    word = random.choice(["unread", "read", "starred"])
    judges: dict[str, Judge] = {
        "unread": lambda one: not one.read,
        "read": lambda one: one.read,
        "starred": lambda one: one.starred,
    }
    return _leaf_of("is", f"is:{word}", judges[word])


def _place(random: Random, model: Planted) -> Drawn:
    if random.random() < 0.5:
        box = random.choice(["inbox", "archive", "sent"])
        return _leaf_of("in", f"in:{box}", lambda one: one.mailbox == box)
    label = random.choice(["urgent", "team", "old-stuff"])
    return _leaf_of("label", f"label:{label}", lambda one: label in {name.lower() for name in one.labels})


def _day(random: Random, model: Planted) -> Drawn:
    word = random.choice(["after", "newer", "before", "older"])
    day = model.came.astimezone(ZONE).date()
    edge = datetime(day.year, day.month, day.day, tzinfo=ZONE).astimezone(UTC)
    text = f"{word}:{day:%Y/%m/%d}"
    if word in {"after", "newer"}:
        return _leaf_of(word, text, lambda one: one.came >= edge)
    return _leaf_of(word, text, lambda one: one.came < edge)


def _age(random: Random, model: Planted) -> Drawn:
    word = random.choice(["newer_than", "older_than"])
    count, unit = random.choice([(1, "d"), (5, "d"), (45, "d"), (300, "d"), (1, "m"), (2, "m"), (1, "y"), (2, "y")])
    here = NOW.astimezone(ZONE)
    edge = {
        (1, "m"): datetime(2026, 2, 28, 8, tzinfo=ZONE),
        (2, "m"): datetime(2026, 1, 31, 8, tzinfo=ZONE),
        (1, "y"): datetime(2025, 3, 31, 8, tzinfo=ZONE),
        (2, "y"): datetime(2024, 3, 31, 8, tzinfo=ZONE),
    }.get((count, unit), here - timedelta(days=count))
    edge = edge.astimezone(UTC) if unit != "d" else NOW - timedelta(days=count)
    text = f"{word}:{count}{unit}"
    if word == "newer_than":
        return _leaf_of(word, text, lambda one: one.came >= edge)
    return _leaf_of(word, text, lambda one: one.came < edge)


def _size(random: Random, model: Planted) -> Drawn:
    word = random.choice(["larger", "smaller"])
    size, text = random.choice([(len(model.raw), str(len(model.raw))), (2048, "2K"), (1024, "1k"), (4096, "4096")])
    if word == "larger":
        return _leaf_of(word, f"larger:{text}", lambda one: len(one.raw) > size)
    return _leaf_of(word, f"smaller:{text}", lambda one: len(one.raw) < size)


def _file(random: Random, model: Planted) -> Drawn:
    if random.random() < 0.5:
        return _leaf_of("has", "has:attachment", lambda one: bool(one.files))
    word = random.choice(["pdf", "report", "2024", "köln", "plan-b.txt", "docx"])
    sought = words(word)
    return _leaf_of("filename", f"filename:{word}", lambda one: any(has(name, sought) for name in one.files))


def _id(random: Random, model: Planted) -> Drawn:
    text = model.message_id.strip("<>") if random.random() < 0.5 else model.message_id
    return _leaf_of("rfc822msgid", f"rfc822msgid:{text}", lambda one: one.message_id == model.message_id)
