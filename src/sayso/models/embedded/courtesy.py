"""Leave out the words of a wish that are there for courtesy alone, and say whether it is put as a question."""

from collections.abc import Sequence

from sayso.core.values import dataclass
from sayso.models.embedded.words import Word

_BEFORE = tuple(
    tuple(opening.split())
    for opening in (
        "please", "pls", "plz", "kindly", "hey", "hi", "hello", "ok", "okay", "so", "well", "um", "uh", "oh", "sayso",
        "alright", "right", "now", "quick", "quickly", "just", "maybe", "perhaps", "computer", "also", "then", "and",
        "can you", "could you", "would you", "will you", "can u", "could u", "can we",
        "i want you to", "i'd like you to", "i would like you to", "i need you to", "i want to", "i'd like to",
        "i would like to", "i wanna", "let's", "lets", "let us", "go ahead and", "would you mind", "be so kind and",
        "do me a favor and", "do me a favour and", "help me", "i'd like", "good morning", "good evening", "yo",
        "real quick", "first", "next", "finally", "after that", "and then", "can you please", "time to",
        "if you could", "it would be great if you could", "it'd be great if you could",
    )
)  # fmt: skip
_AFTER = tuple(
    tuple(closing.split())
    for closing in (
        "please", "pls", "plz", "thanks", "thank you", "thx", "for me", "now", "right now", "real quick", "quickly",
        "ok", "okay", "asap", "right away", "at once", "immediately", "if you can", "if possible", "if you could",
        "would you", "will you", "could you", "can you", "mate", "buddy", "thanks a lot", "thank you very much",
        "if you don't mind", "when you can", "when you have a moment", "when you get a chance", "cheers", "sayso",
        "too", "as well", "many thanks", "straight away", "first",
    )
)  # fmt: skip
_THINKING_ALOUD = frozenset({"maybe", "perhaps"})
_REQUESTS = frozenset({"can", "could", "would", "will", "please", "mind", "may"})


@dataclass(frozen=True, slots=True)
class Plain:
    """What is left of a wish without courtesies."""

    words: tuple[Word, ...]
    asked: bool
    """It ends with a question mark, and no courtesy says that it is a wish nevertheless."""


def plain(words: Sequence[Word]) -> Plain:
    """Return the words without courtesies around them."""
    left = list(words)
    asks = bool(left) and left[-1].pause == "?"
    requested = any(word.text in _REQUESTS for word in left[:4])
    begun = False
    while (opening := _first(left, _BEFORE)) and len(left) > len(opening):
        if not begun and opening[0] in _THINKING_ALOUD:
            break  # “maybe I'll …” is no wish; “could you maybe …” is one
        begun, left = True, left[len(opening) :]
    while (closing := _last(left)) and len(left) > len(closing):
        left = left[: -len(closing)]
    return Plain(tuple(left), asks and not requested)


def _first(words: Sequence[Word], phrases: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    found = [one for one in phrases if tuple(word.text for word in words[: len(one)]) == one]
    return max(found, key=len, default=())


def _last(words: Sequence[Word]) -> tuple[str, ...]:
    found = [one for one in _AFTER if tuple(word.text for word in words[-len(one) :]) == one]
    return max(found, key=len, default=())
