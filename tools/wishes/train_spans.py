"""Learn from wishes where their free texts begin and end, and write the weights that the built-in rules ship."""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from msgspec.structs import replace

from sayso.models.builtin import learned as learned_weights
from sayso.models.builtin import spans
from sayso.models.builtin.mentions import Mention, find_mentions
from sayso.models.builtin.spans import LABELS, TEXTS
from sayso.models.builtin.tokens import Token, tokenize
from sayso.models.builtin.world import ContextWorld, Utterance, world_of
from tests.assistant import worlds
from tests.assistant.worlds import Case, Deed
from tools.wishes.chance import Chance
from tools.wishes.spreading import cut, spread
from tools.wishes.tagging import Corpus, Numbered, Sentence, Tags, numbered

HERE = Path(__file__).parent
OUT = Path(spans.__file__).with_name("spans.json")
SEED, LEAST_SEEN, SCALE, LEAST_WEIGHT, LEAST_OFTEN = "7", 8, 20, 4, 4
PARAPHRASED = "paraphrases"
_SKIPPED = frozenset({"the", "a", "an", "my"})


@dataclass(frozen=True)
class Example:
    """A sentence whose words have labels."""

    group: str
    operation: str
    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    labels: tuple[int, ...]
    utterance: Utterance


def examples_of_set(path: Path) -> list[Example]:
    """Return the wishes of a set that do one thing with free texts."""
    wishes = worlds.read(path)
    there = {name: (world_of(world.context()), world.moment) for name, world in wishes.worlds.items()}
    found: list[Example] = []
    for case in wishes.cases:
        world, moment = there[case.world]
        example = _example(path.stem, case, Utterance(case.words, world, moment))
        found += [] if example is None else [example]
    return found


def _example(group: str, case: Case, utterance: Utterance) -> Example | None:
    meant = case.do[0].operation if case.do else ""
    one = [each for each in case.right if len(each) == 1 and each[0].operation == meant and meant in TEXTS]
    words = tokenize(utterance.text)
    for deeds in one:
        labels = _labels(deeds[0], words)
        if labels is not None:
            return Example(group, deeds[0].operation, words, find_mentions(words, utterance), labels, utterance)
    return None


def texts_of(deed: Deed) -> Iterator[tuple[str, str]]:
    """Yield the free texts of a deed, each with the letter of its label."""
    arguments = deed.arguments
    if deed.operation in {"mail.search", "mail.query"}:
        criteria = arguments.get("criteria", {})
        yield from (("P", criteria[key]) for key in ("from",) if key in criteria)
        yield from (("T", criteria[key]) for key in ("text", "subject") if key in criteria)
        return
    if deed.operation in {"file.move", "file.copy"}:
        source, destination = (str(arguments[key]) for key in ("source", "destination"))
        if source.rpartition("/")[2] != destination.rpartition("/")[2] and "." in destination:
            yield "T", destination.rpartition("/")[2]
        return
    for letter, name in TEXTS[deed.operation].items():
        if name == "name":
            path = str(arguments.get("path", "")).rstrip("/")
            text = str(arguments["pattern"]).strip("*") if "pattern" in arguments else path.rpartition("/")[2]
        elif name == "query":
            text = str(arguments["url"]).partition("?")[2].partition("=")[2].replace("+", " ").replace("%20", " ")
        else:
            text = arguments.get(name) or ""
        if isinstance(text, list):
            text = " ".join(str(one) for one in cast("list[object]", text))
        if text:
            yield letter, str(text)


def _labels(deed: Deed, words: Sequence[Token]) -> tuple[int, ...] | None:
    labels = [0] * len(words)
    for letter, text in texts_of(deed):
        span = _find(text, words, labels)
        if span is None:
            if deed.operation in {"file.move", "file.copy", "file.find", "file.write"}:
                continue
            return None
        start, end = span
        labels[start:end] = labels_of(letter, end - start)
    return tuple(labels)


def labels_of(letter: str, length: int) -> list[int]:
    """Return the labels of the words of a text."""
    parts = "=" if length == 1 else f"<{'~' * (length - 2)}>"
    return [LABELS.index(letter + part) for part in parts[:length]]


def _find(text: str, words: Sequence[Token], labels: Sequence[int]) -> tuple[int, int] | None:
    wanted = [token.text for token in tokenize(text.replace("'", "’"))]
    stems = {" ".join(wanted), text.casefold().strip(" .!")}
    for at in range(len(words)):
        for end in range(at + 1, min(len(words), at + len(wanted) + 3) + 1):
            if any(labels[at:end]) or words[at].text == ":":
                break
            said = " ".join(word.text for word in words[at:end] if word.text != ":")
            if said in stems or said.rpartition(".")[0] in stems:
                return at, end
    return None


SAMPLES_FILE = HERE / "samples.toml"
SAMPLES: Mapping[str, Sequence[str]] = tomllib.loads(SAMPLES_FILE.read_text("utf-8"))
"""What may stand for each placeholder of a paraphrase."""
_PLACE = re.compile(r"\{([a-z]+)\}")
_LETTERS: Mapping[str, Mapping[str, str]] = {
    "reminder.create": {"text": "T", "newtext": "T"},
    "task.add": {"text": "T", "task": "T", "newtext": "T"},
    "task.add_all": {"text": "T", "task": "T"},
    "task.add_subtask": {"text": "T", "newtext": "T"},
    "task.edit": {"newtext": "T"},
    "habit.add": {"text": "T", "habit": "T"},
    "habit.edit": {"newtext": "T"},
    "calendar.create_event": {"event": "T", "text": "T", "query": "T", "address": "P", "place": "P"},
    "calendar.update_event": {"newtext": "T", "address": "P", "place": "P"},
    "calendar.find": {"event": "T", "query": "T", "person": "T", "text": "T"},
    "note.create": {"newtext": "T", "note": "T", "query": "T"},
    "mail.compose": {"query": "T"},
    "mail.send": {"query": "T"},
    "note.append": {"note": "T", "text": "B", "newtext": "B"},
    "note.find": {"query": "T", "note": "T", "text": "T"},
    "mail.search": {"person": "P", "address": "P", "query": "T", "text": "T"},
    "mail.query": {"person": "P", "address": "P", "query": "T"},
    "file.append": {"text": "B", "newtext": "B"},
    "file.write": {"text": "B", "newtext": "B", "file": "T"},
    "file.mkdir": {"newtext": "T", "text": "T", "query": "T"},
    "file.move": {"newtext": "T"},
    "file.copy": {"newtext": "T"},
    "file.find": {"query": "T", "file": "T"},
    "clipboard.write": {"text": "B", "query": "B", "newtext": "B"},
    "speech.say": {"text": "B", "newtext": "B"},
    "url.open": {"query": "T", "text": "T"},
}
"""The letters of what stands in the places of a paraphrase, by operation."""
_UNCLEAR = {"calendar.create_event": {"person"}, "calendar.update_event": {"text"}}
"""Places of which it is not clear whether they belong to a text; such paraphrases are left out."""
_AFTER_SUBJECT = re.compile(r"\b(?:subject|about|titled?|entitled|re|regarding|headed|line)\W*$")


def letters_of(operation: str, said: str) -> list[str]:
    """Return the letter of each place of a paraphrase; empty for one that is not part of a text."""
    kinds = [(place[1], said[: place.start()].casefold()) for place in _PLACE.finditer(said)]
    texts = [at for at, (kind, _) in enumerate(kinds) if kind in {"text", "newtext", "query"}]
    letters = [_LETTERS.get(operation, {}).get(kind, "") for kind, _ in kinds]
    if operation in {"mail.compose", "mail.send", "notify.show", "note.create"}:
        for nth, at in enumerate(texts):
            if operation == "note.create" and kinds[at][0] != "text":
                continue
            if letters[at]:
                continue
            two = len(texts) > 1 or (operation == "note.create" and "T" in letters)
            subject = _AFTER_SUBJECT.search(kinds[at][1]) is not None
            if operation in {"notify.show", "note.create"}:
                letters[at] = "B" if two and (nth > 0 or operation == "note.create") else "T"
            else:
                letters[at] = "T" if subject or (two and nth == 0) else "B"
    return letters


Pool = Mapping[tuple[str, str], Sequence[str]]


def pool_of(sets: Sequence[Path]) -> Pool:
    """Return the free texts that the wishes of some sets have, by operation and letter."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    deeds = [deed for path in sets for case in worlds.read(path).cases for deed in case.do if deed.operation in TEXTS]
    for deed in deeds:
        for letter, text in texts_of(deed):
            found[deed.operation, letter].append(text)
            found[deed.operation, f"{letter}="] += [] if " " in text else [text]
    return found


def examples_of_paraphrases(path: Path, chance: Chance, pool: Pool, each: int = 2) -> Iterator[Example]:
    """Yield sentences made from paraphrases, each with something else in its places."""
    world = ContextWorld()
    for operation, told in tomllib.loads(path.read_text("utf-8")).items():
        for said in told["says"] if operation in TEXTS else ():
            if _UNCLEAR.get(operation, set()) & set(_PLACE.findall(said)):
                continue
            for _ in range(each):
                yield _made(operation, said, chance, world, pool)


def _made(operation: str, said: str, chance: Chance, world: ContextWorld, pool: Pool) -> Example:
    letters = letters_of(operation, said)
    text, places, at = "", list[tuple[int, int, str]](), 0
    for nth, place in enumerate(_PLACE.finditer(said)):
        text += said[at : place.start()]
        kind = place[1]
        filler = chance.choice(SAMPLES.get(f"{operation} {kind}", SAMPLES.get(kind, ("this one",))))
        letter = letters[nth]
        if letter and chance.share() < _FROM_SETS:
            filler = _other_text(operation, letter, chance, pool) or filler
        if letter in TEXTS[operation]:
            filler = f"“{filler}”" if chance.share() < _QUOTED else filler
            places.append((len(text), len(text) + len(filler), letter))
        text += filler
        at = place.end()
    text += said[at:]
    before, text = _with_asides(text, chance)
    places = [(start + before, end + before, letter) for start, end, letter in places]
    words = tokenize(text)
    if operation == "task.add_all" and places:
        places = [(places[0][0], places[-1][1], "T")]
    utterance = Utterance(text, world, datetime(2027, 3, 10, 9, 30, tzinfo=UTC))
    return Example(PARAPHRASED, operation, words, find_mentions(words, utterance), labelled(words, places), utterance)


def _with_asides(text: str, chance: Chance) -> tuple[int, str]:
    """Return a text with remarks around it, as people make them, and how long those before it are."""
    count = chance.choice((0, 0, 1, 2))
    before = "".join(
        f"{chance.choice(SAMPLES['asides'])}{chance.choice((', ', '. ', ' ', ', so ', '; '))}" for _ in range(count)
    )
    after = (
        f"{chance.choice((', ', '. ', ' ', ' because '))}{chance.choice(SAMPLES['asides'])}"
        if chance.share() < _OFTEN
        else ""
    )
    return len(before), before + text + after


_OFTEN, _QUOTED, _OF_SETS, _OTHER_TEXTS, _FROM_SETS = 0.2, 0.06, 2, 2, 0.4


def known_words(examples: Iterable[Example]) -> frozenset[str]:
    """Return the words that are said often enough outside of texts to count as themselves."""
    outside, inside = Counter[str](), Counter[str]()
    for one in {one.utterance.text: one for one in examples}.values():
        told = [pair for pair in zip(one.words, one.labels, strict=True) if not pair[0].quoted]
        outside.update({word.text for word, label in told if not label})
        inside.update({word.text for word, label in told if label})
    return frozenset(
        word
        for word, count in outside.items()
        if count >= max(LEAST_SEEN, inside[word] / _MOSTLY_INSIDE) and not any(one.isdigit() for one in word)
    )


_MOSTLY_INSIDE = 2
"""A word that is more than so many times as often in texts as outside of them does not count as itself."""


def cue_words(paths: Sequence[Path]) -> frozenset[str]:
    """Return the words of the paraphrases themselves, without what stands in their places."""
    seen = Counter(
        word
        for path in paths
        for told in tomllib.loads(path.read_text("utf-8")).values()
        for said in told["says"]
        for word in {token.text for token in tokenize(_PLACE.sub("1", said))}
    )
    return frozenset(word for word, count in seen.items() if count >= LEAST_CUE and word.isalpha())


LEAST_CUE = 3


class Told:
    """All examples, made ready to learn from some of them."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Find the features of all words."""
        self.known = known_words(examples)
        self.groups = [one.group for one in examples]
        allowed = {operation: spans.allowed_labels(operation) for operation in TEXTS}
        tags = Tags(allowed, spans.FIRST, spans.FOLLOWING, spans.LAST)
        parts = spread(self._numbered, cut(examples, _AT_ONCE))
        self.corpus = Corpus(parts, tags, LEAST_OFTEN)

    def _numbered(self, examples: Sequence[Example]) -> Numbered:
        return numbered((_sentence(one, self.known) for one in examples), sorted(TEXTS))

    def learn(self, left_out: frozenset[str] = frozenset(), seed: int = 1) -> learned_weights.Weights:
        """Return what all examples teach but those of some sets: for each feature, and for each label after another."""
        found = self.corpus.learn([at for at, group in enumerate(self.groups) if group not in left_out], seed)
        weights = {name: _row(row) for name, row in found.features.items()}
        for label, row in zip(LABELS, found.after, strict=True):
            weights[f"after {label}"] = _row(row)
        for operation, rows in found.after_of_kind.items():
            weights |= {f"{operation} after {label}": _row(row) for label, row in zip(LABELS, rows, strict=True)}
        cues = learned_weights.learned().cues
        return learned_weights.Weights("", " ".join(sorted(self.known)), cues, rounded(weights))


_AT_ONCE = 500


def _sentence(one: Example, known: frozenset[str]) -> Sentence:
    return Sentence([*spans.features(one.operation, one.words, one.mentions, known)], one.labels, one.operation)


def _row(numbers: Iterable[float]) -> dict[int, float]:
    return dict(enumerate(map(float, numbers)))


def rounded(weights: spans.Scores) -> dict[str, dict[int, int]]:
    """Return the weights as whole numbers, without the features that hardly count."""
    whole = {
        feature: {label: value for label, one in sorted(row.items()) if (value := round(one * SCALE))}
        for feature, row in sorted(weights.items())
    }
    return {feature: row for feature, row in whole.items() if max(map(abs, row.values()), default=0) >= LEAST_WEIGHT}


_LEFT_OUT = frozenset({"w2"})
"""Paraphrases from which texts were not read any better, but more often wrongly."""


def sources() -> tuple[list[Path], list[Path]]:
    """Return the sets of wishes and the files of paraphrases to learn from."""
    paraphrases = sorted((HERE / "paraphrases").glob("*.toml"))
    return [*worlds.BUILT_WITH], [one for one in paraphrases if one.stem not in _LEFT_OUT]


def _other_text(operation: str, letter: str, chance: Chance, pool: Pool) -> str:
    """Return a text of a kind, often one of a single word; empty if there is none."""
    single = pool.get((operation, f"{letter}="), ()) if chance.share() < _SINGLE else ()
    texts = single or pool.get((operation, letter), ())
    return chance.choice(texts) if texts else ""


def with_other_texts(example: Example, chance: Chance, pool: Pool) -> Example:
    """Return a wish with other texts of the same kinds in place of its own, in small letters or without quotes too."""
    said, text, places, at = example.utterance.text, "", list[tuple[int, int, str]](), 0
    small, bare = chance.share() < _SMALL, chance.share() < _BARE
    for span in spans.spans_of(example.labels):
        first, last = example.words[span.start], example.words[span.end - 1]
        start, end = first.start, last.end
        if bare and first.quoted and last is first:
            start, end = start - 1, end + 1
        text += said[at:start]
        filler = _other_text(example.operation, span.label, chance, pool) or said[first.start : last.end]
        filler = filler[:1].upper() + filler[1:] if first.capital else filler[:1].lower() + filler[1:]
        places.append((len(text), len(text) + len(filler), span.label))
        text, at = text + filler, end
    text += said[at:]
    utterance = replace(example.utterance, text=text.lower() if small else text)
    words = tokenize(utterance.text)
    labels = labelled(words, places)
    return Example(example.group, example.operation, words, find_mentions(words, utterance), labels, utterance)


_SMALL, _BARE, _SINGLE = 0.3, 0.5, 0.25


def labelled(words: Sequence[Token], places: Sequence[tuple[int, int, str]]) -> tuple[int, ...]:
    """Return the labels of words that stand in some places of the utterance."""
    labels = [0] * len(words)
    for start, end, letter in places:
        inside = [at for at, word in enumerate(words) if start <= word.start and word.end <= end and word.text != ":"]
        for index, label in zip(inside, labels_of(letter, len(inside)), strict=True):
            labels[index] = label
    return tuple(labels)


def gather(sets: Sequence[Path], paraphrases: Sequence[Path]) -> list[Example]:
    """Return all examples."""
    chance, pool = Chance(SEED), pool_of(sets)
    told = [example for path in sets for example in examples_of_set(path)]
    found = told * _OF_SETS + [with_other_texts(one, chance, pool) for one in told for _ in range(_OTHER_TEXTS)]
    return found + [example for path in paraphrases for example in examples_of_paraphrases(path, chance, pool)]


def use_cues() -> None:
    """Use the words of the paraphrases as those with which people say what they want, and no weights."""
    learned_weights.use(learned_weights.Weights("", "", " ".join(sorted(cue_words(sources()[1]))), {}))


def told() -> Told:
    """Return all examples, made with the cues alone."""
    use_cues()
    return Told(gather(*sources()))


def shipped(found: learned_weights.Weights) -> str:
    """Return the text of the file of weights, one feature a line."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for feature, row in found.weights.items():
        operation, blank, rest = feature.partition(" ")
        key = (operation, rest) if blank and operation in TEXTS else ("", feature)
        groups[key[0]][key[1]] = learned_weights.written(row)
    parts = [
        f"{json.dumps(operation)}:{{\n"
        + ",\n".join(
            f"{json.dumps(feature, ensure_ascii=False)}:{json.dumps(row)}" for feature, row in sorted(rows.items())
        )
        + "}"
        for operation, rows in sorted(groups.items())
    ]
    head = [f"{json.dumps(key)}:{json.dumps(value)}" for key, value in
            (("digest", found.digest), ("known", found.known), ("cues", found.cues))]  # fmt: skip
    return "{" + ",\n".join([*head, '"weights":{' + ",\n".join(parts)]) + "}}\n"
