"""Find the command that an unknown line may have meant (T-10)."""

import re
from collections.abc import Sequence
from typing import Any

from sayso.core.loading import load
from sayso.dialects.lines.forms import FormsOf

_LIKE_A_NAME = re.compile(r"[A-Za-z]*_[A-Za-z_]*|[A-Z]{4,}")
_FIRST_WORDS = 240
_MOST_WORDS = 5


class Near:
    """Suggests commands of these forms, or nothing when none is meant."""

    def __init__(self, forms: FormsOf) -> None:
        self._names = forms
        self._meaning: Any = None

    def spelled(self, line: str) -> str:
        """Return the command that a line spells in several words, and the words after it; empty when it does not."""
        words = line[:_FIRST_WORDS].split()[:_MOST_WORDS]
        for count in range(len(words), 1, -1):
            name = "_".join(words[:count]).upper()
            if name in self._names:
                rest = line.split(None, count)[count:] if len(line) <= _FIRST_WORDS else []
                return " ".join([name, *rest])
        return ""

    def nearest(self, line: str) -> tuple[str, list[str]]:
        """Return the first word of a line, and the commands that it may have meant; none when it means none of them."""
        word = _first(line)
        if word.upper() in self._names:
            return "", []
        return word, [name for id_ in self._meant(word) if (name := self._names.called(id_))]

    def hint(self, line: str) -> str:
        """Return a sentence that names the commands that may be meant, or those of its kind; empty without any."""
        word = _first(line)
        told = self._known().hint(word, self._names.called) if _LIKE_A_NAME.fullmatch(word) else ""
        said = told.removeprefix("; ")
        return said[:1].upper() + said[1:] + ("." if said and not said.endswith("?") else "")

    def _meant(self, word: str) -> Sequence[str]:
        return self._known().of(word) if _LIKE_A_NAME.fullmatch(word) else ()

    def _known(self) -> Any:
        if self._meaning is None:  # most replies have no unknown line, and none of this is imported
            self._meaning = load("sayso.dialects.meaning:Meaning")(self._names.operations)
        return self._meaning


def _first(line: str) -> str:
    return next(iter(line[:_FIRST_WORDS].split()), "")
