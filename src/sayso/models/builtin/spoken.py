"""Write down what was said as it is meant: without hesitation and slips, with what was put right."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec.structs import replace

from sayso.models.builtin.classify import kin_words
from sayso.models.builtin.learned import cues
from sayso.models.builtin.learned import known as known_words
from sayso.models.builtin.mentions import THINGS, Mention, find_things
from sayso.models.builtin.names import NOUNS, name_parts
from sayso.models.builtin.times import day_at, duration_at, number, time_of_day_at
from sayso.models.builtin.tokens import Token, tokenize, vocabulary, word_list
from sayso.models.builtin.world import ContextWorld, Utterance

HESITATIONS = frozenset(word_list("um umm uh uhh uhm erm hmm hm"))
_AFTER_NO = frozenset({*HESITATIONS, *word_list("make actually wait sorry rather i scratch hang")})
_SURELY = (("scratch", "that"), ("wait", "no"), ("no", "wait"), ("i", "meant"), ("or", "rather"))
_PERHAPS = (("i", "mean"), ("make", "that"), ("make", "it"), ("sorry", ""), ("no", ""), ("actually", ""), ("wait", ""))
_MARKS = frozenset(
    {
        *HESITATIONS,
        *word_list("no wait sorry scratch that actually i mean meant make it rather or oh let's say just hang"),
    }
)
"""Words of which a correction may begin: “no, wait, make that …”."""
_LEADING = frozenset(word_list("at on for to in by the my until till from into"))
_ARTICLES = frozenset({"the", "a", "this", "that"})
_NEGATIONS = frozenset({"not", "don't", "never"})
_POINTING = frozenset(word_list("it that this them those these"))
_ORDERS = (vocabulary("orders") | vocabulary("verbs")) - _MARKS
_NAMING = frozenset(word_list("rename call called named titled name"))
_BEFORE_NAME = frozenset(word_list("to called named titled into :"))
_NAMED, _MOST_NAME, _TRIED = 0.4, 4, 8


def written(utterance: Utterance) -> tuple[Utterance, bool]:
    """Return the utterance as it is meant, and whether something was put right in it that is not understood."""
    text = _joined(_without_hesitation(utterance.text))
    for _ in range(_TRIED):
        found = _next_correction(replace(utterance, text=text))
        if found is None:
            break
        if not found:
            return replace(utterance, text=text), True
        text = found
    return replace(utterance, text=text), False


def _without_hesitation(text: str) -> str:
    """Return a text without words such as “um”, unless they are between quotes."""
    kept: list[str] = []
    at = 0
    for word in tokenize(text):
        if word.text in HESITATIONS and not word.quoted:
            kept.append(text[at : word.start].rstrip())
            kept += [", wait,"] if kept[-1].casefold().endswith(" no") else []
            at = word.end + (text[word.end : word.end + 1] == ",")
    return "".join([*kept, text[at:]]).lstrip() if kept else text


def _joined(text: str) -> str:
    """Return a text with addresses and names of files in one word, as in “ana at example dot org”."""
    words = tokenize(text)
    said = [word.text for word in words]
    cuts: list[tuple[int, int, str]] = []
    for at in range(1, len(words) - 1):
        if said[at] != "dot" or words[at].quoted or said[at - 1] in _ARTICLES or said[at + 1] in _ARTICLES | {"in"}:
            continue
        cuts.append((words[at - 1].end, words[at + 1].start, "."))
        end = at + 2
        while end < len(words) and len(said[at + 1]) == len(said[end]) == 1:  # “supplies dot t x t”
            cuts.append((words[end - 1].end, words[end].start, ""))
            end += 1
        before = said[max(0, at - 3) : at - 1]
        if before[1:] == ["at"]:
            cuts.append((words[at - 3].end, words[at - 1].start, "@"))
    for start, end, instead in sorted(cuts, reverse=True):
        text = text[:start] + instead + text[end:]
    return text


def _next_correction(utterance: Utterance) -> str | None:
    """Return the text with its first correction made; empty if it is not understood, None if there is none."""
    words = tokenize(utterance.text)
    for start, end, sure in _marks(words):
        before, after = words[:start], words[end:]
        made = _made(before, after, utterance, sure=sure) if before and after else None
        if made is not None or sure:
            return made or ""
    return None


def _marks(words: Sequence[Token]) -> Iterator[tuple[int, int, bool]]:
    """Yield where a correction may begin, the index after the words for it, and whether it surely is one."""
    at = 1
    while at < len(words):
        pair = (words[at].text, words[at + 1].text if at + 1 < len(words) else "")
        sure = pair in _SURELY or (pair[0] == "no" and pair[1] in _AFTER_NO)
        if words[at].quoted or not (sure or pair in _PERHAPS or (pair[0], "") in _PERHAPS):
            at += 1
            continue
        end = at
        while end < len(words) and words[end].text in _MARKS and not words[end].quoted:
            end += 1
        sure = sure or any(
            each in _SURELY or (each[0] == "no" and each[1] in _AFTER_NO)
            for each in pairwise([word.text for word in words[at:end]])
        )
        yield at, end, sure
        at = end


def _made(before: Sequence[Token], after: Sequence[Token], utterance: Utterance, *, sure: bool) -> str | None:
    """Return the text with what stands after the words for a correction instead of what it puts right."""
    after = _without_denied(before, after)
    if not after:
        return None
    return (
        _time_or_number(before, after, utterance, sure=sure)
        or _thing(before, after, utterance, sure=sure)
        or (_order(before, after, utterance.text) if sure else None)
        or (_name(before, after, utterance.text) if sure else None)
    )


def _without_denied(before: Sequence[Token], after: Sequence[Token]) -> Sequence[Token]:
    """Return the words without a denial of what was said, as in “not the reddit tab, the mail”."""
    if after[0].text not in _NEGATIONS:
        return after
    said = {word.text for word in before} | _POINTING
    end = 1
    while end < len(after) and after[end].text in said:
        end += 1
    return after[end:] if end > 1 else ()


_Part = tuple[str, int, int]


def _parts(words: Sequence[Token], utterance: Utterance) -> Iterator[_Part]:
    """Yield the days, times of day, durations and numbers in words: the kind, the first word, and the one after it."""
    said = [word.text for word in words]
    at = 0
    while at < len(words):
        found = _part_at(said, at, utterance) if not words[at].quoted else None
        if found is not None:
            yield found
        at = at + 1 if found is None else found[2]


def _part_at(said: Sequence[str], at: int, utterance: Utterance) -> _Part | None:
    lasts = duration_at(said, at)
    if lasts is not None:
        return "lasts", at, lasts[1]
    day = day_at(said, at, utterance.now.date())
    if day is not None:
        return "day", at, day[1]
    clock = time_of_day_at(said, at)
    count = next((n for n in (2, 1) if at + n <= len(said) and number(" ".join(said[at : at + n])) is not None), 0)
    if clock is not None and clock[1] - at >= count:
        alone = clock[1] - at == 1 and number(said[at]) is not None
        hour = at > 0 and said[at - 1] in {"at", "by", "until", "till", "around", "to"}
        return "number" if alone and not hour else "clock", at, clock[1]
    return ("number", at, at + count) if count else None


def _time_or_number(before: Sequence[Token], after: Sequence[Token], utterance: Utterance, *, sure: bool) -> str | None:
    """Return the text with days, times and numbers at the beginning of `after` instead of the last ones before."""
    old = list(_parts(before, utterance))
    new = list(_parts(after, utterance))
    made: dict[int, tuple[_Part, _Part]] = {}
    end = 0
    for part in new:
        if any(word.text not in _LEADING for word in after[end : part[1]]):
            break
        same = [at for at, one in enumerate(old) if at not in made and _is_same(one, part)]
        if not same or (not sure and not made and old[same[-1]][2] < len(before)):
            break
        made[same[-1]] = (old[same[-1]], part)
        end = part[2]
    if not made:
        return None
    text, cuts = utterance.text, [(before[-1].end, after[end - 1].end, "")]
    cuts += [
        (before[one[1]].start, before[one[2] - 1].end, text[after[other[1]].start : after[other[2] - 1].end])
        for one, other in made.values()
    ]
    return _cut(text, cuts)


def _is_same(one: _Part, other: _Part) -> bool:
    return one[0] == other[0] or {one[0], other[0]} == {"clock", "number"} or (one[0], other[0]) == ("number", "lasts")


def _thing(before: Sequence[Token], after: Sequence[Token], utterance: Utterance, *, sure: bool) -> str | None:
    """Return the text with the thing at the beginning of `after` instead of the last one of its kind before."""
    skipped = next((at for at, word in enumerate(after) if word.text not in _LEADING), len(after))
    best: tuple[float, str, Mention, Mention] | None = None
    for kind in THINGS:
        new = [one for one in find_things(kind, after, utterance) if one.start == skipped and one.strength >= _NAMED]
        old = [one for one in find_things(kind, before, utterance) if one.strength >= _NAMED]
        if not new or not old or new[0].rivals or (not sure and old[-1].end < len(before)):
            continue
        score = old[-1].end + new[0].strength + old[-1].strength
        if best is None or score > best[0]:
            best = (score, kind, old[-1], new[0])
    if best is None:
        return None
    _, kind, one, other = best
    text, end = utterance.text, other.end
    beside = before[one.end].text if one.end < len(before) else ""
    end += end < len(after) and after[end].text == beside and beside in NOUNS[kind]
    instead = text[after[other.start].start : after[other.end - 1].end]
    cuts = [(before[-1].end, after[end - 1].end, ""), (before[one.start].start, before[one.end - 1].end, instead)]
    return _cut(text, cuts)


def _order(before: Sequence[Token], after: Sequence[Token], text: str) -> str | None:
    """Return the text with another order instead of the last one: all of it, or its verb if it points at a thing."""
    verbs = [at for at in range(len(before)) if _is_order(before[at])]
    pointing = len(after) > 1 and after[1].text in _POINTING
    objects = _POINTING | {"the", "my", "a"} if pointing else frozenset[str]()
    verbs = [at for at in verbs if before[at + 1 : at + 2] and before[at + 1].text in objects] or verbs
    if not verbs or not _is_order(after[0]):
        return None
    verb = verbs[-1]
    if pointing:
        rest = [word.text for word in after[2:]]
        repeated = rest[-2:] == [after[0].text, after[1].text]
        tail = "" if repeated or not rest else f" {text[after[2].start :]}"
        made = text[: before[verb].start] + text[after[0].start : after[0].end] + text[before[verb].end :]
        cut = len(made) - (len(text) - before[-1].end)
        return made[:cut].rstrip(" ,;-–—") + tail
    return text[: before[verb].start] + text[after[0].start :]


def _is_order(word: Token) -> bool:
    return word.text in _ORDERS and not word.quoted


def _name(before: Sequence[Token], after: Sequence[Token], text: str) -> str | None:
    """Return the text with another new name at its end."""
    at = next((at for at in range(len(before) - 1, -1, -1) if before[at].text in _BEFORE_NAME), None)
    if at is None or not _NAMING & {word.text for word in before} or len(after) > _MOST_NAME:
        return None
    if not 0 < len(before) - at - 1 <= _MOST_NAME or any(word.quoted for word in (*before, *after)):
        return None
    return text[: before[at].end] + " " + text[after[0].start :]


def _cut(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    for start, end, instead in sorted(cuts, reverse=True):
        text = text[:start] + instead + text[end:]
    return text


_SHORTEST, _LONG = 4, 8
"""Shorter words must be typed as they are; in a long one, one letter may be wrong."""
_WORDS_OF_THEIR_OWN = frozenset({"lunch", "stat", "clos", "lose", "closed", "opened", "switched", "posed", "pens"})
"""Correct words that look like a misspelled word."""


def corrected(words: Sequence[Token], world: ContextWorld) -> tuple[Token, ...]:
    """Return the words with typing errors corrected, but those of quotes and of names that are known here."""
    named = _named(world)
    return tuple(word if word.quoted or word.text in named else replace(word, text=_right(word.text)) for word in words)


@lru_cache(maxsize=8)
def _named(world: ContextWorld) -> frozenset[str]:
    names = [
        *(name for tab in world.tabs for name in (tab.title, tab.url)),
        *world.apps, *world.presets, *world.tasks, *world.completed, *world.habits, *world.reminders,
        *(one.path for one in world.files), *(one.title for one in world.events),
    ]  # fmt: skip
    return frozenset(part for name in names for part in name_parts(name))


@lru_cache(maxsize=1)
def _known() -> dict[tuple[str, int], list[str]]:
    """Return the words that are corrected to, by their first letter and length."""
    found: dict[tuple[str, int], list[str]] = {}
    lists = ("asks", "closes", "often_mistyped", "orders", "verbs")
    for word in sorted(kin_words() | cues() | frozenset(one for name in lists for one in vocabulary(name))):
        if len(word) >= _SHORTEST:
            found.setdefault((word[0], len(word)), []).append(word)
    return found


@lru_cache(maxsize=1024)
def _right(word: str) -> str:
    known = _known()
    if len(word) < _SHORTEST or word in _WORDS_OF_THEIR_OWN or not word.isalpha():
        return word
    if word in known.get((word[0], len(word)), ()) or word in known_words() or number(word) is not None:
        return word
    near = [one for length in (-1, 0, 1) for one in known.get((word[0], len(word) + length), ())]
    meant = [one for one in near if is_near_miss(word, one)]
    return meant[0] if len(meant) == 1 else word


def is_near_miss(wrong: str, right: str) -> bool:
    """Say whether two words differ by one letter that is missing, or by two neighbouring letters that are exchanged.

    In a long word, one letter may also be wrong.
    """
    if wrong[0] != right[0]:
        return False
    if len(wrong) == len(right) >= _LONG and sum(one != other for one, other in zip(wrong, right, strict=True)) == 1:
        return True
    if len(wrong) == len(right):
        return any(_swap_letters(wrong, at) == right for at in range(len(wrong) - 1))
    longer, shorter = (wrong, right) if len(wrong) > len(right) else (right, wrong)
    if longer[:-1] == shorter:
        return False  # a word without its last letter is another form of it, not a typing error
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


def _swap_letters(word: str, at: int) -> str:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
