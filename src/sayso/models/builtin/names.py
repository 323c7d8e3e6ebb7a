"""Find the known things that words name, by an index of the words in their names."""

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.normal_forms import normal_form
from sayso.core.sites import SITES
from sayso.models.builtin.outcomes import quote_words
from sayso.models.builtin.tokens import Token, fold, stem, vocabulary, word_list
from sayso.models.builtin.world import ContextFile, ContextTab, ContextWorld

USUAL: Mapping[str, str] = MappingProxyType(
    {
        "documents": "~/Documents", "downloads": "~/Downloads", "desktop": "~/Desktop", "pictures": "~/Pictures",
        "music": "~/Music", "videos": "~/Videos", "movies": "~/Movies", "home": "~",
    }
)  # fmt: skip
"""The paths of the folders that most home folders contain, by name."""
_ENDINGS = {
    "pdf pdfs": "pdf", "png pngs": "png", "jpg jpgs jpeg jpegs": "jpg jpeg", "csv csvs": "csv", "zip zips": "zip",
    "docx docs doc word": "docx doc odt", "txt txts": "txt", "mp3 mp3s": "mp3", "wav wavs": "wav", "md markdown": "md",
    "picture pictures pic image images photo photos": "png jpg jpeg gif webp heic", "video videos": "mp4 mov mkv avi",
    "screenshot screenshots": "png jpg jpeg", "svg svgs": "svg",
    "spreadsheet spreadsheets sheet excel": "xls xlsx ods csv",
    "recording recordings audio": "wav mp3 flac m4a ogg", "presentation presentations slides": "ppt pptx odp key",
    "xlsx xls": "xlsx xls", "odt": "odt", "ods": "ods", "tif tifs tiff tiffs": "tif tiff",
    "flac": "flac", "json": "json", "gif gifs": "gif",
}  # fmt: skip
KINDS_OF_FILE: Mapping[str, frozenset[str]] = MappingProxyType(
    {said: frozenset(endings.split()) for names, endings in _ENDINGS.items() for said in names.split()}
)
"""The endings of the files of a kind, by the words for the kind."""
_MONTHS = word_list("january february march april may june july august september october november december")
_BY_MONTH: Mapping[str, tuple[str, ...]] = {f"{at:02}": (name, name[:3]) for at, name in enumerate(_MONTHS, 1)}
_MAKERS = frozenset({"google", "microsoft", "mozilla", "libreoffice", "gnome", "apple", "adobe", "jetbrains", "brave"})
_BROWSERS = frozenset(word_list("firefox chrome chromium safari brave edge vivaldi opera"))
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})
SMALL = vocabulary("small")
"""Words that do not name anything."""
NOUNS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "tab": frozenset(word_list("tab tabs page pages site website webpage window browser link")),
        "app": frozenset(word_list("app apps application applications program programs window windows")),
        "preset": frozenset(
            word_list("layout layouts preset presets arrangement workspace setup set-up mode view windows")
        ),
        "file": frozenset(word_list("file files document documents doc docs pdf picture image photo spreadsheet copy")),
        "folder": frozenset(word_list("folder folders directory dir subfolder project repo repository")),
        "task": frozenset(word_list("task tasks todo todos to-do to-dos item list job entry")),
        "done": frozenset(word_list("task tasks todo todos to-do to-dos item list completed finished done job entry")),
        "habit": frozenset(word_list("habit habits routine streak tracker")),
        "event": frozenset(
            word_list("event events meeting meetings appointment appt calendar diary agenda entry slot")
        ),
        "reminder": frozenset(word_list("reminder reminders timer alarm alert")),
    }
)  # fmt: skip
"""The words for each kind of thing, which alone do not name one."""


_PARTS = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def name_parts(text: str) -> tuple[str, ...]:
    """Return the sequences of letters and digits in a text, folded and without accents.

    A possessive “'s” is left out.
    """
    plain = fold(text).replace("'s ", " ").removesuffix("'s").replace("'", "")
    bare = "".join(one for one in normal_form(plain, "NFD") if not unicodedata.combining(one))
    return tuple(_PARTS.findall(bare))


_SEGMENT = re.compile(r" [-–—|·•:»] |: | \| ")


class Thing(Struct, frozen=True):
    """A thing that can be named: its value, its label for the person, and the words of its names.

    `words` gives each word with its weight: 1 for a word of its name, less for a word that only stands beside it.
    """

    value: Json
    label: str
    names: tuple[tuple[str, ...], ...]
    words: Mapping[str, float]


class Hit(Struct, frozen=True):
    """A thing whose name has words of the wish, at these indices, and how well they fit."""

    thing: Thing
    at: tuple[int, ...]
    score: float
    whole: bool
    fit: float
    """How well the best of the words fits, up to 1."""


class Index:
    """The things of one kind, found by the words in their names."""

    def __init__(self, things: Sequence[Thing]) -> None:
        """Make the index; this takes as long as all names together are."""
        self.things = things
        self._having: dict[str, list[int]] = defaultdict(list)
        for at, thing in enumerate(things):
            for word in thing.words:
                self._having[word].append(at)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._by_letter: dict[str, list[str]] = defaultdict(list)
        for word in self._having:
            self._by_stem[stem(word)].append(word)
            self._by_letter[word[:1]].append(word)
        self._likened: dict[str, dict[str, float]] = {}

    def has(self, word: str) -> bool:
        """Say whether a word stands in a name as it is."""
        return word in self._having

    def like(self, part: str) -> Mapping[str, float]:
        """Return the words of names that are this word or like it, each with how alike they are, up to 1."""
        if part not in self._likened:
            self._likened[part] = self._find_like(part)
        return self._likened[part]

    def _find_like(self, part: str) -> dict[str, float]:
        if part in self._having:
            return {part: 1.0}
        found = dict.fromkeys(self._by_stem.get(stem(part), ()), _FORM)
        if found or len(part) < _SHORTEST or part.isdecimal():
            return found
        same = self._by_letter.get(part[:1], ())
        found = {one: _BEGUN for one in same if one.startswith(part) and len(part) * 2 >= min(len(one), 8)}
        if found or len(part) <= _SHORTEST:
            return found
        ratio: Callable[[str, str], float] = load("rapidfuzz.fuzz:ratio")
        near = {
            one: ratio(part, one) for one in same if abs(len(one) - len(part)) <= _MOST_SLIPS and _can_slip(part, one)
        }
        best = max(near.values(), default=0.0)
        return {one: _SLIPPED for one, score in near.items() if score >= max(_SIMILAR, best - 3)}

    def weight(self, word: str) -> float:
        """Return how much a word tells one thing from the others: 1 if only one has it."""
        return float(len(self._having[word]) ** -0.5)

    def hits(self, at: Sequence[int], parts: Sequence[Sequence[str]], weak: Collection[str] = ()) -> list[Hit]:
        """Return the things that some of the words name, best first; `parts` has the parts of the words at `at`.

        `weak` are words that tell little.
        """
        told: dict[int, dict[str, tuple[float, set[int]]]] = defaultdict(dict)
        for place, each in zip(at, parts, strict=True):
            for part in each:
                for word, full in self.like(part).items():
                    alike = full * _WEAK if part in weak else full
                    for thing in self._having[word]:
                        old = told[thing].get(word, (0.0, set()))
                        told[thing][word] = (max(alike, old[0]), old[1] | {place})
        for (place, one), (after, other) in zip(
            zip(at, parts, strict=True), zip(at[1:], parts[1:], strict=True), strict=False
        ):
            joined = "".join((*one, *other))
            for thing in self._having.get(joined, ()) if after == place + 1 else ():
                told[thing][joined] = (1.0, {place, after})
        flat = [part for each in parts for part in each]
        found = [self._hit(thing, words, flat) for thing, words in told.items()]
        return sorted(found, key=lambda hit: (-hit.score, -hit.whole))

    def _hit(self, at: int, words: Mapping[str, tuple[float, set[int]]], flat: Sequence[str]) -> Hit:
        thing = self.things[at]
        places = {place for _, each in words.values() for place in each}
        whole = any(_runs(telling(name), flat) for name in thing.names)
        score = sum(self.weight(word) * thing.words[word] * alike for word, (alike, _) in words.items())
        length = sum(1 for weight in thing.words.values() if weight >= 1) or 1
        named = sum(1 for word in words if thing.words[word] >= 1)
        fit = max(thing.words[word] * alike for word, (alike, _) in words.items())
        return Hit(thing, tuple(sorted(places)), score + whole * _FOR_WHOLE + named / (10 * length), whole, fit)


_FORM, _BEGUN, _SLIPPED, _SIMILAR, _MOST_SLIPS, _SHORTEST = 0.95, 0.85, 0.8, 84.0, 2, 3
_FEW = 2
_FOR_WHOLE, _WEAK = 0.5, 0.3
_LIKELY_OTHER = 8


def _can_slip(word: str, other: str) -> bool:
    """Say whether one of two words may be the other mistyped; a short word with another letter is another word."""
    if min(len(word), len(other)) < _SHORTEST + 1:
        return False
    return not (len(word) == len(other) < _LIKELY_OTHER and sorted(word) != sorted(other))


def telling(name: Sequence[str]) -> Sequence[str]:
    """Return the words of a name without words that only join others, or all of them if there are no others."""
    last = name[-1:] if name and len(name[-1]) == 1 else ()  # “jingle-a” is not the whole of “jingle”
    return [*(word for word in name[: len(name) - len(last)] if word not in _JOINS), *last] or name


_JOINS = frozenset(word_list("the a an of my our your to for and in on at with by from is it"))


def _runs(name: Sequence[str], said: Sequence[str]) -> bool:
    """Say whether all words of a name stand in a row in what was said."""
    if not name:
        return False
    count = len(name)
    return any(
        tuple(said[at : at + count]) == tuple(name) for at in range(len(said) - count + 1) if said[at] == name[0]
    )


def parts_of_word(word: Token) -> tuple[str, ...]:
    """Return the parts of a word by which names are compared; none for a small word."""
    return name_parts(word.text) if word.quoted else _telling_parts(word.text)


@lru_cache(maxsize=8192)
def _telling_parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in name_parts(text) if part not in SMALL)


@lru_cache(maxsize=8)
def indices(world: ContextWorld) -> Mapping[str, Index]:
    """Return an index for each kind of thing."""
    plain = {
        "task": world.tasks, "done": world.completed, "habit": world.habits, "preset": world.presets,
        "reminder": world.reminders,
    }  # fmt: skip
    found = {kind: [_plain(name) for name in names] for kind, names in plain.items()}
    found["app"] = [_app(name) for name in world.apps]
    found["tab"] = [_tab(tab) for tab in world.tabs]
    found["file"] = [_file(one) for one in world.files if not one.is_folder]
    found["folder"] = [*_folders(world)]
    found["event"] = [
        _thing({"id": one.id, "title": one.title, "start": one.start}, quote_words(one.title), [one.title])
        for one in world.events
    ]
    return {kind: Index(things) for kind, things in found.items()}


def _thing(value: Json, label: str, names: Iterable[str], beside: Mapping[str, float] = MappingProxyType({})) -> Thing:
    called = tuple(name_parts(name) for name in names)
    words = {word: 1.0 for name in called for word in name if word not in SMALL}
    return Thing(value, label, called, {**beside, **(words or {word: 1.0 for name in called for word in name})})


def _plain(name: str) -> Thing:
    return _thing(name, quote_words(name), [name])


def _app(name: str) -> Thing:
    maker, _, rest = name.partition(" ")
    beside = dict.fromkeys(name_parts(maker), 0.7) if rest and maker.casefold() in _MAKERS else {}
    names = [name, rest] if beside else [name]
    parts = name_parts(name)
    initials = "".join(part[0] for part in parts[:-1]) + " " + parts[-1] if len(parts) > _FEW else ""
    more = (
        {"".join(part[0] for part in parts): 0.9, **dict.fromkeys(initials.split(), 0.9)} if len(parts) > _FEW else {}
    )
    if _BROWSERS & set(parts):
        more["browser"] = 0.8
    words = {word: beside.get(word, 1.0) for word in parts}
    return Thing(name, quote_words(name), tuple(name_parts(one) for one in names), {**more, **words})


def _tab(tab: ContextTab) -> Thing:
    known = [name for name, host in SITES.items() if host == tab.domain]
    site = _site(tab.domain)
    shown = tab.title or tab.url
    names = [site, *known, tab.domain, tab.title, *_SEGMENT.split(tab.title)]
    url = tab.url.partition("://")[2]
    beside = dict.fromkeys(name_parts(url), 0.6)
    for ending in name_parts(tab.domain)[-1:]:
        beside.pop(ending, None)
    words = {word: 1.0 for name in (site, *known, tab.title) for word in name_parts(name) if word not in SMALL}
    called = tuple(name_parts(name) for name in names)
    return Thing(tab.index, f"{tab.index} {quote_words(shown)}", called, {**beside, **_short(tab.title), **words})


def _short(title: str) -> dict[str, float]:
    """Return the initials of the capital words of a title, as people say them: “nmc”."""
    capital = [word[0].casefold() for word in title.replace("-", " ").split() if word[:1].isupper()]
    return {"".join(capital[at : at + size]): 0.7 for size in (3, 4) for at in range(len(capital) - size + 1)}


def _site(domain: str) -> str:
    """Return the name of a site without its domain endings: `reddit` for old.reddit.com, `bbc` for bbc.co.uk."""
    labels = domain.split(".")[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    return labels[-1] if labels else domain


def _file(file: ContextFile) -> Thing:
    stem_, ending = posixpath.splitext(file.name)
    ending = ending[1:].casefold()
    parts = name_parts(stem_)
    beside = dict.fromkeys(name_parts(posixpath.basename(posixpath.dirname(file.path))), 0.4)
    beside |= {said: 0.5 for said, endings in KINDS_OF_FILE.items() if ending in endings}
    beside |= {said: 0.9 for part in parts for said in _BY_MONTH.get(part, ())} if len(parts) > 1 else {}
    beside |= {ending: 0.5} if ending else {}
    words = {word: 1.0 for word in parts if word not in SMALL or (len(word) == 1 and (word,) == parts[-1:])}
    words = words or dict.fromkeys(parts, 1.0)
    for word in [*words]:  # “2026” in “rota-2026”, “spec” and “v2” in “specV2”
        digits = word.lstrip("abcdefghijklmnopqrstuvwxyz")
        if digits.isdecimal() and digits != word:
            beside |= {digits: 0.6, word.removesuffix(digits): 0.9}
    label = quote_words(file.path)
    return Thing(file.path, label, (name_parts(file.name), parts), {**beside, **words})


def _folders(world: ContextWorld) -> Iterator[Thing]:
    for name, path in USUAL.items():
        yield Thing(path, quote_words(path), ((name,),), {name: 1.0})
    for one in world.files:
        if one.is_folder and not (one.name.casefold() in USUAL and _is_usual(one.path)):
            beside = dict.fromkeys(name_parts(posixpath.basename(posixpath.dirname(one.path))), 0.4)
            yield _thing(one.path, quote_words(one.path), [one.name], beside)


def _is_usual(path: str) -> bool:
    return path.startswith(("/home/", "/Users/", "~/")) and path.count("/") <= (1 if path[0] == "~" else 3)
