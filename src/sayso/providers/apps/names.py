"""Find the application that a name means, or say which names are near it."""

from collections.abc import Iterable
from difflib import get_close_matches

NEAR = 3
TELLING = 3
"""Characters from which on a name found within what was said is no chance."""


def meant(name: str, known: Iterable[str], *, exact: bool = False) -> str | None:
    """Return the known name that is equal, else the only one equal but for case (unless `exact`); else None."""
    names = list(dict.fromkeys(known))
    if name in names:
        return name
    folded = [item for item in names if item.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 and not exact else None


def near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known names that were perhaps meant, the likeliest first."""
    names = list(dict.fromkeys(known))
    wanted = name.casefold()
    same = [item for item in names if item.casefold() == wanted]
    holding = [
        item for item in names if wanted in item.casefold() or (len(item) >= TELLING and item.casefold() in wanted)
    ]
    by_folded = {item.casefold(): item for item in names}
    close = [by_folded[item] for item in get_close_matches(wanted, by_folded, n=NEAR, cutoff=0.6)]
    return tuple(dict.fromkeys((*same, *holding, *close)))[:NEAR]


def perhaps(names: Iterable[str]) -> str:
    """Return “did you mean …” for an error sentence, empty without names."""
    listed = [f"“{item}”" for item in names]
    if not listed:
        return ""
    *most, last = listed
    return f"; did you mean {', '.join(most) + ' or ' if most else ''}{last}?"
