"""Words that keep a wish from being done: they take it back, put it off, or are somebody else's."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import cast

from sayso.core.encoding import Json
from sayso.models.builtin.clauses import ORDERS, SUBJECTS, Part, is_guarded
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.names import KINDS_OF_FILE, SMALL, name_parts
from sayso.models.builtin.outcomes import EVERYTHING, Filled
from sayso.models.builtin.spans import TEXTS, find_spans
from sayso.models.builtin.tokens import Token, vocabulary, word_list

_RISKY = frozenset(
    word_list("delete delete_event quit close trash send move write append add_all run fetch click fill run_js call")
)
_TAKES_ALL = frozenset(word_list("delete delete_event quit close trash send move complete copy log reopen"))
_CONDITIONS = frozenset(word_list("if unless suppose supposing whether"))
_BEFORE_CONDITION = frozenset(word_list("but and only even or except just"))
_SPEECH = frozenset(
    word_list(
        "said says say saying told tells tell asked asks ask wrote writes written write texted yelled "
        "yells shouted shouts dreamt heard reads goes whispered begged emailed posted commented replied "
        "answered suggested suggests insisted insists joked shouting yelling singing sang muttered "
        "reckons demanded demands ordered messaged"
    )
)
_TAKES_BACK = vocabulary("takes_back")


def is_risky(operation: str) -> bool:
    """Say whether an operation takes something away, sends it, or writes over it."""
    return operation.partition(".")[2] in _RISKY


def kinds(
    operation: str, found: Filled, words: Sequence[Token], mentions: Sequence[Mention], parts: Sequence[Part]
) -> frozenset[str]:
    """Return what kinds of words, around a wish or in it, speak against doing it as it was read."""
    does = operation.partition(".")[2]
    texts = {words[at].start for at in text_words(operation, words, mentions)}
    beside = {*_kinds_beside(texts, parts)}
    if "speech" in beside and not any(part.order or part.asked for part in parts) and does not in _READS:
        beside.add("told")
    if _is_another_wish(operation, parts, words) or _means_another(operation, words, mentions, texts):
        beside.add("another wish")
    return frozenset({*beside, *_kinds_inside(operation, found, words, mentions, texts)})


def _means_another(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], texts: AbstractSet[int]
) -> bool:
    """Say whether words point elsewhere, name nothing, or say that something is to stay."""
    domain, _, does = operation.partition(".")
    pointing = next((one.start for one, other in pairwise(words) if (one.text, other.text) in _POINTS), None)
    points = does in {"find", "search"} and pointing is not None and not any(at < pointing for at in texts)
    plain = [word.text for word in words if word.start not in texts and not word.quoted]
    keeps = any(word in _KEEPS and (not at or plain[at - 1] not in SUBJECTS) for at, word in enumerate(plain))
    return points or (domain not in _BY_NAME and _only_names(words, mentions)) or (does in _ENDS and keeps)


def _kinds_inside(
    operation: str, found: Filled, words: Sequence[Token], mentions: Sequence[Mention], texts: AbstractSet[int]
) -> Iterator[str]:
    domain, _, does = operation.partition(".")
    said = [word.text for word in words if word.start not in texts and not word.quoted]
    values = str([*found.arguments]).casefold()
    copied = {word.start for word in words if word.text != "and" and word.text in name_parts(values)}
    if _adds_unknown(words, mentions, texts | copied):
        yield "and more"
    if does not in _READS and words and words[0].text in _ASKS and not words[0].quoted and said[1:2] != ["not"]:
        yield "asks"
    if any(_ENDING.fullmatch(one) and one not in values for one in said):
        yield "left out file"
    if does in _TAKES_ALL and _means_all(operation, words, texts, mentions):
        yield "everything"
    timed = any(one.kind == "time" and words[one.start].start not in texts for one in mentions)
    if timed and domain not in _TAKES_TIME and does not in _READS:
        yield "timed"
    if operation in _TAKES_LIST and _is_single(found) and _names_two(words, mentions):
        yield "half of a list"
    if operation == "calendar.create_event" and _has_two_times(mentions, texts, words):
        yield "two times"


_POINTS = frozenset({("for", "it"), ("for", "them"), ("for", "that")})
"""Words for something to look for that was named elsewhere."""
_BY_NAME = frozenset({"tab", "app", "url", "layout", "file", "focus"})
"""The kinds of things that people ask for by nothing but their name."""


def _only_names(words: Sequence[Token], mentions: Sequence[Mention]) -> bool:
    """Say whether words are nothing but numbers, pronouns and small words, as in “3” or “the other one”."""
    bare = {at for one in mentions if one.kind in _BARE for at in range(one.start, one.end)}
    return all(at in bare or word.text in SMALL for at, word in enumerate(words))


_BARE = frozenset({"number", "side", "pronoun"})
_ENDS = frozenset(word_list("delete delete_event quit close trash complete"))
_KEEPS = frozenset(word_list("keep keeps stay stays staying remain remains leave leaves left untouched retain alone"))
"""Words by which a thing is to stay as it is."""
_STOPPING = frozenset(
    {"told", "left out file", "taken back", "condition", "another wish", "everything", "two times", "half of a list"}
)


def stops(against: AbstractSet[str], likely: float = 0.0) -> bool:
    """Say whether kinds of words keep a wish from being done as it was read, which is this likely right."""
    return not _STOPPING.isdisjoint(against) or (likely < _SURELY and not _DOUBTING.isdisjoint(against))


_DOUBTING = frozenset({"asks", "and more"})
"""Kinds of words that keep a wish from being done unless it is very likely right."""
_SURELY = 0.95


def _adds_unknown(words: Sequence[Token], mentions: Sequence[Mention], texts: AbstractSet[int]) -> bool:
    """Say whether a word follows “and” that nothing explains, as in “mute and dance”."""
    known = cues() | SMALL | ORDERS
    named = {words[at].start for one in mentions for at in range(one.start, one.end) if at < len(words)} | texts
    return any(
        one.text == "and" and other.text not in known and not other.quoted and other.start not in named
        for one, other in pairwise(words)
        if one.start not in texts
    )


def _is_single(found: Filled) -> bool:
    """Say whether arguments name one thing only."""
    values = [value for one in found.arguments for value in one.values()]
    counts = [len(cast("list[Json]", value)) for value in values if isinstance(value, list)]
    return len(found.arguments) == 1 and all(count == 1 for count in counts)


_TAKES_LIST = frozenset(
    {"file.copy", "file.move", "file.delete", "file.open", "tab.close", "app.quit", "task.delete", "task.complete"}
)
_AFTER_AND = frozenset(word_list("the my a an also both"))


def _names_two(words: Sequence[Token], mentions: Sequence[Mention]) -> bool:
    """Say whether two things are joined, as in “the deed and the letter”, outside of a whole name."""
    whole = {at for one in mentions if one.strength >= _CERTAIN for at in range(one.start, one.end)}
    return any(
        one.text == "and" and other.text in _AFTER_AND and at not in whole
        for at, (one, other) in enumerate(pairwise(words))
    )


_DAY_PARTS = frozenset(word_list("morning afternoon evening night"))
_DAY = len("2026-01-31")


def _has_two_times(mentions: Sequence[Mention], texts: AbstractSet[int], words: Sequence[Token]) -> bool:
    """Say whether a time is named beside a span of time, as in “from 12 to 13 at 5”."""
    times = [one for one in mentions if one.kind == "time" and one.strength >= _CERTAIN and isinstance(one.value, dict)]
    spans = [one for one in times if "span" in cast("dict[str, Json]", one.value)]
    return any(
        other.start >= span.end + (words[other.end - 1].text in _DAY_PARTS) or other.end <= span.start
        for span in spans
        for other in times
        if words[other.start].start not in texts and len(str(other.told.get("when", ""))) != _DAY
    )


def _means_all(operation: str, words: Sequence[Token], texts: AbstractSet[int], mentions: Sequence[Mention]) -> bool:
    """Say whether a word such as “all” may take everything of a kind, unlike in “after all” and “any more”."""
    return any(
        word.text in EVERYTHING
        and word.start not in texts
        and not word.quoted
        and not (
            at and words[at - 1].text in _BEFORE_ALL and words[at + 1 : at + 2] and words[at + 1].text not in _OTHERS
        )
        and not (at + 1 < len(words) and words[at + 1].text in _AFTER_ALL)
        and not _is_all_of_some(operation, words, at, mentions)
        for at, word in enumerate(words)
    )


def _is_all_of_some(operation: str, words: Sequence[Token], at: int, mentions: Sequence[Mention]) -> bool:
    """Say whether “all” is followed by the name of a group, as in “all wikipedia tabs” and “all PDFs in Downloads”."""
    kinds = _GROUPS.get(operation, frozenset[str]())
    here = at + 1
    while here < len(words) - 1 and (words[here].text in SMALL or words[here].text in KINDS_OF_FILE):
        here += 1
    return any(one.kind in kinds and one.start == here and one.strength >= _LIKELY for one in mentions)


_GROUPS = {"tab.close": frozenset({"tab"}), **dict.fromkeys(("file.move", "file.copy"), frozenset({"file", "folder"}))}
_LIKELY = 0.8
_OTHERS = frozenset({"other", "others", "else"})
_BEFORE_ALL = frozenset(word_list("after at and ordering need have want got"))
_AFTER_ALL = frozenset(word_list("more longer right that"))


def depends(parts: Sequence[Part]) -> bool:
    """Say whether a part between orders takes one back, or says on what it depends."""
    beside = [[word.text for word in part.words if not word.quoted] for part in parts if not part.order]
    return any(_takes_back(said) or _is_conditional(said) for said in beside)


def _kinds_beside(texts: AbstractSet[int], parts: Sequence[Part]) -> Iterator[str]:
    ordered = any(part.order for part in parts)
    first = next((at for at, part in enumerate(parts) if part.order), 0)
    for at, part in enumerate(parts):
        plain = [word.text for word in part.words if word.start not in texts and not word.quoted]
        if _takes_back(plain):
            yield "taken back"
        if ordered and not part.order and _is_conditional(plain):
            yield "condition"
        if not part.order and _is_speech(plain):
            yield "told" if part.words[-1].pause == ":" and any(one.order for one in parts[at + 1 :]) else "speech"
        if is_guarded([one for one in plain if one not in EVERYTHING]):
            yield "beside" if ordered and (part.telling or at < first) else "inside"


def only_reads(operation: str) -> bool:
    """Say whether an operation only shows something."""
    return operation.partition(".")[2] in _READS | {"open"}


_TAKES_TIME = frozenset(word_list("calendar reminder habit mail focus"))
_TAKES_AWAY = frozenset(
    word_list("delete erase remove quit kill close shut terminate exit wipe clear empty complete finish trash bin")
)
_TAKEN_AWAY = frozenset(
    word_list("delete delete_event quit close trash move complete set_dnd set_volume log edit update_event reopen")
)
_READS = frozenset(
    word_list("list today find search inbox read url title text links reveal query screenshot switch activate")
)
_ASKS = frozenset(word_list("is are was were did do does would could can has have had will may might isn't"))
_SHELL = {"mkdir": "mkdir", "mv": "move", "cp": "copy", "rm": "delete"}
"""What the commands of a shell do, which people type here too."""
_NOT_KNOWN = vocabulary("not_known")
_OPENS_AGAIN = frozenset(
    word_list(
        "again reopen re-open back active untick uncheck unmark undo restore reactivate revive not isn't wasn't "
        "mistake open un-tick undone"
    )
)


def _is_another_wish(operation: str, parts: Sequence[Part], words: Sequence[Token]) -> bool:
    """Say whether the verb of a wish, or how it begins, means something else than the operation does."""
    does = operation.partition(".")[2]
    said = [word.text for word in words if not word.quoted]
    firsts = [part.words[0].text for part in parts if part.order and not part.words[0].quoted] or said[:1]
    if _NOT_KNOWN & set(firsts) or any(_SHELL.get(one, does) != does for one in said[:1]):
        return True
    if all(one in _TAKES_AWAY for one in firsts) and does not in _TAKEN_AWAY:
        return True
    if EVERYTHING & set(said) and _TAKES_AWAY & set(said) and does in _READS:
        return True
    return operation == "task.reopen" and _OPENS_AGAIN.isdisjoint(said)


def may_be_of_text(operation: str, words: Sequence[Token], mentions: Sequence[Mention]) -> bool:
    """Say whether what follows may belong to a text without quotes, as in “saying close reddit and mute”."""
    last = len(words) - 1
    ends = not words[last].quoted and not words[last].pause and last in text_words(operation, words, mentions)
    return ends and "B" in TEXTS.get(operation, {})


def text_words(operation: str, words: Sequence[Token], mentions: Sequence[Mention]) -> frozenset[int]:
    """Return the places of the words that belong to free texts."""
    return frozenset(at for span in find_spans(operation, words, mentions) for at in range(span.start, span.end))


_OF_DAYS = frozenset({"calendar.list", "reminder.list"})
_HARD = frozenset({"quote", "address", "path", "url"})
_TIMED = frozenset({"due", "start", "end", "interval_hours", "after", "before", "repeat"})


def leaves_out(operation: str, found: Filled, mentions: Sequence[Mention]) -> bool:
    """Say whether something exact that was said stands in no argument: a quote, an address, a path, a time."""
    values = [value for one in found.arguments for value in one.values()]
    told = str(values).casefold().replace("+", " ")
    names = {name for one in found.arguments for name in one}
    named = {at for one in mentions if one.kind == "tab" and str(one.value) in told for at in range(one.start, one.end)}
    hard = [one for one in mentions if one.kind in _HARD and named.isdisjoint(range(one.start, one.end))]
    if any(str(one.value).casefold()[-12:].rstrip("/") not in told for one in hard):
        return True
    timed = any(one.kind in {"time", "repeat"} and one.strength >= _CERTAIN for one in mentions)
    return timed and not names & _TIMED and (_keeps_time(names) or operation in _OF_DAYS)


_CERTAIN = 0.9


def _keeps_time(names: set[str]) -> bool:
    return bool(names & {"due", "title"})


_DOMAINS = {
    word: domain
    for domain, words in {
        "tab": "tab tabs", "task": "task tasks todo todos to-do", "habit": "habit habits", "note": "note notes memo",
        "mail": "mail mails email emails inbox e-mail", "calendar": "calendar diary agenda meeting appointment event",
        "reminder": "reminder reminders", "file": "file files folder directory", "app": "app program application",
        "clipboard": "clipboard",
    }.items()
    for word in words.split()
}  # fmt: skip
_ENDING = re.compile(r"[^\s.]+\.[a-z][a-z0-9]{1,4}")


def is_odd(operation: str, words: Sequence[Token], mentions: Sequence[Mention]) -> bool:
    """Say whether words name another kind of thing than the operation is about, or a file that is not there."""
    taken = {at for one in mentions for at in range(one.start, one.end)} | text_words(operation, words, mentions)
    said = [word.text for at, word in enumerate(words) if at not in taken and not word.quoted]
    whole = {at for one in mentions if one.strength >= _CERTAIN for at in range(one.start, one.end)}
    files = [
        at for at, word in enumerate(words) if _ENDING.fullmatch(word.text) and not word.quoted and at not in whole
    ]
    if set(files) - text_words(operation, words, mentions):
        return True
    domains = {_DOMAINS[one] for one in said if one in _DOMAINS}
    return bool(domains) and operation.partition(".")[0] not in domains and "new" not in said


def _takes_back(said: Sequence[str]) -> bool:
    plain = f" {' '.join(said)} "
    return any(f" {one.replace('_', ' ')} " in plain for one in _TAKES_BACK)


def _is_conditional(said: Sequence[str]) -> bool:
    plain = f" {' '.join(said)} "
    for polite in _POLITE:
        plain = plain.replace(f" {polite.replace('_', ' ')} ", " ")
    said = plain.split()
    while said[:1] and said[0] in _BEFORE_CONDITION:
        said = said[1:]
    return bool(said) and said[0] in _CONDITIONS


def _is_speech(said: Sequence[str]) -> bool:
    return any(word in _SPEECH and (at == 0 or said[at - 1] not in _SELF) for at, word in enumerate(said))


_POLITE = vocabulary("polite_conditions")
_SELF = frozenset(word_list("i i've i'd have just you also already it"))
