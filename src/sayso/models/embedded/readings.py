"""What a slot may hold: one thing, several that may be meant, or none of what was named."""

from collections.abc import Sequence

from sayso.core.canonical import Json
from sayso.core.values import dataclass

MOST_CHOICES = 8


@dataclass(frozen=True, slots=True)
class Found:
    """What the words mean, how surely, and how many of them were taken as they are."""

    value: Json
    sureness: float = 1.0
    free: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several things that may be meant: how a person is told of it, and what it stands for."""

    said: str
    value: Json


@dataclass(frozen=True, slots=True)
class Several:
    """Words that mean several things, where one is wanted."""

    said: str
    choices: tuple[Choice, ...]
    sureness: float = 1.0


@dataclass(frozen=True, slots=True)
class Missing:
    """Words for a thing of the right kind that is not there, or that leave open which it is: a sentence says so."""

    why: str
    sure: bool = False
    """The words are certainly about such a thing, so that nothing else is looked for."""
    what: str = ""
    """The kind of thing that goes by names, such as “task”; empty where it is no name that was not found."""
    said: str = ""
    """The words that name none, as they are told."""
    telling: str = ""
    """Those of them that may tell things apart."""
    there: tuple[Choice, ...] = ()
    """The things of this kind that there are."""


Reading = Found | Several | Missing


def listed(choices: Sequence[Choice]) -> str:
    """Return choices as a part of a sentence, at most so many of them."""
    said = [choice.said for choice in choices[:MOST_CHOICES]]
    if len(choices) > MOST_CHOICES:
        return f"{', '.join(said)}, and {len(choices) - MOST_CHOICES} more"
    return f"{', '.join(said[:-1])} or {said[-1]}" if len(said) > 1 else said[0]


def quoted(text: str) -> str:
    """Return somebody's words in quotes that nothing in them can close, on one line and not too long."""
    line = " ".join(text.split()).translate(_PLAIN_QUOTES)
    return f"“{line}”" if len(line) <= _LONGEST else f"“{line[:_LONGEST]}…”"


_PLAIN_QUOTES = str.maketrans("“”„‟", '""""')
_LONGEST = 120
