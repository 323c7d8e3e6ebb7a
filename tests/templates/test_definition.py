"""What an action says of itself is held to the form of S3, field by field."""

from collections.abc import Mapping
from typing import Any

import pytest

from sayso.core.errors import SetupError
from sayso.templates.definition import configured, secrets_of

PLAIN: dict[str, Any] = {
    "id": "a",
    "name": "A",
    "description": "Does a.",
    "parameterSchema": {"type": "object", "properties": {}},
}


@pytest.mark.req("S3-13")
def test_an_empty_schema_takes_nothing_and_required_may_be_left_out():
    read, parameters = configured("a.py", {**PLAIN, "parameterSchema": {"type": "object"}})

    assert (read.icon, parameters, secrets_of(read)) == ("", (), ())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"parameterSchema": {"type": "array"}}, "a.py: “config.parameterSchema.type”: it is always “object”"),
        ({"parameterSchema": {}}, "missing config.parameterSchema.type"),
        ({"icon": 5}, "“config.icon”: it must be a text, and is a number"),
        ({"name": ""}, "“config.name”: it is empty"),
        ({"name": "a\u202eb\u0007"}, "“name” holds a control character"),
        ({"parameterSchema": {"type": "object", "properties": {"a": {"type": "text"}}}}, "it is one of string, number"),
        ({"id": 5}, "“config.id”: it must be a text, and is a number"),
        ({"id": "a b"}, "“config.id”: it is made of letters"),
        ({"id": "a\n"}, "“config.id”: it is made of letters"),
    ],
)
def test_the_sentence_names_the_field(change: Mapping[str, Any], sentence: str):
    with pytest.raises(SetupError) as wrong:
        configured("a.py", {**PLAIN, **change})

    assert sentence in str(wrong.value)
