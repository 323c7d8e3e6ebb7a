"""Check what a wish came to before it is proposed, whichever way it was read."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import cast

from sayso.core.encoding import Json
from sayso.models.builtin import leftovers
from sayso.models.builtin.outcomes import RequestedAction
from sayso.models.builtin.tokens import Token, source_text, tokenize, word_list
from sayso.models.builtin.world import ContextWorld

CORRECTED = "That was put right while it was said, and nothing was done: say it once more, as it is meant."
NOT_ALL_FOUND = "More things are named than were found, so nothing was done: name each of them."
NO_TIME = "It is not clear for when that is, so nothing was done: say the day and the time once more."
NO_TEXT = "It is not clear what the text is, so nothing was done: put quotes around it."
THERE_ALREADY = "The file is there already, so nothing was done: name the file, and the folder where it is to go."
NO_PLACE = "It is not clear beside which other task it is to stand, so nothing was done: name both tasks."
NOTHING = ContextWorld()
TAB_OR_PROGRAM = "It is not clear whether a program or a tab is meant, so nothing was done: name which one it is."

_COUNTS: Mapping[str, int] = MappingProxyType(
    {"both": 2} | {word: count for count, word in enumerate(word_list("two three four five six seven eight"), 2)}
)
_COUNTED = frozenset(
    word_list(
        "tabs pages sites files pictures photos images documents pdfs invoices letters tasks todos events "
        "appointments meetings notes programs programmes apps applications windows of"
    )
)
_TASKS = frozenset(word_list("things tasks todos to-dos items"))
_TAKES_SEVERAL: Mapping[str, str] = MappingProxyType(
    {
        "tab.close": "indices",
        "file.delete": "",
        "file.open": "",
        "app.open": "",
        "app.activate": "",
        "file.move": "",
        "file.copy": "",
        "app.quit": "",
        "task.complete": "",
        "task.delete": "",
        "calendar.delete_event": "",
    }
)
"""Operations on things that are there, with the argument that lists several; empty if each takes an action."""
USUAL_TIME = "09:00"
"""The time of a reminder for which only a day was named."""
_HOURS = frozenset(
    word_list("one two three four five six seven eight ten eleven twelve noon midnight half quarter")
) | {str(hour) for hour in (*range(1, 9), 10, 11, 12)}
_ENDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "mail.compose": frozenset({"say", "saying", "text"}),
        "mail.send": frozenset({"say", "saying", "text"}),
        "file.mkdir": frozenset(word_list("move put copy after then")),
    }
)
"""Words inside a subject or a new name with which something else begins."""
_NEW: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "task.add": ("text",),
        "task.add_subtask": ("text",),
        "habit.add": ("text",),
        "reminder.create": ("title",),
        "note.create": ("title", "body"),
        "note.find": ("text",),
        "calendar.create_event": ("title",),
        "calendar.find": ("text",),
        "mail.compose": ("subject", "body"),
        "mail.send": ("subject", "body"),
        "file.mkdir": ("path",),
    }
)
"""The arguments of each operation that are texts of the person's own."""
_NO_START = frozenset(word_list("away off out back it him her them that this is inside"))
"""Words with which no text of something new begins: what stands before them was a verb."""
_NO_STARTS = (["and", "call"], ["called", "it"], ["and", "name"])
_LONG = frozenset({"body"})


def doubt_about(actions: Sequence[RequestedAction], text: str, world: ContextWorld = NOTHING) -> str:
    """Return why these actions must not be proposed for this text; empty if nothing speaks against them."""
    words = [word for word in tokenize(text) if not word.quoted]
    if 0 < sum(_counted(actions)) < _count_named(words) and "or" not in {word.text for word in words}:
        return NOT_ALL_FOUND
    new = sum(action.operation == "task.add" for action in actions)
    if 0 < new < _count_named(words, _TASKS):
        return NOT_ALL_FOUND
    quotes = {source_text(text, [word]).casefold() for word in tokenize(text) if word.quoted}
    if any(_holds_more(*each) for each in _new_texts(actions) if each[2].casefold() not in quotes):
        return NO_TEXT
    if any(leftovers.is_cut_badly(action, text) for action in actions):
        return NO_TEXT
    if any(_lost_its_time(action) for action in actions) and _names_an_hour(words):
        return NO_TIME
    return _lost(actions, words, world)


def _lost(actions: Sequence[RequestedAction], words: Sequence[Token], world: ContextWorld) -> str:
    """Return what was lost of what was said; empty if nothing was."""
    if any(leftovers.lost_its_hour(action, words) for action in actions):
        return NO_TIME
    if any(leftovers.is_there_already(action) for action in actions):
        return THERE_ALREADY
    if any(leftovers.lost_its_place(action, words) for action in actions):
        return NO_PLACE
    if leftovers.may_be_program(actions, words, world):
        return TAB_OR_PROGRAM
    return ""


def tidied(actions: Sequence[RequestedAction]) -> tuple[RequestedAction, ...]:
    """Return the actions in their order, each once, and without “I must” before what is to be done."""
    kept: list[RequestedAction] = []
    for action in map(leftovers.without_duties, actions):
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
    counts = [
        _COUNTS[word]
        for at, word in enumerate(said)
        if word in _COUNTS
        and ((word == "both" and counted is _COUNTED) or not counted.isdisjoint(said[at + 1 : at + 4]))
    ]
    return max(counts, default=0)


def _new_texts(actions: Sequence[RequestedAction]) -> Iterator[tuple[str, str, str]]:
    """Yield the operation, the argument and the text of each action on something new."""
    for action in actions:
        for name in _NEW.get(action.operation, ()):
            value = action.arguments.get(name)
            if isinstance(value, str) and value:
                yield action.operation, name, value


def _holds_more(operation: str, name: str, value: str) -> bool:
    """Say whether what was taken for a text holds more than a text: a verb's particle, or another sentence."""
    words = value.casefold().split()
    ends = _ENDS.get(operation, frozenset())
    begins = bool(words) and (words[0] in _NO_START or words[:2] in _NO_STARTS)
    return begins or (name not in _LONG and ("; " in value or not ends.isdisjoint(words[1:-1])))


def _lost_its_time(action: RequestedAction) -> bool:
    due = str(action.arguments.get("due", ""))
    return action.operation == "reminder.create" and due.endswith(USUAL_TIME)


def _names_an_hour(words: Sequence[Token]) -> bool:
    """Say whether an hour is named that is not the usual one, as in “at seven”."""
    said = [word.text for word in words]
    return any(one == "at" and other in _HOURS for one, other in pairwise(said))
