"""Find the command that an unknown line may have meant (T-10)."""

import re
from collections.abc import Iterable

from sayso.core.loading import load

MOST_SEARCHES = 100
"""A reply of a million wrong names is not worth a million searches; later ones get no suggestion."""

_LIKE_A_NAME = re.compile(r"[A-Za-z]*_[A-Za-z_]*|[A-Z]{4,}")
_LONGEST = 40
_FIRST_WORDS = 240
_MOST_WORDS = 5
_CLOSE = 0.82


class Near:
    """Suggests one of the names it was given, or nothing when none is near."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._found: dict[str, str] = {}

    def spelled(self, line: str) -> str:
        """Return the command that a line spells in several words, and the words after it; empty when it does not."""
        words = line[:_FIRST_WORDS].split()[:_MOST_WORDS]
        for count in range(len(words), 1, -1):
            name = "_".join(words[:count]).upper()
            if name in self._names:
                rest = line.split(None, count)[count:] if len(line) <= _FIRST_WORDS else []
                return " ".join([name, *rest])
        return ""

    def nearest(self, line: str) -> tuple[str, str]:
        """Return the first word of a line, and the name that it may have meant; empty when none is near."""
        word = next(iter(line[:_FIRST_WORDS].split()), "")
        return ("", "") if word.upper() in self._names else (word, self._nearest(word))

    def _nearest(self, word: str) -> str:
        if len(word) > _LONGEST or not _LIKE_A_NAME.fullmatch(word):
            return ""
        if word not in self._found and len(self._found) < MOST_SEARCHES:
            found = load("difflib:get_close_matches")(word.upper(), self._names, cutoff=_CLOSE)
            self._found[word] = found[0] if found else ""
        return self._found.get(word, "")
