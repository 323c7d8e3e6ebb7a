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
_ELSEWHERE = frozenset({"server_tool_use", "mcp_tool_use"})
"""Calls that the interface itself has carried out; what came of them stands in parts of `…_tool_result`."""
_CALLS = frozenset({"tool_use", "function", "function_call", "tool_call"})
"""The types of a call, where it has one."""
_ASSISTANT = "assistant"
_CALL_KEYS = ("arguments", "input")
_SHOWN = 80
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


def is_assistants(message: Members) -> bool:
    """Say whether a message may be the model's own: it says so, or does not say whose it is (PA-04)."""
    return message.get("role", _ASSISTANT) == _ASSISTANT


def is_done_elsewhere(kind: str) -> bool:
    """Say whether a part of this type tells of what the model's interface did by itself."""
    return kind in _ELSEWHERE or kind.endswith("_tool_result")


def calls(value: Json, text: str) -> Iterator[Call | Said]:
    """Yield the calls and the texts of a document in their order; `text` is what `value` was read from."""
    if isinstance(value, list):
        yield from _items(cast("list[Json]", value), elements(text))
    elif isinstance(value, dict) and ("tool_calls" in value or ("role" in value and "content" in value)):
        yield from _message(cast("Members", value), text)
    else:
        yield _call(cast("Json", value), (0, len(text)))


def _message(message: Members, text: str) -> Iterator[Call | Said]:
    if not is_assistants(message):
        yield _not_the_models((0, len(text)), message)
        return
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
            yield from _item(cast("Members", item), at)
        elif kind is None or not (kind in _SILENT or is_done_elsewhere(kind)):
            yield _call(item, at)


def _item(message: Members, at: tuple[int, int]) -> Iterator[Call | Said]:
    """Yield the texts of a message that stands beside calls, and not around them."""
    if not is_assistants(message):
        yield _not_the_models(at, message)
        return
    said = message.get("content")
    parts = cast("list[Json]", said) if isinstance(said, list) else [said]
    yield from (Said(_said(part)) for part in parts)


def _not_the_models(at: tuple[int, int], message: Members) -> Call:
    role = message.get("role")
    whose = f"“{role[:_SHOWN]}”" if isinstance(role, str) else "no text"
    return _no_call(at, f"only a message of the model itself holds calls: its “role” must be “assistant”, not {whose}")


def _type(item: Json) -> str | None:
    kind = cast("Members", item).get("type") if isinstance(item, dict) else None
    return kind if isinstance(kind, str) else None


def _said(part: Json) -> str:
    return str(cast("Members", part).get("text", "")) if isinstance(part, dict) else str(part or "")


def _call(value: Json, at: tuple[int, int]) -> Call:
    if not isinstance(value, dict):
        return _no_call(at, "a call is an object with “name” and “arguments”")
    kind = _type(cast("Json", value))
    if kind is not None and kind not in _CALLS:
        return _no_call(at, f"“{kind[:_SHOWN]}” is no type of a call to be done here; leave “type” out")
    call = dict(cast("Members", value))
    if isinstance(call.get("function"), dict):
        inner = dict(cast("Members", call.pop("function")))
        twice = next((key for key, item in call.items() if not _is_beside(key, item)), None)
        if twice is not None:
            return _no_call(at, f"nothing stands beside “function” of a call, not “{twice[:_SHOWN]}”")
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
        return _no_call(at, f"a call has “name” and “arguments”, not “{key[:_SHOWN]}”", name)
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
