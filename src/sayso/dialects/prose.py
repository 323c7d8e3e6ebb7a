"""Put blocks and words to a person together as a chat reply of which only the blocks are read."""

import re
from collections.abc import Sequence

_FENCES = re.compile(r"`{3,}|~{3,}")
_LEAST = 3


def prose(parts: Sequence[str]) -> str:
    """Return the parts as one reply, an empty line between them."""
    return "".join(f"{part}\n\n" for part in parts).removesuffix("\n")


def remark(text: str) -> str:
    """Return words that no reader takes for a block: what holds a fence stands in a longer one of its own."""
    text = text.rstrip("\n")
    fences = [found.group() for found in _FENCES.finditer(text)]
    if not fences:
        return text
    fence = "`" * (max(map(len, [*fences, "`" * _LEAST])) + 1)
    return f"{fence}\n{text}\n{fence}"
