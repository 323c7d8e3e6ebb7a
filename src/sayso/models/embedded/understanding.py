"""What a clause may mean: every intent that its words fit, each with arguments or with what is in doubt."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import cast

from sayso.core.canonical import Json
from sayso.core.values import dataclass
from sayso.models.embedded.filling import filled
from sayso.models.embedded.intents import Intent
from sayso.models.embedded.names import WHOLE
from sayso.models.embedded.patterns import Slot, Span, fits
from sayso.models.embedded.readings import Choice, Found, Missing, Reading, Several, quoted
from sayso.models.embedded.slots import read
from sayso.models.embedded.words import Word
from sayso.models.embedded.world import Scene

_TEXTS = frozenset({"wish", "title", "now", "todo", "place"})
_BODIES = frozenset({"body", "now"})
_FREE = _TEXTS | _BODIES | frozenset({"text", "new_text", "texts", "quote", "term", "person", "name", "question"})


@dataclass(frozen=True)
class Meant:
    """An operation that a clause may mean."""

    intent: Intent
    arguments: Mapping[str, Json]
    sureness: float
    free: int
    """How many words were taken as they are: the fewer, the more of the clause was understood."""
    doubt: Several | Missing | None = None
    """Why it cannot be done as it was said."""
    slot: Slot | None = None
    """The slot in doubt."""
    said: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What the slots hold that are not in doubt."""
    open_ended: bool = False
    """It has a text without quotes around it in which another wish may be hidden."""
    verb: tuple[str, ...] = ()
    """The words before its first slot, where that is no free text: another thing may follow without them."""


class Listener:
    """Reads the slots of one text, each part of it once."""

    def __init__(self, scene: Scene, table: Sequence[Intent]) -> None:
        self.scene = scene
        self._table = table
        self._read: dict[tuple[str, int, int], Reading | None] = {}

    def of(
        self, words: Sequence[Word], spelled: Sequence[str], verb: Sequence[str] = (), *, alone: bool
    ) -> list[Meant]:
        """Return everything that these words may mean; `spelled` is what patterns are held against.

        `verb` is what another clause began with, and stands before these words too.
        """
        literal = (*verb, *spelled)
        words = (*(Word(word, 0, 0) for word in verb), *words)
        found: list[Meant] = []
        for intent in self._table:
            if intent.alone and not alone:
                continue
            for pattern in intent.patterns:
                if not literal or (pattern.firsts is not None and literal[0] not in pattern.firsts):
                    continue
                found += [
                    meant
                    for spans in fits(pattern.parts, literal)
                    if (meant := self._meant(intent, words, literal, spans)) is not None
                ]
        return found

    def _meant(
        self, intent: Intent, words: Sequence[Word], literal: Sequence[str], spans: tuple[Span, ...]
    ) -> Meant | None:
        said: dict[str, Json] = {}
        sureness, free, doubt, slot, body = intent.sure, 0, None, None, False
        for span in spans:
            part = words[span.start : span.end]
            reading = self._slot(span.slot.kind, part)
            if reading is None or (doubt is not None and not isinstance(reading, Found)):
                return None
            if isinstance(reading, Found):
                said[span.slot.name] = reading.value
                sureness, free = sureness * reading.sureness, free + reading.free
                body = body or (span.slot.kind in _BODIES and reading.free > 0)
                if intent.whole and reading.sureness < WHOLE:
                    doubt, slot = _whole_name(reading), span.slot
            else:
                doubt, slot = reading, span.slot
                free += len(part) if span.slot.kind in _TEXTS else 0
                sureness *= reading.sureness if isinstance(reading, Several) else 1.0
        verb = tuple(literal[: spans[0].start]) if spans and spans[0].slot.kind not in _FREE else ()
        if intent.ask and doubt is None:
            return Meant(intent, {}, sureness, free, Missing(intent.ask, sure=True))
        if doubt is not None:
            return Meant(intent, {}, sureness, free, doubt, slot, said, body, verb)
        arguments = arguments_of(intent, said, self.scene)
        return None if arguments is None else Meant(intent, arguments, sureness, free, None, None, said, body, verb)

    def _slot(self, kind: str, words: Sequence[Word]) -> Reading | None:
        key = (kind, words[0].start, words[-1].end)
        if key not in self._read:
            self._read[key] = read(kind, words, self.scene)
        return self._read[key]


def arguments_of(intent: Intent, said: Mapping[str, Json], scene: Scene) -> dict[str, Json] | None:
    """Return the arguments that an intent has when its slots hold this; None where one cannot be worked out."""
    arguments = dict(_filled(intent, said, scene))
    return None if None in arguments.values() else arguments


def _filled(intent: Intent, said: Mapping[str, Json], scene: Scene) -> Iterator[tuple[str, Json]]:
    for name, template in intent.arguments.items():
        yield name, filled(template, said, scene)


def _whole_name(reading: Found) -> Several:
    value = reading.value
    said = quoted(str(cast("Mapping[str, Json]", value)["title"] if isinstance(value, Mapping) else value))
    return Several(f"Is {said} meant? It was not named by its whole name.", (Choice(said, reading.value),))
