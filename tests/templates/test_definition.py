"""What an action says of itself is held to the form of S3, field by field."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
import pytest

from sayso.core.errors import SetupError
from sayso.templates.definition import code_of, describe_error, parse_config, read_template, secrets_of
from tests.templates.actions import CONFIG


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

    assert describe_error(str(wrong.value), "it", {".kind": "it is a or b"}) == clause


def test_what_is_not_known_stays_as_it_is():
    assert describe_error("Something else", "it", {}) == "“it”: something else"


PLAIN: dict[str, Any] = {
    "id": "a",
    "name": "A",
    "description": "Does a.",
    "parameterSchema": {"type": "object", "properties": {}},
}


@pytest.mark.req("S3-13")
def test_an_empty_schema_takes_nothing_and_required_may_be_left_out():
    read, parameters = parse_config("a.py", {**PLAIN, "parameterSchema": {"type": "object"}})

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
        parse_config("a.py", {**PLAIN, **change})

    assert sentence in str(wrong.value)


HANDLER = "async def handler(params, context):\n    return {}\n"
FULL = """
from typing import Any
config: dict[str, Any] = {
    "id": "send_payment_reminder_acme",
    "name": "Remind ACME", "description": "Reminds ACME.", "icon": "💸",
    "parameterSchema": {"type": "object", "required": ["days"], "properties": {
        "days": {"type": "number", "description": "How late."},
        "tone": {"type": "string", "enum": ["kind", "firm"], "default": "kind"},
        "key": {"type": "string", "secret": True},
    }},
}
"""


@pytest.mark.req("S3-08", "S3-09", "S3-10", "S3-11", "S3-12")
def test_everything_that_it_says_of_itself_is_read():
    found = read_template("send-payment-reminder.py", FULL + HANDLER, {})

    assert (found.id, found.name, found.description, found.icon) == (
        "send_payment_reminder_acme", "Remind ACME", "Reminds ACME.", "💸",
    )  # fmt: skip
    assert [(one.name, one.required, one.default) for one in found.parameters] == [
        ("days", True, None), ("tone", False, "kind"), ("key", False, None),
    ]  # fmt: skip
    assert found.secret == ("key",)


@pytest.mark.req("S3-13", "S3-14", "S3-15", "S3-16", "T-77")
@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({"days": 15}, {"days": 15, "tone": "kind"}),
        ({"days": 1.5, "tone": "firm"}, {"days": 1.5, "tone": "firm"}),
        ({"days": "15"}, "Invalid parameters: “days” must be a number"),
        ({"days": 1, "tone": "rude"}, "Invalid parameters: “tone” must be one of"),
        ({}, "Invalid parameters: “days” is missing"),
    ],
)
def test_parameters_are_held_to_it(given: dict[str, object], held: dict[str, object] | str):
    found = read_template("a.py", FULL + HANDLER, {})

    if isinstance(held, str):
        with pytest.raises(SetupError) as wrong:
            found.fill_parameters(given)
        assert held in str(wrong.value)
    else:
        assert found.fill_parameters(given) == held


@pytest.mark.req("S3-58", "S3-59", "S3-08")
@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (CONFIG, "missing config or handler"),
        (HANDLER, "missing config or handler"),
        ("", "missing config or handler"),
        (CONFIG + "handler = 5\n", "missing config or handler"),
        ("def handler(:", "it cannot be read: line 1:"),
        ("x = 1\0", "it cannot be read:"),
        ("config = {'id': make()}\n" + HANDLER, "“config” must be written out as a mapping of plain values (line 1)"),
        ("config = 5\n" + HANDLER, "“config”: it must be a mapping, and is a number"),
        (CONFIG.replace('"id": "tidy",', "") + HANDLER, "missing config.id"),
        (CONFIG.replace('"tidy"', '"../x"') + HANDLER, "“config.id”: it is made of letters"),
        (CONFIG.replace('"tidy"', "5") + HANDLER, "“config.id”: it must be a text, and is a number"),
        (CONFIG.replace('"name": "Tidy up",', "") + HANDLER, "missing config.name"),
        (CONFIG.replace("Tidy up", "Tidy\\nup") + HANDLER, "“name” holds a control character"),
        (CONFIG.replace('"name"', '"nmae": 1, "name"') + HANDLER, "“config” has no field “nmae”"),
        (CONFIG.replace("{}}", '{"a": {"type": "date"}}}') + HANDLER, "it is one of string, number"),
        (CONFIG.replace("{}}", '{"a": {"typ": "date"}}}') + HANDLER, "has no field “typ”"),
        (CONFIG.replace("{}}", '{}, "required": ["b"]}') + HANDLER, "names “b”, which is not among its properties"),
        (CONFIG.replace("{}}", '{"a": {"type": "number", "default": "1"}}}') + HANDLER, "that is no number"),
        (CONFIG.replace("{}}", '{"a": {"type": "string", "enum": []}}}') + HANDLER, "enum” is empty"),
        (CONFIG.replace("{}}", '{"a": {"type": "string", "enum": [b"x"]}}}') + HANDLER, "enum” holds a value"),
        (CONFIG + "def handler(params): ...\n", "“handler” must take two arguments"),
        (CONFIG + "def handler(a, b, c): ...\n", "“handler” must take two arguments"),
        (CONFIG + "def handler(a, b, *, c): ...\n", "“handler” must take two arguments"),
        ("(" * 5000 + HANDLER, "it cannot be read:"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_sentence_that_names_file_and_field(source: str, sentence: str):
    with pytest.raises(SetupError) as wrong:
        read_template("a-b.py", source, {})

    assert str(wrong.value).startswith("Invalid action template a-b.py: ")
    assert sentence in str(wrong.value)


@pytest.mark.parametrize("handler", ["def handler(*given): ...", "def handler(a, b, c=1, **more): ..."])
def test_whatever_takes_two_will_do(handler: str):
    assert read_template("a.py", CONFIG + handler, {}).id == "tidy"


def test_reading_runs_nothing():
    assert read_template("a.py", "raise SystemExit(1)\n" + CONFIG + HANDLER, {}).id == "tidy"


@pytest.mark.req("TP-04")
def test_its_hash_is_of_the_file_and_of_what_it_may_import():
    first = read_template("a.py", CONFIG + HANDLER, {"_a": "1"}).code

    assert first == code_of(CONFIG + HANDLER, {"_a": "1"})
    others = [code_of(CONFIG + HANDLER, {"_a": "2"}), code_of(CONFIG + HANDLER, {}), code_of(CONFIG, {"_a": "1"})]
    assert first not in others
