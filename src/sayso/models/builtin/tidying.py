"""Set right where free texts begin and end, by what can be told without having learned it."""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from sayso.models.builtin.clauses import ORDERS
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.names import SMALL
from sayso.models.builtin.spans import TEXTS, Span
from sayso.models.builtin.tokens import Token, word_list

_REASONS = frozenset(word_list("as because since so for before otherwise or cos while lest although though which and"))
_ARTICLES = frozenset({"a", "an", "the", "my", "our"})
_BARE = frozenset(
    {"calendar.create_event", "calendar.find", "note.find", "mail.search", "mail.query", "calendar.update_event"}
)
"""The operations whose texts have no article before them."""
_WITHOUT_TIMES = frozenset({"calendar.create_event", "calendar.update_event"})
_BEFORE_TEXT = frozenset(word_list("to about that : and of for saying"))
_PEOPLE = frozenset(word_list("i i'm i've i'd i'll we we're he she they it it's there that's you who the my our"))
_DANGLING = frozenset(word_list("in to at for from of and the a my with onto into as that which"))
"""Words with which no text ends if the sentence goes on."""
QUOTED_MARGIN = 30.0


def tidied(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], spans: Sequence[Span], text: str
) -> list[Span]:
    """Return the spans, with quotes before other words, and without reasons, times and articles at their ends."""
    found = _with_quotes(operation, words, spans)
    if operation == "note.create":
        found = _at_colon(words, found)
    if operation == "calendar.update_event" and all(span.label != "P" for span in found):
        found = [*found, *_new_place(words, mentions, found)]
    if "B" in TEXTS.get(operation, {}) and all(span.label != "B" for span in found):
        found = [*found, *_announced(words, found)]
    if operation in {"mail.search", "mail.query"}:
        found = _by_sender(words, found)
    if operation == "url.open":
        found = [_whole_search(words, span) for span in found]
    if operation == "reminder.create":
        found = [_after_event(words, mentions, span) for span in found]
    found = [span for span in found if not _is_stray(operation, words, span, found)]
    if operation == "calendar.create_event" and all(span.label != "P" for span in found):
        found = [*found, *_place_at_end(words, mentions, found)]
    found = _beside_note(words, found) if operation == "note.append" else _in_order(words, found)
    found = [_widened(operation, words, mentions, span, found) for span in found]
    cut = [one for span in found if (one := _cut(operation, words, mentions, span)) is not None]
    bare = [_with_name_before(operation, words, _without_lead(operation, words, one), text) for one in cut]
    return [
        _with_name_after(words, mentions, one, text) if operation == "calendar.create_event" else one for one in bare
    ]


def _with_quotes(operation: str, words: Sequence[Token], spans: Sequence[Span]) -> list[Span]:
    """Return the spans; a quote that none of them has is a text that is missing, or instead of one without quotes."""
    by_letter = {span.label: span for span in spans}
    quotes = [at for at, word in enumerate(words) if word.quoted]
    free = [at for at in quotes if not any(span.start <= at < span.end for span in spans)]
    letters = [letter for letter in TEXTS.get(operation, {}) if letter != "P"]
    for at in free:
        open_ = [letter for letter in letters if letter not in by_letter]
        unquoted = [letter for letter in letters if letter in by_letter and not _is_quoted(words, by_letter[letter])]
        chosen = (open_ or (unquoted if len(quotes) >= len(letters) else []))[:1]
        for letter in chosen:
            by_letter[letter] = Span(letter, at, at + 1, QUOTED_MARGIN)
    return sorted(by_letter.values(), key=lambda span: span.start)


_PLACES = frozenset(word_list("at in location place venue room to : is on the"))
_TITLES = frozenset(word_list("titled called title named subject entitled heading headed"))
_SENDING = frozenset(word_list("from by did has of sender have was were"))
_LEAST_STRAY = 30


def _place_at_end(words: Sequence[Token], mentions: Sequence[Mention], spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the place that follows the last time, as in “from 12 to 13 at the Old Mill”."""
    at = max((one.end for one in mentions if one.kind == "time"), default=len(words))
    if at + 1 >= len(words) or words[at].text not in {"at", "in"} or words[at - 1].pause in {".", "!", "?"}:
        return
    start = at + 1 + (words[at + 1].text == "the")
    end = next((end for end in range(start, len(words)) if words[end].pause), len(words) - 1) + 1
    told = {one for span in spans for one in range(span.start, span.end)}
    numbers = any(words[one].text[:1].isdigit() and len(words[one].text) <= _SHORT for one in range(start, end))
    if 0 < end - start <= _MOST_OF_PLACE and not numbers and told.isdisjoint(range(start, end)):
        yield Span("P", start, end, _SURELY)


_MOST_OF_PLACE, _SHORT, _SURELY = 5, 2, 100.0


def _is_stray(operation: str, words: Sequence[Token], span: Span, spans: Sequence[Span]) -> bool:
    """Say whether nothing before a place or a person says that it is one, so that the text is only a remark."""
    if span.label != "P" or len(spans) == 1:
        return False
    before = words[span.start - 1] if span.start else None
    if operation == "calendar.create_event" and before is not None and before.text == "the" and span.start > 1:
        before = words[span.start - 2]
    if operation == "calendar.create_event":
        return before is None or not (before.text in _PLACES - {"the"} or before.pause == ",")
    if operation in {"mail.search", "mail.query"}:
        return span.margin < _LEAST_STRAY and (before is None or before.text not in _SENDING)
    return False


def _in_order(words: Sequence[Token], spans: Sequence[Span]) -> list[Span]:
    """Return the spans; of two quotes the first is the title, unless the other one is called it."""
    quoted = {span.label: span for span in spans if _is_quoted(words, span)}
    title, body = quoted.get("T"), quoted.get("B")
    if title is None or body is None or title.start < body.start or words[title.start - 1].text in _TITLES:
        return [*spans]
    others = [span for span in spans if span not in (title, body)]
    return sorted([replace(title, label="B"), replace(body, label="T"), *others], key=lambda span: span.start)


_NOTES = frozenset(word_list("note memo notes"))


def _at_colon(words: Sequence[Token], spans: Sequence[Span]) -> list[Span]:
    """Return a title that stands between “note” and a colon, and the text behind it: “new note Keys: in the shed”."""
    colon = next((at for at, word in enumerate(words) if word.text == ":" and not word.quoted), 0)
    start = next((at + 1 for at in range(colon - 1, -1, -1) if words[at].text in _NOTES), colon)
    while start < colon and words[start].text in _TITLES | SMALL:
        start += 1
    before = words[start:colon]
    if (
        not before
        or colon + 1 >= len(words)
        or any(word.quoted or word.pause == "," or word.text in _MARKS for word in before)
    ):
        return [*spans]
    return [Span("T", start, colon, QUOTED_MARGIN), Span("B", colon + 1, len(words), QUOTED_MARGIN)]


def _new_place(words: Sequence[Token], mentions: Sequence[Mention], spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the place behind “place to” and the like, or else behind an event that is in a place."""
    said = [word.text for word in words]
    at = next((at for at, word in enumerate(said) if word in _WORDS_FOR_PLACE), len(said))
    starts = [at + 2] if said[at + 1 : at + 2] and said[at + 1] in _LEADS_TO_PLACE else []
    for one in mentions:
        end = one.end + (said[one.end : one.end + 1] == ["is"])
        starts += [end + 1] if one.kind == "event" and said[end : end + 1] in (["in"], ["at"]) else []
    for start in starts if at < len(said) else ():
        begin = start + (said[start : start + 1] == ["the"])
        end = next((end for end in range(begin, len(words)) if words[end].pause), len(words) - 1) + 1
        end -= 2 * (said[end - 2 : end] == ["after", "all"])
        timed = any(one.kind == "time" and begin <= one.start < end for one in mentions)
        told = begin <= at < end or any(span.start < end and begin < span.end for span in spans)
        if 0 < end - begin <= _MOST_OF_PLACE and not timed and not told:
            yield Span("P", begin, end, QUOTED_MARGIN)
            return


_WORDS_FOR_PLACE = frozenset({"location", "place", "venue", "room"})
_LEADS_TO_PLACE = frozenset({"to", "is", ":", "into"})


def _beside_note(words: Sequence[Token], spans: Sequence[Span]) -> list[Span]:
    """Return the texts of what is added to a note; the one right behind “note” is its title, where both are quoted."""
    both = {span.label: span for span in spans if _is_quoted(words, span)}
    title, body = both.get("T"), both.get("B")
    other = next((span for span in spans if span.label == "B" and not _is_quoted(words, span)), None)
    if (
        title is not None
        and other is not None
        and _NOTES & {words[at].text for at in range(max(0, other.start - 2), other.start)}
    ):
        return [replace(title, label="B"), replace(other, label="T")]  # “add "x" to the note entitled y”
    if title is None or body is None:
        return [*spans]
    beside = [{words[at].text for at in range(max(0, span.start - 2), span.start)} for span in (title, body)]
    if _NOTES.isdisjoint(beside[0]) and not _NOTES.isdisjoint(beside[1]):
        return [replace(body, label="T"), replace(title, label="B")]
    return [*spans]


_MARKS = frozenset(word_list("text body message msg saying says content words txt write inside"))


def _announced(words: Sequence[Token], spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the text behind words for it, as in “text: under the mat” and “write in it under the mat”."""
    for at in range(1, len(words) - 1):
        marked = words[at].text == ":" and words[at - 1].text in _MARKS
        inside = (words[at - 1].text, words[at].text) in _INSIDE and at > 1 and words[at - 2].text in _WRITING
        if marked or inside:
            end = min((span.start for span in spans if span.start > at), default=len(words))
            if end > at + 1 and not any(span.start <= at < span.end for span in spans):
                yield Span("B", at + 1, end, QUOTED_MARGIN)
            return


_INSIDE = frozenset({("in", "it"), ("into", "it"), ("inside", "it"), ("it", "says")})
_WRITING = frozenset(word_list("write put type and note add"))


def _is_quoted(words: Sequence[Token], span: Span) -> bool:
    return any(word.quoted for word in words[span.start : span.end])


def _by_sender(words: Sequence[Token], spans: Sequence[Span]) -> list[Span]:
    """Return the spans; what stands after “from” or “by” is the sender."""
    said = [
        replace(span, label="P") if span.start and words[span.start - 1].text in {"from", "by"} else span
        for span in spans
    ]
    best: dict[str, Span] = {}
    for span in sorted(said, key=lambda span: words[max(0, span.start - 1)].text not in {"from", "by"}):
        best.setdefault(span.label, span)
    sender, text = best.get("P"), best.get("T")
    if sender is not None and text is not None and words[sender.start - 1].text in {"from", "by"}:
        first, last = sorted((sender, text), key=lambda span: span.start)
        if any(word.pause in _STOPS for word in words[first.end - 1 : last.start]):
            best.pop("T")  # it is in another sentence, which only tells something
    return [*best.values()]


_STOPS = frozenset(",;.!?—–")


def _whole_search(words: Sequence[Token], span: Span) -> Span:
    """Return everything that is searched for, from “google” or “for” on, up to the end of the sentence."""
    start, end = span.start, span.end
    while start > 0 and not words[start - 1].pause and words[start - 1].text not in _SEARCHING:
        start -= 1
    if not start or words[start - 1].text not in _SEARCHING:
        return span
    while end < len(words) and not words[end - 1].pause and words[end].text not in _AFTER_SEARCH:
        end += 1
    while start < end - 1 and not words[start].quoted and words[start].text in _SEARCHING | _WEB:
        start += 1
    return replace(span, start=start, end=end)


_SEARCHING = frozenset({"google", "for", "up", "search", "youtube", ":"})
_WEB = frozenset(word_list("in on the internet web net online google"))
"""Where one searches, which is no part of what is searched for."""
_AFTER_SEARCH = frozenset(word_list("for in on please because since so as and thanks will would could can if"))


def _after_event(words: Sequence[Token], mentions: Sequence[Mention], span: Span) -> Span:
    """Return the text of a reminder without “before the dentist to” at its beginning."""
    before = next((at for at in range(max(0, span.start - 6), span.start + 1) if words[at].text == "before"), None)
    if before is None or not any(one.kind == "time" and one.end == before for one in mentions):
        return span
    events = [one for one in mentions if one.kind == "event" and before < one.start <= before + 2]
    end = max((one.end for one in events), default=span.start)
    while end > span.start and end < span.end - 1 and words[end].text in _BEFORE_TEXT:
        end += 1
    return replace(span, start=end) if span.start < end < span.end else span


def _widened(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], span: Span, spans: Sequence[Span]
) -> Span:
    """Return the span with the words beside it with which nobody says what they want, and which nothing else has."""
    if _is_quoted(words, span):
        return span
    taken = {at for one in mentions if one.kind in _OTHERS for at in range(one.start, one.end)}
    taken |= {at for one in spans if one is not span for at in range(one.start, one.end)}
    if operation in _WITH_TARGET:
        taken |= {at for one in mentions if one.kind in _TARGETS for at in range(one.start, one.end)}

    def is_loose(at: int) -> bool:
        word = words[at]
        return not (word.quoted or at in taken or word.text in cues() or word.text in SMALL or word.text == ":")

    start, end = span.start, span.end
    while start > 0 and not words[start - 1].pause and is_loose(start - 1):
        start -= 1
    if operation in _OF_THEIR_OWN:
        start = _after_to(words, start, taken)
        start = _after_time(words, start, mentions)
    if span.label == "B":
        start = _after_mark(operation, words, start, taken)
    while end < len(words) and not words[end - 1].pause and is_loose(end):
        end += 1
    name = operation.startswith("note.") and start > 0 and words[start - 1].text in _NOTES | _TITLES
    if name and span.label == "T":
        end = _name_to_the_end(words, end, taken)
    elif operation in _TO_THE_END and not (span.label == "T" and "B" in TEXTS[operation]):
        end = _to_the_end(words, end, taken | _files(mentions))
    if operation in _OF_THEIR_OWN and end < len(words) and words[end].pause and not words[end - 1].pause:
        end += end not in taken and not words[end].quoted and words[end].text not in SMALL
    return replace(span, start=start, end=end)


def _after_to(words: Sequence[Token], start: int, taken: Collection[int]) -> int:
    """Return where a text begins that follows “to” or a colon, if at most two words of it were left out."""
    for at in range(start - 1, max(-1, start - 4), -1):
        if words[at].text in {"to", ":"} and not words[at].quoted:
            return at + 1
        if at in taken or words[at].pause or words[at].quoted:
            break
    return start


def _after_time(words: Sequence[Token], start: int, mentions: Sequence[Mention]) -> int:
    """Return where a text begins right behind a time, as in “remind me at nine call the bank”."""
    ends = {one.end for one in mentions if one.kind == "time"}
    for at in range(max(1, start - _MOST_ADDED), start - 1):
        joined = not any(word.pause or word.quoted or word.text == "and" for word in words[at:start])
        if words[at].text == "to" and joined and (at in ends or words[at - 1].text == "me"):
            return at + 1  # “remind me at one to forward it to her”
    for one in mentions:
        between = words[one.end : start]
        near = one.kind == "time" and 0 < len(between) <= _FEW and not words[one.end - 1].pause
        if near and all(word.text in ORDERS and not word.pause for word in between):
            return one.end
    return start


def _after_mark(operation: str, words: Sequence[Token], start: int, taken: Collection[int]) -> int:
    """Return where a text begins right behind a word for it, as in “text are you free”; in a mail, however far."""
    whole = operation.startswith("mail.")
    for at in range(start - 1, max(-1, start - (_FAR if whole else _FEW) - 2), -1):
        if words[at].text in _TEXT_FOLLOWS and not words[at].quoted and at + 1 < start:
            return at + 1
        ends = words[at].pause and not whole
        if at in taken or ends or words[at].quoted or (words[at].text in _NAMING and not whole):
            break
    return start


def _to_the_end(words: Sequence[Token], end: int, taken: Collection[int]) -> int:
    """Return where a text ends if nothing but itself follows up to the next pause."""
    stop = next((at + 1 for at in range(max(0, end - 1), len(words)) if words[at].pause), len(words))
    rest = range(end, stop)
    ends = any(at in taken or words[at].quoted or words[at].text in _NOT_INSIDE for at in rest)
    return end if ends or stop - end > _MOST_ADDED or stop < end else stop


def _name_to_the_end(words: Sequence[Token], end: int, taken: Collection[int]) -> int:
    """Return where the name of a note ends, if nothing but one more word of it stands before the next pause."""
    ends = end + 1 == len(words) or (end < len(words) and words[end].pause in _STOPS)
    loose = ends and not words[end - 1].pause and end not in taken and words[end].text not in SMALL | _NOT_INSIDE
    return end + 1 if loose and not words[end].quoted else end


def _files(mentions: Sequence[Mention]) -> set[int]:
    named = [one for one in mentions if one.kind in {"file", "folder"} and one.strength >= _NAMED]
    return {at for one in named for at in range(one.start, one.end)}


_FEW, _FAR, _MOST_ADDED, _NAMED = 2, 8, 6, 0.8
_TEXT_FOLLOWS = frozenset({"text", "body", "saying", "says"})
_NAMING = frozenset({"the", "a", "is", "with", "to"})
_NOT_INSIDE = frozenset(
    word_list("list tasks task todo todos calendar diary reminder reminders note notes clipboard aloud loud please "
              "and then so because since as would could can will if when i you we it's i'm that which")
)  # fmt: skip
"""Words behind a text that hardly belong to it."""
_TO_THE_END = frozenset(
    {"reminder.create", "task.add", "habit.add", "clipboard.write", "speech.say", "file.append", "note.append"}
)
_OF_THEIR_OWN = frozenset({"reminder.create", "task.add", "task.add_all", "habit.add"})
"""The operations whose text goes on up to a pause."""
_OTHERS = frozenset({"time", "repeat", "quote", "address", "path", "url", "filename"})
_TARGETS = frozenset({"task", "habit", "event", "file", "folder"})
_WITH_TARGET = frozenset(
    {"task.edit", "task.add_subtask", "habit.edit", "calendar.update_event", "file.append", "file.move", "file.copy",
     "file.mkdir", "file.write", "file.find"}
)  # fmt: skip


def _cut(operation: str, words: Sequence[Token], mentions: Sequence[Mention], span: Span) -> Span | None:
    start, end = span.start, span.end
    for at in range(start, end - 2):  # a reason behind the text does not belong to it
        if (
            words[at].pause in {",", ".", ";", "—", "–"}
            and words[at + 1].text in _REASONS
            and words[at + 2].text in _PEOPLE
        ):
            end = at + 1
            break
    if operation == "speech.say":
        while end > start + 1 and words[end - 1].text in {"aloud", "out", "loud", "loudly"}:
            end -= 1
    times = [one for one in mentions if one.kind in {"time", "repeat"}] if operation in _WITHOUT_TIMES else []
    for one in times:
        if one.start <= start < one.end:
            start = one.end
        if one.start < end <= one.end:
            end = one.start
    if span.label == "B" and operation in {"mail.compose", "mail.send"} and not words[start].quoted:
        end = next((at for at in range(end, len(words)) if words[at - 1].pause), len(words))
    while start < end - 1 < len(words) - 1 and words[end - 1].text in _DANGLING and not words[end - 1].pause:
        end -= 1
    return replace(span, start=start, end=end) if start < end else None


_LEADS = frozenset(
    word_list(
        "mentions mentioning contains containing entitled titled is inside : saying says reads called named "
        "when's where's what's"
    )
)
_LEADING_PAIRS = (
    ("and", "call"), ("call", "it"), ("and", "the"), ("named", "it"), ("in", "it"), ("it", "says"), ("be", "called"),
    ("should", "be"), ("should", "read"), ("should", "say"), ("is", "to"), ("stands", ":"),
)  # fmt: skip
_DUTIES = (("must",), ("should",), ("have", "to"), ("need", "to"), ("ought", "to"), ("has", "to"), ("am", "to"))


def _duty(words: Sequence[Token], start: int, end: int) -> int:
    """Return how many words such as “that I must” stand before what is to be done."""
    begin = start + (words[start].text == "that")
    if words[begin].text not in {"i", "we", "you"}:
        return 0
    said = tuple(word.text for word in words[begin + 1 : begin + 3])
    count = next((len(one) for one in _DUTIES if said[: len(one)] == one), 0)
    return begin - start + 1 + count if count and begin + 1 + count < end else 0


_TASKS, _ADDING = frozenset(word_list("task todo to-do")), frozenset(word_list("add new a create make put"))
_MEETINGS = frozenset(word_list("meeting call appointment interview chat session visit"))


def _without_lead(operation: str, words: Sequence[Token], span: Span) -> Span:
    """Return the text without words that only lead to it, and without articles where no text has one."""
    start, end = span.start, span.end
    while start < end - 1 and not words[start].quoted:
        said = words[start].text
        announces = said in _LEADS or (said == "text" and words[start + 1].text in {"is", ":"})
        if (
            announces
            or (operation in _BARE and said in _ARTICLES)
            or (operation in _SEARCHES and said in _WORDS)
            or (
                operation == "task.add"
                and said in _TASKS
                and words[start - 1 : start]
                and words[start - 1].text in _ADDING
            )
        ):
            start += 1
        elif start + 2 < end and (said, words[start + 1].text) in _LEADING_PAIRS:
            start += 2
        elif operation in _OF_THEIR_OWN and (duty := _duty(words, start, end)):
            start += duty
        else:
            break
    if any(word.quoted for word in words[start:end]) and len({"and", "with"} & {words[start].text}):
        start += 1
    return replace(span, start=start)


_SEARCHES = frozenset({"mail.search", "mail.query", "note.find", "file.find", "calendar.find"})
_WORDS = frozenset({"word", "words"})
"""Words for what is looked for, as in “with the word toner in the subject”."""


def _with_name_before(operation: str, words: Sequence[Token], span: Span, text: str) -> Span:
    """Return the text with the capital word right before it, and with “meeting with” before a person."""
    start = span.start
    if start < len(_MEETING) or words[start].quoted or span.label == "B":
        return span
    first = words[start - 1]
    inside = words[start - 2].pause not in set(".!?…:;")
    if (
        inside
        and text[first.start].isupper()
        and not first.pause
        and first.text not in {"i", "i'm"}
        and not first.quoted
    ):
        return replace(span, start=start - 1)
    if operation == "calendar.create_event" and first.text == "with" and words[start - 2].text in _MEETINGS:
        return replace(span, start=start - 2)
    return span


def _with_name_after(words: Sequence[Token], mentions: Sequence[Mention], span: Span, text: str) -> Span:
    """Return the text with the capital words right behind it, as in “with Councillor | Boyd”."""
    taken = {at for one in mentions if one.kind in _OTHERS for at in range(one.start, one.end)}
    end = span.end
    while end < len(words) and not words[end - 1].pause and not words[end - 1].quoted:
        if end in taken or words[end].quoted or not text[words[end].start].isupper() or words[end].text == "i":
            break
        end += 1
    return replace(span, end=end)


_MEETING = ("meeting", "with")
