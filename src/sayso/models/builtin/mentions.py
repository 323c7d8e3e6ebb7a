"""Find what a wish mentions: times, places on the screen, addresses, paths, quotes, and things that are known here."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.sites import SITES
from sayso.models.builtin import placing, times
from sayso.models.builtin.learned import cues
from sayso.models.builtin.names import NOUNS, SMALL, USUAL, Index, indices, name_parts, parts_of_word
from sayso.models.builtin.outcomes import Choice
from sayso.models.builtin.timespans import parse_time_span, several_days, shift_of
from sayso.models.builtin.tokens import Token, source_text, word_list
from sayso.models.builtin.world import Utterance

KINDS = (
    "time", "repeat", "number", "size", "area", "monitor", "side", "quote", "path", "filename",
    "url", "site", "address", "pronoun", "tab", "app", "preset", "file", "folder", "task", "done", "habit",
    "event", "reminder",
)  # fmt: skip
"""The kinds of mentions; `time` is also a day, a span or a duration, `done` a completed task, `side` one word."""
THINGS = KINDS[14:]
"""The kinds of things that are known by name."""


class Mention(Struct, frozen=True):
    """Words, from the index `start` up to `end`, that mean a value of a kind, or one of several.

    Mentions of different kinds may overlap: “wine” may be in a task and in a tab.
    """

    kind: str
    start: int
    end: int
    value: Json
    strength: float = 1.0
    """How surely the words mean this value, up to 1: a whole name is 1, one of several words of a name less."""
    rivals: tuple[Choice, ...] = ()
    """Other values that the same words mean as well."""

    @property
    def told(self) -> Mapping[str, Json]:
        """Return what a mention of a time means, by its form; empty for other kinds."""
        return cast("Mapping[str, Json]", self.value) if isinstance(self.value, Mapping) else {}


def find_mentions(words: Sequence[Token], utterance: Utterance) -> tuple[Mention, ...]:
    """Return the mentions in these words, in their order; this takes as long as there are words."""
    found = [*_plain(words, utterance), *_times(words, utterance), *_places(words, utterance)]
    taken = {at for one in found if one.kind == "time" for at in range(one.start, one.end)}
    found += _numbers(words, taken)
    for kind in THINGS:
        found += find_things(kind, words, utterance)
    return tuple(sorted(found, key=lambda one: (one.start, -one.end, KINDS.index(one.kind))))


def _numbers(words: Sequence[Token], taken: Collection[int]) -> Iterator[Mention]:
    at = 0
    while at < len(words):
        both = f"{words[at].text} {words[at + 1].text}" if at + 1 < len(words) and at + 1 not in taken else ""
        for said, end in ((both, at + 2), (words[at].text, at + 1)):
            value = None if at in taken or words[at].quoted else read_number(said)
            if value is not None:
                yield Mention("number", at, end, value)
                at = end - 1
                break
        at += 1


_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_LOCAL = re.compile(r"localhost(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>][^\s@,;<>.]*\.[^\s@,;<>]+")
_PATH = re.compile(r"(?:~?/|~$)\S*")
_FILE = re.compile(r"[^\s/\\]+\.[a-z0-9]{1,8}", re.IGNORECASE)
_SIZE = re.compile(r"(\d{2,5})(?:x|×|by)(\d{2,5})")
_ENDINGS = frozenset(
    word_list(
        "pdf txt md doc docx xls xlsx csv ppt pptx odt ods odp jpg jpeg png gif svg webp heic mp3 mp4 mov "
        "wav zip gz tar json toml yaml yml xml html py js ts go c h tex epub log ini cfg rtf tif tiff "
        "psd key flac ogg m4a mkv avi bak sh sql"
    )
)
"""Endings of file names; a name with one of them is a file, not a host."""
_TOP = frozenset(
    word_list(
        "com org net edu gov mil int info biz io dev app ai co me tv news blog shop online site page cloud tech wiki "
        "xyz social world live software systems design studio art museum travel example test"
    )
)
_COUNTRY, _LONGEST_SITE = 2, 3
POINTING = frozenset(word_list("it that this them those these"))


def _plain(words: Sequence[Token], utterance: Utterance) -> Iterator[Mention]:
    """Yield quotes, paths, addresses, sizes and words such as “it”."""
    for at, word in enumerate(words):
        said = source_text(utterance.text, [word])
        if word.quoted:
            yield Mention("quote", at, at + 1, said)
        written = _written(at, said)
        if written is not None:
            yield written
        elif (size := _SIZE.fullmatch(word.text)) is not None:
            yield Mention("size", at, at + 1, [int(size[1]), int(size[2])])
        elif word.text in POINTING and not word.quoted:
            yield Mention("pronoun", at, at + 1, word.text)
        if word.text in {"x", "by", "×"} and 0 < at < len(words) - 1:
            both = [words[at - 1].text, words[at + 1].text]
            if all(one.isdecimal() and len(one) > 1 for one in both):
                yield Mention("size", at - 1, at + 2, [int(one) for one in both])
        for end in range(min(len(words), at + _LONGEST_SITE), at, -1):
            host = SITES.get("".join(each.text for each in words[at:end]))
            if host is not None and not any(each.pause for each in words[at : end - 1]):
                yield Mention("site", at, end, f"https://{host}", 0.9)
                break


def _written(at: int, said: str) -> Mention | None:
    """Return the address, path or name of a file that a word is; None for another word."""
    if _MAIL.fullmatch(said):
        return Mention("address", at, at + 1, said)
    if _PATH.fullmatch(said):
        return Mention("path", at, at + 1, said if said in {"/", "~"} else said.rstrip("/"))
    if (below := usual_path(said)) is not None:
        return Mention("path", at, at + 1, below, 0.9)
    if _FILE.fullmatch(said) and said.rpartition(".")[2].casefold() in _ENDINGS:
        return Mention("filename", at, at + 1, said)
    url = _url(said)
    return None if url is None else Mention("url", at, at + 1, url)


def usual_path(said: str) -> str | None:
    """Return the path of what is inside a usual folder, as in `documents/loans`."""
    top, slash, below = said.partition("/")
    return f"{USUAL[top.casefold()]}/{below.rstrip('/')}" if slash and below and top.casefold() in USUAL else None


def _url(said: str) -> str | None:
    """Return the web address that a word is, or None."""
    if _URL.fullmatch(said):
        return said
    if _LOCAL.fullmatch(said):
        return f"http://{said}"
    if _HOST.fullmatch(said):
        ending = said.partition("/")[0].partition(":")[0].rpartition(".")[2].lower()
        if "/" in said or ending in _TOP or (len(ending) == _COUNTRY and ending not in _ENDINGS):
            return f"https://{said}"
    return None


def read_number(text: str) -> int | None:
    """Return the number that a word means, also with “%” behind it."""
    return times.number(text.removesuffix("%").removesuffix("."))


_LONGEST_TIME = 10
_BEGINS_TIME = frozenset(
    word_list(
        "at on by in from between after within until till around about for the this next coming last today tonight "
        "tomorrow yesterday day noon midday midnight half quarter a an three two every each daily weekly hourly "
        "monthly "
        "yearly once twice morning afternoon evening night lunchtime week weekend fortnight rest later soon someday "
        "sometime eventually bi-weekly biweekly couple few all whole"
    )
)


def _times(words: Sequence[Token], utterance: Utterance) -> Iterator[Mention]:
    """Yield times, days, spans, durations and repetitions: at each place the longest one."""
    texts = [word.text for word in words]
    at = 0
    while at < len(words):
        found = _time_at(words, texts, at, utterance) if _may_begin(texts[at]) and not words[at].quoted else None
        if found is not None:
            yield found
        at = at + 1 if found is None else found.end


def _may_begin(text: str) -> bool:
    return text in _BEGINS_TIME or text[:1].isdigit() or times.is_about_time(text)


def _time_at(words: Sequence[Token], texts: Sequence[str], at: int, utterance: Utterance) -> Mention | None:
    most = min(len(words), at + _LONGEST_TIME)
    stop = next((end for end in range(at, most) if words[end].quoted), most)
    for end in range(stop, at, -1):
        told = read_time(texts[at:end], utterance)
        if told is not None:
            return Mention("repeat" if "hours" in told else "time", at, end, dict(told))
    return None


def read_time(said: Sequence[str], utterance: Utterance) -> Mapping[str, Json] | None:
    """Return what words about time mean, by its form: `span`, `when`, `days`, `hours`, `lasts` or `shift`; else None.

    `unclear` says instead why it is no definite time.
    """
    return time_said(tuple(said), utterance.now)


@lru_cache(maxsize=8192)
def time_said(said: tuple[str, ...], now: datetime) -> Mapping[str, Json] | None:
    """Return what `read_time` returns, at a moment."""
    today = now.date()
    if (days := several_days(said, today)) is not None:
        return {"days": [f"{days[0]}", f"{days[1]}"]}
    if (hours := times.interval_hours(said)) is not None:
        return {"hours": int(hours) if float(hours).is_integer() else hours, "said": " ".join(said)}
    if (shift := shift_of(said)) is not None:
        return {"shift": shift}
    span = parse_time_span(said, now)
    if isinstance(span, times.UnclearTime):
        return {"unclear": span.why}
    if span is not None:
        return {"span": [span.start, span.end]}
    lasts = times.duration_at(said[1:] if said[0] == "for" else said, 0)
    if lasts is not None and lasts[1] == len(said) - (said[0] == "for"):
        return {"lasts": lasts[0].minutes + lasts[0].days * 24 * 60}
    match times.parse_time(said, now):
        case times.PointInTime() as found:
            return {"when": found.text}
        case times.UnclearTime(why):
            return {"unclear": why}
        case None:
            return None


_SIDES: Mapping[str, str] = {
    "primary": "main", "laptop": "main", "left": "left", "right": "right", "main": "main", "lefthand": "left",
    "righthand": "right", "left-hand": "left", "right-hand": "right", "first": "main", "center": "center",
    "centre": "center", "middle": "center", "top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom",
    "big": "main", "second": "second", "other": "other", "external": "external", "secondary": "second",
}  # fmt: skip
_SCREENS = frozenset(word_list("monitor screen display monitors screens displays"))
_IN_AREA = frozenset(
    word_list(
        "the my half side part hand area corner quarter quadrant third thirds two full-screen fullscreen full screen "
        "whole entire maximized maximised left right top bottom upper lower middle center centre maximise maximize all "
        "of on in fullsize size big full-size halves"
    )
)
_LONGEST_AREA = 6


def _places(words: Sequence[Token], utterance: Utterance) -> Iterator[Mention]:
    """Yield parts of a screen, monitors, and lone sides."""
    said = [word.text for word in words]
    taken = 0
    for at, word in enumerate(words):
        if word.quoted or at < taken:
            continue
        monitor = _monitor_at(said, at, utterance)
        if monitor is not None:
            yield monitor
            taken = monitor.end
            continue
        if word.text in _IN_AREA and word.text not in {"of", "on", "in", "the", "my", "all", "two", "size", "screen"}:
            area = _area_at(words, at)
            if area is not None:
                yield area
                taken = area.end
                continue
        if word.text in _SIDES and word.text != "big":
            yield Mention("side", at, at + 1, _SIDES[word.text])


def _area_at(words: Sequence[Token], at: int) -> Mention | None:
    end = at
    while end < min(len(words), at + _LONGEST_AREA) and words[end].text in _IN_AREA and not words[end].quoted:
        end += 1
        if words[end - 1].pause:
            break
    for stop in range(end, at, -1):
        if words[stop - 1].text in {"of", "on", "in", "the", "my", "all"}:
            continue
        found = placing.area(words[at:stop])
        if found is not None:
            return Mention("area", at, stop, cast("Json", found))
    return None


def _monitor_at(said: Sequence[str], at: int, utterance: Utterance) -> Mention | None:
    """Return the monitor that is named at a word, as in “left screen”, “screen 2”, “right hand monitor”."""
    for screen in range(at, min(len(said), at + 3)):
        if said[screen] not in _SCREENS:
            continue
        names = [one for one in said[at:screen] if one not in {"hand", "side"}]
        if len(names) == 1 and names[0] in _SIDES:
            return _monitor(_SIDES[names[0]], at, screen + 1, utterance)
        side = said[screen + 3 : screen + 4]
        if not names and said[screen + 1 : screen + 3] == ["on", "the"] and side and side[0] in {"left", "right"}:
            return _monitor(side[0], at, screen + 4, utterance)
        if not names and screen + 1 < len(said) and said[screen + 1] in {"left", "right", "main"}:
            following = said[screen + 2] if screen + 2 < len(said) else ""
            if following not in {"half", "side", "third", "quarter", "corner", "hand", "two"}:
                return _monitor(_SIDES[said[screen + 1]], at, screen + 2, utterance)
        return None
    return None


def _monitor(side: str, start: int, end: int, utterance: Utterance) -> Mention:
    monitors = utterance.world.monitors
    if any(side in one.called for one in monitors):
        return Mention("monitor", start, end, side)
    others = [one for one in monitors if "main" not in one.called]
    if (
        side in {"second", "other", "external"}
        and len(others) == 1
        and others[0].called
        and len(monitors) == len(others) + 1
    ):
        return Mention("monitor", start, end, others[0].called[0], 0.8 if side != "other" else 0.4)
    return Mention("monitor", start, end, None, 0.0)


def find_things(kind: str, words: Sequence[Token], utterance: Utterance, index: Index | None = None) -> list[Mention]:
    """Return what the words name of a kind of thing: for each run of words the thing that they fit best."""
    index = indices(utterance.world)[kind] if index is None else index
    if not index.things:
        return []
    nouns = NOUNS[kind]
    told = [(at, parts) for at, word in enumerate(words) if (parts := parts_of_word(word))]
    told = [
        (at, parts) for at, parts in told if any(index.like(part) for part in parts) or _is_joined(index, words, at)
    ]
    return [
        mention
        for run in _runs(told, words, nouns)
        if (mention := _thing_in(kind, run, index, nouns, words)) is not None
    ]


def _is_joined(index: Index, words: Sequence[Token], at: int) -> bool:
    here = "".join(name_parts(words[at].text))
    before = "".join(name_parts(words[at - 1].text)) if at else ""
    after = "".join(name_parts(words[at + 1].text)) if at + 1 < len(words) else ""
    return index.has(before + here) or index.has(here + after)


_Told = tuple[int, tuple[str, ...]]
_GAP = 2
_BREAKS = frozenset({"and", "plus", "to", "into", "in", "from", "on", "before", "after", "under", "with", "as", ":"})
"""Words that separate one name from another."""


def _runs(told: Sequence[_Told], words: Sequence[Token], nouns: frozenset[str]) -> list[list[_Told]]:
    """Return the words that name something in runs: only small words and words for the kind may stand between them."""
    runs: list[list[_Told]] = []
    for at, parts in told:
        last = runs[-1][-1][0] if runs else -9
        between = words[last + 1 : at] if runs else words[:0]
        near = runs and at - last <= _GAP + 1 and all(_is_between(word, nouns) for word in between)
        pause = runs and any(word.pause and word.pause not in "-–" for word in words[last:at])
        if near and not pause:
            runs[-1].append((at, parts))
        else:
            runs.append([(at, parts)])
    return runs


def _is_between(word: Token, nouns: frozenset[str]) -> bool:
    return word.text not in _BREAKS and (word.text in SMALL or word.text in nouns)


def _thing_in(
    kind: str, run: Sequence[_Told], index: Index, nouns: frozenset[str], words: Sequence[Token]
) -> Mention | None:
    at, parts = [one for one, _ in run], [each for _, each in run]
    beside = {words[one].text for one in at if one + 1 < len(words) and words[one + 1].text in nouns}
    usual = {word for each in parts for word in each if word in cues() and word not in beside}
    by_name = kind in {"app", "preset", "folder"}
    weak = nouns | {word for word in usual if not by_name or (len(run) == 1 and not index.has(word))}
    hits = index.hits(at, parts, weak)
    telling = [hit for hit in hits if hit.whole or any(words[one].text not in nouns for one in hit.at)]
    telling = [hit for hit in telling if hit.whole or hit.fit > _LEAST_FIT]
    if not telling:
        return None
    best = telling[0]
    near = [hit for hit in telling[1:] if hit.score > best.score - LEAD and not best.whole > hit.whole]
    strength = 1.0 if best.whole else 0.9 * best.fit
    rivals = tuple(Choice(hit.thing.label, hit.thing.value) for hit in near)
    return Mention(kind, best.at[0], best.at[-1] + 1, best.thing.value, strength, rivals)


_LEAST_FIT = 0.25
LEAD = 0.2
"""A thing is meant if it fits the words better than all others by this much."""
