"""Find the free texts in the words of a wish, such as the text of a reminder, by weights learned from examples.

Each word gets a label: whether a text begins with it, goes on with it, or neither. The labels with the highest sum of
weights are chosen; this takes as long as there are words. `tools/wishes/train_spans.py` learns the weights.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from sayso.models.builtin.learned import known as known_words
from sayso.models.builtin.learned import learned
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.tokens import Token

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
    return best_spans(operation, words, mentions, learned().weights, known_words())


Scores = Mapping[str, Mapping[int, float]]


def best_spans(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], weights: Scores, known: frozenset[str]
) -> list[Span]:
    """Return the spans with the highest sum of weights.

    If an operation needs a text and none is found, one is looked for with less and less certainty.
    """
    told = [*features(operation, words, mentions, known)]
    scores = [sum_of(each, weights) for each in told]
    for row, word in zip(scores, words, strict=True):
        if word.quoted:  # a quoted text is a text of its own
            row[:] = [NEVER if label[-1] in "<~>" else score for label, score in zip(LABELS, row, strict=True)]
    found = _best(operation, scores, weights)
    needed = NEEDED.get(operation, "")
    for extra in _EXTRA if needed and all(span.label != needed for span in found) else ():
        eased = [
            [score + extra * (label[0] == needed) for label, score in zip(LABELS, row, strict=True)] for row in scores
        ]
        found = [replace(span, margin=min(span.margin, -float(extra))) for span in _best(operation, eased, weights)]
        if any(span.label == needed for span in found):
            break
    return found


_EXTRA = (4, 8, 16, 32)
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
    said = [word.text if word.text in known else OTHER for word in words]
    kinds = _kinds(words, mentions)
    quoted = "q" if any(word.quoted for word in words) else "u"
    for at, word in enumerate(words):
        one = said[at]
        before = said[at - 1] if at else BEGIN
        second = said[at - 2] if at > 1 else BEGIN
        after = said[at + 1] if at + 1 < len(words) else END
        last = kinds[at - 1] if at else BEGIN
        next_ = kinds[at + 1] if at + 1 < len(words) else END
        pause = (words[at - 1].pause if at else BEGIN) or "_"
        told = [
            f"is {one}", f"be {before}", f"af {after}", f"k {kinds[at]}", f"kb {last}", f"ka {next_}", f"p {pause}",
            f"pa {word.pause or '_'}",
        ]  # fmt: skip
        yield [
            *told,
            *(f"{operation} {each}" for each in (*told, "")),
            f"bb {second} {before}", f"bi {before} {one}", f"ia {one} {after}", f"bp {before} {pause}",
            f"kk {last} {kinds[at]}", f"{quoted} {kinds[at]}", f"ak {after} {next_}", f"bk {before} {last}",
        ]  # fmt: skip


def _kinds(words: Sequence[Token], mentions: Sequence[Mention]) -> list[str]:
    kinds = ["_"] * len(words)
    for mention in mentions:
        if mention.kind in _SEEN:
            for at in range(mention.start, mention.end):
                kinds[at] = "time" if mention.kind == "repeat" else mention.kind
    return kinds
