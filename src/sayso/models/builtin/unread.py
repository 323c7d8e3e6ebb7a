"""Find what was said and could not be read, such as a date, the end of a text or a place, so that it is asked about."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.clauses import ORDERS, SUBJECTS, parts_of
from sayso.models.builtin.learned import cues
from sayso.models.builtin.left_out import flat
from sayso.models.builtin.mentions import THINGS, Mention, find_mentions
from sayso.models.builtin.names import SMALL, name_parts
from sayso.models.builtin.outcomes import RequestedAction
from sayso.models.builtin.times import ordinal
from sayso.models.builtin.tokens import Token, stem, tokenize, word_list
from sayso.models.builtin.world import Utterance

_CLOCK = re.compile(r"(\d{1,2})(:\d\d)?(am|pm)?")
_DATE = re.compile(r"\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?\.?")
_WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}")
_OF_A_CLOCK = frozenset({"o'clock", "am", "pm"})
_PARTS_OF_A_DAY = frozenset({"morning", "afternoon", "evening"})
_PARTS_OF_AN_HOUR, _OF_AN_HOUR = frozenset({"quarter", "half"}), frozenset({"past", "to", "after"})
_MONTHS = frozenset(
    word_list(
        "january february march april may june july august september october november december jan feb mar apr jun jul "
        "aug sep sept oct nov dec"
    )
)
_REPEATS = frozenset(word_list("every each daily weekly monthly weekdays"))
_BETWEEN = frozenset(word_list("to till until and through thru - – or"))
_WITH_TIMES = frozenset(
    word_list("reminder.create calendar.create_event calendar.update_event calendar.list calendar.today")
)


class _Said(Struct, frozen=True):
    """The words of a wish, with the places of those that were read as times."""

    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    timed: frozenset[int]
    utterance: Utterance

    def text(self, at: int) -> str:
        """Return a word; empty where there is none, and for a quote."""
        return self.words[at].text if 0 <= at < len(self.words) and not self.words[at].quoted else ""


def unread(actions: Sequence[RequestedAction], utterance: Utterance) -> str:
    """Return the first word that the actions need and that was not read; empty if there is none."""
    words = tokenize(utterance.text)
    mentions = find_mentions(words, utterance)
    timed = {at for one in mentions if one.kind in {"time", "repeat"} for at in range(one.start, one.end)}
    said = _Said(words, mentions, frozenset(timed), utterance)
    operations = {action.operation for action in actions}
    found = next(
        (at for finders, kinds in _FINDERS if kinds & operations for find in finders for at in find(actions, said)),
        None,
    )
    return "" if found is None else words[found].text


def _hours(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield the numbers that are said as a time of day and are none, such as the “25” of “25 o'clock”."""
    for at in _untimed(said):
        digits = _CLOCK.fullmatch(said.text(at))
        before = said.text(at - 1)
        if digits is None:
            continue
        behind = said.text(at + 1), said.text(at + 3)
        of_a_clock = behind[0] in _OF_A_CLOCK or digits[3] or (digits[2] and before == "at")
        of_a_clock = of_a_clock or (behind[0] == "in" and behind[1] in _PARTS_OF_A_DAY)
        if of_a_clock or (said.text(at - 2) in _PARTS_OF_AN_HOUR and before in _OF_AN_HOUR):
            yield at


def _dates(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield the dates that were not read, such as “28.10.” and “sept 29”, and “the 31st” in a month without one."""
    told = {part for one in actions for value in flat(one.arguments) for part in str(value).casefold().split()}
    for at in _untimed(said):
        word = said.text(at)
        ending = said.text(at - 1) == "the" and (ordinal(word) or 0) > _SHORTEST_MONTH
        if (ending and word not in told) or _WRITTEN.fullmatch(word):
            yield at
            continue
        beside = (said.text(at - 2 if said.text(at - 1) == "of" else at - 1), said.text(at + 1))
        if _DATE.fullmatch(word) or (word in _MONTHS and any(one[:1].isdigit() or ordinal(one) for one in beside)):
            yield at


_SHORTEST_MONTH = 28


def _repeats(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield words such as “every” beside a reminder that does not repeat, if its text begins or ends with them."""
    titles = [
        str(action.arguments.get("title", ""))
        for action in actions
        if action.operation == "reminder.create" and "repeat" not in action.arguments
    ]
    inside = any(_REPEATS & {word.text for word in tokenize(title)} for title in titles)
    yield from (at for at in _untimed(said) if inside and said.text(at) in _REPEATS)


def _ranges(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield numbers that a word such as “until” joins to a time, as in “from 12 until 15 of March”."""
    numbers = {one.start for one in said.mentions if one.kind == "number"} - said.timed
    for at in sorted(numbers):
        if said.text(at + 1) in _BETWEEN and at + 2 in said.timed and said.text(at)[:1].isdigit():
            yield at


def _delays(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield “in” before a number or “half” that was not read, beside a reminder without a time: “in 40”."""
    timeless = any(
        action.operation == "reminder.create" and action.arguments.keys().isdisjoint({"due", "in_minutes"})
        for action in actions
    )
    for at in range(len(said.words)) if timeless else ():
        after = said.text(at + 1)
        if said.text(at) == "in" and at + 1 not in said.timed and (after[:1].isdigit() or after in {"half", "quarter"}):
            yield at + 1


def _rest_of_times(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield parts of an hour beside a time that does not have them, as in “7 less a quarter” and “8 and half”."""
    for at in _untimed(said):
        if said.text(at) in _PARTS_OF_AN_HOUR and (at - 2 in said.timed or at - 3 in said.timed):
            yield from (at,) if said.text(at - 1) in {"and", "less", "a"} else ()


def _days(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield days that were read as such, and that no list of events is of."""
    today = f"{said.utterance.now:%Y-%m-%d}" if actions[0].operation == "calendar.today" else ""
    ranges = [(str(one.arguments.get("start", today)), str(one.arguments.get("end", ""))) for one in actions]
    for one in said.mentions:
        day = str(one.told.get("when", ""))[: len("2026-01-31")] if one.kind == "time" else ""
        among = any(start[: len(day)] == day or start <= day <= end for start, end in ranges if start)
        if day and one.strength >= _SURE and any(start for start, _ in ranges) and not among:
            yield one.start


_SURE = 0.9


def _places(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield the one or two last words behind a comma that name nothing, beside an event without a place."""
    placeless = any(one.operation == "calendar.create_event" and "location" not in one.arguments for one in actions)
    start = next((at for at in range(len(said.words) - 1, 0, -1) if said.words[at - 1].pause), 0)
    end = len(said.words)
    title = str([action.arguments.get("title") for action in actions]).casefold()
    yield from (at for at in range(end) if placeless and said.text(at) in _FOR_PLACES and said.text(at) not in title)
    if placeless and start and end - start <= _SHORT and set(range(start, end)) <= {*_unexplained(actions, said)}:
        yield start


_SHORT = 2
_FOR_PLACES = frozenset({"location", "venue"})


def _texts(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield the word right behind a text that does not end there: “I can start on the 14th | if that suits you”."""
    every = [word.text for word in said.words]
    for action in actions:
        text = str(action.arguments.get("body") or action.arguments.get("text") or "")
        wanted = [word.text for word in tokenize(text)] if action.operation in _WITH_BODIES else []
        starts = (at for at in range(len(every) - len(wanted)) if wanted and every[at : at + len(wanted)] == wanted)
        end = next((at + len(wanted) for at in starts), len(every))
        last = said.words[end - 1]
        if end < len(every) and not last.pause and not last.quoted and every[end] not in _BEHIND_TEXTS:
            yield end


_WITH_BODIES = frozenset(word_list("mail.send mail.compose note.create note.append"))
_BEHIND_TEXTS = frozenset(word_list("to in into on onto please for as"))


def _folders(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield what more is said where a folder is opened, because a file in it may be meant."""
    folders = {one.path for one in said.utterance.world.files if one.is_folder}
    if any(action.operation in _SHOWING and action.arguments.get("path") in folders for action in actions):
        yield from _unexplained(actions, said)


_SHOWING = frozenset({"file.open", "file.reveal"})


def _senders(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield a sender whose name goes on in small letters, as in “Callum swears blind”."""
    for name in _looked_for(actions, "from"):
        first, *rest = name.split()
        if first[0].isupper() and any(word[0].islower() for word in rest):
            yield from _places_of(rest[-1], said)


def _sentences(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield words of a sentence in what is looked for, as in “haven't dared touch the keyboard”."""
    for text in (*_looked_for(actions, "text"), *_looked_for(actions, "subject")):
        for word in tokenize(text):
            if not word.quoted and (word.text.endswith("n't") or word.text in SUBJECTS):
                yield from _places_of(word.text, said)


def _subjects(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield “subject” where a mail gets none."""
    for action in actions:
        if action.operation in _MAILS and not action.arguments.get("subject"):
            inside = str(action.arguments.get("body", "")).casefold()
            yield from (at for at in _places_of("subject", said) if "subject" not in inside)


_MAILS = frozenset({"mail.send", "mail.compose"})
_SEARCHES = frozenset({"mail.search", "note.find"})


def _since(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield “since” and the like before a time, where mails of all times are looked for."""
    for action in actions:
        criteria = action.arguments.get("criteria")
        if isinstance(criteria, Mapping) and criteria.keys().isdisjoint({"after", "before"}):
            yield from (
                at for at in range(len(said.words)) if said.text(at) in _SINCE and {at + 1, at + 2} & said.timed
            )


_SINCE = frozenset(word_list("since until till before after"))


def _looked_for(actions: Sequence[RequestedAction], name: str) -> Iterator[str]:
    for action in actions:
        criteria = action.arguments.get("criteria", action.arguments)
        told = dict(cast("Mapping[str, Json]", criteria)) if isinstance(criteria, Mapping) else dict[str, Json]()
        found = told.get(name) if action.operation in _SEARCHES else None
        if isinstance(found, str) and found.strip():
            yield found


def _places_of(word: str, said: _Said) -> Iterator[int]:
    return (at for at in range(len(said.words)) if said.text(at) == word.casefold())


def _unexplained(actions: Sequence[RequestedAction], said: _Said) -> Iterator[int]:
    """Yield the words outside of remarks that no argument has, and by which nobody says what they want."""
    values = [str(value) for action in actions for value in flat(action.arguments)]
    stems = {stem(part) for value in values for part in name_parts(value)}
    usual = cues() | SMALL | ORDERS
    told = {word.start for part in parts_of(said.words) if part.telling for word in part.words}
    taken = {at for one in said.mentions if one.kind not in THINGS for at in range(one.start, one.end)}
    for at, word in enumerate(said.words):
        plain = at not in taken and word.start not in told and word.text not in usual
        if plain and not {stem(part) for part in name_parts(word.text)} <= stems:
            yield at


def _untimed(said: _Said) -> Iterator[int]:
    return (at for at, word in enumerate(said.words) if at not in said.timed and not word.quoted)


_Finders = tuple[Callable[[Sequence[RequestedAction], _Said], Iterator[int]], ...]
_FINDERS: tuple[tuple[_Finders, frozenset[str]], ...] = (
    ((_hours, _dates, _repeats, _ranges, _delays, _rest_of_times), _WITH_TIMES),
    ((_dates,), frozenset({"calendar.find", "calendar.delete_event", "reminder.list", "mail.inbox"})),
    ((_days,), frozenset({"calendar.list", "calendar.today"})),
    ((_places,), frozenset({"calendar.create_event"})),
    ((_texts,), _WITH_BODIES),
    ((_folders,), _SHOWING),
    ((_dates, _since, _senders, _sentences), _SEARCHES),
    ((_subjects,), _MAILS),
)
"""What is looked for, and beside which operations."""
