"""Find in the arguments of actions what was said about an action and is no part of it, or what was lost on the way."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from types import MappingProxyType
from typing import cast

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.models.builtin.outcomes import RequestedAction
from sayso.models.builtin.tokens import Token, source_text, tokenize, word_list
from sayso.models.builtin.world import ContextWorld

_ENDS_SENTENCE = frozenset(".!?")
_SHORTEST = 5
"""How many letters a word has with which a sentence ends, rather than being an abbreviation such as “Dr.”."""
_ABOUT_LOOKING = frozenset(
    word_list(
        "mention mentions mentioning contain contains containing subject any anything that which who whose word words "
        "file files note notes mail mails email emails name named called please"
    )
)
"""Words by which people say where something is looked for and what is in it."""
_ASKING = (("will", "you"), ("would", "you"), ("can", "you"), ("could", "you"), ("if", "you"))
_OPENING = frozenset(word_list("don't do not no never please just only leave keep save send"))
_ABOUT_MAILS = frozenset(word_list("send sending sent draft drafts mail email"))
_PEOPLE = frozenset({"i", "we", "you"})
_DUTIES = (("must",), ("should",), ("have", "to"), ("need", "to"), ("ought", "to"), ("has", "to"))
_RELATIONS = frozenset(word_list("before after above below behind beneath underneath"))
_ON_ITS_OWN = frozenset({"top", "bottom", "end", "up", "down"})
_HOURS = frozenset(str(hour) for hour in range(25))
_TIMES: Mapping[str, str] = MappingProxyType(
    {"reminder.create": "due", "calendar.create_event": "start", "calendar.update_event": "start"}
)
_ABOUT_TABS = frozenset(word_list("tab tabs page pages site website webpage browser"))
_DAY = len("2026-01-31")


def is_cut_badly(action: RequestedAction, text: str) -> bool:
    """Say whether a text of an action, which has no quotes around it, holds words that were said about it."""
    said = tokenize(text)
    quotes = {source_text(text, [word]).casefold() for word in said if word.quoted}
    for name, value in _texts_of(action):
        if value.casefold() in quotes:
            continue
        words = tokenize(value)
        looking = name in {"find", "criteria"}
        if looking and (_tells_how(words) or any(word.pause in {",", ";"} for word in words[:-1])):
            return True
        if name == "body" and _speaks_of_mail(words):
            return True
        if name == "title" and _holds_sentences(words):
            return True
    return False


def _texts_of(action: RequestedAction) -> list[tuple[str, str]]:
    """Return the texts of an action, each with what it is: something to look for, a body, or a title."""
    found: list[tuple[str, str]] = []
    told = action.arguments
    criteria = told.get("criteria")
    match action.operation:
        case "note.find" | "calendar.find":
            found = [("find", str(told.get("text", "")))]
        case "file.find":
            found = [("find", str(told.get("pattern", "")).strip("*"))]
        case "mail.search" if isinstance(criteria, Mapping):
            told = cast("Mapping[str, Json]", criteria)
            found = [("criteria", str(told.get(name, ""))) for name in ("text", "subject")]
        case "mail.compose" | "mail.send":
            found = [("body", str(told.get("body", ""))), ("title", str(told.get("subject", "")))]
        case "calendar.create_event":
            found = [("title", str(told.get("title", "")))]
        case _:
            pass
    return [(name, value) for name, value in found if value]


def _tells_how(words: Sequence[Token]) -> bool:
    said = [word.text for word in words if not word.quoted]
    return not _ABOUT_LOOKING.isdisjoint(said) or any(pair in _ASKING for pair in pairwise(said))


def _speaks_of_mail(words: Sequence[Token]) -> bool:
    """Say whether a sentence of a body but the first says what is to become of the mail itself."""
    for at in range(1, len(words)):
        if words[at - 1].pause in _ENDS_SENTENCE and words[at].text in _OPENING:
            end = next((end for end in range(at, len(words)) if words[end].pause in _ENDS_SENTENCE), len(words))
            if not _ABOUT_MAILS.isdisjoint(word.text for word in words[at : end + 1]):
                return True
    return False


def _holds_sentences(words: Sequence[Token]) -> bool:
    """Say whether a sentence ends inside of a title."""
    return any(
        word.pause in {"!", "?"} or (word.pause == "." and len(word.text) >= _SHORTEST)
        for word in words[:-1]
        if word.pause and not word.quoted
    )


def without_duties(action: RequestedAction) -> RequestedAction:
    """Return a reminder whose title is what is to be done, without “I must” before it."""
    title = action.arguments.get("title")
    if action.operation != "reminder.create" or not isinstance(title, str):
        return action
    words = tokenize(title)
    said = [word.text for word in words]
    begin = int(said[:1] == ["that"])
    count = next((len(one) for one in _DUTIES if tuple(said[begin + 1 : begin + 1 + len(one)]) == one), 0)
    if not count or said[begin] not in _PEOPLE or len(words) <= begin + 1 + count:
        return action
    rest = source_text(title, words[begin + 1 + count :])
    return replace(action, arguments={**action.arguments, "title": rest})


def is_there_already(action: RequestedAction) -> bool:
    """Say whether a file would be moved or copied to where it is, whichever way its folder is written."""
    if action.operation not in {"file.move", "file.copy"}:
        return False
    one, other = (str(action.arguments.get(name, "")) for name in ("source", "destination"))
    return bool(one) and (one == other or _is_at_home(one, other) or _is_at_home(other, one))


def _is_at_home(short: str, whole: str) -> bool:
    """Say whether `~/…` and a whole path name the same file."""
    if not short.startswith("~/") or not whole.startswith("/") or not whole.endswith(short[1:]):
        return False
    return whole.removesuffix(short[1:]).count("/") <= len(("/home", "/name"))


def lost_its_place(action: RequestedAction, words: Sequence[Token]) -> bool:
    """Say whether a task goes to an end of the list although another one is named that it stands before or after."""
    said = {word.text for word in words}
    alone = action.operation == "task.move" and "other" not in action.arguments
    return alone and not _RELATIONS.isdisjoint(said) and _ON_ITS_OWN.isdisjoint(said)


def lost_its_hour(action: RequestedAction, words: Sequence[Token]) -> bool:
    """Say whether an hour is named by a bare number, as in “at 17”, and the time of the action is a whole day."""
    time = str(action.arguments.get(_TIMES.get(action.operation, ""), ""))
    named = any(one.text == "at" and other.text in _HOURS for one, other in pairwise(words))
    return len(time) == _DAY and named


def may_be_program(actions: Sequence[RequestedAction], words: Sequence[Token], world: ContextWorld) -> bool:
    """Say whether a program is named that no action is about, and a tab with another name would be shown."""
    used = {str(action.arguments.get("name", "")) for action in actions}
    return any(_is_for_program(action, words, world, used) for action in actions)


def _is_for_program(
    action: RequestedAction, words: Sequence[Token], world: ContextWorld, used: AbstractSet[str]
) -> bool:
    said = {word.text for word in words}
    index = action.arguments.get("index")
    tab = next((one for one in world.tabs if one.index == index), None)
    if action.operation != "tab.switch" or tab is None or not _ABOUT_TABS.isdisjoint(said):
        return False
    shown = f"{tab.title} {tab.domain}".casefold()
    return any(_is_said(name, words) and name.casefold() not in shown for name in world.running if name not in used)


def _is_said(name: str, words: Sequence[Token]) -> bool:
    there = [word.text for word in words]
    wanted = [word.text for word in tokenize(name)]
    return bool(wanted) and any(there[at : at + len(wanted)] == wanted for at in range(len(there)))
