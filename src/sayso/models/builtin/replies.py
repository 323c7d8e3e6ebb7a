"""Interpret an utterance, and write the sentences with which the built-in rules answer."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.models.builtin import checks
from sayso.models.builtin.classify import NONE, OTHER
from sayso.models.builtin.clause import CALLED
from sayso.models.builtin.decide import Decision, Reading, decide, settled
from sayso.models.builtin.filling import fill
from sayso.models.builtin.learned import cues
from sayso.models.builtin.left_out import left_out
from sayso.models.builtin.mentions import find_things
from sayso.models.builtin.names import NOUNS, SMALL, indices, name_parts
from sayso.models.builtin.outcomes import (
    EVERYTHING,
    NOT_ALL,
    Ambiguous,
    Choice,
    Filled,
    RequestedAction,
    Unresolved,
    WishQuestion,
    list_choices,
    quote_words,
)
from sayso.models.builtin.spoken import written
from sayso.models.builtin.times import number, ordinal
from sayso.models.builtin.tokens import Token, join_words, source_text, strip_courtesy, tokenize
from sayso.models.builtin.world import Utterance

WHAT_IT_CAN = (
    "The built-in rules know plain wishes about tabs, applications and windows, tasks and habits, reminders, calendar, "
    "notes, files, mail, clipboard and sound, such as “what is in my Downloads” or “remind me at six to call Ana”."
)
FOR_EXAMPLE = "Say what you want done, such as “remind me at six to call Ana”; “help” lists more."
ABOUT_MODELS = "A language model understands more: `sayso config model` sets one up."
HOW_TO_UNDO = (
    "`sayso undo` takes back the last thing that was done; `sayso undo --list` shows what else can be taken back."
)
_BACK = re.compile(r"(please )?((undo|revert)\b.*|take (it|that|this|everything|all of it) back)[.!]?", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"(undo|revert|take back)( (it|that|this|last|thing|change|one|the))*|take (it|that|this) back"
)
_HELP = re.compile(
    r"((please )?help( me)?( please)?|what can (you|i) (do|say|ask)( for me| here)?|how does this work)[.?!]?",
    re.IGNORECASE,
)
_GREETS = re.compile(
    r"(hello|hi|hey|hiya|howdy|yo|good (morning|afternoon|evening|day))( there| again| sayso| everyone)?"
    r"([ ,!.]*how are you( doing| today)?)?|how are you( doing| today)?|(are )?you there",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(ok(ay)?,? |great,? |perfect,? )?(thanks|thank you|thx|ta|cheers)( a lot| so much| very much| again| sayso)?",
    re.IGNORECASE,
)
_LEAVES = re.compile(r"(good ?)?bye( bye)?|see you( later)?|good ?night|exit|quit", re.IGNORECASE)
_ONLY_AN_ANSWER = re.compile(r"[a-z]|[0-9]{1,3}|yes|no|yeah|yep|nope|sure|ok|okay|nothing|never ?mind", re.IGNORECASE)
GREETING = f"Hello. {FOR_EXAMPLE}"
WELCOME = f"You are welcome. {FOR_EXAMPLE}"
NOTHING_ASKED = f"That seems to ask for nothing, so nothing was done. {FOR_EXAMPLE}"
LEAVING = "Goodbye. In `sayso chat`, Ctrl-D leaves."
NOTHING_OPEN = f"No question is open here. {FOR_EXAMPLE}"
NOTHING_SAID = f"Nothing was said. {WHAT_IT_CAN}"
TOO_LONG = f"That is too much at once for the built-in rules: say one wish after the other. {ABOUT_MODELS}"
IS_IT_A_WISH = "That is put as a question, so nothing was done. If it is a wish, say it without the question mark."
IN_OTHER_WORDS = "say it in other words, with quotes around a text."
LEFT_OUT = f"Not all that was said has a place in it, so nothing was done: {IN_OTHER_WORDS}"
GUARDED = f"Something in it may speak against it, so nothing was done: {IN_OTHER_WORDS}"
HALF = "More than one thing seems to be wished, and not all of it is clear: say one wish after the other."


def explain_not_understood(text: str) -> str:
    """Return the reply to words that ask for nothing which is known here."""
    return small_talk(text) or (
        f"This was not understood, and nothing was done: {quote_words(text)}. {FOR_EXAMPLE} {ABOUT_MODELS}"
    )


def small_talk(text: str) -> str:
    """Return a short reply to a greeting, to thanks or to a call for help; empty for other words."""
    if _BACK.fullmatch(text):
        return HOW_TO_UNDO
    if _HELP.fullmatch(text):
        return f"{WHAT_IT_CAN} {ABOUT_MODELS}"
    pairs = (_GREETS, GREETING), (_THANKS, WELCOME), (_LEAVES, LEAVING), (_ONLY_AN_ANSWER, NOTHING_OPEN)
    return next((answer for pattern, answer in pairs if pattern.fullmatch(text.strip(" .!?,"))), "")


def explain_pointed(named: str) -> str:
    """Return what a word such as “it” was taken for."""
    return f"What is meant is {quote_words(named)}, as it was named before."


def explain_disabled(operation: str) -> str:
    """Return the reply for an operation that is switched off or not available."""
    return f"“{operation}” is switched off, or cannot be done here; `sayso operations` shows what can."


UNSAYABLE = "That cannot be done from here, so nothing was done; in a terminal, `sayso ask` can do it."
"""The reply to a wish for an action that the dialect cannot express."""


def is_a_question(words: str) -> bool:
    """Say whether the words end with a question mark and contain no request such as “could you”."""
    return strip_courtesy(tokenize(words)).asked


_YES = frozenset(
    {"yes", "y", "yeah", "yep", "yup", "sure", "right", "correct", "exactly", "ok", "okay", "do it", "yes please"}
)
_WHICH = frozenset({"the", "one", "number", "tab", "option", "choice", "i", "mean", "meant", "please", "task", "file"})
MOST_WORDS, LONGEST = 80, 4_000
"""How many words, and how many characters, are interpreted at most; what is longer is answered at once.

Nobody says more in one sentence to a table of examples, and what is longer is nearly always a text with its own orders.
"""
OFFERED, MOST_OFFERED = 0.1, 3
"""How likely a reading must be to be named in a question, and how many are named."""
SIMILAR_NAME = 75.0
"""The least similarity, out of 100, at which a known name is suggested for an unknown one."""
_TAKES_AWAY = frozenset({"delete", "delete_event", "quit", "close", "trash", "move"})


class _Option(Struct, frozen=True):
    """One answer to a question: its label, the names by which it can be chosen, and what is done then."""

    label: str
    names: tuple[str, ...]
    actions: tuple[RequestedAction, ...]


class _Asked(Struct, frozen=True):
    """A question, with the answers to it that are known."""

    question: WishQuestion
    options: tuple[_Option, ...] = ()


def interpret(utterance: Utterance, earlier: Sequence[str] = ()) -> tuple[RequestedAction, ...] | WishQuestion:
    """Return the actions that an utterance asks for, or a question about them.

    `earlier` has the person's previous utterances that were answered with a question.
    """
    if len(utterance.text) > LONGEST:
        return WishQuestion(TOO_LONG)
    if earlier:
        answered = _answer(earlier[-1], utterance)
        if answered is not None:
            return answered if isinstance(answered, WishQuestion) else _checked(answered, utterance)
    if said := small_talk(" ".join(utterance.text.split())):
        return WishQuestion(said)
    utterance, unclear = written(utterance)
    if unclear:
        return WishQuestion(checks.CORRECTED)
    words = tokenize(utterance.text)
    if not words or len(words) > MOST_WORDS:
        return WishQuestion(TOO_LONG if words else NOTHING_SAID)
    if _TAKES_BACK.fullmatch(join_words(strip_courtesy(words).words)):
        return WishQuestion(HOW_TO_UNDO)
    decision = decide(utterance)
    return _asked(decision, utterance).question if decision.doubt else _checked(_actions(decision.readings), utterance)


def _checked(actions: Sequence[RequestedAction], utterance: Utterance) -> tuple[RequestedAction, ...] | WishQuestion:
    doubt = checks.doubt_about(actions, utterance)
    return WishQuestion(doubt, (actions[0].operation,)) if doubt else checks.tidied(actions)


def _actions(readings: Sequence[Reading]) -> tuple[RequestedAction, ...]:
    return tuple(
        RequestedAction(reading.operation, one, reading.pointed)
        for reading in readings
        if isinstance(reading.found, Filled)
        for one in reading.found.arguments
    )


def _asked(decision: Decision, utterance: Utterance) -> _Asked:
    """Return what the person is asked about a wish that is in doubt."""
    readings = decision.readings
    about = tuple(one.operation for one in readings[:1])
    open_ = next((one for one in readings if not isinstance(one.found, Filled)), None)
    match decision.doubt:
        case "unclear" if open_ is not None:
            return _about(open_, readings, utterance)
        case "unclear":
            return _Asked(WishQuestion(LEFT_OUT, about))
        case "guarded":
            every = any(word.text in EVERYTHING and not word.quoted for word in tokenize(utterance.text))
            return _Asked(WishQuestion(f"{GUARDED} {NOT_ALL}" if every else GUARDED, about))
        case "more":
            return _Asked(WishQuestion(HALF, about))
        case "which" if readings:
            return _which(readings, utterance)
        case _:
            nothing = decision.guessed and decision.guessed[0].label == NONE
            told = (
                NOTHING_ASKED if nothing and not small_talk(utterance.text) else explain_not_understood(utterance.text)
            )
            return _Asked(WishQuestion(told))


def _about(open_: Reading, readings: Sequence[Reading], utterance: Utterance) -> _Asked:
    """Return the question about a reading that lacks an argument; the readings beside it are done with the answer."""
    about = (open_.operation,)
    if isinstance(open_.found, Ambiguous):
        choices, why = open_.found.choices, open_.found.question
        told = f"{why} There are {list_choices([one.label for one in choices])}."
    else:
        unknown = _unknown(open_)
        why = open_.found.why if isinstance(open_.found, Unresolved) else HALF
        if unknown and isinstance(open_.found, Unresolved) and not why.endswith(NOT_ALL):
            kind = open_.found.kind
            named = quote_words(source_text(utterance.text, unknown))
            why = f"No {CALLED.get(kind, kind)} here is called {named}, so nothing was done."
        choices = _nearest(open_, unknown, utterance)
        told = f"{why} Is {list_choices([one.label for one in choices])} meant?" if choices else why
    options = [
        _Option(one.label, (one.label, str(one.value)), actions)
        for one in choices
        if (actions := _with(open_, one.value, readings, utterance)) is not None
    ]
    return _Asked(WishQuestion(told, about), tuple(options))


def _with(
    open_: Reading, chosen: Json, readings: Sequence[Reading], utterance: Utterance
) -> tuple[RequestedAction, ...] | None:
    """Return the actions of all readings, with the thing that was chosen for the open one."""
    found = fill(open_.operation, open_.words, open_.mentions, utterance, chosen)
    if not isinstance(found, Filled):
        return None
    chosen_one = settled(replace(open_, found=found), utterance)
    return _actions([chosen_one if one is open_ else one for one in readings])


def _unknown(reading: Reading) -> list[Token]:
    """Return the first words in a row with which nobody says what they want, and which name nothing here."""
    kind = reading.found.kind if isinstance(reading.found, Unresolved) else ""
    small = cues() | SMALL | NOUNS[kind] if kind else frozenset[str]()
    found: list[Token] = []
    for word in reading.words if kind else ():
        if word.text not in small:
            found.append(word)
        elif found:
            break
    return found


def _nearest(reading: Reading, unknown: Sequence[Token], utterance: Utterance) -> list[Choice]:
    """Return the known things whose names are most like words that name nothing here."""
    kind = reading.found.kind if isinstance(reading.found, Unresolved) else ""
    if not kind or (isinstance(reading.found, Unresolved) and reading.found.why.endswith(NOT_ALL)):
        return []
    ratio: Callable[[str, str], float] = load("rapidfuzz.fuzz:ratio")
    words = [word.text for word in unknown]
    each = min if reading.operation.partition(".")[2] in _TAKES_AWAY else max
    found: list[tuple[float, Choice]] = []
    for thing in indices(utterance.world)[kind].things:
        parts = name_parts(thing.label)
        likeness = [max((ratio(word, part) for part in parts), default=0.0) for word in words]
        if likeness and each(likeness) >= SIMILAR_NAME:
            found.append((each(likeness), Choice(thing.label, thing.value)))
    return [choice for _, choice in sorted(found, key=lambda one: -one[0])[:MOST_OFFERED]]


def _which(readings: Sequence[Reading], utterance: Utterance) -> _Asked:
    """Return the question which one of several readings is meant, or whether the only one is."""
    likely = [one for one in readings if one.likely >= OFFERED][:MOST_OFFERED] or [readings[0]]
    options = tuple(
        _Option(label, (label,), _actions([one])) for one in likely for label in [_in_words(one, utterance)]
    )
    labels = list_choices([one.label for one in options])
    left = left_out(options[0].actions, utterance) if len(options) == 1 else ""
    only = f"Is this meant, without {quote_words(left)}: {labels}?" if left else f"Is this meant: {labels}?"
    told = only if len(options) == 1 else f"It may mean one of these: {labels}. Which one?"
    return _Asked(WishQuestion(told, tuple(dict.fromkeys(one.operation for one in likely))), options)


def _in_words(reading: Reading, utterance: Utterance) -> str:
    """Return a reading in words, such as `delete task “Wine”`."""
    kind, _, does = reading.operation.partition(".")
    each = [" ".join(_values(one, utterance)) for one in _filled(reading)]
    return f"{does.replace('_', ' ')} {CALLED.get(kind, kind)} {', '.join(each)}".strip()


def _filled(reading: Reading) -> Sequence[Mapping[str, Json]]:
    return reading.found.arguments if isinstance(reading.found, Filled) else ()


def _values(arguments: Mapping[str, Json], utterance: Utterance) -> Iterator[str]:
    for name, value in arguments.items():
        things = indices(utterance.world)[_KINDS[name]].things if name in _KINDS else ()
        for one in cast("list[Json]", value) if isinstance(value, list) else [value]:
            known = (thing.label for thing in things if one in (thing.value, _id_of(thing.value)))
            yield next(known, str(one) if isinstance(one, int | float) else quote_words(str(one)))


_KINDS = MappingProxyType({"index": "tab", "indices": "tab", "id": "event"})
"""The kinds of things that arguments name by a number or an id."""


def _id_of(value: Json) -> Json:
    return cast("Mapping[str, Json]", value).get("id") if isinstance(value, Mapping) else None


def _answer(earlier: str, utterance: Utterance) -> tuple[RequestedAction, ...] | WishQuestion | None:
    """Return the actions of the earlier utterance, completed by this answer; None if the words do not answer it.

    An answer that fits several of what was offered is asked about once more.
    """
    before, unclear = written(replace(utterance, text=earlier[:LONGEST]))
    decision = decide(before)
    if not decision.doubt or unclear:
        return None
    words = strip_courtesy(tokenize(utterance.text)).words
    asked = _asked(decision, before)
    chosen = _chosen(asked.options, words)
    if len(chosen) > 1:
        return asked.question
    return asked.options[chosen[0]].actions if chosen else _named(decision, words, before, utterance)


def _named(
    decision: Decision, words: Sequence[Token], before: Utterance, utterance: Utterance
) -> tuple[RequestedAction, ...] | None:
    """Return the actions with the thing that the answer names; None if it names anything else beside it."""
    open_ = next((one for one in decision.readings if isinstance(one.found, Unresolved)), None)
    if open_ is None or not isinstance(open_.found, Unresolved) or not open_.found.kind or not words:
        return None
    named = find_things(open_.found.kind, words, utterance)
    told = {at for one in named for at in range(one.start, one.end)}
    small = SMALL | NOUNS[open_.found.kind]
    rest = [word for at, word in enumerate(words) if at not in told and word.text not in small]
    if len(named) != 1 or named[0].rivals or rest:
        return None
    return _with(open_, named[0].value, decision.readings, before)


def _chosen(options: Sequence[_Option], words: Sequence[Token]) -> list[int]:
    """Return the indices of the options that an answer may mean: by number, by position, or by words of the name.

    “Yes” means an option only if there is no other one.
    """
    every = [*range(len(options))]
    if join_words(words) in _YES:
        return every if len(options) == 1 else []
    text = " ".join(word.text for word in words if word.text not in _WHICH)
    if text == "last":
        return every[-1:]
    if (count := number(text)) is not None:
        return [at for at in every if str(count) in options[at].names]
    if text and (position := ordinal(text)) is not None:
        return [position - 1] if 1 <= position <= len(options) else []
    parts = {*name_parts(text)}
    return [at for at in every if parts and parts <= {*name_parts(options[at].label)}]


def explain(utterance: Utterance) -> tuple[str, ...]:
    """Return in plain words how an utterance was read, a line each: its words, what they may ask for, and what came."""
    words = tokenize(utterance.text[:LONGEST])
    if not words or len(words) > MOST_WORDS:
        return ()
    said = " ".join(word.text for word in strip_courtesy(words).words)
    decision = decide(written(replace(utterance, text=utterance.text[:LONGEST]))[0])
    lines = [f"{quote_words(said)} is what was read, without what is only polite"]
    if decision.guessed:
        guessed = ", ".join(
            f"{'nothing that is done here' if one.label in {NONE, OTHER} else one.label} {one.probability:.0%}"
            for one in decision.guessed[:3]
        )
        lines.append(f"by likeness to known wishes: {guessed}")
    for one in decision.readings[:MOST_DESCRIBED]:
        likely = f", {one.likely:.0%} likely" if one.likely else ""
        lines.append(f"read as {_in_words(one, utterance)}{likely}" if _filled(one) else f"in doubt: {one.operation}")
    if decision.doubt:
        lines.append(f"nothing is done by that alone: {_DOUBTS[decision.doubt]}")
    return tuple(lines)


MOST_DESCRIBED = 5
_DOUBTS = {
    "none": "no wish that is known here is near enough",
    "unclear": "what it is about is not clear",
    "guarded": "something in it speaks against it",
    "more": "it says more than that",
    "which": "it is not likely enough, or others are nearly as likely",
}
