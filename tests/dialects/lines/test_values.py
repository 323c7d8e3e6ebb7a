"""One argument as a word, and back."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.canonical import Json, canonical
from sayso.core.operation import Parameter, operation
from sayso.core.plan import Plan
from sayso.dialects.lines.scan import scan
from sayso.dialects.lines.values import choices, kinds, read, taken, write
from tests.dialects.catalogue import OPERATIONS


def parameter(id_: str, name: str) -> Parameter:
    return next(found for found in OPERATIONS[id_].parameters if found.name == name)


def meaning(id_: str, name: str, written: str) -> Json:
    (word,) = scan(written).words
    return read(taken(parameter(id_, name)), word)


JSON = st.recursive(
    st.text(max_size=5) | st.integers(-(2**53) + 1, 2**53 - 1) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("id_", "name", "written", "meant"),
    [
        ("task.add", "text", "12", "12"),
        ("task.add", "text", "[1]", "[1]"),
        ("sound.set_volume", "level", "007", 7),
        ("sound.set_volume", "level", "-3", -3),
        ("sound.set_volume", "level", "9" * 5000, "9" * 5000),
        ("habit.edit", "interval_hours", "2", 2),
        ("habit.edit", "interval_hours", "1e3", 1000.0),
        ("habit.edit", "interval_hours", "1e999", "1e999"),
        ("habit.edit", "interval_hours", "1_0", "1_0"),
        ("habit.edit", "interval_hours", "1.5_0", "1.5_0"),
        ("habit.edit", "interval_hours", "nan", "nan"),
        ("habit.edit", "interval_hours", "true", "true"),
        ("habit.edit", "interval_hours", '"2.5 "', "2.5 "),
        ("habit.edit", "interval_hours", "0.30000000000000000001", "0.30000000000000000001"),
        ("habit.edit", "interval_hours", "-0.0", "-0.0"),
        ("app.activate", "launch_if_needed", "true", True),
        ("app.activate", "launch_if_needed", "True", "True"),
        ("url.open", "browser", "SAFARI", "SAFARI"),
        ("tab.close", "indices", "3", [3]),
        ("tab.close", "indices", "x", ["x"]),
        ("mail.add_label", "ids", "3", ["3"]),
        ("tab.close", "indices", "1.5", ["1.5"]),
        ("tab.close", "indices", "true", ["true"]),
        ("tab.close", "indices", '"[1,2]"', [1, 2]),
        ("sound.set_volume", "level", "true", "true"),
        ("sound.set_volume", "level", "1.0", "1.0"),
        ("sound.set_volume", "level", '{"a":1}', "{a:1}"),
        ("app.activate", "launch_if_needed", '{"a":1}', "{a:1}"),
        ("app.activate", "launch_if_needed", "false", False),
        ("url.open", "browser", "opera", "opera"),
        ("mail.search", "criteria", '{"a":1.5}', {"a": 1.5}),
        ("mail.search", "criteria", "[1]", "[1]"),
        ("mail.search", "criteria", '{"a":{"b":1,"b":1}}', "{a:{b:1,b:1}}"),
        ("mail.search", "criteria", '{"a":1e999}', "{a:1e999}"),
        ("mail.search", "criteria", '{"a":Infinity}', "{a:Infinity}"),
        ("mail.search", "criteria", '{"a":0.30000000000000000001}', "{a:0.30000000000000000001}"),
    ],
)
def test_a_word_means_what_its_parameter_takes(id_: str, name: str, written: str, meant: Json):
    found = meaning(id_, name, written)

    assert canonical(found) == canonical(meant)
    assert type(found) is type(meant)


@pytest.mark.req("PA-12")
def test_json_nested_without_end_is_text_and_no_crash():
    assert meaning("tab.close", "indices", "[" * 100_000) == "[" * 100_000


@given(st.lists(JSON, max_size=4))
def test_a_list_reads_back(value: list[Json]):
    (word,) = scan(write(value)).words

    assert canonical(read(taken(parameter("mail.add_label", "ids")), word)) == canonical(value)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_an_object_reads_back(value: dict[str, Json]):
    (word,) = scan(write(value)).words

    assert canonical(read(taken(parameter("mail.search", "criteria")), word)) == canonical(value)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ('é\t\n"\\', '"é\\t\\n\\"\\\\"'),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (1.5, "1.5"),
        (["é", 1], '["é",1]'),
        (["a b"], '"[\\"a b\\"]"'),
        ((1, 2), "[1,2]"),
        (MappingProxyType({"a": MappingProxyType({"b": "é"})}), '{"a":{"b":"é"}}'),
    ],
)
def test_a_value_is_written_as_one_word(value: Json, word: str):
    assert write(value) == word
    assert [found.raw for found in scan(word).words] == [word]


@operation("thing.pick", kind="write", asks="none")
async def pick(
    alike: Literal["On", "ON", "off"],
    mixed: Literal["a", 1],
    number: Literal[1, 2],
    things: list[int] | None,
) -> Plan:
    """Pick things."""
    return Plan(f"{alike} {mixed} {number} {things}")


CHOICE: Any = Literal
MAYBE = replace(
    parameter("focus.set_dnd", "state"), name="maybe", schema={"enum": [None, "ok"]}, type=CHOICE["ok", None]
)
CHOICES = {one.name: one for one in (*pick.parameters, MAYBE)}


@pytest.mark.req("T-10")
@pytest.mark.parametrize(
    ("name", "takes", "among"),
    [
        ("alike", {"string"}, ("On", "ON", "off")),
        ("mixed", {"integer"}, ()),
        ("number", {"integer"}, ()),
        ("maybe", {"string"}, ("ok",)),
    ],
)
def test_a_choice_takes_what_all_its_words_are(name: str, takes: set[str], among: tuple[str, ...]):
    assert (kinds(CHOICES[name]), choices(CHOICES[name])) == (takes, among)


def test_a_word_is_read_by_the_kinds_that_its_choices_are():
    (number,), (text,), (item,) = scan("1").words, scan("a").words, scan("3").words

    assert read(taken(CHOICES["mixed"]), number) == 1
    assert read(taken(CHOICES["mixed"]), text) == "a"
    assert read(taken(CHOICES["things"]), item) == [3]


def test_what_has_no_type_takes_an_object():
    untyped = replace(parameter("task.add", "text"), schema={}, type=object)

    assert kinds(untyped) == {"object"}


def test_choices_keep_the_order_of_their_declaration():
    assert choices(parameter("focus.set_dnd", "state")) == ("ON", "OFF")
    assert choices(parameter("app.place", "monitor")) == ("main", "left", "right")
    assert choices(parameter("task.add", "text")) == ()


def test_a_parameter_takes_what_its_schema_says():
    assert kinds(parameter("habit.edit", "interval_hours")) == {"number"}
    assert kinds(parameter("app.place", "bounds")) == {"array"}
    assert kinds(parameter("mail.search", "criteria")) == {"object"}
    assert kinds(parameter("focus.set_dnd", "state")) == {"string"}
