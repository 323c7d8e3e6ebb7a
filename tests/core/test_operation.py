"""An operation's signature is its whole definition: schema, door and stores follow from it."""

from typing import Annotated, Any, Literal, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta
from msgspec.structs import replace

from sayso.core.operation import Operation, Problem, operation
from sayso.core.plan import Plan
from sayso.core.schema import AnyLine, Index, Line, Text, UserPath


class Things(Protocol):
    """A store."""

    async def look(self, name: str) -> str:
        """Look."""
        ...


@operation("thing.move", kind="write", asks="mode")
async def move(  # noqa: PLR0913, PLR0917 - one of each kind of argument
    things: Things,
    source: UserPath,
    name: Line,
    level: Annotated[int, Meta(ge=0, le=100)] = 50,
    monitor: Literal["main", "left"] | None = None,
    indices: Annotated[list[Index], Meta(min_length=1)] | None = None,
    note: Text = "",
    ids: Annotated[list[Line] | None, Meta(description="Some.")] = None,
    wish: Annotated[Text | None, Meta(description="Optional.")] = None,
    subject: AnyLine = "",
    flag: bool = False,  # noqa: FBT002 - operations take their arguments by name
) -> Plan:
    """Move a thing.

    More about it.
    """
    return Plan(await things.look(f"{source}{name}{level}{monitor}{indices}{note}{subject}{flag}"))


GOOD = {"source": "/a", "name": "x"}


def unseen() -> Operation:
    """Return the operation as if nobody had looked at its signature before."""
    return replace(move)


def problems(**changed: object) -> list[tuple[str, str]]:
    arguments = {name: value for name, value in {**GOOD, **changed}.items() if value is not ...}
    return [(problem.code, problem.sentence) for problem in unseen().check(arguments)[1]]


def test_an_argument_has_the_default_of_the_signature_or_must_be_said() -> None:
    found = {one.name: (one.required, one.default) for one in unseen().parameters}

    assert (found["source"], found["level"], found["monitor"]) == ((True, None), (False, 50), (False, None))


def test_stores_and_arguments_are_told_apart_by_the_signature() -> None:
    assert move.stores == ("things",)
    assert [parameter.name for parameter in move.parameters][:2] == ["source", "name"]
    assert move.summary == "Move a thing"
    assert move.said.endswith("More about it.")


@pytest.mark.req("S4-54", "X-01")
def test_the_schema_says_what_the_door_checks() -> None:
    schema = move.schema

    assert schema["type"] == "object"
    assert schema["required"] == ["source", "name"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert properties["level"]["maximum"] == 100


def test_what_was_left_out_is_left_out() -> None:
    assert move.check(GOOD) == (GOOD, [])


@pytest.mark.req("PA-07", "FS-19")
@pytest.mark.parametrize(
    ("changed", "code", "words"),
    [
        ({"source": ...}, "arguments.missing", "thing.move needs “source”"),
        ({"root": "/"}, "arguments.unknown", "thing.move does not take “root”; it takes source, name"),
        ({"approved": True}, "arguments.unknown", "does not take “approved”"),
        ({"level": 101}, "arguments.type", "“level” must be a whole number from 0 to 100"),
        ({"level": "50"}, "arguments.type", "“level” must be a whole number from 0 to 100"),
        ({"level": True}, "arguments.type", "“level” must be a whole number from 0 to 100"),
        ({"level": 5.5}, "arguments.type", "“level” must be a whole number from 0 to 100"),
        ({"monitor": "right"}, "arguments.type", "“monitor” must be one of left, main"),
        ({"indices": []}, "arguments.type", "“indices” must be a list, not empty, each a whole number of at least 1"),
        ({"indices": [0]}, "arguments.type", "“indices” must be a list"),
        ({"monitor": "\ud800"}, "arguments.type", "“monitor” must be one of left, main"),
        ({"level": 10**400}, "arguments.type", "“level” must be a whole number from 0 to 100"),
        ({"ids": ("a", "b\nc")}, "arguments.characters", "“ids” holds a control character (U+000A)"),
        (
            {"x" * 81: 1},
            "arguments.unknown",
            "thing.move does not take “" + "x" * 80 + "”; it takes source, name, level",
        ),
        ({"flag": "false"}, "arguments.type", "“flag” must be true or false"),
        ({"flag": 1}, "arguments.type", "“flag” must be true or false"),
        ({"ids": "a"}, "arguments.type", "“ids” must be a list, each a text that is not empty"),
        ({"name": None}, "arguments.type", "“name” must be a text that is not empty, at most 2000 characters"),
        ({"name": "x" * 2001}, "arguments.type", "“name” must be a text that is not empty, at most 2000 characters"),
        ({"name": ["x"]}, "arguments.type", "“name” must be a text"),
        ({"name": ""}, "arguments.type", "“name” must be a text that is not empty"),
        ({"name": "a\nb"}, "arguments.characters", "“name” holds a control character (U+000A)"),
        ({"name": "a\u2028b"}, "arguments.characters", "(U+2028)"),
        ({"note": "a\x00b"}, "arguments.characters", "(U+0000)"),
        ({"wish": "a\x00b"}, "arguments.characters", "“wish” holds a control character (U+0000)"),
        ({"ids": ["a", "b\nc"]}, "arguments.characters", "“ids” holds a control character (U+000A)"),
        ({"note": "\ud800"}, "arguments.characters", "lone surrogate"),
        ({"source": "a/b"}, "path.form", "“source” is relative"),
        ({"source": "~ana/b"}, "path.form", "another person's home"),
        ({"source": "$HOME/b"}, "path.form", "names a variable"),
        ({"source": "/a/$HOME/b"}, "path.form", "names a variable"),
        ({"source": ""}, "arguments.type", "“source” must be a text that is not empty"),
        ({"source": "file:///etc/passwd"}, "path.form", "is an address"),
        ({"source": "C:\\a"}, "path.form", "is relative"),
        ({"source": "/a\x1bb"}, "arguments.characters", "(U+001B)"),
    ],
)
def test_the_door_says_in_one_sentence_what_is_wrong(changed: dict[str, object], code: str, words: str) -> None:
    found = problems(**changed)

    assert [found_code for found_code, _ in found] == [code]
    assert words in found[0][1]


@pytest.mark.req("T-105")
def test_a_number_with_zero_fraction_counts_as_whole() -> None:
    clean, found = unseen().check({**GOOD, "level": 3.0, "indices": [2.0]})

    assert found == []
    assert clean["level"] == 3
    assert isinstance(clean["level"], int)
    assert clean["indices"] == [2]
    assert move.check({**GOOD, "indices": (2.0, 3)})[0]["indices"] == [2, 3]


@pytest.mark.req("PA-01", "PA-07")
def test_null_is_as_good_as_leaving_out_what_is_nothing_unless_it_is_said() -> None:
    nothing = dict.fromkeys(("monitor", "indices", "ids", "wish"))

    assert unseen().check({**GOOD, **nothing}) == (GOOD, [])
    assert unseen().check({**GOOD, "monitor": None, "flag": True}) == ({**GOOD, "flag": True}, [])


@pytest.mark.req("PA-07")
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("level", "“level” must be a whole number from 0 to 100, not null; it may be left out"),
        ("note", "“note” must be a text, not null; it may be left out"),
        ("flag", "“flag” must be true or false, not null; it may be left out"),
        ("name", "“name” must be a text that is not empty, at most 2000 characters"),
    ],
)
def test_null_is_refused_where_leaving_out_means_something_else(name: str, says: str) -> None:
    assert problems(**{name: None}) == [("arguments.type", says)]


@pytest.mark.req("PA-07")
def test_only_of_null_is_it_said_that_it_may_be_left_out() -> None:
    assert problems(level=101) == [("arguments.type", "“level” must be a whole number from 0 to 100")]


@pytest.mark.req("T-10", "PA-01")
@pytest.mark.parametrize("written", ["main", "MAIN", "Main"])
def test_a_choice_is_the_declared_word_in_whatever_case_it_came(written: str) -> None:
    assert unseen().check({**GOOD, "monitor": written}) == ({**GOOD, "monitor": "main"}, [])


@pytest.mark.req("PA-07")
@pytest.mark.parametrize("written", [["MAIN"], "ma\u0131n", "MAIN ", ""])
def test_what_only_resembles_a_choice_is_none(written: object) -> None:
    assert problems(monitor=written) == [("arguments.type", "“monitor” must be one of left, main")]


def test_several_lines_are_allowed_where_text_is() -> None:
    assert problems(note="a\n\tb\r\n", subject="") == []


@pytest.mark.req("T-17")
@pytest.mark.parametrize("path", ["~", "~/a", "/", "/a b/c", "~/a~b/c$d"])
def test_a_path_is_absolute_or_starts_at_home(path: str) -> None:
    assert problems(source=path) == []


@given(st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text() | st.floats()))
def test_the_door_never_fails_and_lets_only_its_own_arguments_through(arguments: dict[str, object]) -> None:
    clean, found = move.check(arguments)

    assert set(clean) <= {parameter.name for parameter in move.parameters}
    assert found
    assert all(problem.sentence and problem.code for problem in found)


def test_an_operation_is_a_value_that_calls_nothing_by_itself() -> None:
    assert isinstance(move, Operation)
    assert (move.id, move.kind, move.asks) == ("thing.move", "write", "mode")


async def do(
    note: Annotated[str, "a remark"] = "",
    name: Annotated[str, Meta(extra={"of": "somebody"})] = "",
    lines: list[Line] | None = None,
    more: "dict[str, Text] | None" = None,
) -> Plan:
    return Plan(f"{note}{name}{lines}{more}")


def test_the_kind_of_a_text_is_found_however_deep_it_stands_and_is_empty_where_none_is_named() -> None:
    kinds = {parameter.name: parameter.kind for parameter in Operation("thing.do", "write", "mode", do).parameters}

    assert kinds == {"note": "", "name": "", "lines": "line", "more": "text"}


def test_a_function_without_a_docstring_says_nothing() -> None:
    nameless = Operation("thing.do", "write", "mode", do)

    assert (nameless.said, nameless.summary) == ("", "")


def test_an_operation_without_arguments_says_so() -> None:
    async def rest() -> Plan:
        """Rest."""
        return Plan("Rest")

    (problem,) = Operation("thing.rest", "write", "mode", rest).check({"long": True})[1]

    assert problem.sentence == "thing.rest does not take “long”; it takes no arguments"


def test_a_number_too_large_for_its_type_is_refused_like_any_other() -> None:
    async def wait(hours: Annotated[float, Meta(gt=0)]) -> Plan:
        """Wait."""
        return Plan(f"Wait {hours}")

    clean, (problem,) = Operation("thing.wait", "write", "mode", wait).check({"hours": 10**400})

    assert clean == {}
    assert (problem.code, problem.sentence) == ("arguments.type", "“hours” must be a number above 0")


def test_what_is_not_said_of_an_operation_is_the_narrowest() -> None:
    assert (move.outside, move.reach) == (False, "roots")
    assert Operation("thing.do", "write", "mode", do) == Operation("thing.do", "write", "mode", do, False, "roots")
    assert Problem("a.b", "about all").argument == ""


@operation("thing.name", kind="write", asks="mode")
async def name_it(path: UserPath = "/", line: Line = "x", any_line: AnyLine = "", text: Text = "") -> Plan:
    """Name a thing."""
    return Plan("", (), "")


LENGTHS = {"path": range(1, 4097), "line": range(1, 2001), "any_line": range(2001), "text": range(10**9)}
NOWHERE = {"\x00", "\x1b", "\x7f", "\x85", "\ud800"}
ONLY_IN_TEXT = {"\n", "\t", "\r", "\u2028", "\u2029"}


@given(
    st.sampled_from([*LENGTHS]),
    st.sampled_from([0, 1, 2, 1999, 2000, 2001, 4095, 4096, 4097]),
    st.sampled_from(["", "a", "é", "\xa0", *sorted(NOWHERE), *sorted(ONLY_IN_TEXT)]),
)
def test_a_text_passes_when_its_length_and_its_signs_do(name: str, length: int, last: str):
    text = ("/" + "é" * length)[: max(length - len(last), 0)] + last

    clean, problems = name_it.check({name: text})

    fits = len(text) in LENGTHS[name] and last not in NOWHERE and (name == "text" or last not in ONLY_IN_TEXT)
    fits = fits and (name != "path" or text.startswith("/"))
    assert (clean, [problem.argument for problem in problems]) == (({name: text}, []) if fits else ({}, [name]))


@operation("thing.call", kind="write", asks="mode")
async def call_it(
    code: Annotated[Line, Meta(pattern="^[0-9]+$")] = "0",
    hours: Annotated[int, Meta(extra={"kind": "line"})] = 0,
    any_text: Annotated[str, "a remark"] = "",
) -> Plan:
    """Call a thing."""
    return Plan(f"{code}{hours}{any_text}")


@pytest.mark.req("PA-07")
@pytest.mark.parametrize("wrong", [{"code": "one"}, {"hours": "1"}, {"hours": "one"}, {"any_text": 1}])
def test_a_text_is_held_to_more_than_its_length_where_more_is_asked_of_it(wrong: dict[str, object]):
    clean, problems = call_it.check(wrong)

    assert (clean, [problem.code for problem in problems]) == ({}, ["arguments.type"])
    assert call_it.check({"code": "12", "hours": 1, "any_text": "a\n\x00"})[1] == []


@operation("thing.find", kind="read", asks="none")
async def find(things: Things, criteria: dict[str, Any]) -> Plan:
    """Find things."""
    return Plan(await things.look(str(criteria)))


def nested(depth: int) -> dict[str, object]:
    """Return an object in an object, so deep."""
    inner: dict[str, object] = {"text": "x"}
    for _ in range(depth):
        inner = {"in": [inner]}
    return inner


@pytest.mark.req("PA-06", "PA-07")
@pytest.mark.parametrize(
    "criteria",
    [{"text": "\ud800"}, {"\udfff": "x"}, {"a": [{"b": "\udc00x"}]}, {"a": {"b\ud800": 1}}, {"a": ["\ud800"]}],
)
def test_no_member_of_an_object_holds_what_nothing_can_write_down(criteria: dict[str, object]) -> None:
    problems = find.check({"criteria": criteria})[1]

    assert [problem.code for problem in problems] == ["arguments.characters"]
    assert "“criteria” holds" in problems[0].sentence


def test_a_member_may_have_several_lines_and_lie_deep() -> None:
    assert find.check({"criteria": {"text": "a\nb"}})[1] == []
    assert find.check({"criteria": nested(300)})[1] == []


@pytest.mark.req("PA-01")
def test_what_says_its_default_counts_as_left_out() -> None:
    aloud = {"level": 50, "monitor": None, "indices": None, "note": "", "ids": None, "subject": "", "flag": False}

    assert unseen().told({**GOOD, **aloud, "wish": None}) == GOOD
    assert unseen().told({**GOOD, "level": 49, "note": " ", "flag": True}) == {
        **GOOD, "level": 49, "note": " ", "flag": True
    }  # fmt: skip


def test_only_the_very_default_counts_as_left_out() -> None:
    others = {**GOOD, "level": False, "flag": 0, "note": None, "monitor": ""}

    assert unseen().told(others) == others
    assert unseen().told({"source": None, "unheard": None}) == {"source": None, "unheard": None}
