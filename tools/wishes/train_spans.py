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

from sayso.models.builtin import learned as learned_weights
from sayso.models.builtin import spans
from sayso.models.builtin.mentions import Mention, find_mentions
from sayso.models.builtin.spans import LABELS, TEXTS
from sayso.models.builtin.tokens import Token, tokenize
from sayso.models.builtin.world import ContextWorld, Utterance, world_of
from tests.assistant import worlds
from tests.assistant.worlds import Case, Deed
from tools.wishes.chance import Chance

HERE = Path(__file__).parent
OUT = Path(spans.__file__).with_name("spans.json")
ROUNDS, SEED, LEAST_SEEN, SCALE, LEAST_WEIGHT, LEAST_OFTEN = 4, "7", 3, 1, 4, 4
_SKIPPED = frozenset({"the", "a", "an", "my"})


@dataclass(frozen=True)
class Example:
    """A sentence whose words have labels."""

    operation: str
    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    labels: tuple[int, ...]


def examples_of_set(path: Path) -> list[Example]:
    """Return the wishes of a set that do one thing with free texts."""
    wishes = worlds.read(path)
    there = {name: (world_of(world.context()), world.moment) for name, world in wishes.worlds.items()}
    found: list[Example] = []
    for case in wishes.cases:
        world, moment = there[case.world]
        example = _example(case, Utterance(case.words, world, moment))
        found += [] if example is None else [example]
    return found


def _example(case: Case, utterance: Utterance) -> Example | None:
    meant = case.do[0].operation if case.do else ""
    one = [each for each in case.right if len(each) == 1 and each[0].operation == meant and meant in TEXTS]
    words = tokenize(utterance.text)
    for deeds in one:
        labels = _labels(deeds[0], words)
        if labels is not None:
            return Example(deeds[0].operation, words, find_mentions(words, utterance), labels)
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
        labels[start:end] = parts_of(letter, end - start)
    return tuple(labels)


def parts_of(letter: str, length: int) -> list[int]:
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
        if pool.get((operation, letter)) and chance.share() < _FROM_SETS:
            filler = chance.choice(pool[operation, letter])
        if letter in TEXTS[operation]:
            filler = f"“{filler}”" if chance.share() < _QUOTED else filler
            places.append((len(text), len(text) + len(filler), letter))
        text += filler
        at = place.end()
    text += said[at:]
    before, text = _with_asides(text, chance)
    places = [(start + before, end + before, letter) for start, end, letter in places]
    words = tokenize(text)
    labels = [0] * len(words)
    if operation == "task.add_all" and places:
        places = [(places[0][0], places[-1][1], "T")]
    for start, end, letter in places:
        inside = [
            index for index, word in enumerate(words) if start <= word.start and word.end <= end and word.text != ":"
        ]
        for index, label in zip(inside, parts_of(letter, len(inside)), strict=True):
            labels[index] = label
    moment = datetime(2027, 3, 10, 9, 30, tzinfo=UTC)
    return Example(operation, words, find_mentions(words, Utterance(text, world, moment)), tuple(labels))


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


_OFTEN, _QUOTED, _OF_SETS, _FROM_SETS = 0.2, 0.06, 2, 0.4


def known_words(examples: Iterable[Example]) -> frozenset[str]:
    """Return the words that are said often enough outside of texts to count as themselves."""
    seen = Counter(
        word.text
        for example in examples
        for word, label in zip(example.words, example.labels, strict=True)
        if label == 0 and not word.quoted and not any(character.isdigit() for character in word.text)
    )
    return frozenset(word for word, count in seen.items() if count >= LEAST_SEEN)


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


Learned = dict[str, dict[int, float]]


def learn(examples: Sequence[Example]) -> tuple[Learned, frozenset[str]]:
    """Return the weights of each feature: an averaged perceptron, whose result depends only on its examples."""
    known = known_words(examples)
    told = [[*spans.features(one.operation, one.words, one.mentions, known)] for one in examples]
    often = Counter(feature for each in told for feature in {feature for row in each for feature in row})
    told = [[[feature for feature in row if often[feature] >= LEAST_OFTEN] for row in each] for each in told]
    weights: Learned = defaultdict(lambda: defaultdict(float))
    sums: Learned = defaultdict(lambda: defaultdict(float))
    step = 1
    chance = Chance(SEED)
    for _ in range(ROUNDS):
        for at in chance.shuffled(range(len(examples))):
            example = examples[at]
            found = _decode(example, told[at], weights)
            step += 1
            if found == list(example.labels):
                continue
            for one, sign in ((example.labels, 1), (found, -1)):
                for feature, label in _facts(example, told[at], one):
                    weights[feature][label] += sign
                    sums[feature][label] += sign * step
    averaged = {
        feature: {label: weight - sums[feature][label] / step for label, weight in row.items()}
        for feature, row in weights.items()
    }
    return averaged, known


def _facts(example: Example, told: Sequence[Sequence[str]], labels: Sequence[int]) -> Iterator[tuple[str, int]]:
    for at, label in enumerate(labels):
        yield from ((feature, label) for feature in told[at])
        if at:
            before = LABELS[labels[at - 1]]
            yield f"after {before}", label
            yield f"{example.operation} after {before}", label


def _decode(example: Example, told: Sequence[Sequence[str]], weights: spans.Scores) -> list[int]:
    """Return the best labels; wrong ones get a little more, so that the right ones must win clearly."""
    allowed = spans.allowed_labels(example.operation)
    steps = spans.transitions(example.operation, weights)
    scores = [spans.sum_of(each, weights) for each in told]
    for row, right in zip(scores, example.labels, strict=True):
        for label in allowed:
            row[label] += label != right
    best = {label: scores[0][label] for label in allowed if label in spans.FIRST}
    came: list[dict[int, int]] = [{}]
    for score in scores[1:]:
        row, from_ = dict[int, float](), dict[int, int]()
        for before, sofar in best.items():
            for label in spans.FOLLOWING[before]:
                if label not in allowed:
                    continue
                total = sofar + steps[before][label] + score[label]
                if label not in row or total > row[label]:
                    row[label], from_[label] = total, before
        best = row
        came.append(from_)
    label = max((one for one in best if one in spans.LAST), key=best.__getitem__)
    found = [label]
    for from_ in reversed(came[1:]):
        label = from_[label]
        found.append(label)
    return found[::-1]


def rounded(weights: spans.Scores) -> dict[str, dict[int, int]]:
    """Return the weights as whole numbers, without those that hardly count."""
    whole = {
        feature: {
            label: value for label, one in sorted(row.items()) if abs(value := round(one * SCALE)) >= LEAST_WEIGHT
        }
        for feature, row in sorted(weights.items())
    }
    return {feature: row for feature, row in whole.items() if row}


_LEFT_OUT = frozenset({"w2"})
"""Paraphrases from which texts were not read any better, but more often wrongly."""


def sources() -> tuple[list[Path], list[Path]]:
    """Return the sets of wishes and the files of paraphrases to learn from."""
    paraphrases = sorted((HERE / "paraphrases").glob("*.toml"))
    return [*worlds.BUILT_WITH], [one for one in paraphrases if one.stem not in _LEFT_OUT]


def gather(sets: Sequence[Path], paraphrases: Sequence[Path]) -> list[Example]:
    """Return all examples."""
    chance, pool = Chance(SEED), pool_of(sets)
    found = [example for path in sets for example in examples_of_set(path)] * _OF_SETS
    return found + [example for path in paraphrases for example in examples_of_paraphrases(path, chance, pool)]


def use_cues() -> None:
    """Use the words of the paraphrases as those with which people say what they want, and no weights."""
    learned_weights.use(learned_weights.Weights("", "", " ".join(sorted(cue_words(sources()[1]))), {}))


def learned_from(sets: Sequence[Path], paraphrases: Sequence[Path]) -> learned_weights.Weights:
    """Return what is learned from some sets and paraphrases; it uses the cues alone from then on."""
    use_cues()
    cues = learned_weights.learned().cues
    weights, known = learn(gather(sets, paraphrases))
    return learned_weights.Weights("", " ".join(sorted(known)), cues, rounded(weights))


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
