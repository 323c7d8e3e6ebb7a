"""Find the calls in what a model's interface returns: one call, a list of calls, or a whole assistant message."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.operation import Problem
from sayso.core.values import dataclass
from sayso.dialects.spans import elements
from sayso.dialects.strict import NotStrict, strict_json

_TEXTS_BESIDE = frozenset({"id", "type", "call_id", "status"})
_BESIDE = frozenset({"index", "cache_control", "caller"})
"""What interfaces write beside name and arguments of a call; it decides nothing."""
_PROGRESS = frozenset({"progressToken"})
"""What MCP writes into `_meta` beside a call; with anything else in it, the call is not understood."""
_SILENT = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""Parts of a message that are neither said to the person nor done."""
_CALL_KEYS = ("arguments", "input")
_BLANK = re.compile(r"\s*")

Members = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the name of the tool and its arguments, or why there is none; `at` is where it stands."""

    name: str
    arguments: Members
    at: tuple[int, int]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Text of a message, for the person."""

    text: str


def calls(value: Json, text: str) -> Iterator[Call | Said]:
    """Yield the calls and the texts of a document in their order; `text` is what `value` was read from."""
    if isinstance(value, list):
        yield from _items(cast("list[Json]", value), elements(text))
    elif isinstance(value, dict) and ("tool_calls" in value or ("role" in value and "content" in value)):
        yield from _message(cast("Members", value), text)
    else:
        yield _call(cast("Json", value), (0, len(text)))


def _message(message: Members, text: str) -> Iterator[Call | Said]:
    content = message.get("content")
    if isinstance(content, str):
        yield Said(content)
    elif isinstance(content, list):
        yield from _items(cast("list[Json]", content), elements(text, "content"))
    elif content is not None:
        yield _no_call((0, len(text)), "“content” of a message is a text or a list of parts")
    made = message.get("tool_calls")
    if isinstance(made, list):
        yield from _items(cast("list[Json]", made), elements(text, "tool_calls"))
    elif made is not None or "function_call" in message:
        yield _no_call((0, len(text)), "the calls of a message stand in the list “tool_calls”")


def _items(items: list[Json], spans: list[tuple[int, int]]) -> Iterator[Call | Said]:
    for item, at in zip(items, spans, strict=True):
        kind = _type(item)
        if kind in {"text", "output_text"}:
            yield Said(str(cast("Members", item).get("text", "")))
        elif kind == "message":
            said = cast("Members", item).get("content")
            parts = cast("list[Json]", said) if isinstance(said, list) else [said]
            yield from (Said(_said(part)) for part in parts)
        elif kind not in _SILENT:
            yield _call(item, at)


def _type(item: Json) -> str | None:
    kind = cast("Members", item).get("type") if isinstance(item, dict) else None
    return kind if isinstance(kind, str) else None


def _said(part: Json) -> str:
    return str(cast("Members", part).get("text", "")) if isinstance(part, dict) else str(part or "")


def _call(value: Json, at: tuple[int, int]) -> Call:
    if not isinstance(value, dict):
        return _no_call(at, "a call is an object with “name” and “arguments”")
    call = dict(cast("Members", value))
    if isinstance(call.get("function"), dict):
        inner = dict(cast("Members", call.pop("function")))
        twice = next((key for key, item in call.items() if not _is_beside(key, item)), None)
        if twice is not None:
            return _no_call(at, f"nothing stands beside “function” of a call, not “{twice[:80]}”")
        call = inner
    else:
        call = {key: item for key, item in call.items() if not _is_beside(key, item)}
    name = call.pop("name", None)
    if not isinstance(name, str) or not name:
        return _no_call(at, "a call needs “name”, the name of a tool")
    given = [key for key in _CALL_KEYS if key in call]
    others = [key for key in call if key not in _CALL_KEYS]
    if others or len(given) > 1:
        key = others[0] if others else given[1]
        return _no_call(at, f"a call has “name” and “arguments”, not “{key[:80]}”", name)
    return _with_arguments(name, call[given[0]] if given else {}, at)


def _is_beside(key: str, value: Json) -> bool:
    if key == "_meta":
        return isinstance(value, dict) and cast("Members", value).keys() <= _PROGRESS
    return key in _BESIDE or (key in _TEXTS_BESIDE and (value is None or isinstance(value, str)))


def _with_arguments(name: str, given: Json, at: tuple[int, int]) -> Call:
    if isinstance(given, str):
        try:
            given = {} if _BLANK.fullmatch(given) else strict_json(given)
        except NotStrict as wrong:
            return Call(name, {}, at, Problem(wrong.code, f"the arguments of {name} are no JSON: {wrong.sentence}"))
    if not isinstance(given, dict):
        return _no_call(at, f"the arguments of {name} must be an object", name)
    return Call(name, cast("Members", given), at)


def _no_call(at: tuple[int, int], sentence: str, name: str = "") -> Call:
    return Call(name, {}, at, Problem("call.form", sentence))
