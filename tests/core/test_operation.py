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
TYPE, CHARACTERS = "arguments.type", "arguments.characters"


def unseen() -> Operation:
    """Return the operation as if nobody had looked at its signature before."""
    return replace(move)


def problems(**changed: object) -> list[tuple[str, str]]:
    arguments = {name: value for name, value in {**GOOD, **changed}.items() if value is not ...}
    return [(problem.code, problem.sentence) for problem in unseen().check(arguments)[1]]


@pytest.mark.req("S4-54", "X-01")
def test_all_that_is_known_of_an_operation_follows_from_its_declaration() -> None:
    found = {one.name: (one.required, one.default) for one in unseen().parameters}
    schema: dict[str, Any] = move.schema

    assert isinstance(move, Operation)
    assert (move.id, move.kind, move.asks) == ("thing.move", "write", "mode")
    assert (move.outside, move.reach) == (False, "roots")
    assert move.stores == ("things",)
    assert list(found)[:2] == ["source", "name"]
    assert (found["source"], found["level"], found["monitor"]) == ((True, None), (False, 50), (False, None))
    assert (move.summary, move.said) == ("Move a thing", "Move a thing.\n\nMore about it.")
    assert (schema["type"], schema["required"], schema["additionalProperties"]) == ("object", ["source", "name"], False)
    assert schema["properties"]["level"]["maximum"] == 100


@pytest.mark.req("PA-07", "FS-19")
@pytest.mark.parametrize(
    ("changed", "code", "words"),
    [
        ({"source": ...}, "arguments.missing", "thing.move needs “source”"),
        ({"root": "/"}, "arguments.unknown", "thing.move does not take “root”; it takes source, name"),
        ({"approved": True}, "arguments.unknown", "does not take “approved”"),
        ({"x" * 81: 1}, "arguments.unknown", f"thing.move does not take “{'x' * 80}”; it takes source, name, level"),
        *(
            ({"level": level}, TYPE, "“level” must be a whole number from 0 to 100")
            for level in (101, "50", True, 5.5, 10**400)
        ),
        ({"monitor": "right"}, TYPE, "“monitor” must be one of left, main"),
        ({"monitor": "\ud800"}, TYPE, "“monitor” must be one of left, main"),
        ({"indices": []}, TYPE, "“indices” must be a list, not empty, each a whole number of at least 1"),
        ({"indices": [0]}, TYPE, "“indices” must be a list"),
        ({"flag": "false"}, TYPE, "“flag” must be true or false"),
        ({"flag": 1}, TYPE, "“flag” must be true or false"),
        ({"ids": "a"}, TYPE, "“ids” must be a list, each a text that is not empty"),
        ({"name": None}, TYPE, "“name” must be a text that is not empty, at most 2000 characters"),
        ({"name": "x" * 2001}, TYPE, "“name” must be a text that is not empty, at most 2000 characters"),
        ({"name": ["x"]}, TYPE, "“name” must be a text"),
        ({"name": ""}, TYPE, "“name” must be a text that is not empty"),
        ({"source": ""}, TYPE, "“source” must be a text that is not empty"),
        ({"ids": ["a", "b\nc"]}, CHARACTERS, "“ids” holds a control character (U+000A)"),
        ({"ids": ("a", "b\nc")}, CHARACTERS, "“ids” holds a control character (U+000A)"),
        ({"name": "a\nb"}, CHARACTERS, "“name” holds a control character (U+000A)"),
        ({"name": "a\u2028b"}, CHARACTERS, "(U+2028)"),
        ({"note": "a\x00b"}, CHARACTERS, "(U+0000)"),
        ({"wish": "a\x00b"}, CHARACTERS, "“wish” holds a control character (U+0000)"),
        ({"note": "\ud800"}, CHARACTERS, "lone surrogate"),
        ({"source": "/a\x1bb"}, CHARACTERS, "(U+001B)"),
        ({"source": "a/b"}, "path.form", "“source” is relative"),
        ({"source": "C:\\a"}, "path.form", "is relative"),
        ({"source": "~ana/b"}, "path.form", "another person's home"),
        ({"source": "$HOME/b"}, "path.form", "names a variable"),
        ({"source": "/a/$HOME/b"}, "path.form", "names a variable"),
        ({"source": "file:///etc/passwd"}, "path.form", "is an address"),
    ],
)
def test_the_door_says_in_one_sentence_what_is_wrong(changed: dict[str, object], code: str, words: str) -> None:
    found = problems(**changed)

    assert [found_code for found_code, _ in found] == [code]
    assert words in found[0][1]


@pytest.mark.req("PA-07")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"level": None}, "“level” must be a whole number from 0 to 100, not null; it may be left out"),
        ({"note": None}, "“note” must be a text, not null; it may be left out"),
        ({"flag": None}, "“flag” must be true or false, not null; it may be left out"),
        ({"name": None}, "“name” must be a text that is not empty, at most 2000 characters"),
        ({"level": 101}, "“level” must be a whole number from 0 to 100"),
        *(({"monitor": word}, "“monitor” must be one of left, main") for word in (["MAIN"], "ma\u0131n", "MAIN ", "")),
    ],
)
def test_null_is_refused_where_leaving_out_means_something_else_and_only_a_word_itself_is_a_choice(
    arguments: dict[str, object], sentence: str
) -> None:
    assert problems(**arguments) == [(TYPE, sentence)]


@pytest.mark.req("T-105")
def test_a_number_with_zero_fraction_counts_as_whole() -> None:
    clean, found = unseen().check({**GOOD, "level": 3.0, "indices": [2.0]})

    assert (found, clean["level"], type(clean["level"]), clean["indices"]) == ([], 3, int, [2])
    assert move.check({**GOOD, "indices": (2.0, 3)})[0]["indices"] == [2, 3]


@pytest.mark.req("PA-01", "PA-07", "T-10", "T-17")
@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ({}, {}),
        (dict.fromkeys(("monitor", "indices", "ids", "wish")), {}),
        ({"monitor": None, "flag": True}, {"flag": True}),
        *(({"monitor": word}, {"monitor": "main"}) for word in ("main", "MAIN", "Main")),
        *(({"source": path}, {"source": path}) for path in ("~", "~/a", "/", "/a b/c", "~/a~b/c$d")),
        ({"note": "a\n\tb\r\n", "subject": ""}, {"note": "a\n\tb\r\n", "subject": ""}),
    ],
)
def test_what_was_left_out_is_left_out_and_a_choice_is_the_declared_word(
    given: dict[str, object], clean: dict[str, object]
) -> None:
    assert unseen().check({**GOOD, **given}) == ({**GOOD, **clean}, [])


@given(st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text() | st.floats()))
def test_the_door_never_fails_and_lets_only_its_own_arguments_through(arguments: dict[str, object]) -> None:
    clean, found = move.check(arguments)

    assert set(clean) <= {parameter.name for parameter in move.parameters}
    assert found
    assert all(problem.sentence and problem.code for problem in found)


async def bare(lines: list[Line] | None = None, more: "dict[str, Text] | None" = None) -> Plan:
    return Plan(f"{lines}{more}")


def test_what_is_not_said_of_an_operation_is_empty_or_the_narrowest() -> None:
    one = Operation("thing.do", "write", "mode", bare)

    assert {parameter.name: parameter.kind for parameter in one.parameters} == {"lines": "line", "more": "text"}
    assert (one.said, one.summary) == ("", "")
    assert one == Operation("thing.do", "write", "mode", bare, False, "roots")
    assert Problem("a.b", "about all").argument == ""


async def rest() -> Plan:
    """Rest."""
    return Plan("Rest")


async def wait(hours: Annotated[float, Meta(gt=0)], level: Literal[1, 2] = 1) -> Plan:
    """Wait."""
    return Plan(f"Wait {hours}{level}")


@pytest.mark.parametrize(
    ("function", "arguments", "code", "sentence"),
    [
        (rest, {"long": True}, "arguments.unknown", "thing.do does not take “long”; it takes no arguments"),
        (wait, {"hours": 10**400}, TYPE, "“hours” must be a number above 0"),
        (wait, {"hours": 1, "level": 10**5000}, TYPE, "“level” must be one of 1, 2"),
    ],
    ids=["no arguments", "more than a float holds", "more digits than Python writes"],
)
def test_a_number_too_large_for_its_type_is_refused_like_any_other(
    function: Any, arguments: dict[str, object], code: str, sentence: str
) -> None:
    (problem,) = Operation("thing.do", "write", "mode", function).check(arguments)[1]

    assert (problem.code, problem.sentence) == (code, sentence)


@operation("thing.name", kind="write", asks="mode")
async def name_it(path: UserPath = "/", line: Line = "x", any_line: AnyLine = "", text: Text = "") -> Plan:
    """Name a thing."""
    return Plan(f"{path}{line}{any_line}{text}")


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

    clean, found = name_it.check({name: text})

    fits = len(text) in LENGTHS[name] and last not in NOWHERE and (name == "text" or last not in ONLY_IN_TEXT)
    fits = fits and (name != "path" or text.startswith("/"))
    assert (clean, [problem.argument for problem in found]) == (({name: text}, []) if fits else ({}, [name]))


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
    clean, found = call_it.check(wrong)

    assert (clean, [problem.code for problem in found]) == ({}, [TYPE])
    assert call_it.check({"code": "12", "hours": 1, "any_text": "a\n\x00"})[1] == []


@operation("thing.find", kind="read", asks="none")
async def find(things: Things, criteria: dict[str, Any]) -> Plan:
    """Find things."""
    return Plan(await things.look(str(criteria)))


@pytest.mark.req("PA-06", "PA-07")
@pytest.mark.parametrize(
    "criteria",
    [{"text": "\ud800"}, {"\udfff": "x"}, {"a": [{"b": "\udc00x"}]}, {"a": {"b\ud800": 1}}, {"a": ["\ud800"]}],
)
def test_no_member_of_an_object_holds_what_nothing_can_write_down(criteria: dict[str, object]) -> None:
    found = find.check({"criteria": criteria})[1]

    assert [problem.code for problem in found] == [CHARACTERS]
    assert "“criteria” holds" in found[0].sentence


def test_a_member_may_have_several_lines_and_lie_deep() -> None:
    deep: dict[str, object] = {"text": "x"}
    for _ in range(300):
        deep = {"in": [deep]}

    assert find.check({"criteria": {"text": "a\nb"}})[1] == find.check({"criteria": deep})[1] == []


@pytest.mark.req("PA-01")
def test_only_what_says_the_very_default_counts_as_left_out() -> None:
    aloud = {"level": 50, "monitor": None, "indices": None, "note": "", "ids": None, "subject": "", "flag": False}
    differs = {**GOOD, "level": 49, "note": " ", "flag": True}
    alike = {**GOOD, "level": False, "flag": 0, "note": None, "monitor": ""}

    assert unseen().told({**GOOD, **aloud, "wish": None}) == GOOD
    for kept in (differs, alike, {"source": None, "unheard": None}):
        assert unseen().told(kept) == kept
