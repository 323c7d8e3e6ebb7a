"""Interpret an utterance, and write the sentences with which the built-in rules answer."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.models.builtin import checks
from sayso.models.builtin.classify import MERGED, NONE, OTHER
from sayso.models.builtin.decide import decide
from sayso.models.builtin.filling import Filled
from sayso.models.builtin.grammar import intents
from sayso.models.builtin.guards import only_reads
from sayso.models.builtin.interpreter import (
    DOUBTFUL,
    REMARK,
    ClauseQuestion,
    IntentMatch,
    IntentMatcher,
    Interpretation,
    RequestedAction,
    actions_of,
    arguments_of,
    choose_interpretation,
    describe,
    segment,
)
from sayso.models.builtin.match import (
    Ambiguous,
    SlotValue,
    Unresolved,
    correct_all,
    correct_words,
    match_name,
    quote_words,
)
from sayso.models.builtin.slots import read
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
LEAVING = "Goodbye. In `sayso chat`, Ctrl-D leaves."
NOTHING_OPEN = f"No question is open here. {FOR_EXAMPLE}"
NOTHING_SAID = f"Nothing was said. {WHAT_IT_CAN}"
TOO_LONG = f"That is too much at once for the built-in rules: say one wish after the other. {ABOUT_MODELS}"
IS_IT_A_WISH = "That is put as a question, so nothing was done. If it is a wish, say it without the question mark."
TWO_WAYS = "It can be read in two ways: put quotes around a text, or say it in other words."
WHAT_IT_IS = "It is not clear what is meant by “it”: name it."
HALF = "More than one thing seems to be wished, and not all of it is clear: say one wish after the other."
IN_QUOTES = "It is not clear where the text ends: put quotes around it, or say one wish after the other."


def explain_not_understood(parts: Sequence[str]) -> str:
    """Return the reply to words that match no intent: a short one to a greeting, an explanation to a call for help."""
    whole = " ".join(parts)
    if _BACK.fullmatch(whole):
        return HOW_TO_UNDO
    if _HELP.fullmatch(whole):
        return f"{WHAT_IT_CAN} {ABOUT_MODELS}"
    small_talk = (_GREETS, GREETING), (_THANKS, WELCOME), (_LEAVES, LEAVING), (_ONLY_AN_ANSWER, NOTHING_OPEN)
    for pattern, answer in small_talk:
        if pattern.fullmatch(whole.strip(" .!?,")):
            return answer
    said = " and ".join(quote_words(part) for part in parts)
    return f"This was not understood, and nothing was done: {said}. {FOR_EXAMPLE} {ABOUT_MODELS}"


def explain_pointed(named: str) -> str:
    """Return what a word such as “it” was taken for."""
    return f"What is meant is {quote_words(named)}, as it was named before."


def explain_disabled(operation: str) -> str:
    """Return the reply for an operation that is switched off or not available."""
    return f"“{operation}” is switched off, or cannot be done here; `sayso operations` shows what can."


def explain_unsayable(operation: str, dialect: str) -> str:
    """Return the reply for an action that the dialect cannot express."""
    return f"“{operation}” cannot be proposed here (dialect “{dialect}”): say it with `sayso ask`."


def is_a_question(words: str) -> bool:
    """Say whether the words end with a question mark and contain no request such as “could you”."""
    return strip_courtesy(tokenize(words)).asked


_YES = frozenset(
    {"yes", "y", "yeah", "yep", "yup", "sure", "right", "correct", "exactly", "ok", "okay", "do it", "yes please"}
)
_WHICH = frozenset({"the", "one", "number", "tab", "option", "choice", "i", "mean", "meant", "please", "task", "file"})
_ABOUT_TIME = frozenset({"when", "span", "start", "wish", "now", "long"})


def apply_answer(
    question: ClauseQuestion, words: Sequence[Token], utterance: Utterance
) -> tuple[RequestedAction, ...] | None:
    """Return the action that this answer leads to; None if the words do not answer the question."""
    if question.options:
        labels = [option.label for option in question.options]
        at = _match_choice(labels, labels, words)
        return None if at is None else question.options[at].actions
    match = question.open_match
    if match is None or match.slot is None:
        return None
    value = _slot_value(match, words, utterance)
    if value is None:
        return None
    arguments = arguments_of(match.intent, {**match.values, match.slot.name: value}, utterance)
    return None if arguments is None else tuple(RequestedAction(match.intent.means, one) for one in arguments)


def _slot_value(open_match: IntentMatch, words: Sequence[Token], utterance: Utterance) -> Json:
    match open_match.doubt:
        case Ambiguous(_, choices):
            at = _match_choice([str(choice.value) for choice in choices], [choice.label for choice in choices], words)
            return None if at is None else choices[at].value
        case Unresolved() if open_match.slot is not None and open_match.slot.kind not in _ABOUT_TIME:
            found = read(open_match.slot.kind, words, utterance)
            return found.value if isinstance(found, SlotValue) else None
        case _:
            return None


def _match_choice(values: Sequence[str], labels: Sequence[str], words: Sequence[Token]) -> int | None:
    """Return the index of the choice that an answer means: by number, by position, or by words of its label.

    “Yes” means a choice only if there is no other choice.
    """
    if join_words(words) in _YES:
        return 0 if len(labels) == 1 else None
    text = " ".join(word.text for word in words if word.text not in _WHICH)
    if text == "last":
        return len(labels) - 1
    count = number(text)
    if count is not None:
        numbered = [at for at, value in enumerate(values) if value.strip("[]") == str(count)]
        return numbered[0] if len(numbered) == 1 else None
    position = ordinal(text)
    if position is not None and text:
        return position - 1 if 1 <= position <= len(labels) else None
    found = match_name(text, [(label,) for label in labels])
    return found.at[0] if len(found.at) == 1 else None


MOST_WORDS, LONGEST = 80, 4_000
"""How many words, and how many characters, are interpreted at most; what is longer is answered at once."""


class WishQuestion(Struct, frozen=True):
    """A message or question to the person instead of an action, and the operations that it is about."""

    text: str
    about: tuple[str, ...] = ()


def interpret(utterance: Utterance, earlier: Sequence[str] = ()) -> tuple[RequestedAction, ...] | WishQuestion:
    """Return the actions that an utterance asks for, or a question about them.

    `earlier` has the person's previous utterances that were answered with a question.
    """
    if len(utterance.text) <= LONGEST:
        utterance, unclear = written(utterance)
        if unclear:
            return WishQuestion(checks.CORRECTED)
    found = _read_utterance(utterance, earlier)
    if isinstance(found, WishQuestion):
        return found
    doubt = checks.doubt_about(found, utterance.text, utterance.world)
    return WishQuestion(doubt) if doubt else checks.tidied(found)


def _read_utterance(utterance: Utterance, earlier: Sequence[str]) -> tuple[RequestedAction, ...] | WishQuestion:
    if _TAKES_BACK.fullmatch(join_words(strip_courtesy(tokenize(utterance.text[:LONGEST])).words)):
        return WishQuestion(HOW_TO_UNDO)
    if earlier:
        found = _interpret_answer(earlier[-1], utterance)
        if found is not None:
            return found
    if len(utterance.text) > LONGEST:
        return WishQuestion(TOO_LONG)
    learned = _by_weights(utterance)
    clauses = _interpret_clauses(utterance)
    if isinstance(clauses, WishQuestion):
        return learned or clauses
    found = _join_clauses(clauses, utterance)
    if learned:
        return _learned_or_asked(learned, found, clauses)
    if isinstance(found, WishQuestion):
        return found
    doubt = decide(utterance).doubt
    if len(found) == 1 and doubt == "more":
        return WishQuestion(HALF)
    if doubt == "unclear" and not utterance.before and any(one.meant for one in found):
        return WishQuestion(WHAT_IT_IS, tuple(one.operation for one in found))
    return WishQuestion(TWO_WAYS) if _copied(clauses) and _is_read_otherwise(found, utterance) else found


def _learned_or_asked(
    learned: tuple[RequestedAction, ...],
    found: tuple[RequestedAction, ...] | WishQuestion,
    clauses: Sequence[Interpretation | None],
) -> tuple[RequestedAction, ...] | WishQuestion:
    """Return what learned weights read, unless a pattern has all words and takes them otherwise."""
    if isinstance(found, WishQuestion):
        return found if _offers(clauses) else learned
    same = _effect(found) == _effect(learned)
    return found if same or all(only_reads(one.operation) for one in (*found, *learned)) else WishQuestion(TWO_WAYS)


def _effect(actions: Sequence[RequestedAction]) -> tuple[set[str], list[str]]:
    """Return what actions come to, whichever way they are put: what they do, and to what."""
    values = [value for one in actions for value in one.arguments.values() if value not in ("", None)]
    each = [part for value in values for part in (cast("list[Json]", value) if isinstance(value, list) else [value])]
    does = {MERGED.get(one.operation, one.operation) for one in actions}
    return does, sorted(str(one).casefold().strip(" .!") for one in each if one != 0)


def _copied(clauses: Sequence[Interpretation | None]) -> bool:
    """Say whether a pattern took words over without understanding them."""
    return any(clause is not None and clause.free_words for clause in clauses)


def _offers(clauses: Sequence[Interpretation | None]) -> bool:
    """Say whether a clause names several things that are as good, of which one is to be chosen."""
    questions = [one.outcome for one in clauses if one is not None and isinstance(one.outcome, ClauseQuestion)]
    doubts = [(one.text, one.open_match.doubt) for one in questions if one.open_match is not None]
    return any(
        isinstance(doubt, Ambiguous) and len(doubt.choices) > 1 and text.startswith(doubt.question)
        for text, doubt in doubts
    )


def _is_read_otherwise(found: Sequence[RequestedAction], utterance: Utterance) -> bool:
    """Say whether learned weights, though not sure what a wish asks for, take it for something else."""
    guessed = decide(utterance).guessed
    meant = {MERGED.get(one.operation, one.operation) for one in found}
    return bool(guessed) and guessed[0].probability >= QUITE and guessed[0].label not in {*meant, NONE}


def _by_weights(utterance: Utterance) -> tuple[RequestedAction, ...]:
    """Return what a wish that no pattern covers asks for, by learned weights; nothing if that is not sure."""
    decision = decide(utterance)
    return tuple(
        RequestedAction(reading.operation, one, reading.pointed)
        for reading in (() if decision.doubt else decision.readings)
        if isinstance(reading.found, Filled)
        for one in reading.found.arguments
    )


QUITE = 0.8
"""How probable another operation must be to stand against a pattern."""
MOST_DESCRIBED = 8


def explain(utterance: Utterance) -> tuple[str, ...]:
    """Return in plain words how an utterance was read, a line each: its clauses, and what each was taken for."""
    words = tokenize(utterance.text[:LONGEST])
    if not words or len(words) > MOST_WORDS:
        return ()
    said = " ".join(word.text for word in strip_courtesy(words).words)
    lines = [f"{quote_words(said)} is what was read, without what is only polite"]
    clauses = _interpret_clauses(utterance)
    for clause in () if isinstance(clauses, WishQuestion) else clauses:
        if clause is REMARK:
            lines.append("this part asks for nothing, so nothing is done about it")
        elif clause is not None and clause.match is not None:
            lines.append(describe(clause.match))
        elif clause is not None and isinstance(clause.outcome, ClauseQuestion):
            lines.append(f"it may be {' or '.join(clause.outcome.about) or 'a wish'}; asked: {clause.outcome.text}")
        else:
            lines.append("no pattern of the rules has all words of this part")
    if not isinstance(clauses, WishQuestion) and any(clause is None for clause in clauses):
        lines[MOST_DESCRIBED - 1 :] = [_describe_guesses(utterance)]
    return tuple(lines[: MOST_DESCRIBED + 1])


def _describe_guesses(utterance: Utterance) -> str:
    """Return what learned weights take a wish for, with how probable each operation is, and what keeps it undone."""
    decision = decide(utterance)
    guessed = ", ".join(
        f"{'nothing that is done here' if one.label in {NONE, OTHER} else one.label} {one.probability:.0%}"
        for one in decision.guessed[:3]
    )
    why = f"; nothing is done by that alone: {_DOUBTS[decision.doubt]}" if decision.doubt else ""
    return f"by likeness to known wishes: {guessed or 'several wishes'}{why}"


_DOUBTS = {
    "none": "no wish that is known here is near enough",
    "unclear": "what it is about is not clear",
    "guarded": "something in it speaks against it",
    "more": "it says more than that",
    "which": "others are nearly as likely",
}


def _interpret_answer(earlier: str, utterance: Utterance) -> tuple[RequestedAction, ...] | None:
    """Return the actions of the earlier utterance, completed by this answer; None if the words do not answer it."""
    clauses = _interpret_clauses(Utterance(earlier, utterance.world, utterance.now))
    if isinstance(clauses, WishQuestion) or any(clause is None for clause in clauses):
        return None
    outcomes = [clause.outcome for clause in clauses if clause is not None]
    questions = [outcome for outcome in outcomes if isinstance(outcome, ClauseQuestion)]
    if len(questions) != 1:
        return None
    answered = apply_answer(questions[0], strip_courtesy(tokenize(utterance.text)).words, utterance)
    if answered is None:
        return None
    each = [answered if isinstance(outcome, ClauseQuestion) else outcome for outcome in outcomes]
    return tuple(action for actions in each for action in actions)


@lru_cache(maxsize=4)
def _interpret_clauses(utterance: Utterance) -> tuple[Interpretation | None, ...] | WishQuestion:
    if len(utterance.text) > LONGEST:
        return WishQuestion(TOO_LONG)
    words = tokenize(utterance.text)
    if not words:
        return WishQuestion(NOTHING_SAID)
    if len(words) > MOST_WORDS:
        return WishQuestion(TOO_LONG)
    matcher = IntentMatcher(utterance, intents())

    def interpret_clause(
        words: Sequence[Token], verb: tuple[str, ...] = (), *, alone: bool = False
    ) -> Interpretation | None:
        wish = strip_courtesy(words).words
        spellings = dict.fromkeys((tuple(word.text for word in wish), correct_words(wish)))
        question: Interpretation | None = None
        for spelled in spellings:
            found = choose_interpretation(matcher.match(wish, spelled, verb, alone=alone))
            if found is not None and not isinstance(found.outcome, ClauseQuestion):
                return found
            question = question or found
        return question

    found = segment(strip_courtesy(words).words, interpret_clause, utterance)
    if found.cost >= DOUBTFUL and (corrected := correct_all(words)) != words:
        other = segment(strip_courtesy(corrected).words, interpret_clause, utterance)
        return min((found, other), key=lambda one: one.cost).clauses
    return found.clauses


def _join_clauses(
    clauses: Sequence[Interpretation | None], utterance: Utterance
) -> tuple[RequestedAction, ...] | WishQuestion:
    """Return the actions of all clauses; if one clause is unclear, return only a question and no action."""
    known = [clause for clause in clauses if clause is not None and clause is not REMARK]
    if None in clauses or not known:
        return WishQuestion(explain_not_understood([source_text(utterance.text, tokenize(utterance.text))]))
    questions = [clause.outcome for clause in known if isinstance(clause.outcome, ClauseQuestion)]
    if questions:
        text = " ".join(dict.fromkeys(question.text for question in questions))
        return WishQuestion(text, tuple(id_ for question in questions for id_ in question.about))
    if any(clause.open_ended for clause in known[:-1]):
        return WishQuestion(IN_QUOTES, ())
    return tuple(_on_the_same_monitor(known, utterance))


def _on_the_same_monitor(clauses: Sequence[Interpretation], utterance: Utterance) -> Iterator[RequestedAction]:
    """Yield all actions; if a half of a screen is given without its monitor, it is on the monitor of the half before.

    Example: “put notes on the left half of the main screen and mail on the right half”.
    """
    monitor: Json = None
    for clause in clauses:
        actions, match = clause.outcome, clause.match
        if isinstance(actions, ClauseQuestion) or match is None:
            continue
        if match.intent.means != "app.place" or "area" not in match.values:
            monitor = None
        elif "monitor" in match.values:
            monitor = match.values["monitor"]
        elif monitor is not None:
            placed = arguments_of(match.intent, {**match.values, "monitor": monitor}, utterance)
            actions = actions if placed is None else actions_of(replace(match, arguments=placed))
        yield from actions
