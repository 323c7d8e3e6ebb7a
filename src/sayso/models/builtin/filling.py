"""Fill the arguments of an operation from the words of a wish and what they mention."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.match import Ambiguous, Unresolved
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.tokens import Token
from sayso.models.builtin.world import Utterance


class Filled(Struct, frozen=True):
    """The arguments of each action (nearly always one), and how surely the words mean them."""

    arguments: tuple[Mapping[str, Json], ...]
    strength: float
    free_words: int
    """Number of words that were copied into texts without being understood."""


def fill(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], utterance: Utterance
) -> Filled | Ambiguous | Unresolved:
    """Return the arguments of this operation, or what must be asked: which one is meant, or what is missing."""
    raise NotImplementedError
