"""The words of one action with what they mention: which thing is meant, which time, which text."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import LEAD, Mention, read_time
from sayso.models.builtin.names import NOUNS, SMALL, indices
from sayso.models.builtin.outcomes import EVERYTHING, NOT_ALL, Ambiguous, Choice, Unresolved, quote_words
from sayso.models.builtin.spans import Span
from sayso.models.builtin.tidying import tidied
from sayso.models.builtin.tokens import Token, source_text, word_list
from sayso.models.builtin.world import Utterance

Arguments = dict[str, Json]
Answer = Arguments | list[Arguments] | Ambiguous | Unresolved
"""The arguments of one action or of several, or what must be asked."""
CALLED: Mapping[str, str] = {"app": "application", "done": "completed task", "preset": "layout"}
"""What each kind of thing is called in a question, where it is called something else."""
NEAR_NOUN, FOREIGN, CUE_ONLY = 0.3, 0.5, 0.35
FULL_MARGIN = 100.0
"""The margin of a free text that counts 1."""


class Picked(Struct, frozen=True):
    """A thing that words mean, how surely, and the words that name it."""

    value: Json
    strength: float
    at: frozenset[int]


class Moment(Struct, frozen=True):
    """What the time words of a clause mean together, in one of the forms of `read_time`; empty if there are none."""

    told: Mapping[str, Json]
    strength: float = 1.0

    def pair(self, form: str) -> list[str]:
        """Return the two times of this form, `span` or `days`; an empty list if there are none."""
        value = self.told.get(form)
        return [str(one) for one in cast("Sequence[Json]", value)] if isinstance(value, list) else []

    def get(self, form: str) -> Json:
        """Return the value of this form, or None."""
        return self.told.get(form)


class Clause:
    """The words of one action, its mentions, and its free texts."""

    def __init__(
        self,
        operation: str,
        words: Sequence[Token],
        mentions: Sequence[Mention],
        spans: Sequence[Span],
        utterance: Utterance,
    ) -> None:
        """Keep what was found; `strength` falls as arguments turn out to be doubtful."""
        self.chosen: Json = None
        """The thing that the person named when they were asked which one is meant."""
        self.operation = operation
        self.words = words
        self.utterance = utterance
        self.said = [word.text for word in words]
        self.mentions = mentions
        self.spans = {span.label: span for span in tidied(operation, words, mentions, spans, utterance.text)}
        self.mentions = self._with_hours()
        self.in_texts = {at for span in self.spans.values() for at in range(span.start, span.end)}
        self.kept = _kept(words)
        self.strength = 1.0
        self.free_words = 0

    def _with_hours(self) -> Sequence[Mention]:
        """Return the mentions; where times are wanted, a bare number behind “at” is an hour, as in “at 17”."""
        found = [*self.mentions] if self.operation.partition(".")[0] in {"reminder", "calendar"} else []
        for at, one in enumerate(found):
            hour = one.value if one.kind == "number" and isinstance(one.value, int) else 0
            if _HALF_DAY < hour < 2 * _HALF_DAY and one.start and self.said[one.start - 1] == "at":
                self.said[one.start : one.end] = [f"{hour}:00"] * (one.end - one.start)
                told = read_time(["at", f"{hour}:00"], self.utterance)
                found[at] = Mention("time", one.start - 1, one.end, dict(told or {}))
        return found or self.mentions

    def has(self, words: Collection[str]) -> bool:
        """Say whether one of these words is said, outside of texts."""
        return any(
            word in words and at not in self.in_texts and not self.words[at].quoted for at, word in enumerate(self.said)
        )

    def weaken(self, strength: float) -> None:
        """Note that an argument is only this sure."""
        self.strength = min(self.strength, strength)

    def text(self, label: str) -> str | None:
        """Return the free text with a label, as it was written; None if there is none."""
        span = self.spans.get(label)
        if span is None:
            return None
        words = self.words[span.start : span.end]
        self.weaken(min(1.0, max(0.1, 0.4 + span.margin / FULL_MARGIN)))
        if not (len(words) == 1 and words[0].quoted):
            self.free_words += len(words)
        text = source_text(self.utterance.text, words)
        return (
            text + words[-1].pause if words[-1].pause in {"?", "!"} and label == "B" and not words[-1].quoted else text
        )

    def says(self, words: Collection[str]) -> None:
        """Weaken if one of these words is said although the text that it announces was not found."""
        if self.has(words):
            self.weaken(_ANNOUNCED)

    def of(self, *kinds: str, without: Iterable[int] = ()) -> list[Mention]:
        """Return the mentions of some kinds that are neither in a free text nor in the words at `without`."""
        taken = self.in_texts | set(without) | self.kept
        return [one for one in self.mentions if one.kind in kinds and taken.isdisjoint(range(one.start, one.end))]

    def first(self, *kinds: str) -> Json:
        """Return the value of the first mention of some kinds; None if there is none."""
        found = self.of(*kinds)
        return found[0].value if found else None

    def near(self, mention: Mention, words: Collection[str]) -> bool:
        """Say whether one of these words stands right beside a mention."""
        before = self.said[max(0, mention.start - 2) : mention.start]
        after = self.said[mention.end : mention.end + 2]
        return bool(words) and not {*before, *after}.isdisjoint(words)

    def one(
        self, kind: str, without: Iterable[int] = (), fits: Callable[[Json], bool] | None = None
    ) -> Picked | Ambiguous | Unresolved:
        """Return the one thing of a kind that the words mean, or the question which one it is."""
        evidence, at = self._evidence(kind, without, fits)
        if self.chosen is not None and self._may_be_chosen(kind, evidence):
            return Picked(self.chosen, 1.0, frozenset(at.get(canonical(self.chosen), ())))
        if not evidence:
            return self.missing(kind)
        best = max(evidence, key=lambda key: evidence[key][0])
        top, strength, value = evidence[best]
        others = [key for key in evidence if key != best and evidence[key][0] > top - LEAD]
        if others:
            labels = self._labels(kind)
            choices = tuple(
                Choice(labels.get(key, quote_words(str(evidence[key][2]))), evidence[key][2]) for key in (best, *others)
            )
            what = CALLED.get(kind, kind)
            return Ambiguous(f"Which {what} is meant?", choices, strength)
        picked = Picked(value, strength, frozenset(at[best]))
        self.weaken(strength * (FOREIGN if self.is_foreign(kind, picked.at) else 1))
        return picked

    def _may_be_chosen(self, kind: str, evidence: Collection[bytes]) -> bool:
        key = canonical(self.chosen)
        return key in evidence or (not evidence and key in self._labels(kind))

    def _evidence(
        self, kind: str, without: Iterable[int], fits: Callable[[Json], bool] | None
    ) -> tuple[dict[bytes, tuple[float, float, Json]], dict[bytes, set[int]]]:
        """Return for each thing that is named how much speaks for it, how surely it is named, and where."""
        evidence: dict[bytes, tuple[float, float, Json]] = {}
        at: dict[bytes, set[int]] = defaultdict(set)
        for mention in self.of(kind, without=without):
            weight = mention.strength * (1 + (mention.end - mention.start - 1) / 4)
            weight += NEAR_NOUN if self.near(mention, NOUNS[kind]) else 0
            weight -= CUE_ONLY if all(word in cues() for word in self.said[mention.start : mention.end]) else 0
            values = [
                one for one in (mention.value, *(each.value for each in mention.rivals)) if fits is None or fits(one)
            ]
            for value in values:
                key = canonical(value)
                old = evidence.get(key, (0.0, 0.0, value))
                evidence[key] = (old[0] + weight, max(old[1], mention.strength), value)
                at[key] |= set(range(mention.start, mention.end))
        return evidence, at

    def several(self, kind: str, fits: Callable[[Json], bool] | None = None) -> list[Picked] | None:
        """Return the things in a list, as in “zoom and signal”; None if the words are no list of different things."""
        if (counted := self._counted(kind, fits)) is not None:
            return counted
        runs: list[list[Mention]] = []
        best = max((one.strength for one in self.of(kind)), default=0.0)
        found = [one for one in self.of(kind) if 2 * one.strength > best]
        for one in map(_with_part_before, found, (None, *found)):
            if one.rivals or (fits is not None and not fits(one.value)):
                continue
            if runs and runs[-1][-1].value == one.value:  # two parts of one name, as in “the letter to the office”
                runs[-1][-1] = replace(runs[-1][-1], end=one.end, strength=max(runs[-1][-1].strength, one.strength))
                continue
            between = self.said[runs[-1][-1].end : one.start] if runs else []
            comma = bool(runs) and self.words[runs[-1][-1].end - 1].pause == ","
            linked = bool(runs) and len(between) <= _MOST_BETWEEN and (comma or bool(_AND & set(between)))
            if linked and set(between) <= _AND | SMALL | NOUNS[kind]:
                runs[-1].append(one)
            else:
                runs.append([one])
        longest = max(runs, key=len) if runs else list[Mention]()
        if len({canonical(one.value) for one in longest}) < len(longest) or len(longest) < len(("one", "other")):
            return None
        for one in longest:
            self.weaken(one.strength)
        return [Picked(one.value, one.strength, frozenset(range(one.start, one.end))) for one in longest]

    def _counted(self, kind: str, fits: Callable[[Json], bool] | None) -> list[Picked] | None:
        """Return the things that share a name, if it is said that there are as many, as in “both invoices”."""
        counted = [at for at, word in enumerate(self.said) if word in COUNTS and at not in self.in_texts]
        count = COUNTS[self.said[counted[0]]] if counted else 0
        of_them = any(self.said[at + 1 : at + 3] == ["of", "them"] for at in counted)
        for one in self.of(kind) if count else ():
            beside = of_them or any(one.start - _FEW <= at <= one.start for at in counted)
            values = [one.value, *(each.value for each in one.rivals)]
            values = [each for each in values if fits is None or fits(each)]
            if len(values) == count and beside:
                self.weaken(one.strength)
                at = frozenset(range(one.start, one.end))
                return [Picked(value, one.strength, at) for value in values]
        return None

    def _labels(self, kind: str) -> dict[bytes, str]:
        return {canonical(thing.value): thing.label for thing in indices(self.utterance.world)[kind].things}

    def is_foreign(self, kind: str, at: frozenset[int]) -> bool:
        """Say whether a word that nothing explains stands right beside the words of a name."""
        for step, begin in ((-1, min(at)), (1, max(at))):
            here = begin + step
            while 0 <= here < len(self.words) and (self.said[here] in NOUNS[kind] or here in at):
                here += step
            if 0 <= here < len(self.words) and self.said[here] == "and":
                here += step
                while 0 <= here < len(self.words) and self.said[here] in {"the", "my"}:
                    here += step
            if step < 0 and here > 0 and self.said[here] == "of":  # “a bottle of stout” is no stout
                here -= 1
            if not 0 <= here < len(self.words) or (step > 0 and self.words[here - 1].pause) or self.words[here].pause:
                continue
            word = self.said[here]
            known = (
                word in SMALL
                or word in cues()
                or word in NOUNS[kind]
                or self.words[here].quoted
                or here in self.in_texts
            )
            if not known and not any(one.start <= here < one.end for one in self.mentions):
                return True
        return False

    def missing(self, kind: str) -> Unresolved:
        """Return that no thing of a kind is named."""
        why = f"It is not clear which {CALLED.get(kind, kind)} is meant."
        return Unresolved(f"{why} {NOT_ALL}" if self.has(EVERYTHING - {"any"}) else why, kind)

    def after(self, words: Collection[str], *kinds: str) -> Mention | None:
        """Return the last mention of some kinds right after one of these words; articles may stand between."""
        for mention in reversed(self.of(*kinds)):
            at = mention.start - 1
            while at >= 0 and self.said[at] in _BESIDE:
                at -= 1
            if at >= 0 and self.said[at] in words:
                return mention
        return None

    def at_home(self, path: str) -> str:
        """Return a path with `~` instead of the folder of the person, as far as the context shows it."""
        home = next((one.path for one in self.utterance.world.files if one.path.startswith(("/home/", "/Users/"))), "")
        above = "/".join(home.split("/")[:3])
        return f"~{path[len(above) :]}" if above and path.startswith(f"{above}/") else path

    def time(self, mentions: Sequence[Mention] | None = None) -> Moment:
        """Return what the time words mean together; where they contradict each other, the strength is low."""
        found = self.of("time") if mentions is None else mentions
        if not found:
            return Moment({})
        whole = self._read_together(found)
        if whole is not None:
            return whole
        groups: list[list[Mention]] = []
        for one in found:
            near = groups and one.start - groups[-1][-1].end <= _GAP
            if near and self._read_together([*groups[-1], one]) is not None:
                groups[-1].append(one)
            else:
                groups.append([one])
        best = min(groups, key=lambda group: (self._distance(group), -len(group)))
        told = self._read_together(best)
        return Moment({"unclear": "say on which day, or at what time."}) if told is None else Moment(told.told, _CHOSEN)

    def _read_together(self, mentions: Sequence[Mention]) -> Moment | None:
        """Return what the words of these mentions mean in a row; None if they contradict each other."""
        words = [self.said[at] for one in mentions for at in range(one.start, one.end)]
        told = read_time(words, self.utterance) if len(words) <= _MOST_OF_TIME else None
        if told is not None and ("unclear" not in told or len(mentions) == 1):
            return Moment(told)
        forms = [one.told for one in mentions]
        names = [form for one in forms for form in one]
        if (
            len(set(names)) < len(names)
            or {*names} - {"when", "lasts", "span"}
            or ("span" in names and len(names) > 1 and any(len(str(one.get("when", ""))) > _DAY for one in forms))
        ):
            return None
        return Moment({form: value for one in forms for form, value in one.items()})

    def _distance(self, group: Sequence[Mention]) -> int:
        """Return how many words are between times and the text that they belong to, or else the first word."""
        text = self.spans.get("T")
        if text is None:
            return group[0].start
        if group[0].start >= text.end:
            return group[0].start - text.end
        return max(0, text.start - group[-1].end)


COUNTS = {"both": 2} | {word: count for count, word in enumerate(word_list("two three four five six seven eight"), 2)}
"""How many things are meant, by the words for it."""


def count_of(said: Sequence[str], nouns: Collection[str]) -> int:
    """Return how many of some things are said to be meant, as in “two more things”; 0 if this is not said."""
    counted = [COUNTS[word] for at, word in enumerate(said) if word in COUNTS and set(said[at + 1 : at + 4]) & {*nouns}]
    return max(counted, default=0)


def _with_part_before(one: Mention, before: Mention | None) -> Mention:
    """Return a mention with the one before it, if this names the same less clearly: “the letter to the office”."""
    same = before is not None and one.value in [each.value for each in before.rivals] + [before.value]
    return replace(one, start=before.start) if before is not None and before.rivals and same else one


_BESIDE = frozenset({"the", "my", "our", "a", "folder", "file", "new", "that", "program", "app", "application"})
_ANNOUNCED, _FEW = 0.3, 3
_HALF_DAY = 12
_CHOSEN, _DAY, _GAP = 0.6, len("2026-01-31"), 3
_MOST_OF_TIME, _MOST_BETWEEN = 16, 3
_AND = frozenset({"and", "+", "plus", "also", "as", "well"})
_KEEPING = frozenset({"not", "don't", "keep", "leave"})


def _kept(words: Sequence[Token]) -> frozenset[int]:
    """Return the words that name what is to be left alone, as in “quit Viber but not Signal”."""
    said = [word.text for word in words]
    for at in range(1, len(said) - 1):
        if said[at] == "but" and said[at + 1] in _KEEPING:
            end = next((end for end in range(at, len(words)) if words[end].pause), len(words) - 1)
            return frozenset(range(at, end + 1))
    return frozenset()


def later(now: datetime, minutes: int) -> str:
    """Return the time some minutes from now, as operations take it, also if clocks are changed before it."""
    then = (now.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(now.tzinfo)
    return to_come(f"{then:%Y-%m-%d %H:%M}", now)


def to_come(when: str, now: datetime) -> str:
    """Return a day or time as it is; if it comes twice and only the second is still to come, with that one's offset."""
    first = datetime.fromisoformat(when).replace(tzinfo=now.tzinfo)
    second = first.replace(fold=1)
    over = first.astimezone(UTC) <= now.astimezone(UTC) < second.astimezone(UTC)
    return second.isoformat(" ", "minutes") if over and len(when) > _DAY else when


def day_after(day: str) -> str:
    """Return the day after a day."""
    return f"{datetime.fromisoformat(day) + timedelta(days=1):%Y-%m-%d}"


def shifted(start: str, minutes: int) -> str:
    """Return a time moved by some minutes."""
    return (datetime.fromisoformat(start) + timedelta(minutes=minutes)).isoformat(" ", "minutes")
