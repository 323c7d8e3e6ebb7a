"""Find the free texts in the words of a wish, such as the text of a reminder, by weights learned from examples.

Each word gets a label: whether a text begins with it, goes on with it, or neither. The labels with the highest sum of
weights are chosen; this takes as long as there are words. `tools/wishes/train_spans.py` learns the weights.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from sayso.models.builtin.classify import kin_of
from sayso.models.builtin.clauses import ORDERS, parts_of
from sayso.models.builtin.learned import Weights, known_words, learned
from sayso.models.builtin.mentions import THINGS, Mention
from sayso.models.builtin.tokens import Token, stem, word_list

LETTERS = "TBP"
"""The kinds of texts: a main text (a title, a query), a body, and a place or person."""
LABELS = ("-", *(f"{letter}{part}" for letter in LETTERS for part in "<~>="))
"""What a word may be: outside of texts, or the first word of one, one in the middle, the last, or the only one."""
TEXTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "reminder.create": {"T": "title"},
        "task.add": {"T": "text"},
        "task.add_all": {"T": "texts"},
        "task.add_subtask": {"T": "text"},
        "task.edit": {"T": "new_text"},
        "habit.add": {"T": "text"},
        "habit.edit": {"T": "new_text"},
        "calendar.create_event": {"T": "title", "P": "location"},
        "calendar.update_event": {"T": "title", "P": "location"},
        "calendar.find": {"T": "text"},
        "note.create": {"T": "title", "B": "body"},
        "note.append": {"T": "target", "B": "text"},
        "note.find": {"T": "text"},
        "mail.compose": {"T": "subject", "B": "body"},
        "mail.send": {"T": "subject", "B": "body"},
        "mail.search": {"T": "text", "P": "from"},
        "mail.query": {"T": "text", "P": "from"},
        "file.append": {"B": "content"},
        "file.write": {"T": "name", "B": "content"},
        "file.mkdir": {"T": "name"},
        "file.move": {"T": "name"},
        "file.copy": {"T": "name"},
        "file.find": {"T": "name"},
        "clipboard.write": {"B": "text"},
        "speech.say": {"B": "text"},
        "notify.show": {"T": "title", "B": "message"},
        "url.open": {"T": "query"},
    }
)
"""The free texts of each operation: its argument for each label."""
_SEEN = frozenset({"time", "repeat", "quote", "address", "path", "url", "number", "pronoun", "filename"})
"""The kinds of mentions that tell where a text ends."""
OTHER, BEGIN, END = "?", "<", ">"


class Span(Struct, frozen=True):
    """The words of a free text, from `start` up to `end`, and by how much no other labels of them are as good."""

    label: str
    start: int
    end: int
    margin: float


def find_spans(operation: str, words: Sequence[Token], mentions: Sequence[Mention]) -> list[Span]:
    """Return the free texts that an operation takes from these words; none for an operation without any."""
    if operation not in TEXTS or not words:
        return []
    return best_spans(operation, words, mentions, learned())


Scores = Mapping[str, Mapping[int, float]]


def best_spans(operation: str, words: Sequence[Token], mentions: Sequence[Mention], learned: Weights) -> list[Span]:
    """Return the spans with the highest sum of weights.

    If an operation needs a text and none is found, one is looked for with less and less certainty.
    """
    weights, each = learned.weights, (tuple(words), _kinds(words, mentions), _things(words, mentions))
    told = _plain(*each, known_words(learned.known))
    scores = [
        [one + other for one, other in zip(sum_of(_of(operation, row), weights), shared, strict=True)]
        for row, shared in zip(told, _shared(*each, learned), strict=True)
    ]
    for row, word in zip(scores, words, strict=True):
        if word.quoted:  # a quoted text is a text of its own
            row[:] = [NEVER if label[-1] in "<~>" else score for label, score in zip(LABELS, row, strict=True)]
    found = _best(operation, scores, weights)
    needed = NEEDED.get(operation, "")
    taken = frozenset(at for span in found for at in range(span.start, span.end))
    lacking = needed and all(span.label != needed for span in found)
    for kept, extra in product((taken, frozenset[int]()), _EXTRA) if lacking else ():
        eased = [
            [score + extra * (label[0] == needed and at not in kept) for label, score in zip(LABELS, row, strict=True)]
            for at, row in enumerate(scores)
        ]
        found = [replace(span, margin=min(span.margin, -float(extra))) for span in _best(operation, eased, weights)]
        if any(span.label == needed for span in found):
            break
    return found


@lru_cache(maxsize=64)
def _shared(
    words: tuple[Token, ...], kinds: tuple[str, ...], things: tuple[str, ...], learned: Weights
) -> list[list[float]]:
    """Return the sum of the weights of each word that are the same for all operations."""
    known = known_words(learned.known)
    rows = zip(_plain(words, kinds, things, known), _paired(words, kinds, things, known), strict=True)
    return [sum_of((*told, *more), learned.weights) for told, more in rows]


_EXTRA = (20, 40)
NEEDED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            ["reminder.create", "task.add", "task.add_all", "task.add_subtask", "task.edit", "habit.add",
             "calendar.create_event", "note.create", "note.find", "file.mkdir", "notify.show"], "T"
        ),
        **dict.fromkeys(["note.append", "file.append", "clipboard.write", "speech.say", "mail.send"], "B"),
    }
)  # fmt: skip
"""The label of the text that an operation cannot do without."""


def _best(operation: str, scores: Sequence[Sequence[float]], weights: Scores) -> list[Span]:
    allowed = allowed_labels(operation)
    steps = transitions(operation, weights)
    ahead = _ahead(scores, steps, allowed)
    back = _back(scores, steps, allowed)
    totals = [[one + other for one, other in zip(*pair, strict=True)] for pair in zip(ahead, back, strict=True)]
    labels = _labels(scores, steps, back, allowed)
    margins = [
        row[label] - max(row[one] for one in allowed if one != label) for row, label in zip(totals, labels, strict=True)
    ]
    best: dict[str, Span] = {}
    for span in _spans(labels, margins):
        if span.label not in best or span.margin > best[span.label].margin:
            best[span.label] = span
    return sorted(best.values(), key=lambda span: span.start)


def _labels(
    scores: Sequence[Sequence[float]],
    steps: Sequence[Sequence[float]],
    back: Sequence[Sequence[float]],
    allowed: Sequence[int],
) -> list[int]:
    """Return the best labels; of several that are as good, the first ones, so that they always fit together."""
    labels: list[int] = []
    for score, rest in zip(scores, back, strict=True):
        options = [one for one in (FOLLOWING[labels[-1]] if labels else FIRST_OF_ALL) if one in allowed]
        step = steps[labels[-1]] if labels else [0.0] * len(LABELS)
        labels.append(
            max(options, key=lambda one, step=step, score=score, rest=rest: step[one] + score[one] + rest[one])
        )
    return labels


def allowed_labels(operation: str) -> list[int]:
    """Return the labels that the words of an operation may have."""
    return [at for at, label in enumerate(LABELS) if label[0] in {"-", *TEXTS[operation]}]


def _follows(before: str, label: str) -> bool:
    if before[-1] in "<~":
        return label[0] == before[0] and label[-1] in "~>"
    return label[-1] in "-<="


FOLLOWING: Sequence[Sequence[int]] = [
    [at for at, label in enumerate(LABELS) if _follows(before, label)] for before in LABELS
]
"""For each label, those that may stand after it: a text that has begun must end."""
FIRST = frozenset(at for at, label in enumerate(LABELS) if label[-1] in "-<=")
FIRST_OF_ALL = sorted(FIRST)
LAST = frozenset(at for at, label in enumerate(LABELS) if label[-1] in "->=")
NEVER = float("-inf")


def _ahead(
    scores: Sequence[Sequence[float]], steps: Sequence[Sequence[float]], allowed: Sequence[int]
) -> list[list[float]]:
    """Return, for each word and label, the best sum of weights up to that word."""
    rows = [[score if label in FIRST and label in allowed else NEVER for label, score in enumerate(scores[0])]]
    for score in scores[1:]:
        row = [NEVER] * len(LABELS)
        for before in allowed:
            for label in FOLLOWING[before]:
                row[label] = max(row[label], rows[-1][before] + steps[before][label] + score[label])
        rows.append(row)
    return rows


def _back(
    scores: Sequence[Sequence[float]], steps: Sequence[Sequence[float]], allowed: Sequence[int]
) -> list[list[float]]:
    """Return, for each word and label, the best sum of weights after that word."""
    rows = [[0.0 if label in LAST and label in allowed else NEVER for label in range(len(LABELS))]]
    for score in reversed(scores[1:]):
        row = [NEVER] * len(LABELS)
        for before in allowed:
            row[before] = max(
                (steps[before][label] + score[label] + rows[-1][label] for label in FOLLOWING[before]), default=NEVER
            )
        rows.append(row)
    return rows[::-1]


def transitions(operation: str, weights: Scores) -> list[list[float]]:
    """Return the weight of each label after each other label."""
    return [sum_of((f"after {label}", f"{operation} after {label}"), weights) for label in LABELS]


def sum_of(told: Iterable[str], weights: Scores) -> list[float]:
    """Return the sum of the weights of some features, for each label."""
    total = [0.0] * len(LABELS)
    for one in told:
        for label, weight in weights.get(one, {}).items():
            total[label] += weight
    return total


def spans_of(labels: Sequence[int]) -> list[Span]:
    """Return the texts that words with these labels are in."""
    return [*_spans(labels, [0.0] * len(labels))]


def _spans(labels: Sequence[int], margins: Sequence[float]) -> Iterator[Span]:
    at = 0
    while at < len(labels):
        label = LABELS[labels[at]]
        end = at + 1
        if label[-1] == "<":
            end = next((end for end in range(at, len(labels)) if LABELS[labels[end]][-1] == ">"), len(labels) - 1) + 1
        if label != "-":
            yield Span(label[0], at, end, min(margins[max(0, at - 1) : end + 1]))
        at = end


def features(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], known: frozenset[str]
) -> Iterator[list[str]]:
    """Yield what tells about each word whether it is in a text."""
    kinds, things = _kinds(words, mentions), _things(words, mentions)
    rows = zip(_plain(tuple(words), kinds, things, known), _paired(words, kinds, things, known), strict=True)
    for told, more in rows:
        yield [*told, *more, *_of(operation, told)]


def _of(operation: str, told: Sequence[str]) -> Iterator[str]:
    yield f"{operation} "
    yield from (f"{operation} {one}" for one in told)


@lru_cache(maxsize=64)
def _plain(
    words: tuple[Token, ...], kinds: tuple[str, ...], things: tuple[str, ...], known: frozenset[str]
) -> list[list[str]]:
    """Return what tells about each word by itself, which may mean something else for each operation."""
    said = _said(words, known)
    behind, ahead = _leads(words)
    orders, to_come = _orders(words)
    where, forms = _clauses(words), _forms(words)
    times = min(2, sum(kind == "time" and before != "time" for before, kind in pairwise(("", *kinds))))
    return [
        [
            f"is {one}", f"be {said[at]}", f"af {said[at + 2]}", f"k {kinds[at]}", f"kb {_before(kinds, at)}",
            f"ka {_after(kinds, at)}", f"p {_pause(words, at)}", f"pa {words[at].pause or '_'}", f"L {behind[at]}",
            f"R {ahead[at]}", f"O {orders[at]}", f"Q {to_come[at]}", f"t {things[at]}", f"tb {_before(things, at)}",
            f"w {where[at]}", f"f {forms[at]}", f"kt {kinds[at]} {times}",
        ]
        for at, one in enumerate(said[1:-1])
    ]  # fmt: skip


def _paired(
    words: Sequence[Token], kinds: Sequence[str], things: Sequence[str], known: frozenset[str]
) -> Iterator[list[str]]:
    """Yield two of the things that tell about each word together, which mean the same for all operations."""
    said = [BEGIN, *_said(words, known), END]  # two before and after each word
    behind, ahead = _leads(words)
    orders, _ = _orders(words)
    where, forms = _clauses(words), _forms(words)
    kin = [(BEGIN,), *map(_kin, words), (END,)]
    quoted = "q" if any(word.quoted for word in words) else "u"
    for at, word in enumerate(words):
        second, before, one, after, later = said[at : at + 5]
        kind, form, lead, place = kinds[at], forms[at], behind[at], where[at]
        last, next_, pause = _before(kinds, at), _after(kinds, at), _pause(words, at)
        yield [
            f"bb {second} {before}", f"bi {before} {one}", f"ia {one} {after}", f"bp {before} {pause}",
            f"kk {last} {kind}", f"{quoted} {kind}", f"ak {after} {next_}", f"bk {before} {last}",
            f"aa {after} {later}", f"Lf {lead} {form}", f"Lp {lead} {pause}", f"Lk {lead} {kind}",
            f"LO {lead} {orders[at]}", f"LR {lead} {ahead[at]}", f"wf {place} {form}", f"pf {pause} {form}",
            f"tk {things[at]} {kind}", f"wp {place} {pause}", f"ff {_before(forms, at)} {form}",
            f"fa {form} {_after(forms, at)}", f"pap {word.pause or '_'} {_after(where, at)}",
            *(f"cb {each}" for each in kin[at]), *(f"ci {each}" for each in kin[at + 1]),
            *(f"ca {each}" for each in kin[at + 2]), *(f"cbp {each} {pause}" for each in kin[at]),
        ]  # fmt: skip


def _before(row: Sequence[str], at: int) -> str:
    return row[at - 1] if at else BEGIN


def _after(row: Sequence[str], at: int) -> str:
    return row[at + 1] if at + 1 < len(row) else END


def _pause(words: Sequence[Token], at: int) -> str:
    return (words[at - 1].pause if at else BEGIN) or "_"


def _said(words: Sequence[Token], known: frozenset[str]) -> list[str]:
    """Return the words that count as themselves, and what others look like, between a beginning and an end."""
    return [BEGIN, *(word.text if word.text in known else _shape(word.text) for word in words), END]


def _shape(word: str) -> str:
    """Return what a word that does not count as itself looks like."""
    if word[:1].isdigit():
        return "?1"
    if len(word) > _LONG:
        for ending in _ENDINGS:
            if word.endswith(ending):
                return f"?{ending}"
    return OTHER


_ENDINGS, _LONG = ("ing", "ed", "ly", "'s", "s", "er"), 4


def _forms(words: Sequence[Token]) -> list[str]:
    """Return for each word whether it is written with a capital letter, and whether this tells anything."""
    capitals = [word.capital for word in words]
    starts = [at == 0 or words[at - 1].pause in _STOPS for at in range(len(words))]
    small = not any(capitals[1:])
    return [
        "q" if word.quoted else "s" if small else f"{'C' if capital else 'c'}{'^' if start else ''}"
        for word, capital, start in zip(words, capitals, starts, strict=True)
    ]


_STOPS = frozenset(".!?")
LEADS = frozenset(
    word_list(
        "called named titled entitled saying says say said reads read reading mentioning mentions mention mentioned "
        "title subject body text name word words theme message content contents heading with about that to : of for "
        "as into be is containing contains contain inside remember regarding re"
    )
)
"""Words that often lead to a text."""
_FAR, _NEAR = 4, 2


def _leads(words: Sequence[Token]) -> tuple[list[str], list[str]]:
    """Return for each word the last word before it, and the next one after it, that leads to a text, and how far."""
    behind, ahead = list[str](), [""] * len(words)
    lead, distance = "-", 0
    for at, word in enumerate(words):
        behind.append(f"{lead}{min(distance, _FAR)}")
        if word.text in LEADS and not word.quoted:
            lead, distance = word.text, 0
        else:
            distance += 1
        if word.pause in _STOPS and at + 1 < len(words):
            lead, distance = word.pause, 0
    lead, distance = "-", 0
    for at in range(len(words) - 1, -1, -1):
        if words[at].pause in _STOPS:
            lead, distance = "-", 0
        ahead[at] = f"{lead}{min(distance, _NEAR)}"
        if words[at].text in LEADS and not words[at].quoted:
            lead, distance = words[at].text, 0
        else:
            distance += 1
    return behind, ahead


def _orders(words: Sequence[Token]) -> tuple[list[str], list[str]]:
    """Return for each word the last order before it, and the next one after it, and how far."""
    behind, ahead = list[str](), [""] * len(words)
    order, distance = "-", 0
    for word in words:
        behind.append(f"{order}{min(distance, _FAR)}")
        order, distance = (stem(word.text), 0) if word.text in ORDERS and not word.quoted else (order, distance + 1)
    order, distance = "-", 0
    for at in range(len(words) - 1, -1, -1):
        ahead[at] = f"{order}{min(distance, _NEAR)}"
        word = words[at]
        order, distance = (stem(word.text), 0) if word.text in ORDERS and not word.quoted else (order, distance + 1)
    return behind, ahead


def _clauses(words: Sequence[Token]) -> list[str]:
    """Return for each word what kind of clause it is in, and whether it begins it."""
    found: dict[int, str] = {}
    for part in parts_of(words):
        kind = "o" * part.order + "t" * part.telling + "a" * part.asked
        found |= {word.start: kind + "^" * (not at) for at, word in enumerate(part.words)}
    return [found.get(word.start, "x") for word in words]


def _kin(word: Token) -> tuple[str, ...]:
    return () if word.quoted else kin_of().get(stem(word.text), ())


def _things(words: Sequence[Token], mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return for each word the kind of the thing that it names best, and how surely."""
    best = [(0.0, "_")] * len(words)
    for one in mentions:
        if one.kind in THINGS and one.strength >= _LEAST:
            for at in range(one.start, one.end):
                best[at] = max(best[at], (one.strength, f"{one.kind}{'!' if one.strength >= _SURE else ''}"))
    return tuple(kind for _, kind in best)


_LEAST, _SURE = 0.4, 0.9


def _kinds(words: Sequence[Token], mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return for each word the kind of what ends a text, and whether that begins or ends with it."""
    kinds = ["_"] * len(words)
    for mention in mentions:
        if mention.kind in _SEEN:
            for at in range(mention.start, mention.end):
                kinds[at] = "time" if mention.kind == "repeat" else mention.kind
    return tuple(kinds)
