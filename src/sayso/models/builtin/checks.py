"""Check what a wish came to before it is proposed, so that half of what was said is not done."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sayso.core.encoding import Json
from sayso.models.builtin.clause import COUNTS, count_of
from sayso.models.builtin.filling import THINGS_TO_DO
from sayso.models.builtin.left_out import left_out
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.outcomes import RequestedAction, quote_words
from sayso.models.builtin.tokens import Token, tokenize, word_list
from sayso.models.builtin.unread import unread
from sayso.models.builtin.world import Utterance

CORRECTED = "That was put right while it was said, and nothing was done: say it once more, as it is meant."
NOT_ALL_FOUND = "More things are named than were found, so nothing was done: name each of them."
NO_TIME = "It is not clear for when that is, so nothing was done: say the day and the time once more."
NOT_READ = "could not be read, so nothing was done: say it in other words, with quotes around a text."
NO_PLACE = "It is not clear beside which other task it is to stand, so nothing was done: name both tasks."
NO_USE = "was said too, and has no place in what was understood, so nothing was done: say one wish after the other."

_COUNTED = frozenset(
    word_list(
        "tabs pages sites files pictures photos images documents pdfs invoices letters tasks todos events "
        "appointments meetings notes programs programmes apps applications windows"
    )
)
_TAKES_SEVERAL: Mapping[str, str] = {
    "tab.close": "indices",
    **dict.fromkeys(
        word_list(
            "file.delete file.open app.open app.activate file.move file.copy app.quit task.complete task.delete "
            "calendar.delete_event"
        ),
        "",
    ),
}
"""Operations on things that are there, with the argument that lists several; empty if each takes an action."""
_BESIDE = frozenset(word_list("before after above below behind beneath underneath"))
_ENDS_OF_LIST = frozenset(word_list("top bottom end first last"))
_TIMED = frozenset({"reminder.create", "calendar.create_event"})
_CLOCK = re.compile(r"\d\d:\d\d")


def doubt_about(actions: Sequence[RequestedAction], utterance: Utterance) -> str:
    """Return why these actions must not be proposed for what was said; empty if nothing speaks against them."""
    words = tokenize(utterance.text)
    said = [word for word in words if not word.quoted]
    if 0 < sum(_counted(actions)) < _count_named(said) and "or" not in {word.text for word in said}:
        return NOT_ALL_FOUND
    new = sum(action.operation == "task.add" for action in actions)
    if 0 < new < _count_named(said, THINGS_TO_DO):
        return NOT_ALL_FOUND
    moved = any(action.operation == "task.move" and "other" not in action.arguments for action in actions)
    told = {word.text for word in said}
    if moved and told & _BESIDE and not told & _ENDS_OF_LIST:
        return NO_PLACE
    timed = [str(action.arguments) for action in actions if action.operation in _TIMED]
    if timed and not any(map(_CLOCK.search, timed)) and _names_an_hour(words, utterance):
        return NO_TIME
    left = unread(actions, utterance)
    if left:
        return f"{quote_words(left)} {NOT_READ}"
    left = left_out(actions, utterance) if actions else ""
    return f"{quote_words(left)} {NO_USE}" if left else ""


def tidied(actions: Sequence[RequestedAction]) -> tuple[RequestedAction, ...]:
    """Return the actions in their order, each once."""
    kept: list[RequestedAction] = []
    for action in actions:
        if not any((one.operation, one.arguments) == (action.operation, action.arguments) for one in kept):
            kept.append(action)
    return tuple(kept)


def _counted(actions: Sequence[RequestedAction]) -> Iterator[int]:
    for action in actions:
        listed = _TAKES_SEVERAL.get(action.operation)
        if listed is not None:
            found = action.arguments.get(listed)
            yield len(cast("list[Json]", found)) if isinstance(found, list) else 1


def _count_named(words: Sequence[Token], counted: frozenset[str] = _COUNTED) -> int:
    """Return how many things the words say that they are about; 0 if they do not say it."""
    said = [word.text for word in words]
    of = [COUNTS[word] for at, word in enumerate(said) if word in COUNTS and said[at + 1 : at + 2] == ["of"]]
    both = [*of, *(COUNTS[word] for word in said if word == "both")]
    return max([count_of(said, counted), *(both if counted is _COUNTED else ())])


def _names_an_hour(words: Sequence[Token], utterance: Utterance) -> bool:
    """Say whether a time of day is named."""
    times = [one for one in find_mentions(words, utterance) if one.kind == "time"]
    return any(_CLOCK.search(str(one.value)) for one in times)
