"""Where the elements of a list stand in a text that was read strictly before, so that each is quoted as it came."""

import json
import re
from collections.abc import Iterator

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
    depth, name = 0, ""
    for token in tokens:
        said = token.group()
        if said in _OPEN:
            depth += 1
        elif said in _CLOSE:
            depth -= 1
        elif depth == 1 and said == ":" and json.loads(name) == key:
            return
        elif depth == 1 and said[0] == '"':
            name = said


def _elements(tokens: Iterator[re.Match[str]]) -> Iterator[Span]:
    depth, start, end = 0, -1, -1
    for token in tokens:
        said = token.group()
        if depth == 0 and said in ",]":
            if start >= 0:
                yield start, end
            if said == "]":
                return
            start = -1
            continue
        depth += (said in _OPEN) - (said in _CLOSE)
        start, end = (token.start() if start < 0 else start), token.end()
