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
    check_when,
    choices,
    describe_expected,
    match_choice,
    members_of,
    read_object,
    text_kind,
    text_problem,
)
from sayso.core.sites import SITES

CONTROL = "holds a control character (U+{:04X}); write it without"
INTEGER, STRING, ARRAY, NUMBER = ({"type": name} for name in ("integer", "string", "array", "number"))


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": ["main", 2, None]}, "one of main, 2, None"),
        (INTEGER, "a whole number"),
        (INTEGER | {"maximum": 9}, "a whole number of at most 9"),
        (INTEGER | {"minimum": 0}, "a whole number of at least 0"),
        (INTEGER | {"minimum": 0, "maximum": 100}, "a whole number from 0 to 100"),
        (NUMBER, "a number"),
        (NUMBER | {"exclusiveMinimum": 0}, "a number above 0"),
        (NUMBER | {"exclusiveMinimum": 0, "maximum": 9, "minimum": 1}, "a number above 0 and at most 9"),
        ({"type": "boolean"}, "true or false"),
        ({"type": "object"}, "an object"),
        (STRING, "a text"),
        ({}, "a text"),
        (STRING | {"minLength": 0, "maxLength": 40}, "a text, at most 40 characters"),
        (STRING | {"minLength": 1, "maxLength": 40}, "a text that is not empty, at most 40 characters"),
        (ARRAY | {"items": {"type": "boolean"}}, "a list, each true or false"),
        (ARRAY, "a list"),
        (ARRAY | {"minItems": 1}, "a list, not empty"),
        (ARRAY | {"minItems": 1, "maxItems": 5, "items": STRING}, "a list, not empty, at most 5 long, each a text"),
        (ARRAY | {"minItems": 0, "maxItems": 5}, "a list, at most 5 long"),
        (ARRAY | {"minItems": 2, "maxItems": 2, "items": INTEGER}, "a list of exactly 2, each a whole number"),
        ({"anyOf": [INTEGER, {"type": "null"}]}, "a whole number"),
        ({"anyOf": [INTEGER, {"type": "boolean"}]}, "a whole number or true or false"),
    ],
)
def test_what_was_expected_is_said_in_words(schema: dict[str, Any], said: str) -> None:
    assert describe_expected(schema) == said


@pytest.mark.req("T-17", "PA-03")
@pytest.mark.parametrize("code", [0x00, 0x08, 0x0B, 0x0C, 0x0E, 0x1F, 0x7F, 0x80, 0x9F])
def test_a_control_character_is_named_by_its_number(code: int) -> None:
    said = {text_problem(f"/a{chr(code)}b", kind) for kind in ("path", "line", "when", "text")}

    assert said == {CONTROL.format(code)}


@pytest.mark.req("T-17", "PA-03")
@pytest.mark.parametrize("code", [0x09, 0x0A, 0x0D, 0x2028, 0x2029])
def test_a_line_has_no_breaks_and_a_text_may(code: int) -> None:
    said = {text_problem(f"/a{chr(code)}b", kind) for kind in ("path", "line", "when")}

    assert said == {CONTROL.format(code)}
    assert text_problem(f"a{chr(code)}b", "text") is None


@pytest.mark.parametrize("kind", ["path", "line", "when", "text"])
def test_half_of_a_character_pair_is_refused_in_every_kind(kind: str) -> None:
    for half in ("\ud800", "\udc80", "\udfff"):
        assert "lone surrogate" in (text_problem(f"/a{half}", kind) or "")


@pytest.mark.parametrize("char", [" ", "~", "\xa0", "\u2027", "\u202a", "\ud7ff", "\ue000", "é", "💾"])
def test_what_stands_beside_the_refused_characters_is_taken(char: str) -> None:
    assert text_problem(f"/a{char}b", "path") is None


VARIABLE, OTHER, ADDRESS, RELATIVE = "names a variable", "another person's home", "is an address", "is relative"


@pytest.mark.req("FS-19")
@pytest.mark.parametrize(
    ("said", "paths"),
    [
        ("", ["/a", "~/a", "~", "", "~/a$b", "~/$"]),
        (VARIABLE, ["/a/$b", "$HOME/a", "a/$HOME/b", "/$HOME", "~/a/$HOME", "~/${a}"]),
        (RELATIVE, ["$", "a$HOME", "a/b", "./a", "a~", "a/~/b"]),
        (OTHER, ["~bo", "~$HOME", "~bo/a", "~~"]),
        (ADDRESS, ["file:///a", "FILE:/a"]),
    ],
)
def test_a_path_is_absolute_or_starts_at_home(said: str, paths: list[str]) -> None:
    for path in paths:
        problem = text_problem(path, "path")

        assert said in (problem or ""), path
        assert (problem is None) is (said == ""), path
        assert text_problem(path, "line") is None


@pytest.mark.parametrize(
    ("kind", "fits", "others"),
    [
        (UserPath, "/" * 4096, ["/" * 4097, ""]),
        (Line, "x" * 2000, ["x" * 2001, ""]),
        (AnyLine, "x" * 2000, ["x" * 2001]),
        (When, "x" * 40, ["x" * 41, ""]),
        (Url, "x" * 8192, ["x" * 8193, ""]),
        (Index, 1, [0]),
        (Ids, ["x"] * 5000, [["x"] * 5001, []]),
        (AnyLine, "", [None]),
        (Text, "", [None]),
    ],
)
def test_each_kind_of_argument_has_its_limit(kind: Any, fits: Any, others: list[Any]) -> None:
    assert msgspec.convert(fits, kind) == fits
    for other in others:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(other, kind)


def test_each_kind_tells_the_door_what_it_is_and_the_model_what_to_write() -> None:
    kinds: dict[str, list[Any]] = {"path": [UserPath], "line": [Line, AnyLine, Url], "text": [Text], "when": [When]}
    hints: list[tuple[Any, Any]] = [(hint, {"kind": kind}) for kind, hints in kinds.items() for hint in hints]
    hints += [(Index, None), (Ids, None)]

    for hint, extra in hints:
        (meta,) = hint.__metadata__
        assert meta.extra == ({**extra, "check": check_when} if extra == {"kind": "when"} else extra)
        assert msgspec.json.schema(hint)["description"].endswith(".")


def test_the_kind_of_a_text_is_found_however_deep_it_stands_and_is_empty_where_none_is_named() -> None:
    plain = (
        int,
        Annotated[str, "a remark"],
        Annotated[str, Meta(extra={"of": "x"})],
        Annotated[str, Meta(min_length=1)],
    )
    deep = (dict[str, Text], Annotated[Text | None, Meta(description="Optional.")])

    assert {text_kind(hint) for hint in plain} == {""}
    assert {text_kind(hint) for hint in deep} == {"text"}
    assert text_kind(list[Line] | None) == "line"


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
def test_a_choice_is_meant_only_where_it_is_clear_which() -> None:
    meant = {"off": "off", "OFF": "off", "ON": "ON", "On": "On", "OK": "ok"}
    unclear = ("on", "o\u212a", "of", "")

    for text, choice in {**meant, **{text: text for text in unclear}}.items():
        assert match_choice(text, ("On", "ON", "off", "ok")) == choice


class Wish(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """What is read in these tests."""

    name: Line
    sender: Line | None = None
    count: Annotated[int, Meta(ge=1, le=9)] = 1
    level: Literal[1, 2] = 1


def test_what_fits_is_read_and_the_rest_has_its_default():
    assert read_object("wish", {"name": "a", "from": "b"}, Wish) == Wish("a", "b", 1, 1)


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({}, "arguments.missing", "“wish” needs “name”"),
        ({"name": "a", "sender": "b"}, "arguments.unknown", "it takes name, from, count, level"),
        ({"name": "a", "x" * 81: 1}, "arguments.unknown", f"does not take “{'x' * 80}”"),
        ({"name": "a", "count": 10}, "arguments.type", "“wish.count” must be a whole number from 1 to 9"),
        ({"name": "a", "count": True}, "arguments.type", "“wish.count”"),
        ({"name": "a", "count": "3"}, "arguments.type", "“wish.count”"),
        ({"name": "a", "level": 10**5000}, "arguments.type", "“wish.level” must be one of 1, 2"),
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
    assert (schema["required"], schema["additionalProperties"]) == (["name"], False)


@pytest.mark.req("T-99")
def test_the_sites_of_the_specification_are_known_and_each_is_a_name_and_a_host():
    assert {"chatgpt", "github", "reddit", "google", "youtube", "gmail"} <= set(SITES)
    assert all(name.isalnum() and name == name.casefold() for name in SITES)
    assert all("." in host and "/" not in host for host in SITES.values())
