"""Find what a wish names and what is done about it leaves out, such as a second application, a day, or a verb.

Named things are compared with the arguments of all actions. What stands in a remark that orders nothing may be left
out, and so may words that a text or another named thing uses.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.clauses import ORDERS, Part, parts_of
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import Mention, find_mentions
from sayso.models.builtin.names import KINDS_OF_FILE, NOUNS, SMALL, name_parts
from sayso.models.builtin.outcomes import RequestedAction
from sayso.models.builtin.spans import TEXTS
from sayso.models.builtin.spoken import corrected
from sayso.models.builtin.tokens import Token, source_text, stem, strip_courtesy, tokenize, word_list
from sayso.models.builtin.world import Utterance

_SURE = 0.9
_EXACT = frozenset(word_list("quote address url path filename"))
_TIMED = frozenset({"after", "before"})
_SCREENS = frozenset(word_list("main primary secondary external"))
_KINDS = frozenset(noun for each in NOUNS.values() for noun in each) | frozenset(
    word_list("note notes memo mail mails email letter clipboard subtask step line monitor location venue place")
)
_NAMING = frozenset(word_list("titled entitled"))
_LEADS = (
    SMALL
    | ORDERS
    | _KINDS
    | frozenset(
        word_list(
            "title titled subject body text say says saying words word message mention mentions mentioning content "
            "contents inside entitled containing contains when must where name loud aloud rmd :"
        )
    )
)
"""Words that may stand right before a text."""


def left_out(actions: Sequence[RequestedAction], utterance: Utterance) -> str:
    """Return the first words that name something which no action uses; empty if nothing is left out."""
    words = strip_courtesy(corrected(tokenize(utterance.text), utterance.world)).words
    wish = _Wish(words, find_mentions(words, utterance), parts_of(words), utterance)
    found = next((one for find in _FINDERS for one in find(actions, wish, _used(actions, wish))), None)
    return "" if found is None else source_text(utterance.text, words[found[0] : found[1]])


def kinds_left_out(
    actions: Sequence[RequestedAction],
    words: tuple[Token, ...],
    mentions: tuple[Mention, ...],
    parts: Sequence[Part],
    utterance: Utterance,
) -> Iterator[str]:
    """Yield the kinds of what a wish names and no action uses."""
    wish = _Wish(words, mentions, parts, utterance)
    used = _used(actions, wish)
    yield from (find.__name__[1:] for find in _FINDERS if next(iter(find(actions, wish, used)), None) is not None)


class _Wish(Struct, frozen=True):
    """The words of a wish, with what they mention, and the parts that they are in."""

    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    parts: Sequence[Part]
    utterance: Utterance

    def aside(self, at: int) -> bool:
        """Say whether a word is in a part that only tells something."""
        return any(part.telling and self.words[at] in part.words for part in self.parts)

    def only_tells(self, one: Mention) -> bool:
        """Say whether a mention stands in a remark in which no word orders anything or says where it is to be."""
        start = self.words[one.start].start
        part = next((part for part in self.parts if any(word.start == start for word in part.words)), None)
        places = {
            self.words[at].start
            for each in self.mentions
            if each.kind in {"area", "monitor"}
            for at in range(each.start, each.end)
        }
        return (
            part is not None
            and part.telling
            and not any(word.start in places or (word.text in ORDERS and not word.quoted) for word in part.words)
        )


_Words = tuple[int, int]


def _used(actions: Sequence[RequestedAction], wish: _Wish) -> frozenset[int]:
    """Return the places of the words that arguments use: as what is named, or as they are."""
    values = [value for action in actions for value in flat(action.arguments)]
    parts = {part for value in values if isinstance(value, str | int) for part in name_parts(str(value))}
    stems = {stem(part) for part in parts}
    named = {
        at
        for one in wish.mentions
        if one.kind not in {"number", "side"} and any(means(one.value, value) for value in values)
        for at in range(one.start, one.end)
    }
    said = [name_parts(word.text) for word in wish.words]
    there = {at for at, each in enumerate(said) if each and all(one in parts or stem(one) in stems for one in each)}
    return frozenset(named | there)


def flat(value: object) -> Iterator[object]:
    """Yield what a value consists of: a list, and all that is in lists and mappings."""
    if isinstance(value, Mapping):
        yield from (one for each in cast("Mapping[str, object]", value).values() for one in flat(each))
    elif isinstance(value, list | tuple):
        yield value
        yield from (one for each in cast("Sequence[object]", value) for one in flat(each))
    else:
        yield value


def means(named: Json, value: object) -> bool:
    """Say whether a value is what is named, or a file in a folder that is named."""
    if isinstance(named, Mapping):
        event = cast("Mapping[str, Json]", named)
        return value in (event.get("id"), event.get("title"))
    if isinstance(named, str) and isinstance(value, str):
        tail = named.removeprefix("~")
        return named == value or (named[:1] in {"/", "~"} and (value.endswith(tail) or f"{tail}/" in value))
    return named == value


def _applications(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield the whole names of applications, unless they are words with which people say what they want."""
    usual = cues() | SMALL | ORDERS
    for one in wish.mentions:
        at = range(one.start, one.end)
        common = all(wish.words[each].text in usual for each in at)
        named = one.kind == "app" and one.strength >= _SURE and not common and used.isdisjoint(at)
        if named and not wish.only_tells(one):
            yield one.start, one.end


def _alike(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield common words that are only like the name of one of several applications, such as “sign” for Signal."""
    names = [action.arguments.get("name") for action in actions if action.operation.startswith("app.")]
    usual = cues() | SMALL | ORDERS
    for name in names if len(names) > 1 else ():
        told = [one for one in wish.mentions if one.kind == "app" and one.value == name]
        common = [one for one in told if all(wish.words[at].text in usual for at in range(one.start, one.end))]
        if told and told == common and all(one.strength < _SURE for one in told):
            yield told[0].start, told[0].end


def _times(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield the times in a search of mails that looks at all times."""
    for action in actions:
        names = {name for one in _mappings(action.arguments) for name in one}
        if action.operation == "mail.search" and names.isdisjoint(_TIMED):
            for one in wish.mentions:
                sure = one.kind == "time" and one.strength >= _SURE
                if sure and used.isdisjoint(range(one.start, one.end)) and not wish.only_tells(one):
                    yield one.start, one.end


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, Mapping):
        told = cast("Mapping[str, object]", value)
        yield told
        yield from (one for each in told.values() for one in _mappings(each))


def _screens(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield the screens on which nothing is put, although something is done with a window."""
    if not all(action.operation.startswith("app.") for action in actions):
        return
    bounds = [cast("list[float]", one) for action in actions if isinstance(one := action.arguments.get("bounds"), list)]
    for one in wish.mentions:
        said = {wish.words[at].text for at in range(one.start, one.end)}
        named = one.kind == "monitor" or (one.kind == "side" and said & _SCREENS)
        if not named or wish.aside(one.start) or not used.isdisjoint(range(one.start, one.end)):
            continue
        there = [each for each in wish.utterance.world.monitors if one.value in each.called]
        inside = any(
            each.x <= (box[0] + box[2]) / 2 < each.x + each.width
            and each.y <= (box[1] + box[3]) / 2 < each.y + each.height
            for each in there
            for box in bounds
        )
        places = any(action.operation == "app.place" for action in actions)
        if not places or (there and bounds and not inside):
            yield one.start, one.end


def _kinds_of_file(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield the kinds of files that no file which is named, or looked for, is of."""
    if not all(action.operation.startswith("file.") for action in actions):
        return
    told = " ".join(str(value) for action in actions for value in flat(action.arguments)).casefold()
    for at, word in enumerate(wish.words):
        endings = KINDS_OF_FILE.get(word.text, frozenset[str]())
        if endings and at not in used and not wish.aside(at) and not any(f".{one}" in told for one in endings):
            yield at, at + 1


def _before_texts(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield the words right before a text that do not lead to one, and the numbers right after it."""
    timed = {
        at: one for one in wish.mentions if one.kind in {"time", "repeat", "number"} for at in range(one.start, one.end)
    }
    exact = {one.start for one in wish.mentions if one.kind in _EXACT}
    for start, end in _places(actions, wish.words):
        if start in exact:
            continue
        at = start - 1
        colon = at >= 0 and ":" in {wish.words[at].text, wish.words[at].pause}
        if colon:
            at -= wish.words[at].text == ":"
            if _is_title(wish.words[: at + 1], timed, used):
                yield at, at + 1
        elif at >= 0 and at not in used and at not in timed and _is_foreign(wish.words[at]):
            yield at, at + 1
        after = timed.get(end)
        if after is not None and after.kind == "number" and end not in used and not wish.words[end - 1].pause:
            yield end, end + 1


def _is_foreign(word: Token) -> bool:
    """Say whether a word, right before a text, is none that leads to it."""
    return not word.pause and not word.quoted and word.text not in _LEADS


def _is_title(before: Sequence[Token], timed: Mapping[int, Mention], used: frozenset[int]) -> bool:
    """Say whether a title stands before a colon, after a word for what is made, as in “new note Press log: …”."""
    made = next((at for at in range(len(before) - 1, -1, -1) if before[at].text in _KINDS), None)
    rest = range(made + 1, len(before)) if made is not None else ()
    return bool(rest) and all(at not in timed and at not in used and before[at].text not in SMALL for at in rest)


def _places(actions: Sequence[RequestedAction], words: Sequence[Token]) -> Iterator[_Words]:
    """Yield where the free texts of actions stand."""
    said = [word.text for word in words]
    for action in actions:
        names = set(TEXTS.get(action.operation, {}).values())
        for each in _mappings(action.arguments):
            for name, value in each.items():
                wanted = [word.text for word in tokenize(value)] if name in names and isinstance(value, str) else []
                starts = (at for at in range(len(said) - len(wanted) + 1) if said[at : at + len(wanted)] == wanted)
                start = next(starts, None) if wanted else None
                if start is not None:
                    yield start, start + len(wanted)


def _called(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield what follows a word such as “titled”, and stands nowhere in what is done."""
    for at, word in enumerate(wish.words[:-1]):
        if word.text in _NAMING and at + 1 not in used and not word.pause and not wish.aside(at):
            yield at + 1, at + 2


def _titles(actions: Sequence[RequestedAction], wish: _Wish, used: frozenset[int]) -> Iterator[_Words]:
    """Yield what names nothing else, beside a reminder that is called nothing but “Timer”."""
    if any(action.operation == "reminder.create" and action.arguments.get("title") == "Timer" for action in actions):
        usual = cues() | SMALL | ORDERS
        timed = {at for one in wish.mentions if one.kind != "quote" for at in range(one.start, one.end)}
        for at, word in enumerate(wish.words):
            if at not in used and at not in timed and word.text not in usual and not wish.aside(at):
                yield at, at + 1


_FINDERS = (_applications, _alike, _times, _screens, _kinds_of_file, _before_texts, _called, _titles)
