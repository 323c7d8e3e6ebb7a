"""From a wish to a reply: proposals, answers from what is known, and questions back."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.grammar import intents
from sayso.models.builtin.interpreter import Act, Ask, Listener, Meant, Understood, arguments_of, choose_meaning, cut
from sayso.models.builtin.match import Found, Missing, Several, correct_words, match_name, quote_words
from sayso.models.builtin.slots import read
from sayso.models.builtin.times import number, ordinal
from sayso.models.builtin.tokens import Word, between, join_words, plain, words_of
from sayso.models.builtin.world import Scene

CAN = (
    "The built-in rules know plain wishes about tabs, applications and windows, tasks and habits, reminders, calendar, "
    "notes, files, mail, clipboard and sound, such as “switch to reddit” or “remind me at six to call Ana”."
)
MORE = "A language model understands more: `sayso config model` sets one up."
BACK = "`sayso undo` takes back the last thing that was done; `sayso undo --list` shows what else can be taken back."
_BACK = re.compile(r"(please )?((undo|revert)\b.*|take (it|that|this|everything|all of it) back)[.!]?", re.IGNORECASE)
_HELP = re.compile(r"help( me)?|what can (you|i) (do|say|ask)( here)?", re.IGNORECASE)
NOTHING_SAID = f"Nothing was said. {CAN}"
TOO_LONG = f"That is too much at once for the built-in rules: say one wish after the other. {MORE}"
IS_IT_A_WISH = "That is put as a question, so nothing was done. If it is a wish, say it without the question mark."
IN_QUOTES = "It is not clear where the text ends: put quotes around it, or say one wish after the other."


def not_understood(parts: Sequence[str]) -> str:
    """Return what is said about words that mean nothing here, or nothing but sayso itself."""
    whole = " ".join(parts)
    if _BACK.fullmatch(whole):
        return BACK
    if _HELP.fullmatch(whole):
        return f"{CAN} {MORE}"
    said = " and ".join(quote_words(part) for part in parts)
    return f"This was not understood, and nothing was done: {said}. {CAN} {MORE}"


def explain_disabled(operation: str) -> str:
    """Return what is said about an operation that is not offered."""
    return f"“{operation}” is switched off, or cannot be done here; `sayso operations` shows what can."


def unsayable(operation: str, dialect: str) -> str:
    """Return what is said about an operation that a dialect has no words for."""
    return f"“{operation}” cannot be proposed here (dialect “{dialect}”): say it with `sayso ask`."


def is_a_question(words: str) -> bool:
    """Say whether words end with a question mark, and no courtesy makes a wish of them."""
    return plain(words_of(words)).asked


_YES = frozenset(
    {"yes", "y", "yeah", "yep", "yup", "sure", "right", "correct", "exactly", "ok", "okay", "do it", "yes please"}
)
_WHICH = frozenset({"the", "one", "number", "tab", "option", "choice", "i", "mean", "meant", "please", "task", "file"})
_ABOUT_TIME = frozenset({"when", "span", "start", "wish", "now", "long"})


def apply_answer(question: Ask, words: Sequence[Word], scene: Scene) -> Act | None:
    """Return what is to be done after this answer; None where it does not answer the question."""
    if question.options:
        at = _match_choice(
            [option.said for option in question.options], [option.said for option in question.options], words
        )
        return None if at is None else question.options[at].act
    meant = question.open
    if meant is None or meant.slot is None:
        return None
    value = _value(meant, words, scene)
    if value is None:
        return None
    arguments = arguments_of(meant.intent, {**meant.said, meant.slot.name: value}, scene)
    return None if arguments is None else Act(meant.intent.means, arguments)


def _value(meant: Meant, words: Sequence[Word], scene: Scene) -> Json:
    match meant.doubt:
        case Several(_, choices):
            at = _match_choice([str(choice.value) for choice in choices], [choice.said for choice in choices], words)
            return None if at is None else choices[at].value
        case Missing() if meant.slot is not None and meant.slot.kind not in _ABOUT_TIME:
            found = read(meant.slot.kind, words, scene)
            return found.value if isinstance(found, Found) else None
        case _:
            return None


def _match_choice(values: Sequence[str], said: Sequence[str], words: Sequence[Word]) -> int | None:
    """Return which of the choices an answer names: by its own number, its place among them, or words of it."""
    if join_words(words) in _YES:
        return 0 if len(said) == 1 else None
    telling = [word.text for word in words if word.text not in _WHICH]
    text = " ".join(telling)
    if text == "last":
        return len(said) - 1
    count = number(text)
    if count is not None:
        own = [at for at, value in enumerate(values) if value.strip("[]") == str(count)]
        return own[0] if len(own) == 1 else None
    place = ordinal(text)
    if place is not None and text:
        return place - 1 if 1 <= place <= len(said) else None
    found = match_name(text, [(one,) for one in said])
    return found.at[0] if len(found.at) == 1 else None


MOST_WORDS = 120


class Question(Struct, frozen=True):
    """Why nothing is done yet: what is asked, and the operations that are in doubt."""

    why: str
    about: tuple[str, ...] = ()


def interpret(scene: Scene, earlier: Sequence[str] = ()) -> tuple[Act, ...] | Question:
    """Return what the words of a scene wish for; `earlier` are words that were answered with a question."""
    if earlier:
        found = _after(earlier[-1], scene)
        if found is not None:
            return found
    clauses = _clauses(scene)
    return clauses if isinstance(clauses, Question) else _whole(clauses, scene)


def _after(earlier: str, scene: Scene) -> tuple[Act, ...] | None:
    """Return what earlier words wish for when these words answer the question about them; None where they do not."""
    clauses = _clauses(Scene(earlier, scene.world, scene.now))
    if isinstance(clauses, Question) or any(clause is None for clause in clauses):
        return None
    whats = [clause.what for clause in clauses if clause is not None]
    questions = [what for what in whats if isinstance(what, Ask)]
    if len(questions) != 1:
        return None
    act = apply_answer(questions[0], plain(words_of(scene.text)).words, scene)
    return None if act is None else tuple(act if isinstance(what, Ask) else what for what in whats)


def _clauses(scene: Scene) -> tuple[Understood | None, ...] | Question:
    said = words_of(scene.text)
    if not said:
        return Question(NOTHING_SAID)
    if len(said) > MOST_WORDS:
        return Question(TOO_LONG)
    listener = Listener(scene, intents())

    def decide(words: Sequence[Word], verb: tuple[str, ...] = (), *, alone: bool = False) -> Understood | None:
        wish = plain(words).words
        spellings = dict.fromkeys((tuple(word.text for word in wish), correct_words(wish)))
        asked: Understood | None = None
        for spelled in spellings:
            found = choose_meaning(listener.of(wish, spelled, verb, alone=alone))
            if found is not None and isinstance(found.what, Act):
                return found
            asked = asked or found
        return asked

    return cut(plain(said).words, decide).clauses


def _whole(clauses: Sequence[Understood | None], scene: Scene) -> tuple[Act, ...] | Question:
    """Return all that is to be done, or the first thing that must be asked: all of it is done, or nothing."""
    known = [clause for clause in clauses if clause is not None]
    if len(known) < len(clauses) or not known:
        return Question(not_understood([between(scene.text, words_of(scene.text))]))
    asks = [clause.what for clause in known if isinstance(clause.what, Ask)]
    if asks:
        return Question(
            " ".join(dict.fromkeys(ask.why for ask in asks)), tuple(id_ for ask in asks for id_ in ask.about)
        )
    if any(clause.open_ended for clause in known[:-1]):
        return Question(IN_QUOTES, ())
    return tuple(_on_the_same_monitor(known, scene))


def _on_the_same_monitor(clauses: Sequence[Understood], scene: Scene) -> Iterator[Act]:
    """Yield all acts; a half is that of the monitor that was said for the half before it."""
    monitor: Json = None
    for clause in clauses:
        act, meant = clause.what, clause.meant
        if not isinstance(act, Act) or meant is None:
            continue
        if act.operation != "app.place" or "side" not in meant.said:
            monitor = None
        elif "monitor" in meant.said:
            monitor = meant.said["monitor"]
        elif monitor is not None:
            there = arguments_of(meant.intent, {**meant.said, "monitor": monitor}, scene)
            act = act if there is None else Act(act.operation, there)
        yield act
