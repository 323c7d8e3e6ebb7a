"""What the built-in rules say when they do nothing."""

import re
from collections.abc import Sequence

from sayso.models.embedded.courtesy import plain
from sayso.models.embedded.readings import quoted
from sayso.models.embedded.words import words_of

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
    said = " and ".join(quoted(part) for part in parts)
    return f"This was not understood, and nothing was done: {said}. {CAN} {MORE}"


def switched_off(operation: str) -> str:
    """Return what is said about an operation that is not offered."""
    return f"“{operation}” is switched off, or cannot be done here; `sayso operations` shows what can."


def unsayable(operation: str, dialect: str) -> str:
    """Return what is said about an operation that a dialect has no words for."""
    return f"“{operation}” cannot be proposed here (dialect “{dialect}”): say it with `sayso ask`."


def is_a_question(words: str) -> bool:
    """Say whether words end with a question mark, and no courtesy makes a wish of them."""
    return plain(words_of(words)).asked
