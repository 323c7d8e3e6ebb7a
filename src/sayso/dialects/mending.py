"""A tolerant second look at JSON that is not strict: it says how it would be written; it never lets anything run."""

import json
import re

from sayso.dialects.strict import NotStrict, strict_json

LONGEST = 1_000
"""Longer texts get no second look, and a longer answer is not repeated to the model."""
SAID_BEFORE = "; written correctly it would be "
"""What stands before the mended JSON in a sentence."""

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”)
      | (?P<mark>[][{}:,])
      | (?P<word>[^\s][^\s\]\[{}:,"'“]*)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"{": "}", "[": "]"}
_BEGIN = re.compile(r"[{\[]")


def mended(text: str) -> str:
    """Return `; written correctly it would be …` for JSON with small faults, else nothing.

    Mended are trailing commas, single and typographic quotes, comments, bare keys, Python's words, missing closing
    brackets, and prose around the object. What is not strict JSON then is not repeated.
    """
    written = mended_text(text)
    return f"{SAID_BEFORE}{written}" if written else ""


def mended_text(text: str) -> str:
    """Return the strict JSON that a text with small faults would be; empty where it cannot be told."""
    begin = _BEGIN.search(text) if len(text) <= LONGEST else None
    if begin is None:
        return ""
    written = _rewritten(text[begin.start() :])
    try:
        strict_json(written)
    except NotStrict:
        return ""
    return written


def _rewritten(text: str) -> str:
    out: list[str] = []
    open_: list[str] = []
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "comment":
            continue
        said = token.group()
        if token.lastgroup == "mark":
            _mark(said, out, open_)
        else:
            out.append(_value(said, text=token.lastgroup == "text"))
        if not open_:
            break
    while open_:
        _mark(_CLOSES[open_[-1]], out, open_)
    return "".join(out)


def _mark(said: str, out: list[str], open_: list[str]) -> None:
    if said in _CLOSES:
        open_.append(said)
    elif said in "]}":
        if out[-1] == ", ":
            out.pop()
        while open_ and _CLOSES[open_[-1]] != said:
            out.append(_CLOSES[open_.pop()])
        if open_:
            open_.pop()
    out.append({":": ": ", ",": ", "}.get(said, said))


def _value(said: str, *, text: bool) -> str:
    if text:
        inner = said[1:-1]
        return said if said[0] == '"' else json.dumps(inner.replace("\\'", "'"), ensure_ascii=False)
    if said in _WORDS or _is_json(said):
        return _WORDS.get(said, said)
    return json.dumps(said, ensure_ascii=False)


def _is_json(word: str) -> bool:
    try:
        strict_json(word)
    except NotStrict:
        return False
    return True
