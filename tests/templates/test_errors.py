"""A complaint is told in plain words, and of its field."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from sayso.templates.errors import worded


class Part(msgspec.Struct, forbid_unknown_fields=True):
    size: float = 0


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=5)]
    part: Part | None = None
    kind: Literal["a", "b"] = "a"
    sizes: list[float] = []
    code: Annotated[str, msgspec.Meta(min_length=2)] = "xy"


@pytest.mark.parametrize(
    ("value", "clause"),
    [
        ([], "“it”: it must be a mapping, and is a list"),
        ({}, "missing it.name"),
        ({"name": "x", "more": 1}, "“it” has no field “more”"),
        ({"name": "x", "part": {"more": 1}}, "“it.part” has no field “more”"),
        ({"name": "x", "part": {"size": "big"}}, "“it.part.size”: it must be a number, and is a text"),
        ({"name": "x", "part": 5}, "“it.part”: it must be a mapping or None, and is a number"),
        ({"name": "x", "sizes": [1, None]}, "“it.sizes[1]”: it must be a number, and is None"),
        ({"name": ""}, "“it.name”: it is empty"),
        ({"name": "x" * 6}, "“it.name”: it is longer than 5 characters"),
        ({"name": "x", "code": "x"}, "“it.code”: it is shorter than 2 characters"),
        ({"name": "x", "kind": "c"}, "“it.kind”: it is a or b"),
        ({"name": "x", "kind": 5}, "“it.kind”: it must be a text, and is a number"),
    ],
)
def test_it_says_what_is_wrong_where(value: Any, clause: str):
    with pytest.raises(msgspec.ValidationError) as wrong:
        msgspec.convert(value, Whole)

    assert worded(str(wrong.value), "it", {".kind": "it is a or b"}) == clause


def test_what_is_not_known_stays_as_it_is():
    assert worded("Something else", "it", {}) == "“it”: something else"
