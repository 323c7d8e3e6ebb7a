"""What the words of a wish come to: arguments and actions, a choice between things, or what is missing."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sayso.core.encoding import Json

NOT_ALL = "Nothing is done to everything at once: name what you mean."
EVERYTHING = frozenset({"all", "everything", "every", "each", "anything", "any", "entire", "whole"})
"""Words that may mean everything of a kind."""
MOST_CHOICES = 8


class Choice(Struct, frozen=True):
    """One of several things that may be meant, with the label that the person sees."""

    label: str
    value: Json


class Ambiguous(Struct, frozen=True):
    """Words that fit several things although only one may be meant; `question` asks the person which one it is."""

    question: str
    choices: tuple[Choice, ...]
    strength: float = 1.0


class Unresolved(Struct, frozen=True):
    """Words that fit nothing known, or are unclear; `why` is a sentence that tells the person so."""

    why: str
    kind: str = ""
    """The kind of thing that was not found, as `mentions.THINGS` has it; empty if a name is not the problem."""


class Filled(Struct, frozen=True):
    """The arguments of each action (nearly always one), and how surely the words mean them."""

    arguments: tuple[Mapping[str, Json], ...]
    strength: float
    free_words: int
    """Number of words that were copied into texts without being understood."""


class RequestedAction(Struct, frozen=True):
    """An operation with its arguments; `meant` tells what a word such as “it” was taken for."""

    operation: str
    arguments: Mapping[str, Json]
    meant: str = ""


class WishQuestion(Struct, frozen=True):
    """A message or question to the person instead of an action, and the operations that it is about."""

    text: str
    about: tuple[str, ...] = ()


def list_choices(labels: Sequence[str]) -> str:
    """Return the labels as part of a sentence; only `MOST_CHOICES` are listed, others are counted."""
    if len(labels) > MOST_CHOICES:
        return f"{', '.join(labels[:MOST_CHOICES])}, and {len(labels) - MOST_CHOICES} more"
    return f"{', '.join(labels[:-1])} or {labels[-1]}" if len(labels) > 1 else labels[0]


def quote_words(text: str) -> str:
    """Return a text in quotes, on one line, and shortened if it is long; double quotes in it become straight ones."""
    line = " ".join(text.split()).translate(_PLAIN_QUOTES)
    return f"“{line}”" if len(line) <= _LONGEST else f"“{line[:_LONGEST]}…”"


_PLAIN_QUOTES = str.maketrans("“”„‟", '""""')
_LONGEST = 120
