"""Each element of a list is found where it stands."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sayso.dialects.spans import elements

VALUES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.lists(VALUES), st.integers(0, 3), st.booleans())
def test_elements_are_found_with_any_blanks(values: list[object], indent: int, ascii_only: bool):
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)

    assert [json.loads(text[start:end]) for start, end in elements(text)] == values


@given(st.lists(VALUES), st.dictionaries(st.text(), VALUES))
def test_elements_under_a_key_are_found_whatever_stands_beside_it(values: list[object], beside: dict[str, object]):
    text = json.dumps({**{key: value for key, value in beside.items() if key != "it"}, "it": values, "z": [1]})

    assert [json.loads(text[start:end]) for start, end in elements(text, "it")] == values


def test_an_element_is_given_as_it_came():
    text = '{"\\u0061": [ {"x":  1} , 2 ]}'

    assert [text[start:end] for start, end in elements(text, "a")] == ['{"x":  1}', "2"]


def test_what_follows_the_list_is_none_of_its_elements():
    text = '{"a": [[1, 2], {"b": 3}], "c": 4, "d": [5], "e": 6}'

    assert [text[start:end] for start, end in elements(text, "a")] == ["[1, 2]", '{"b": 3}']


def test_a_key_counts_only_in_the_outermost_object():
    text = '{"x": {"it": [8], "y": "it"}, "z": ["it", {"it": [9]}], "it": [7]}'

    assert [text[start:end] for start, end in elements(text, "it")] == ["7"]
