"""A value is told as text, as JSON writes it where JSON can."""

from typing import Any

import pytest

from sayso.providers.browser.bidi.page import as_text
from sayso.providers.browser.bidi.protocol import Value


def number(value: object) -> dict[str, object]:
    return {"type": "number", "value": value}


TEXT = {"type": "string", "value": "ü"}
YES = {"type": "boolean", "value": True}


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("undefined", None, ""),
        ("null", None, "null"),
        ("string", "ü\n", "ü\n"),
        ("number", 6, "6"),
        ("number", 1.5, "1.5"),
        ("number", "NaN", "NaN"),
        ("number", "-0", "-0"),
        ("boolean", True, "true"),
        ("bigint", "10", "10n"),
        ("date", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"),
        ("array", [number(1), TEXT, {"type": "null"}, number("NaN")], '[1, "ü", null, null]'),
        ("object", [["a", {"type": "object", "value": [["b", YES]]}]], '{"a": {"b": true}}'),
        ("map", [[number(1), {"type": "bigint", "value": "2"}]], '{"1": "2n"}'),
        ("set", [{"type": "undefined"}, {"type": "function"}], '[null, "[function]"]'),
        ("regexp", {"pattern": "a+", "flags": "i"}, "/a+/i"),
        ("regexp", {"pattern": "a"}, "/a/"),
        ("function", None, "[function]"),
        ("window", {"context": "x"}, "[window]"),
        ("array", None, '"[array]"'),
    ],
)  # fmt: skip
def test_each_kind_has_its_text(type_: str, value: Any, text: str):
    assert as_text(Value(type_, value)) == text
