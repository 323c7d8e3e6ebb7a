"""Where the elements of a list stand in a text that was read strictly before, so that each is quoted as it came."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]', re.DOTALL)
_OPEN, _CLOSE = frozenset("{["), frozenset("}]")

Span = tuple[int, int]


def elements(text: str, key: str | None = None) -> list[Span]:
    """Return where the elements of the list stand that `text` is, or that its object has under `key`.

    `text` is strict JSON, and the list is there.
    """
    tokens = _TOKEN.finditer(text)
    if key is not None:
        _go_to_value(tokens, key)
    next(tokens)  # the bracket that opens the list
    return list(_elements(tokens))


def _go_to_value(tokens: Iterator[re.Match[str]], key: str) -> None:
    depth = 1
    for before, token in pairwise(tokens):
        said = token.group()
        if depth == 1 and said == ":" and json.loads(before.group()) == key:
            return
        depth += (said in _OPEN) - (said in _CLOSE)


def _elements(tokens: Iterator[re.Match[str]]) -> Iterator[Span]:
    depth, found = 0, None
    for token in tokens:
        said = token.group()
        if depth == 0 and said in ",]":
            if found is not None:
                yield found
            if said == "]":
                return
            found = None
            continue
        depth += (said in _OPEN) - (said in _CLOSE)
        found = (token.start() if found is None else found[0], token.end())
