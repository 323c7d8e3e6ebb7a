"""A text that is not of its kind, or a value that is not of its type, is refused with a sentence one can act on."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from sayso.core.errors import ProposalError
from sayso.core.schema import (
    AnyLine,
    Ids,
    Index,
    Line,
    Text,
    Url,
    UserPath,
    When,
    choices,
    describe_expected,
    match_choice,
    members_of,
    read_object,
    text_problem,
)

CONTROL = "holds a control character (U+{:04X}); write it without"
EXPECTED: dict[str, tuple[dict[str, Any], str]] = {
    "choice": ({"enum": ["main", 2, None]}, "one of main, 2, None"),
    "whole number": ({"type": "integer"}, "a whole number"),
    "whole number up to": ({"type": "integer", "maximum": 9}, "a whole number of at most 9"),
    "whole number from": ({"type": "integer", "minimum": 0}, "a whole number of at least 0"),
    "whole number between": ({"type": "integer", "minimum": 0, "maximum": 100}, "a whole number from 0 to 100"),
    "number": ({"type": "number"}, "a number"),
    "number above": ({"type": "number", "exclusiveMinimum": 0}, "a number above 0"),
    "number above and up to": (
        {"type": "number", "exclusiveMinimum": 0, "maximum": 9, "minimum": 1},
        "a number above 0 and at most 9",
    ),
    "flag": ({"type": "boolean"}, "true or false"),
    "object": ({"type": "object"}, "an object"),
    "text": ({"type": "string"}, "a text"),
    "nothing said": ({}, "a text"),
    "text with a limit": ({"type": "string", "minLength": 0, "maxLength": 40}, "a text, at most 40 characters"),
    "text that is there": (
        {"type": "string", "minLength": 1, "maxLength": 40},
        "a text that is not empty, at most 40 characters",
    ),
    "list": ({"type": "array", "items": {"type": "boolean"}}, "a list, each true or false"),
    "list of anything": ({"type": "array"}, "a list"),
    "list that is not empty": ({"type": "array", "minItems": 1}, "a list, not empty"),
    "list with a limit": (
        {"type": "array", "minItems": 1, "maxItems": 5, "items": {"type": "string"}},
        "a list, not empty, at most 5 long, each a text",
    ),
    "list of no fewer than none": (
        {"type": "array", "minItems": 0, "maxItems": 5},
        "a list, at most 5 long",
    ),
    "pair": (
        {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}},
        "a list of exactly 2, each a whole number",
    ),
    "one of several": ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "a whole number"),
    "one of several kinds": ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "a whole number or true or false"),
}


@pytest.mark.parametrize("case", EXPECTED)
def test_what_was_expected_is_said_in_words(case: str) -> None:
    schema, said = EXPECTED[case]

    assert describe_expected(schema) == said


@pytest.mark.parametrize("kind", ["path", "line", "when", "text"])
@pytest.mark.parametrize("code", [0x00, 0x08, 0x0B, 0x0C, 0x0E, 0x1F, 0x7F, 0x80, 0x9F])
@pytest.mark.req("T-17", "PA-03")
def test_a_control_character_is_named_by_its_number(code: int, kind: str) -> None:
    assert text_problem(f"/a{chr(code)}b", kind) == CONTROL.format(code)


@pytest.mark.parametrize("code", [0x09, 0x0A, 0x0D, 0x2028, 0x2029])
@pytest.mark.req("T-17", "PA-03")
def test_a_line_has_no_breaks_and_a_text_may(code: int) -> None:
    for kind in ("path", "line", "when"):
        assert text_problem(f"/a{chr(code)}b", kind) == CONTROL.format(code)
    assert text_problem(f"a{chr(code)}b", "text") is None


@pytest.mark.parametrize("kind", ["path", "line", "when", "text"])
@pytest.mark.parametrize("code", [0xD800, 0xDC80, 0xDFFF], ids=hex)
def test_half_of_a_character_pair_is_refused_in_every_kind(code: int, kind: str) -> None:
    assert "lone surrogate" in (text_problem(f"/a{chr(code)}", kind) or "")


@pytest.mark.parametrize("char", [" ", "~", "\xa0", "\u2027", "\u202a", "\ud7ff", "\ue000", "é", "💾"])
def test_what_stands_beside_the_refused_characters_is_taken(char: str) -> None:
    assert text_problem(f"/a{char}b", "path") is None


PATHS = {
    "/a": None,
    "~/a": None,
    "~": None,
    "": None,
    "/a/$b": "names a variable",
    "$HOME/a": "names a variable",
    "a/$HOME/b": "names a variable",
    "/$HOME": "names a variable",
    "~/a/$HOME": "names a variable",
    "~/${a}": "names a variable",
    "~/a$b": None,
    "~/$": None,
    "$": "is relative",
    "a$HOME": "is relative",
    "~bo": "another person's home",
    "~$HOME": "another person's home",
    "~bo/a": "another person's home",
    "~~": "another person's home",
    "file:///a": "is an address",
    "FILE:/a": "is an address",
    "a/b": "is relative",
    "./a": "is relative",
    "a~": "is relative",
    "a/~/b": "is relative",
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.req("FS-19")
def test_a_path_is_absolute_or_starts_at_home(path: str) -> None:
    said, wanted = text_problem(path, "path"), PATHS[path]

    assert said is None if wanted is None else wanted in (said or "")
    assert text_problem(path, "line") is None


LIMITS: dict[str, tuple[Any, Any, Any]] = {
    "path": (UserPath, "/" * 4096, "/" * 4097),
    "empty path": (UserPath, "/", ""),
    "line": (Line, "x" * 2000, "x" * 2001),
    "empty line": (Line, "x", ""),
    "any line": (AnyLine, "x" * 2000, "x" * 2001),
    "time": (When, "x" * 40, "x" * 41),
    "empty time": (When, "x", ""),
    "address": (Url, "x" * 8192, "x" * 8193),
    "empty address": (Url, "x", ""),
    "index": (Index, 1, 0),
    "ids": (Ids, ["x"] * 5000, ["x"] * 5001),
    "no ids": (Ids, ["x"], []),
}


@pytest.mark.parametrize("case", LIMITS)
def test_each_kind_of_argument_has_its_limit(case: str) -> None:
    kind, fits, too_much = LIMITS[case]

    assert msgspec.convert(fits, kind) == fits
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(too_much, kind)


KINDS = {"path": UserPath, "line": Line, "line, may be empty": AnyLine, "text": Text, "when": When, "address": Url}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_text_tells_the_door_what_it_is_and_the_model_what_to_write(name: str) -> None:
    kind: Any = KINDS[name]
    (meta,) = kind.__metadata__

    assert meta.extra == {"kind": "line" if name == "address" else name.partition(",")[0]}
    assert msgspec.json.schema(kind)["description"].endswith(".")


@pytest.mark.parametrize("kind", [Index, Ids], ids=["index", "ids"])
def test_numbers_and_lists_tell_the_model_what_to_write(kind: Any) -> None:
    assert msgspec.json.schema(kind)["description"].endswith(".")


def test_an_empty_text_and_an_empty_line_may_be() -> None:
    assert msgspec.convert("", AnyLine) == msgspec.convert("", Text) == ""


@pytest.mark.req("T-10")
@pytest.mark.parametrize(
    ("hint", "among"),
    [
        (Literal["ON", "off"], ("ON", "off")),
        (Literal["ON"] | None, ("ON",)),
        (Literal["a", 1], ("a",)),
        (Literal["a", "b"] | None, ("a", "b")),
        (Literal["a"] | int, ("a",)),
        (Literal[1, 2], ()),
        (Line, ()),
        (int, ()),
    ],
)
def test_choices_are_the_texts_that_a_value_is_one_of(hint: Any, among: tuple[str, ...]) -> None:
    assert choices(msgspec.json.schema(hint)) == among


def test_where_any_text_will_do_there_are_no_choices() -> None:
    assert choices({"anyOf": [{"enum": ["a"]}, {"type": "string"}]}) == ()


@pytest.mark.req("T-10")
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("off", "off"),
        ("OFF", "off"),
        ("ON", "ON"),
        ("On", "On"),
        ("on", "on"),
        ("OK", "ok"),
        ("o\u212a", "o\u212a"),
        ("of", "of"),
        ("", ""),
    ],
)
def test_a_choice_is_meant_only_where_it_is_clear_which(text: str, meant: str) -> None:
    assert match_choice(text, ("On", "ON", "off", "ok")) == meant


class Wish(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """What is read in these tests."""

    name: Line
    sender: Line | None = None
    count: Annotated[int, Meta(ge=1, le=9)] = 1


def test_what_fits_is_read_and_the_rest_has_its_default():
    assert read_object("wish", {"name": "a", "from": "b"}, Wish) == Wish("a", "b", 1)


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({}, "arguments.missing", "“wish” needs “name”"),
        ({"name": "a", "sender": "b"}, "arguments.unknown", "it takes name, from, count"),
        ({"name": "a", "count": 10}, "arguments.type", "“wish.count” must be a whole number from 1 to 9"),
        ({"name": "a", "count": True}, "arguments.type", "“wish.count”"),
        ({"name": "a", "count": "3"}, "arguments.type", "“wish.count”"),
        ({"name": ""}, "arguments.type", "“wish.name” must be a text that is not empty"),
        ({"name": "a\r\nBcc: b"}, "arguments.characters", "control character"),
        ({"name": "a", "from": "b\x00"}, "arguments.characters", "“wish.from”"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_member_named(given: dict[str, object], code: str, says: str):
    with pytest.raises(ProposalError) as refused:
        read_object("wish", given, Wish)

    assert refused.value.code == code
    assert says in str(refused.value)


def test_the_schema_names_the_members_and_takes_no_others():
    schema = members_of(Wish)

    assert str(schema["properties"]).startswith("{'name'")
    assert schema["required"] == ["name"]
    assert schema["additionalProperties"] is False
